#!/bin/sh
# Tests jobs on Spark and on an S3 server on loopback, and runs fsspec's own tests, with the installed wheel. `make test-jobs` calls it.
#
# usage: test-jobs.sh FOLDER WHEEL CLI: everything is made below FOLDER. It needs a JDK of Java 17 or newer, and Go, which builds the server.
set -eu
folder=$1 wheel=$2 cli=$3
sources=$(cd "$(dirname "$0")" && pwd)
python=${PYTHON:-python3}
server=github.com/versity/versitygw/cmd/versitygw@v1.8.0

# Says that nothing ran. With CI=true that is a failure.
skip() {
    echo "test-jobs.sh: skipped: $1" >&2
    [ "${CI:-}" != true ] || exit 1
    exit 0
}
javac -version >/dev/null 2>&1 || skip 'there is no JDK'
if [ -z "${SEALSTONE_VERSITYGW:-}" ]; then
    SEALSTONE_VERSITYGW=$folder/versitygw
    [ -x "$SEALSTONE_VERSITYGW" ] || GOBIN=$folder go install "$server" || skip 'there is no Go'
fi
export SEALSTONE_VERSITYGW

wanted=$(cat "$sources/tests/requirements.txt" "$sources/tests/jobs/requirements.txt")
if [ "$(cat "$folder/jobs/requirements.txt" 2>/dev/null)" != "$wanted" ]; then
    rm -rf "$folder/jobs"
    "$python" -m venv "$folder/jobs"
    "$folder/jobs/bin/pip" install --quiet --disable-pip-version-check --requirement "$sources/tests/requirements.txt" \
        --requirement "$sources/tests/jobs/requirements.txt"
    echo "$wanted" >"$folder/jobs/requirements.txt"
fi
"$folder/jobs/bin/pip" install --quiet --disable-pip-version-check --no-index --no-deps --force-reinstall "$wheel"
rm -rf "$folder/jobs-copy"
mkdir "$folder/jobs-copy"
cp -r "$sources"/tests/jobs/*.py "$sources/tests/jobs/java" "$sources/tests/victims.py" "$sources/tests/folders.py" "$sources/tests/adversary.py" \
    "$sources/tests/pages.py" "$sources/../../docs/guide/big-data.md" "$sources/../../docs/guide/key-services.md" "$folder/jobs-copy"
cd "$folder/jobs-copy"
SEALSTONE_CLI=$cli "$folder/jobs/bin/python" -m pytest -q -p no:cacheprovider -W ignore::FutureWarning --durations=5 .
