#!/bin/sh
# Runs the tests of crates/ciphers as WASM in Node with SIMD, and with SEALSTONE_EXHAUSTIVE=1 also without it. `make test` calls it.
set -eu
cd "$(dirname "$0")/../.."
toolchain="sh bindings/wasm/toolchain.sh wasm32-wasip1"

node=$(node --version 2>/dev/null) || exec sh lanes/skip.sh wasm 'there is no Node'
$toolchain true || exec sh lanes/skip.sh wasm 'there is no toolchain for WASM'

# Before a release as it is shipped, but with the section that names the features.
profile=
[ -z "${SEALSTONE_EXHAUSTIVE:-}" ] || profile=--release
export CARGO_PROFILE_RELEASE_STRIP=none
for simd in ${SEALSTONE_EXHAUSTIVE:+no} yes; do
    echo "WASM in Node $node, SIMD: $simd"
    flags=
    [ $simd = no ] || flags='-C target-feature=+simd128'
    SIMD128=$simd CARGO_TARGET_WASM32_WASIP1_RUSTFLAGS=$flags \
        $toolchain "${CARGO:-cargo}" test --locked $profile -p sealstone-ciphers --lib --test sm4 --test chacha --test poly1305
done
