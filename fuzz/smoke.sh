#!/bin/sh
# Runs every fuzz target for a while, from seeds made of the vectors; fails on any crash.
#
#   fuzz/smoke.sh [SECONDS]      seconds for each target, 15 by default
#
# Needs a C++ compiler, and cargo-fuzz, which lanes/tool.sh builds.
set -eu
export LC_ALL=C
seconds=${1:-15}
cd "$(dirname "$0")/.."
built=${CARGO_TARGET_DIR:-target}
mkdir -p "$built"
built=$(cd "$built" && pwd)
CARGO_TARGET_DIR=$built sh lanes/tool.sh cargo-fuzz
PATH=$built/tools/bin:$PATH
cd fuzz
# The fuzzer's flags are unstable ones; this lets the pinned stable compiler take them.
export RUSTC_BOOTSTRAP=1

# The bodies of the vectors, which begin after the first empty line, and the key strings in their heads.
seed() {
    mkdir -p corpus/header corpus/armour corpus/key_strings corpus/pem corpus/pkcs8 corpus/jwk
    for vector in ../vectors/file/*; do
        name=${vector##*/}
        # Those with thousands of stanzas are slow, and the target `stanzas` makes such lists itself.
        case $name in attempts_*) continue ;; esac
        sed '1,/^$/d' "$vector" >"corpus/header/$name"
        # Four bytes choose the case: Around takes a text, Damaged what follows BEGIN's 30 characters of one, Wrapped a file.
        case $name in
            armour_with_* | armour_not_*) { printf '\0\0\0\100'; cat "corpus/header/$name"; } >"corpus/armour/$name" ;;
            armour_*) { printf '\0\0\0\0'; tail -c +31 "corpus/header/$name"; } >"corpus/armour/$name" ;;
            payload_*) { printf '\0\0\0\200'; cat "corpus/header/$name"; } >"corpus/armour/$name" ;;
        esac
        sed -n '/^$/q; s/^identity: //p' "$vector" | head -n 1 | tr -d '\n' >"corpus/key_strings/$name"
    done
    # Four zero bytes choose a file as it is. What is in PEM is a seed as DER, too.
    for vector in ../vectors/keys/*; do
        name=${vector##*/}
        sed '1,/^$/d' "$vector" >"corpus/$name"
        case $name,$(head -c 1 "corpus/$name") in
            *,0) target=pkcs8 ;;
            jwk_*) target=jwk ;;
            *) target=pem ;;
        esac
        { printf '\0\0\0\0'; cat "corpus/$name"; } >"corpus/$target/$name"
        if [ $target = pem ]; then
            { printf '\0\0\0\0'; sed '/-----/d' "corpus/$name" | base64 -di 2>/dev/null || true; } >"corpus/pkcs8/$name"
        fi
        rm "corpus/$name"
    done
    # Likewise.
    mkdir -p corpus/signing_keys corpus/ssh_keys corpus/signatures corpus/allowed_signers
    for vector in ../vectors/signing_keys/* ../vectors/signature/* ../vectors/allowed_signers/*; do
        name=${vector##*/}
        folder=${vector%/*}
        case ${folder##*/} in
            signature) targets_of=signatures ;;
            allowed_signers) targets_of=allowed_signers ;;
            *) targets_of='signing_keys ssh_keys' ;;
        esac
        for target in $targets_of; do
            { printf '\0\0\0\0'; sed '1,/^$/d' "$vector"; } >"corpus/$target/$name"
        done
    done
    # C2SP's kit has base64, a vector a line; those that are packed are long and leave nothing new.
    mkdir -p corpus/age
    sed -n 's/.*"name": "\([^"]*\)".*"compressed": null, "file": "\([^"]*\)".*/\1 \2/p' ../vectors/borrowed/cctv_age.json |
        while read -r name file; do
            { printf '\0\0\0\0'; echo "$file" | base64 -d; } >"corpus/age/$name"
        done
    # Whether it wraps, how questions are answered, four lengths of parts, no command of the fuzzer's own; then what the program says.
    mkdir -p corpus/plugin
    printf '\0\4\7\1\40\377\0-> msg\nSGk\n-> request-secret\nUElO\n-> file-key 0\nBwcHBwcHBwcHBwcHBwcHBw\n-> done\n\n' >corpus/plugin/key
    printf '\0\1\1\1\1\1\0-> confirm eWVz bm8\nR28\n-> error identity 0\nbm8\n-> done\n\n' >corpus/plugin/error
    printf '\1\0\377\377\2\3\0-> labels postquantum\n\n-> recipient-stanza 0 X 1\nAAAA\n-> done\n\n' >corpus/plugin/stanza
    # A bundle has the time behind the four bytes.
    mkdir -p corpus/nkct corpus/nkcs corpus/nkkb
    for vector in ../vectors/nkct/files/* ../vectors/nkct/signatures/* ../vectors/nkct/bundles/*; do
        case $vector in
            *.nkct) target=nkct time= ;;
            *.nkcs) target=nkcs time= ;;
            *) target=nkkb time='\0\0\0\0' ;;
        esac
        { printf '\0\0\0\0%b' "$time"; cat "$vector"; } >"corpus/$target/${vector##*/}"
    done
}

seed
cargo fuzz build --fuzz-dir . --target-dir "$built/fuzz"
failed=
targets=$(cargo fuzz list --fuzz-dir .)
[ -n "$targets" ] || { echo "fuzz/smoke.sh: fuzz/Cargo.toml names no target" >&2; exit 1; }
for target in $targets; do
    echo "== $target, $seconds s"
    mkdir -p "corpus/$target"
    cargo fuzz run --fuzz-dir . --target-dir "$built/fuzz" "$target" -- \
        -max_total_time="$seconds" -timeout=10 -print_final_stats=1 -verbosity=0 -print_funcs=0 \
        || failed="$failed $target"
done
if [ -n "$failed" ]; then
    echo "fuzz/smoke.sh: failed:$failed; the inputs are in fuzz/artifacts" >&2
    exit 1
fi
echo "every target ran $seconds s without a crash"
