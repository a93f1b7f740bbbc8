#!/bin/sh
# Counts the tests that the lanes ran, by suite, and compares with lanes/least.txt: what ran fewer is a failure, so that no test is lost
# in silence.
#
#   lanes/count.sh check LOGS    prints what differs, and the sum as its last line
#   lanes/count.sh write LOGS    makes the list of what ran
set -eu
least=$(cd "$(dirname "$0")" && pwd)/least.txt
logs=$2

# A line for each suite: its name, how many passed, failed and were skipped.
counted() {
    {
        awk '/^ +Running / { suite = $2 == "unittests" ? "unittests" : $2; sub(/\(.*/, "", suite); if ($2 == "unittests") { suite = $4; sub(/.*deps\//, "", suite); sub(/-[0-9a-f]+\)$/, "", suite) } }
             /^ +Doc-tests / { suite = "doc-tests:" $2 }
             /^test result: / { print "rust/" suite, $4, $6, $8 }' "$logs/rust.log"
        # npm PROJECT PASSED FAILED SKIPPED, which a reporter of vitest's writes.
        cat "$logs"/counts/*.txt 2>/dev/null | awk '{ print $1 "/" $2, $3, $4, $5 }'
        awk '/^[0-9]+ (passed|failed|skipped)/ || /^=+ .*[0-9]+ passed/ {
                 p = f = s = 0
                 for (i = 2; i <= NF; i++) { if ($i ~ /^passed/) p = $(i - 1); if ($i ~ /^failed/ || $i ~ /^errors?/) f += $(i - 1); if ($i ~ /^skipped/) s = $(i - 1) }
                 print "python/pytest", p, f, s }' "$logs/python.log"
    } | awk '{ passed[$1] += $2; failed[$1] += $3; skipped[$1] += $4 } END { for (s in passed) print s, passed[s], failed[s], skipped[s] }' | LC_ALL=C sort
}

case $1 in
write)
    {
        echo "# Tests of each suite that \`make test\` runs at least (lanes/count.sh); written by \`make counts\` after a whole run."
        counted | awk '{ print $1, $2 + $4 }'
    } >"$least"
    ;;
check)
    counted >"$logs/counts.txt"
    # Without what it needs a suite says that it was skipped; with CI=true that is a failure.
    missing=$(awk -v ci="${CI:-}" 'NR == FNR { ran[$1] = $2 + $4; next } /^#/ { next } !($1 in ran) && ci != "true" { next } ran[$1] + 0 < $2 { print "fewer tests than lanes/least.txt says: " $1 ": " ran[$1] + 0 " of " $2 }' "$logs/counts.txt" "$least")
    [ -z "$missing" ] || echo "$missing"
    awk -v missing="$missing" '{ p += $2; f += $3; s += $4 } END { if (missing != "") f++; printf "%d passed, %d failed%s\n", p, f, s ? ", " s " skipped" : ""; exit f > 0 || p == 0 }' "$logs/counts.txt"
    ;;
esac
