#!/bin/sh
# Runs the packed package in Deno and Bun, and in Node for comparison, with the addon and without it. npm gets the two, as packages of exact versions.
#
#   run.sh PACKAGES       the folder of the packed ones
set -eu
packed=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
project=$(mktemp -d)
trap 'rm -rf "$project"' EXIT
cp "$here/main.mjs" "$here/parts.mjs" "$here/package.json" "$project"
cp -r "$here/../../../../vectors/file" "$project/vectors"
cd "$project"
npm install --ignore-scripts --no-audit --no-fund --silent "$packed"/*.tgz

deno=node_modules/@deno/linux-x64-glibc/deno
bun=node_modules/@oven/bun-linux-x64/bin/bun
test_in() {
    name=$1
    shift
    printf '%s: ' "$name"
    "$@" main.mjs
}
test_all() {
    test_in "node $(node --version)$1" node
    test_in "deno $($deno --version | sed -n 's/^deno \([0-9.]*\).*/\1/p')$1" $deno run --allow-all --quiet
    test_in "bun $($bun --version)$1" $bun
}
test_all ''
rm -r node_modules/sealstone-linux-x64-gnu
test_all ' without the addon'
