#!/bin/sh
# Runs the examples as a user has them: with the crates that cargo packs, the packages that npm packs and the wheel, each in an empty
# project outside of the repository. What a task prints is the same in each language.
#
#   examples/test.sh rust
#   examples/test.sh node PACKAGES       the folder of the packed ones
#   examples/test.sh python PYTHON       an interpreter of an environment that has the wheel
set -eu
export LC_ALL=C
language=$1
repository=$(cd "$(dirname "$0")/.." && pwd)
target=$(mkdir -p "${CARGO_TARGET_DIR:-$repository/target}" && cd "${CARGO_TARGET_DIR:-$repository/target}" && pwd)
project=$(mktemp -d)
trap 'rm -rf "$project"' EXIT
cp -r "$repository/examples/$language/." "$project"

case $language in
rust)
    cargo=${CARGO:-cargo}
    (cd "$repository" && "$cargo" package --quiet --no-verify --allow-dirty --target-dir "$target" -p sealstone-ciphers -p sealstone)
    # A workspace of its own, in which the packed crates stand for those that are published.
    version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$repository/Cargo.toml" | head -n 1)
    for name in sealstone-ciphers sealstone; do
        # With the time of now: that of packed files is fixed, and cargo would take what it compiled of others for theirs.
        tar -xzmf "$target/package/$name-$version.crate" -C "$project"
    done
    cat >"$project/Cargo.toml" <<END
[package]
name = "examples"
edition = "2024"

[dependencies]
sealstone = "$version"

[patch.crates-io]
sealstone = { path = "sealstone-$version" }
sealstone-ciphers = { path = "sealstone-ciphers-$version" }
END
    # The dependencies are compiled as the workspace has them, and so once.
    sed -n '/^\[profile\.dev/,$p' "$repository/Cargo.toml" >>"$project/Cargo.toml"
    cp "$repository/Cargo.lock" "$project"
    "$cargo" build --quiet --manifest-path "$project/Cargo.toml" --target-dir "$target"
    run() {
        name=$1
        shift
        "$target/debug/$name" "$@"
    }
    ;;
node)
    (cd "$project" && npm install --offline --no-audit --no-fund --silent "$2"/*.tgz)
    run() {
        name=$1
        shift
        node "$project/$name.mjs" "$@"
    }
    ;;
python)
    run() {
        name=$1
        shift
        "$python" "$project/$name.py" "$@"
    }
    python=$2
    ;;
*)
    echo "test.sh: there are no examples in $language" >&2
    exit 2
    ;;
esac

expect() {
    wanted=$1
    shift
    found=$(run "$@")
    if [ "$found" != "$wanted" ]; then
        printf 'examples: %s in %s printed:\n%s\nand not:\n%s\n' "$1" "$language" "$found" "$wanted" >&2
        exit 1
    fi
}

cp "$repository/Cargo.lock" "$project/file"
expect "$(wc -c <"$project/file") bytes came back" recipient "$project/file"
cmp "$project/file" "$project/file.copy"
if cmp -s "$project/file" "$project/file.seal"; then
    echo "examples: the file was not encrypted" >&2
    exit 1
fi
[ "$(stat -c %a "$project/file.key")" = 600 ]
expect 'attack at dawn
with another one: no_matching_identity' passphrase 'correct horse'
expect 'attack at dawn' aead
echo "examples: three tasks in $language"
