#!/bin/sh
# `make check`: the core crate compiles without its features, without warnings, and from few crates. Each argument is a feature that is
# then on alone.
set -eu
cd "$(dirname "$0")/.."

# Dependencies of a program that only encrypts files and data.
most=75

count=$("${CARGO:-cargo}" tree --locked --package sealstone --no-default-features --edges normal --prefix none --format '{p}' |
    sed '1d; s/ (\*)//' | sort -u | wc -l)
if [ "$count" -gt "$most" ]; then
    echo "check-features: sealstone without features depends on $count crates, more than $most" >&2
    exit 1
fi

for feature in "" "$@"; do
    "${CARGO:-cargo}" clippy --locked --quiet --package sealstone --lib --no-default-features --features "$feature" -- -D warnings
done
