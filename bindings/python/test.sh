#!/bin/sh
# Installs the wheel into empty environments, and tests it there. `make test-python` calls it.
#
# usage: test.sh FOLDER WHEEL CLI: everything is made below FOLDER
set -eu
folder=$1 wheel=$2 cli=$3
sources=$(cd "$(dirname "$0")" && pwd)
python=${PYTHON:-python3}

# The wheel alone: it needs nothing, and no tests are in it.
rm -rf "$folder/alone"
"$python" -m venv "$folder/alone"
"$folder/alone/bin/pip" install --quiet --disable-pip-version-check --no-index "$wheel"
cd "$folder/alone"
"$folder/alone/bin/python" - <<'PROGRAM'
import sealstone

identity = sealstone.generate_identity()
file = sealstone.encrypt(b"attack at dawn", recipients=sealstone.recipient_of(identity))
assert sealstone.decrypt(file, identities=identity) == b"attack at dawn"
assert "site-packages" in sealstone.__file__
PROGRAM
"$folder/alone/bin/pip" check

# With the libraries that tests compare it with, which make has installed.
bin=$folder/tests/bin
"$bin/pip" install --quiet --disable-pip-version-check --no-index --no-deps --force-reinstall "$wheel"
rm -rf "$folder/copy"
mkdir "$folder/copy"
cp "$sources"/tests/*.py "$sources/README.md" "$sources"/../../docs/guide/python.md "$sources"/../../docs/guide/big-data.md \
    "$sources"/../../docs/guide/fise.md "$folder/copy"
cd "$folder/copy"
SEALSTONE_INSTALLED=1 SEALSTONE_VECTORS=${SEALSTONE_VECTORS:-$sources/../../vectors} SEALSTONE_CLI=$cli \
    "$bin/python" -m pytest -q -p no:cacheprovider --durations=5 .
"$bin/abi3audit" --strict "$wheel"
"$bin/stubtest" --concise --allowlist "$sources/tests/stubs.txt" sealstone._native
