#!/bin/sh
# Seals a real file to a post-quantum key, opens it again, and compares the time of each step with cp's.
#
#   make demo                    with the largest file of the installed Rust toolchain
#   make demo INPUT=film.mkv     with a file of yours
#
# Works in a temporary directory and removes it. Needs target/release/sealstone (`make demo` builds it), or another
# one in SEALSTONE.
set -eu
export LC_ALL=C
rounds=3
repository=$(cd "$(dirname "$0")/.." && pwd)
sealstone=${SEALSTONE:-${CARGO_TARGET_DIR:-$repository/target}/release/sealstone}

fail() {
    echo "demo: $1" >&2
    exit 1
}

say() {
    printf '\n%s\n' "$1"
}

largest_file() {
    find "$1" -type f -exec stat -c '%s %n' {} + | sort -n | tail -n 1 | cut -d ' ' -f 2-
}

# Prints a command as a reader would type it, then runs it.
run() {
    show "$@"
    "$@"
}

show() {
    line='$'
    for word in "$@"; do
        case $word in
            "$sealstone") word=sealstone ;;
            "$recipient") word=$short ;;
            *' '*) word="'$word'" ;;
        esac
        line="$line $word"
    done
    printf '%s\n' "$line"
}

# timed STEP OUTPUT COMMAND...: prints and runs the command without OUTPUT there before, and notes its seconds.
timed() {
    step=$1
    rm -f "$2"
    shift 2
    show "$@"
    begin=$(date +%s.%N)
    "$@"
    end=$(date +%s.%N)
    echo "$begin $end" | awk '{ printf "%.6f\n", $2 - $1 }' >>"$step.times"
    tail -n 1 "$step.times" | awk '{ printf "    %.3f s\n", $1 }'
}

median() {
    sort -n "$1.times" | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'
}

# A line of the table at the end.
report() {
    median "$1" | awk -v step="$1" -v cp="$(median cp)" -v bytes="$size" \
        '{ printf "  %-8s %7.3f s   %5.2f GB/s   %5.2f x cp\n", step, $1, bytes / $1 / 1e9, $1 / cp }'
}

[ -x "$sealstone" ] || fail 'there is no target/release/sealstone: run `cargo build --release -p sealstone-cli`'
input=${INPUT:-$(largest_file "$(rustc --print sysroot)")}
[ -f "$input" ] && [ -r "$input" ] || fail "no file to seal: ${input:-set INPUT}"
input=$(realpath "$input")
size=$(stat -c %s "$input")
[ "$size" -gt 0 ] || fail "$input is empty"
recipient=-
short=-

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
cd "$work"

say "The file: $input, $size bytes. It is read once, so that all steps find it in memory."
cat "$input" >/dev/null

say 'A key of the hybrid kind: ML-KEM-768 and X25519 together. Its recipient is public and may be given to anybody.'
run "$sealstone" keygen --quiet -o identity.txt
recipient=$("$sealstone" recipients identity.txt)
case $recipient in
    age1pq1*) ;;
    *) fail 'the new key is not post-quantum' ;;
esac
short=$(echo "$recipient" | awk '{ print substr($0, 1, 16) "..." substr($0, length - 5) }')
echo "  recipient $short (${#recipient} characters)"

say "Copied, sealed and opened $rounds times. Nothing waits for the disk: cp does not, and --no-sync asks the same."
round=1
while [ "$round" -le "$rounds" ]; do
    timed cp copy cp --reflink=never "$input" copy
    timed encrypt sealed "$sealstone" encrypt --quiet --no-sync -r "$recipient" -o sealed "$input"
    timed decrypt opened "$sealstone" decrypt --quiet --no-sync -i identity.txt -o opened sealed
    run cmp "$input" opened
    round=$((round + 1))
done

say 'What anybody can see of the sealed file, and what the key proves of it:'
run "$sealstone" inspect sealed
run "$sealstone" verify -i identity.txt sealed

say "Medians of $rounds, on $(nproc) cores:"
report cp
report encrypt
report decrypt

sealed_size=$(stat -c %s sealed)
echo "$(median cp) $(median encrypt) $(median decrypt)" | awk -v size="$size" -v sealed="$sealed_size" '{
    if (size < 50e6) {
        print "\nA file this small is the time of starting a program; try one of 100 MB or more."
    }
    printf "\n%.1f MB were sealed to a post-quantum key in %.2f times the time of cp (%.3f s) and opened in %.2f times it ",
        size / 1e6, $2 / $1, $2, $3 / $1
    printf "(%.3f s), bit for bit the same; the sealed file is %.2f %% longer.\n", $3, (sealed / size - 1) * 100
}'
