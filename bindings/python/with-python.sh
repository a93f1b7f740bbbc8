#!/bin/sh
# Runs a command that needs CPython 3.11 or newer with venv, or says that it did not. With CI=true that is a failure.
set -eu

python=${PYTHON:-python3}
if "$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    exec "$@"
fi
exec sh "$(dirname "$0")/../../lanes/skip.sh" 'the Python package' 'needs CPython 3.11 or newer, with its modules venv and ensurepip'
