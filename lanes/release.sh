#!/bin/sh
# Runs the parts of `make test-release`, and records which commit has passed each, and when: they may run on different days.
#
# usage: release.sh PART...: targets of the Makefile
set -eu
cd "$(dirname "$0")/.."
passed=${CARGO_TARGET_DIR:-target}/passed
mkdir -p "$passed"
commit=$(git rev-parse HEAD)
[ -z "$(git status --porcelain)" ] || commit=$commit-with-changes
for part in "$@"; do
    if grep -q "^$commit " "$passed/$part" 2>/dev/null; then
        echo "test-release: $part has passed: $(cat "$passed/$part")"
        continue
    fi
    echo "test-release: $part"
    begun=$(date +%s)
    ${MAKE:-make} --no-print-directory "$part"
    echo "$commit passed on $(date -u +%Y-%m-%dT%H:%MZ) in $((($(date +%s) - begun) / 60)) min" >"$passed/$part"
done
cat "$passed"/*
