#!/bin/sh
# Runs this crate's tests on an emulated CPU that has GFNI and AVX-512; README.md says how. Arguments go to the tests:
# `run.sh rfc_8998` runs those with that in the name. AVX512=no makes it a CPU that has GFNI and AVX2 alone.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
bochs=${BOCHS:-bochs}
if [ "${AVX512:-yes}" = no ]; then
    registers=0x07 backends='vaes-avx2, gfni-avx2$' other_backends='portable, avx2$'
else
    registers=0xe7 backends='gfni-avx2, gfni-avx512$' other_backends='avx2, avx512, avx512-ifma$'
fi
fail() {
    echo "emulated: $*" >&2
    exit 1
}
[ "$(uname -sm)" = "Linux x86_64" ] || fail "only on Linux on x86-64"
for tool in "$bochs" "${CC:-cc}" objcopy; do
    command -v "$tool" >/dev/null || fail "$tool is missing; see $here/README.md"
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM

# The kernel's C has no standard library, no vector registers, which are the program's, and no variable with a value.
"${CC:-cc}" -std=gnu11 -O2 -Wall -Wextra -Werror -ffreestanding -fno-pie -fno-stack-protector -fcf-protection=none \
    -fno-asynchronous-unwind-tables -mgeneral-regs-only -mno-red-zone -nostdlib -static -no-pie -Wl,--build-id=none \
    -DXCR0=$registers -Wl,-T,"$here/linker.ld" -o "$work/kernel" "$here/boot.s" "$here/kernel.c"
objcopy -O binary -j .text "$work/kernel" "$work/rom"

(cd "$here" && RUSTFLAGS="${RUSTFLAGS:-} -C target-feature=+crt-static -C relocation-model=static" \
    "${CARGO:-cargo}" test --locked --release --quiet --target x86_64-unknown-linux-gnu --lib --test sm4 --test chacha --test poly1305 --test keccak --no-run \
    --message-format=json-render-diagnostics) >"$work/built"
sed -n 's/.*"executable":"\([^"]*\)".*/\1/p' "$work/built" | sort -u >"$work/programs"

# Bochs insists on a ROM for the display. This one does nothing; its bytes add up to zero, as they must.
printf '\125\252\001' >"$work/vga"
truncate -s 512 "$work/vga"

cat >"$work/bochsrc" <<END
romimage: file=$work/rom
vgaromimage: file=$work/vga
ata0-master: type=disk, path=$work/disk, mode=flat
memory: guest=512, host=512
cpu: model=tigerlake, ips=100000000, reset_on_triple_fault=0
clock: sync=none
port_e9_hack: enabled=1
log: $work/log
panic: action=fatal
error: action=report
END
# Debian's build has the debugger in it, which waits for a command.
echo continue >"$work/commands"
"$bochs" --help 2>&1 | grep -q -e '^ *-rc ' && debugger="-rc $work/commands" || debugger=

# Bochs without a window is `nogui`, or `term` where that was not built in.
emulate() {
    for display in nogui term; do
        TERM=dumb "$bochs" -q -f "$work/bochsrc" $debugger "display_library: $display" </dev/null 2>"$work/errors" || true
        grep -q "display library '$display' not available" "$work/errors" || return 0
    done
}

while read -r program; do
    printf '%s\0' "${program##*/}" --test-threads=1 --nocapture "$@" "" >"$work/disk"
    [ "$(wc -c <"$work/disk")" -le 512 ] || fail "too many arguments"
    truncate -s 512 "$work/disk"
    cat "$program" >>"$work/disk"
    # Bochs wants whole cylinders.
    truncate -s %516096 "$work/disk"
    emulate | sed -un '/^emulated: /,$p' | tee "$work/output"
    grep -q "^emulated: this emulator's GFNI is wrong" "$work/output" &&
        fail "no test ran; BOCHS=FILE names another Bochs (see $here/README.md)"
    grep -q '^emulated: exit status 0x0$' "$work/output" || {
        tail -n 20 "$work/errors" >&2
        fail "the tests failed, or did not come to an end"
    }
    cat "$work/output" >>"$work/outputs"
done <"$work/programs"

echo
grep '^test result: ' "$work/outputs"
grep -q '^test result: ok\. [1-9]' "$work/outputs" || fail "no test ran"
grep -q "backends here: .*$backends" "$work/outputs" || fail "the GFNI backends did not take part"
grep -q "backends here: .*$other_backends" "$work/outputs" || fail "the AVX backends of ChaCha20 did not take part"
