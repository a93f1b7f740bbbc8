#!/bin/sh
# Runs a command that needs npm and Linux on x86-64, or says that it did not. With CI=true that is a failure.
set -eu

if command -v npm >/dev/null && [ "$(uname -s) $(uname -m)" = "Linux x86_64" ]; then
    exec "$@"
fi
exec sh "$(dirname "$0")/../../lanes/skip.sh" 'the npm package' 'needs npm, and Linux on x86-64'
