#!/bin/sh
# Archives a folder of a million members, lists, verifies and extracts the archive, and prints the peak memory of each. It takes minutes
# and some GiB of a disk, so it is not among the tests that `cargo test` runs.
#
#   crates/cli/tests/members.sh [path of sealstone] [members]
#
# Fails when one of them needs more than 48 MiB and 128 bytes for each member, or when what comes out is not what went in.
set -eu

root=$(cd "$(dirname "$0")/../../.." && pwd)
sealstone=$(realpath "${1:-$root/target/release/sealstone}")
members=${2:-1000000}

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
cd "$folder"
"$sealstone" keygen --quiet --kind key -o key

python3 - "$sealstone" "$members" <<'PYTHON'
import os
import subprocess
import sys

sealstone, members = sys.argv[1], int(sys.argv[2])
limit_kib = 48 * 1024 + 128 * members // 1024

# Half of the files in one folder, and the others in folders of ten. Every second one is a link.
count = 1
os.mkdir("t")
os.mkdir("t/many")
count += 1
number = 0
while count < members:
    if number % 20 == 0:
        few = f"t/few-{number:07}"
        os.mkdir(few)
        count += 1
    name = f"{'t/many' if number % 2 else few}/file-{number:07}"
    if number % 4 == 1:
        os.symlink("some/usual/target", name)
    elif number % 4 == 3:
        os.link(last, name)
    else:
        os.close(os.open(name, os.O_CREAT | os.O_WRONLY, 0o644))
        last = name
    number += 1
    count += 1

failed = False


def run(name, arguments, stdout=subprocess.DEVNULL):
    global failed
    process = subprocess.Popen([sealstone, *arguments], stdout=stdout)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds = usage.ru_utime + usage.ru_stime
    print(
        f"{name}: exit status {process.returncode}, {seconds:.1f} CPU seconds, "
        f"peak memory {usage.ru_maxrss / 1024:.1f} of {limit_kib / 1024:.1f} MiB",
        flush=True,
    )
    failed |= process.returncode != 0 or usage.ru_maxrss > limit_kib


run("encrypt --archive", ["encrypt", "--archive", "--key-file", "key", "-o", "x.seal", "t"])
with open("list", "wb") as out:
    run("list", ["list", "--key-file", "key", "x.seal"], out)
run("verify", ["verify", "--key-file", "key", "x.seal"])
run("decrypt --extract", ["decrypt", "--extract", "--no-sync", "--key-file", "key", "-o", "back", "x.seal"])
run(
    "decrypt --extract of a member and all in it",
    ["decrypt", "--extract", "--no-sync", "--key-file", "key", "-o", "some", "x.seal", "t"],
)

with open("list", "rb") as lines:
    listed = sum(1 for _ in lines)
differ = subprocess.run(["diff", "-r", "--no-dereference", "t", "back/t"]).returncode
differ |= subprocess.run(["diff", "-r", "--no-dereference", "t", "some/t"]).returncode
print(f"{count} members, {listed} listed, {'NOT ' if differ else ''}the same when extracted")
sys.exit(bool(failed or differ or listed != count))
PYTHON
