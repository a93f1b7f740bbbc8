#!/bin/sh
# Runs the three programs of this folder, and the commands of docs/guide/java.md, with a command line that was built.
#
#   SEALSTONE=target/debug/sealstone examples/java/test.sh
#
# Needs Java 17, OpenSSL 3 and Maven, which downloads the jar of Bouncy Castle once, by its own settings, into target/java. Ends with 77
# if one of them is missing.
set -eu
export LC_ALL=C.UTF-8
repository=$(cd "$(dirname "$0")/../.." && pwd)
cache=${CARGO_TARGET_DIR:-$repository/target}/java
bouncy_castle=bcprov-jdk18on version=1.87
sha256=12d2d3dd82a9ec15e92ec7c7943ee64f6097c6dc12c07e984f1693b77565b9aa

fail() {
    echo "examples/java: $1" >&2
    exit 1
}

skip() {
    echo "examples/java: skipped: $1" >&2
    exit 77
}

[ -n "${SEALSTONE:-}" ] && [ -x "$SEALSTONE" ] || fail 'name the command line: SEALSTONE=target/debug/sealstone'
sealstone=$(realpath "$SEALSTONE")
release=$(java -version 2>&1 | sed -n 's/.* version "\([0-9]*\).*/\1/p') || release=
[ "${release:-0}" -ge 17 ] || skip "there is no Java 17 or newer (java -version: ${release:-none})"
java --list-modules 2>/dev/null | grep -q '^jdk.compiler' || skip 'this Java is a runtime without a compiler: install a JDK'
openssl version 2>/dev/null | grep -q '^OpenSSL [3-9]' || skip 'there is no OpenSSL 3 or newer'

is_whole() {
    echo "$sha256  $jar" | sha256sum --check --status 2>/dev/null
}

jar=$cache/$bouncy_castle-$version.jar
if ! is_whole; then
    mvn --version >/dev/null 2>&1 || skip 'there is no Maven (mvn), which downloads Bouncy Castle'
    rm -f "$jar"
    mvn --batch-mode --quiet -Dstyle.color=never dependency:copy -Dartifact="org.bouncycastle:$bouncy_castle:$version" -DoutputDirectory="$cache" \
        >&2 || skip "Maven cannot download org.bouncycastle:$bouncy_castle:$version"
    is_whole || fail "$jar is not the file with the SHA-256 $sha256"
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
mkdir "$work/bin" "$work/java" "$work/commands"
ln -s "$sealstone" "$work/bin/sealstone"
export PATH="$work/bin:$PATH" HOME="$work"

# The compiler and the collector that start fastest.
expect() {
    found=$(timeout 300 java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Djava.io.tmpdir="$work/java" -cp "$jar" \
        "$repository/examples/java/$1.java") || fail "$1.java failed"
    [ "$found" = "$2" ] || fail "$1.java printed: $found"
}
expect Service 'files and streams came back'
expect Keys 'keys of both sides work on both sides'
expect BouncyCastle 'Bouncy Castle and Sealstone agree'

cd "$work/commands"
printf 'a film' >film
sed -n '/^```sh$/,/^```$/ { /^```/d; p }' "$repository/docs/guide/java.md" >commands.sh
[ "$(grep -c '^openssl' commands.sh)" -ge 10 ] || fail 'docs/guide/java.md has no commands of OpenSSL'
timeout 300 sh -eu commands.sh >log 2>&1 || fail "the commands of docs/guide/java.md failed: $(cat log)"
for copy in copy decrypted own.film; do
    cmp film "$copy"
done
echo "examples/java: three programs, and the commands of the page"
