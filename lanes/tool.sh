#!/bin/sh
# Installs a program of lanes/tools.txt below target/tools, unless this version is there. It compares the crate's hash before anything of it runs.
#
# usage: tool.sh NAME
set -eu
cd "$(dirname "$0")/.."
name=$1
cargo=${CARGO:-cargo}
root=${CARGO_TARGET_DIR:-target}/tools

set -- $(sed -n "s/^$name //p" lanes/tools.txt)
[ $# -eq 2 ] || { echo "tool.sh: lanes/tools.txt has no line for $name, with a version and a hash" >&2; exit 2; }
version=$1 expected=$2

installed=$root/$name-$version-$expected
[ ! -e "$installed" ] || [ ! -x "$root/bin/$name" ] || exit 0

# This downloads the crate and runs nothing of it; where there are several registries, each copy has to be the same.
"$cargo" info --quiet "$name@$version" >/dev/null
crates=$(find "${CARGO_HOME:-$HOME/.cargo}/registry/cache/" -name "$name-$version.crate")
[ -n "$crates" ] || { echo "tool.sh: cargo info left no $name-$version.crate in cargo's cache" >&2; exit 1; }
printf '%s\n' "$crates" | while IFS= read -r crate; do
    found=$(sha256sum <"$crate")
    if [ "${found%% *}" != "$expected" ]; then
        echo "tool.sh: $crate has SHA-256 ${found%% *}, and lanes/tools.txt says $expected" >&2
        exit 1
    fi
done

echo "Building $name $version; this takes some minutes."
# One that is there may be of another crate with this version.
"$cargo" install --quiet --force --locked --version "=$version" --root "$root" --target-dir "$root/build" "$name"
rm -rf "$root/build" "$root/$name"-*
[ -x "$root/bin/$name" ] || { echo "tool.sh: cargo install left no $root/bin/$name" >&2; exit 1; }
: >"$installed"
