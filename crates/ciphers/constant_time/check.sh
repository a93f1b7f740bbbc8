#!/bin/sh
# Checks what SECURITY.md says about constant time; `make constant-time` runs all three.
#
#   constant_time/check.sh [poisoned] [machine-code] [timing]
#
# poisoned       secrets that valgrind takes for undefined: it reports branches and addresses that depend on one
# machine-code   the kernels' instructions, those for other CPUs too
# timing         two classes of inputs, measured: a report, as good as the machine is quiet
set -eu
export LC_ALL=C
cd "$(dirname "$0")/../../.."
target=${CARGO_TARGET_DIR:-target}/constant-time
supp=crates/ciphers/constant_time/verdict.supp
[ $# -gt 0 ] || set -- poisoned machine-code timing

need() {
    command -v "$1" >/dev/null || { echo "check.sh: $1 is missing; it is in the package $2" >&2; exit 1; }
}

build() {
    ${CARGO:-cargo} build --locked --quiet --profile constant-time -p sealstone-ciphers --examples "$@"
}
build
for check; do
    echo "== $check"
    case $check in
    poisoned)
        need valgrind valgrind
        # Valgrind runs ADX, but its CPUID does not report it. The standard library trusts the features of a build.
        [ "$(uname -m)" != x86_64 ] || adx="-C target-feature=+adx"
        RUSTFLAGS="${RUSTFLAGS:-} ${adx:-}" build --target-dir "${CARGO_TARGET_DIR:-target}/poisoned"
        # Its own errors, by which the program judges, are in the log, the controls' too.
        valgrind --quiet --suppressions="$supp" --log-file="$target/valgrind.log" "${CARGO_TARGET_DIR:-target}/poisoned/constant-time/examples/poisoned" ||
            { cat "$target/valgrind.log" >&2; exit 1; }
        ;;
    machine-code)
        need objdump binutils
        "${PYTHON:-python3}" crates/ciphers/constant_time/machine_code.py "$target/examples/poisoned"
        ;;
    timing) "$target/examples/timing" ;;
    *) echo "check.sh: no check is named $check" >&2; exit 2 ;;
    esac
done
