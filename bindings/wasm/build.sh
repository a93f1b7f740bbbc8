#!/bin/sh
# Builds the modules of the npm package, base.wasm, forms.wasm, whole.wasm (both in one), digest.wasm, cipher.wasm,
# sign.wasm, exchange.wasm, compat.wasm and age.wasm, each also deflated (.lzma), and inflate.wasm, which inflates them, into a folder:
# bindings/wasm/build.sh FOLDER
set -eu
cd "$(dirname "$0")/../.."
to=$1

target=wasm32-unknown-unknown
output=${CARGO_TARGET_DIR:-target}
# All sources are here before their folders are named.
"${CARGO:-cargo}" fetch --locked --quiet
sources=$(for folder in "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/; do printf ' --remap-path-prefix=%s=' "$folder"; done)
# Randomness is imported (src/host.rs), and passphrases come in normalization form C. JavaScript reads where the stack ends, which
# it zeroes. Panics name no path of this machine.
flags="-C target-feature=+simd128 --cfg getrandom_backend=\"custom\" --cfg sealstone_host_normalizes
    -C link-arg=--export=__stack_pointer -C link-arg=-zstack-size=262144
    --remap-path-prefix=$PWD= $sources"
compile() {
    CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS=$flags CARGO_INCREMENTAL=0 sh bindings/wasm/toolchain.sh $target \
        "${CARGO:-cargo}" rustc --locked --quiet --profile wasm "$@"
}
build() {
    compile -p sealstone-wasm --no-default-features --features "$2" -- ${3:+-C llvm-args=-inline-threshold=$3}
    install -m 644 "$output/$target/wasm/sealstone_wasm.wasm" "$to/$1.wasm"
}
mkdir -p "$to"
# Fewer functions inlined at link time weigh 3 to 5 KB less, and take no longer.
build base base 3
build forms forms
build whole base,forms 3
build digest digest
build cipher cipher
build sign sign 3
build exchange exchange,rsa 3
build compat compat
build age age 3
compile -p sealstone-inflate
install -m 644 "$output/$target/wasm/sealstone_inflate.wasm" "$to/inflate.wasm"
"${CARGO:-cargo}" run --locked --quiet -p sealstone-inflate --example deflate -- "$to"
