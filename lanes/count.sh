#!/bin/sh
# Counts the tests that the lanes ran, by suite, and compares with lanes/least.txt: what ran fewer is a failure, so that no test is lost
# in silence.
#
#   lanes/count.sh check LOGS    prints what differs, and the sum as its last line
#   lanes/count.sh write LOGS    raises the list to what ran, and lowers nothing
set -eu
least=$(cd "$(dirname "$0")" && pwd)/least.txt
logs=$2

# A line for each suite: its name, how many passed, failed and were skipped.
counted() {
    {
        awk '/^ +Running / { suite = $2; if ($2 == "unittests") { suite = $0; sub(/.*\/deps\//, "", suite); sub(/-[0-9a-f]+\)$/, "", suite) } }
             /^ +Doc-tests / { suite = "doc-tests:" $2 }
             /^test result: / { print "rust/" suite, $4, $6, $8 }' "$logs/rust.log"
        # npm PROJECT PASSED FAILED SKIPPED, which a reporter of vitest's writes, and the same of Go's module.
        cat "$logs"/counts/*.txt 2>/dev/null | awk '{ print $1 "/" $2, $3, $4, $5 }'
        awk '/^[0-9]+ (passed|failed|skipped)/ || /^=+ .*[0-9]+ passed/ {
                 p = f = s = 0
                 for (i = 2; i <= NF; i++) { if ($i ~ /^passed/) p = $(i - 1); if ($i ~ /^failed/ || $i ~ /^errors?/) f += $(i - 1); if ($i ~ /^skipped/) s = $(i - 1) }
                 print "python/pytest", p, f, s }' "$logs/python.log"
    } | awk '{ passed[$1] += $2; failed[$1] += $3; skipped[$1] += $4 } END { for (s in passed) print s, passed[s], failed[s], skipped[s] }' | LC_ALL=C sort
}

has_passed() {
    [ "$(cat "$logs/$1.status" 2>/dev/null)" = 0 ]
}

# Lanes whose suites need not all have run: it failed, which is said once; or it says that it lacks what they need, which is no excuse with
# CI=true.
excused() {
    has_passed rust || echo rust
    has_passed npm || echo npm npm-browser
    has_passed python || echo python
    has_passed go || echo go
    [ "${CI:-}" != true ] || return 0
    if grep -q '^the npm package: skipped: ' "$logs/npm.log"; then echo npm npm-browser; fi
    if grep -q '^the npm package in a browser: skipped: ' "$logs/npm.log"; then echo npm-browser; fi
    if grep -q '^the Python package: skipped: ' "$logs/python.log"; then echo python; fi
    if grep -q '^the Go module: skipped: ' "$logs/go.log"; then echo go; fi
}

# A line for each suite that ran fewer tests than the list says. One that was skipped counts only where a test says by itself that it lacks
# something: none of Rust's is skipped then, and with CI=true no other.
fewer() {
    awk -v ci="${CI:-}" -v excused=" $(excused | tr '\n' ' ')" '
        NR == FNR { ran[$1] = $2 + (ci == "true" || $1 ~ /^rust\// ? 0 : $4); next }
        /^#/ { next }
        { lane = $1; sub(/\/.*/, "", lane) }
        !($1 in ran) && index(excused, " " lane " ") { next }
        ran[$1] + 0 < $2 { print "fewer tests than lanes/least.txt says: " $1 ": " ran[$1] + 0 " of " $2 }' "$logs/counts.txt" "$least"
}

# A line for each lane that failed, or that did not end.
failed() {
    for lane in rust npm python go; do
        has_passed $lane || echo "the lane $lane has failed: $logs/$lane.log"
    done
}

case $1 in
write)
    counted >"$logs/counts.txt"
    awk 'NR == FNR { n[$1] = $2; next } !/^#/ && n[$1] + 0 < $2 { n[$1] = $2; print "counts: stays " $2 ", which is for you to lower if tests were removed: " $1 >"/dev/stderr" }
         END { for (suite in n) print suite, n[suite] }' "$logs/counts.txt" "$least" | LC_ALL=C sort >"$logs/least.txt"
    {
        echo "# Tests of each suite that have to pass in \`make test\` (lanes/count.sh); \`make counts\` raises them after a whole run."
        cat "$logs/least.txt"
    } >"$least"
    ;;
check)
    counted >"$logs/counts.txt"
    wrong=$(fewer; failed)
    [ -z "$wrong" ] || echo "$wrong"
    # What failed without a test that did is one failure: the last line never says that none did.
    awk -v wrong="${wrong:+1}" '{ p += $2; f += $3; s += $4 } END { if (wrong != "" && f == 0) f = 1; printf "%d passed, %d failed%s\n", p, f, s ? ", " s " skipped" : ""; exit f > 0 || p == 0 }' "$logs/counts.txt"
    ;;
*)
    echo "count.sh: there is no \`$1\`: check, write" >&2
    exit 2
    ;;
esac
