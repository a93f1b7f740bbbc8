#!/bin/sh
# Makes the C library of what cargo built: pack.sh FROM TO, where FROM has libsealstone_c.so and .a. TO gets include/, lib/ and lib/pkgconfig/,
# as a prefix has them.
#
# An archive of Rust has all symbols of its standard library, which clash with those of another in one program. So here it becomes one object,
# without the sections that nothing of the header needs, in which only the functions of the header have names for others.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
from=$1 to=$2
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$here/../../Cargo.toml" | head -n 1)
header="$here/include/sealstone.h"
abi=$(echo "$version" | sed 's/^\(0\.[0-9]*\)\..*/\1/; t; s/\..*//')

mkdir -p "$to/include" "$to/lib/pkgconfig"
work=$(mktemp -d "$to/pack.XXXXXX")
trap 'rm -rf "$work"' EXIT

sed -n 's/^[a-z].*[ *]\(sealstone_[a-z0-9_]*\)(.*/\1/p' "$header" | sort -u >"$work/symbols"
sed 's/^/-u /' "$work/symbols" >"$work/wanted"
# shellcheck disable=SC2046 # Each word is an argument.
ld -r --gc-sections $(cat "$work/wanted") -o "$work/whole.o" "$from/libsealstone_c.a"
# The bitcode of the standard library is no use to a linker, and makes some archivers fail.
objcopy --keep-global-symbols="$work/symbols" --strip-unneeded -R .llvmbc -R .llvmcmd "$work/whole.o" "$work/sealstone.o"
rm -f "$work/libsealstone.a"
ar rcsD "$work/libsealstone.a" "$work/sealstone.o"
cp "$from/libsealstone_c.so" "$work/libsealstone.so.$version"

cp "$header" "$to/include/sealstone.h"
mv "$work/libsealstone.a" "$work/libsealstone.so.$version" "$to/lib/"
ln -sf "libsealstone.so.$version" "$to/lib/libsealstone.so.$abi"
ln -sf "libsealstone.so.$abi" "$to/lib/libsealstone.so"
# Where it lies is said by the file's own place, so that a folder may be moved.
cat >"$to/lib/pkgconfig/sealstone.pc" <<END
prefix=\${pcfiledir}/../..
includedir=\${prefix}/include
libdir=\${prefix}/lib

Name: sealstone
Description: Encrypts files and data to public keys
Version: $version
Libs: -L\${libdir} -lsealstone
Libs.private: -lgcc_s -lutil -lrt -lpthread -lm -ldl -lc
Cflags: -I\${includedir}
END
