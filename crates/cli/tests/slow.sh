#!/bin/sh
# Seals and opens a pipe of several GiB and prints the peak memory of both. It takes minutes, so it is not among the
# tests that `cargo test` runs.
#
#   crates/cli/tests/slow.sh [path of sealstone] [GiB]
#
# Fails when either needs more than 32 MiB, or when what comes out is not what went in.
set -eu

root=$(cd "$(dirname "$0")/../../.." && pwd)
sealstone=${1:-$root/target/release/sealstone}
gib=${2:-5}
limit_kib=$((32 * 1024))

if [ ! -x "$sealstone" ]; then
    echo "no program $sealstone: cargo build --release -p sealstone-cli" >&2
    exit 1
fi
if ! command -v python3 > /dev/null; then
    if [ "${CI:-}" = true ]; then
        echo "skipped: there is no python3" >&2
        exit 1
    fi
    echo "skipped: there is no python3"
    exit 0
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$sealstone" keygen --quiet -o "$folder/key"
"$sealstone" recipients "$folder/key" > "$folder/recipient"

python3 - "$sealstone" "$folder" "$gib" "$limit_kib" <<'PYTHON'
import hashlib
import os
import subprocess
import sys
import threading

sealstone, folder, gib, limit = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
MIB = 1 << 20

encrypt = subprocess.Popen(
    [sealstone, "encrypt", "-R", f"{folder}/recipient"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
)
decrypt = subprocess.Popen(
    [sealstone, "decrypt", "-i", f"{folder}/key"], stdin=encrypt.stdout, stdout=subprocess.PIPE
)
encrypt.stdout.close()

sent, received = hashlib.blake2b(), hashlib.blake2b()
total = 0


def send():
    # Blocks that differ, so that none can be lost, doubled or swapped without being seen.
    block = bytearray(os.urandom(MIB))
    for i in range(gib * 1024):
        block[:8] = i.to_bytes(8, "big")
        sent.update(block)
        encrypt.stdin.write(block)
    encrypt.stdin.close()


sender = threading.Thread(target=send)
sender.start()
while piece := decrypt.stdout.read(MIB):
    received.update(piece)
    total += len(piece)
sender.join()

failed = False
for name, process in (("encrypt", encrypt), ("decrypt", decrypt)):
    _, status, usage = os.wait4(process.pid, 0)
    print(f"{name}: exit status {os.waitstatus_to_exitcode(status)}, peak memory {usage.ru_maxrss / 1024:.1f} MiB")
    failed |= status != 0 or usage.ru_maxrss > limit
print(f"{total} bytes passed, {'the same' if sent.digest() == received.digest() else 'NOT the same'}")
failed |= sent.digest() != received.digest() or total != gib * 1024 * MIB
sys.exit(failed)
PYTHON
