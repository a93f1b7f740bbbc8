#!/bin/sh
# Runs a command that needs Chromium, or says that it did not. With CI=true that is a failure.
set -eu

names='chromium-headless-shell chromium google-chrome'
for name in ${CHROME:-$names}; do
    if command -v "$name" >/dev/null; then exec "$@"; fi
done
why='needs Chromium: apt-get install chromium-headless-shell, or CHROME=/path/to/chrome'
echo "the npm package in a browser: skipped: $why" >&2
[ "${CI:-}" != true ] || exit 1
list=${CARGO_TARGET_DIR:-target}/tmp
mkdir -p "$list"
echo "the npm package in a browser: $why" >>"$list/skipped.txt"
