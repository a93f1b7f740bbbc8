#!/bin/sh
# Runs a command where Cargo can compile for another target, such as WebAssembly.
#
#   bindings/wasm/toolchain.sh TARGET COMMAND [ARGUMENT...]
#
#   sh bindings/wasm/toolchain.sh wasm32-unknown-unknown cargo build --release -p CRATE
#
# Cargo takes the target without --target. Programs for other targets than WebAssembly can be checked with this, and need a
# linker of the caller's to be built. Standard libraries, by preference:
# 1. the one that is installed; 2. the one that rustup can add; 3. one that Cargo builds from Debian's packages, which are
# unpacked below the target directory and stay there. Fails with a sentence where there is none.
set -eu

complain() {
    echo "toolchain.sh: $*" >&2
    exit 1
}

[ $# -ge 2 ] || complain 'usage: toolchain.sh TARGET COMMAND [ARGUMENT...]'
target=$1
shift
"${RUSTC:-rustc}" --print target-list | grep -qxF -e "$target" || complain "$target is not a target that rustc knows"

root=$(cd "$(dirname "$0")/../.." && pwd)
cache=${CARGO_TARGET_DIR:-$root/target}
case $cache in /*) ;; *) cache=$PWD/$cache ;; esac
cache=$cache/wasm-toolchain

installed() {
    folder=$("${RUSTC:-rustc}" --print target-libdir --target "$target" 2>/dev/null) || return 1
    for library in "$folder"/libstd-*.rlib; do
        [ -e "$library" ] && return 0
    done
    return 1
}

add_by_rustup() {
    command -v rustup >/dev/null && rustup target add "$target" >&2 && installed
}

# The names of packages that are not installed: Debian's newest compiler, the source of its standard library, the C library
# of WASI, the linker of the same LLVM, and their dependencies.
packages() {
    needed=$(closure rustc-web rust-web-src wasi-libc) || return 1
    llvm=$(echo "$needed" | sed -n 's/^libllvm//p' | head -n 1)
    for package in $needed $(closure "lld-$llvm"); do
        dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -q '^installed' || echo "$package"
    done | sort -u
}

closure() {
    apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces --no-enhances "$@" \
        2>/dev/null | grep '^[a-z0-9]'
}

download() {
    # As another user apt could not write here; this is for root, others it does not concern.
    names=$(packages) && (cd "$1" && apt-get -qq -o APT::Sandbox::User=root download $names >&2)
}

# Debian's compiler has to stand beside the toolchain that is in use, since their packages conflict: unpacked, not installed.
unpack_debian() {
    command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || return 1
    echo "toolchain.sh: unpacking Debian's compiler to $cache" >&2
    new=$cache.$$
    trap 'rm -rf "$new"' EXIT
    trap 'exit 1' HUP INT TERM
    mkdir -p "$new" || return 1
    # Packages that are no longer in the archive come from old lists.
    download "$new" || { apt-get -qq update >&2 && download "$new"; } || return 1
    for package in "$new"/*.deb; do
        dpkg-deb -x "$package" "$new" || return 1
        rm "$package"
    done

    # Where rustc looks for WASI's C library.
    mkdir -p "$new/usr/lib/rustlib/wasm32-wasip1/lib" || return 1
    ln -s ../../../wasm32-wasi "$new/usr/lib/rustlib/wasm32-wasip1/lib/self-contained" || return 1
    # bookworm's WASI library is older than the standard library, and has no pthread_join. No code that runs calls it: it
    # becomes a trap.
    cat >"$new/wasi-ld" <<'LINKER' || return 1
#!/bin/sh
exec "$(dirname "$0")"/usr/lib/llvm-*/bin/wasm-ld "$@" --unresolved-symbols=ignore-all
LINKER
    chmod +x "$new/wasi-ld" || return 1

    (debian "$new" && "$RUSTC" --version && "$linker" --version) >&2 || return 1
    [ -d "$cache" ] || mv "$new" "$cache"
}

# The environment in which Cargo uses Debian's compiler.
debian() {
    libraries=$(dirname "$1"/usr/lib/*/librustc_driver-*.so)
    export LD_LIBRARY_PATH="$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
    export RUSTC="$1/usr/bin/rustc"
    # Building the standard library is an unstable option of Cargo.
    export RUSTC_BOOTSTRAP=1 CARGO_UNSTABLE_BUILD_STD=std,panic_abort
    linker=$(echo "$1"/usr/lib/llvm-*/bin/wasm-ld)
    export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER="$linker" CARGO_TARGET_WASM32_WASIP1_LINKER="$1/wasi-ld"
}

# An unpacked one is tried before rustup, which would fail again.
if installed; then
    :
elif [ -d "$cache" ]; then
    debian "$cache"
elif add_by_rustup; then
    :
elif unpack_debian; then
    debian "$cache"
else
    complain "no standard library for $target: it is not installed, rustup cannot add it, and Debian's rustc-web cannot be had"
fi

export CARGO_BUILD_TARGET="$target"
"$@"
