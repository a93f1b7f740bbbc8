#!/bin/sh
# Runs a command that needs Chromium, or says that it did not. With CI=true that is a failure.
set -eu

names='chromium-headless-shell chromium google-chrome'
for name in ${CHROME:-$names}; do
    if command -v "$name" >/dev/null; then exec "$@"; fi
done
exec sh "$(dirname "$0")/../../lanes/skip.sh" 'the npm package in a browser' 'needs Chromium: apt-get install chromium-headless-shell, or CHROME=/path/to/chrome'
