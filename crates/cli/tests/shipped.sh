#!/bin/sh
# The command line as it is linked for users, which is static where that is possible: its randomness is the kernel's own call, and no
# device is opened for it, so that a chroot needs none.
#
#   crates/cli/tests/shipped.sh [path of sealstone]
#
# Needs strace.
set -eu

sealstone=$(realpath "${1:-$(dirname "$0")/../../../target/release/sealstone}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

traced() {
    strace -f -qq -o calls -e trace=getrandom,open,openat "$sealstone" "$@"
    if ! grep -q 'getrandom(.*, [1-9][0-9]*, 0)' calls || grep '"/dev/u\{0,1\}random"' calls; then
        echo "shipped: \`sealstone $1\` draws no randomness by getrandom alone" >&2
        exit 1
    fi
}

echo hello > plain
traced keygen -q --kind ml-kem-768 -o key
traced keygen -q --kind p256-sign -o signing.key
"$sealstone" recipients key > recipient
traced encrypt -q -r recipient -o sealed plain
traced sign -q -k signing.key plain

# Where nothing has to be loaded and whoever runs this may do so: in an empty folder.
mkdir root
cp "$sealstone" root/sealstone
if unshare --map-root-user chroot root /sealstone --version > version 2> /dev/null; then
    unshare --map-root-user chroot root /sealstone keygen -q --kind ml-kem-768 -o /key
    test -s root/key
fi
