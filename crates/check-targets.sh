#!/bin/sh
# `make check-targets`: checks the types of crates for targets that no test runs on. Nothing is linked or run.
#
# No C is compiled, since few machines have a C compiler for these: libraries are those of WebAssembly everywhere, and a
# build script that wants C fails.
set -eu
cd "$(dirname "$0")/.."

folder=${CARGO_TARGET_DIR:-target}/check-targets
left_out=
# Of `cargo check`.
features=

# check TARGET "CFG..." CRATE...
check() {
    target=$1
    flags="-D warnings"
    for cfg in $2; do flags="$flags --cfg $cfg"; done
    shift 2
    if ! sh bindings/wasm/toolchain.sh "$target" true; then
        left_out="$left_out $target"
        return 0
    fi
    echo "$target: $*"
    TARGET_CC=false RUSTFLAGS=$flags CARGO_INCREMENTAL=0 sh bindings/wasm/toolchain.sh "$target" \
        "${CARGO:-cargo}" check --locked --quiet --target-dir "$folder" $features $(printf ' --package %s' "$@")
}

# Without an operating system, whoever links brings getrandom a function that gives randomness. A check needs none.
check wasm32-unknown-unknown 'getrandom_backend="custom"' sealstone-ciphers sealstone sealstone-wasm sealstone-inflate
features=--no-default-features
check wasm32-unknown-unknown 'getrandom_backend="custom"' sealstone
features=
check aarch64-unknown-linux-gnu sealstone_rustcrypto sealstone sealstone-cli
check aarch64-apple-darwin sealstone_rustcrypto sealstone sealstone-cli
# A Unix that is neither.
check x86_64-unknown-freebsd sealstone_rustcrypto sealstone

echo "each feature of sealstone alone, for this machine"
sh crates/check-features.sh archive gm interop jwk legacy sign

if [ -n "$left_out" ]; then
    sh lanes/skip.sh check-targets "NOT checked, since their standard library cannot be had:$left_out"
fi
