#!/bin/sh
# Tests the Go module with the C library that cargo built: test.sh FROM [long], where FROM has libsealstone_c.so and .a.
#
# Its own tests use the library as pkg-config finds it. A module outside of the repository, as a user has it, uses it in both ways; without the
# library it fails to compile, and says what to do; without cgo every function has the error unavailable_backend. `long` has the race detector,
# 10,000 goroutines and 5 GiB, and compares with both gmsm libraries, which the proxy of Go's modules has.
set -eu
cd "$(dirname "$0")"
root=$(cd ../.. && pwd)
from=$(cd "$1" && pwd)

lacks() {
    sh "$root/lanes/skip.sh" "the Go module" "$1"
    exit 0
}
command -v go >/dev/null || lacks "there is no go"
command -v pkg-config >/dev/null || lacks "there is no pkg-config"
command -v cc >/dev/null || lacks "there is no C compiler"
case $(go env GOVERSION) in
go1.[0-9] | go1.[0-9].* | go1.1[0-9] | go1.1[0-9].* | go1.2[0-4] | go1.2[0-4].*) lacks "it needs Go 1.25, and this is $(go env GOVERSION)" ;;
esac

# The compiler itself: of a cache in front of it Go's linker does not learn what it can.
[ -z "${CC:-}" ] || export CC="${CC##* }"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
library=$from/../go-library
mkdir -p "$library"
library=$(cd "$library" && pwd)
sh ../c/pack.sh "$from" "$library"

echo "== Go: formats and vets"
unformatted=$(gofmt -l .)
[ -z "$unformatted" ] || { echo "gofmt would change: $unformatted" >&2; exit 1; }
export PKG_CONFIG_PATH="$library/lib/pkgconfig" LD_LIBRARY_PATH="$library/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" GOFLAGS=-buildvcs=false
# Go keeps what pkg-config said when it first compiled a package; with this it compiles it anew for another folder.
export CGO_LDFLAGS="-O2 -g -L$library/lib"
go vet -tags sealstone_system ./...
CGO_ENABLED=0 go vet ./...

log=$work/log
# What passed says nothing of what failed.
failed() {
    grep -v -e '--- PASS' -e '^=== ' "$log" | tail -n 80
    exit 1
}
export SEALSTONE_CLI="${SEALSTONE_CLI:-$from/sealstone}"

if [ "${2:-}" = long ]; then
    echo "== Go: long tests"
    go test -tags sealstone_system -count 1 -race -v ./... >"$log" 2>&1 || failed
    grep -e VmHWM -e '^ok ' "$log"
    for folder in peers ../../examples/go/sm4-study; do
        (cd "$folder" && go vet -tags sealstone_system ./... && go test -tags sealstone_system -count 1 -race ./...)
    done
    exit 0
fi

echo "== Go: tests of the module"
go test -tags sealstone_system -count 1 -short -v ./... >"$log" 2>&1 || failed
CGO_ENABLED=0 go test -count 1 -v -run 'WithoutCgo' . ./sm4 ./compat/tjfoc >>"$log" 2>&1 || failed
count() { grep -c "^ *--- $1: " "$log" || true; }
echo "Go: $(count PASS) passed, $(count SKIP) skipped"
[ -z "${SEALSTONE_COUNTS:-}" ] || echo "go module $(count PASS) $(count FAIL) $(count SKIP)" >"$SEALSTONE_COUNTS/go.txt"

echo "== Go: a module of a user's"
mkdir "$work/module" "$work/user"
cp -R . "$work/module/"
rm -rf "$work/module/internal/native/lib"
cat >"$work/user/go.mod" <<END
module example.com/user

go 1.25

require sealstone.example/go v0.0.0

replace sealstone.example/go => $work/module
END
cat >"$work/user/main.go" <<'END'
package main

import (
	"bytes"
	"fmt"
	"io"

	"sealstone.example/go"
)

func main() {
	identity, err := sealstone.GenerateIdentity("")
	if err != nil {
		panic(err)
	}
	var file bytes.Buffer
	w, err := sealstone.Encrypt(&file, sealstone.To(identity.Recipient()))
	if err != nil {
		panic(err)
	}
	io.WriteString(w, "attack at dawn")
	if err := w.Close(); err != nil {
		panic(err)
	}
	r, err := sealstone.Decrypt(&file, sealstone.With(identity))
	if err != nil {
		panic(err)
	}
	plain, err := io.ReadAll(r)
	fmt.Println(string(plain), err)
}
END
cd "$work/user"
if said=$(go build -o "$work/none" . 2>&1); then
    echo "a module without its library was built" >&2
    exit 1
fi
case $said in
*"run \`make go\`"*) ;;
*)
    printf 'a module without its library does not say what to do:\n%s\n' "$said" >&2
    exit 1
    ;;
esac
expect() {
    [ "$2" = "attack at dawn <nil>" ] || { echo "a user's program, $1, printed: $2" >&2; exit 1; }
}
go build -tags sealstone_system -o "$work/system" .
expect "with the library of pkg-config" "$("$work/system")"
mkdir "$work/module/internal/native/lib"
cp -R "$library/." "$work/module/internal/native/lib/"
go build -o "$work/archive" .
# The archive is in the program: it needs no folder of libraries.
expect "with the archive" "$(env -u LD_LIBRARY_PATH "$work/archive")"
