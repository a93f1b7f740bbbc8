#!/bin/sh
# Runs the parts of `make test-release`, and records which commit has passed each, and when: they may run on different days.
#
# usage: release.sh PART...: targets of the Makefile
set -eu
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}
passed=$target/passed
mkdir -p "$passed"

. lanes/options.sh

# What is tested: a commit, or one with changes, which are others the next time.
state() {
    if [ -z "$(git status --porcelain --untracked-files=normal)" ]; then git rev-parse HEAD; else echo "$(git rev-parse HEAD)-with-changes"; fi
}

# The tools of this machine that parts use and that no file here pins.
tools() {
    for tool in rustc cc node "${PYTHON:-python3}" java valgrind; do
        if command -v "$tool" >/dev/null; then "$tool" --version 2>&1 | sed "s/^[v0-9]/$tool &/; q"; fi
    done | paste -s -d , - | sed 's/,/, /g'
}

for part in "$@"; do
    commit=$(state)
    case $commit in
    *-with-changes) ;;
    *)
        if grep -q "^$commit " "$passed/$part" 2>/dev/null; then
            echo "test-release: $part has passed: $(cat "$passed/$part")"
            continue
        fi
        ;;
    esac
    echo "test-release: $part"
    find "$target" -maxdepth 3 -path '*/tmp/skipped.txt' -exec rm -f {} +
    begun=$(date +%s)
    ${MAKE:-make} --no-print-directory "$part"
    # Of what was changed meanwhile nobody knows how much was tested.
    [ "$(state)" = "$commit" ] || commit=${commit%-with-changes}-with-changes
    without=
    # Tests with a target directory of their own say there what they skipped.
    skipped=$(find "$target" -maxdepth 3 -path '*/tmp/skipped.txt' -exec cat {} + | sort -u)
    [ -z "$skipped" ] || without=", $(printf '%s\n' "$skipped" | wc -l) skipped, such as: $(printf '%s\n' "$skipped" | head -n 1)"
    echo "$commit passed on $(date -u +%Y-%m-%dT%H:%MZ) in $((($(date +%s) - begun) / 60)) min$without, with $(tools)" >"$passed/$part"
done
for part in "$@"; do
    echo "$part: $(cat "$passed/$part")"
done
