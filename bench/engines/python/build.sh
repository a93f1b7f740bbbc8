#!/bin/sh
# Makes an environment with the packages of a list and with the wheel of this repository: build.sh FOLDER LIST
set -eu

python=${PYTHON:-python3}
"$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || {
    echo "$python is no CPython 3.11 or newer with its modules venv and ensurepip; PYTHON names another one" >&2
    exit 1
}
[ -x "$1/bin/pip" ] || "$python" -m venv "$1"
"$1/bin/pip" install --quiet --disable-pip-version-check --requirement "$2"
make --silent --directory "$(dirname "$0")/../../.." PYTHON="$python" bench-wheel
# The wheel of another commit has the same name and version.
"$1/bin/pip" install --quiet --disable-pip-version-check --force-reinstall --no-deps "$CARGO_TARGET_DIR"/python/bench-wheel/*.whl
