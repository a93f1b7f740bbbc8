#!/bin/sh
# Runs the packed package in workerd, Cloudflare's runtime, with flags of today and with those of an old program. npm gets it, as a
# package of an exact version.
#
#   run.sh PACKAGES       the folder of the packed ones; those in ../tools are installed
set -eu
packed=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
project=$(mktemp -d)
trap 'rm -rf "$project"' EXIT
cp "$here/main.mjs" "$here/package.json" "$project"
cd "$project"
npm install --ignore-scripts --no-audit --no-fund --silent "$packed"/*.tgz
workerd=node_modules/@cloudflare/workerd-linux-64/bin/workerd

# A program, its date of compatibility, and the modules beside it.
service() {
    printf '(name = "%s", worker = (compatibilityDate = "%s", modules = [\n' "$1 of $2" "$2"
    printf '  (name = "main.mjs", esModule = embed "out/main.mjs"),\n'
    for file in out/*.wasm; do printf '  (name = "%s", wasm = embed "%s"),\n' "$(basename "$file")" "$file"; done
    printf '])),\n'
}
node "$here/../tools/bundle.mjs" 'esbuild for workerd' main.mjs esm out/main.mjs
{
    echo 'using Workerd = import "/workerd/workerd.capnp";'
    echo 'const config :Workerd.Config = (services = ['
    service sealstone 2026-11-01
    service sealstone 2023-01-01
    echo ']);'
} >config.capnp
$workerd test config.capnp
