#!/bin/sh
# Runs the lanes of `make test` side by side, each with a log of its own, and says what each is at. The last line counts the tests.
set -u
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}
logs=$target/lanes

. lanes/options.sh

# One at a time: a second one would write its logs and what its lanes say over those of the first.
mkdir -p "$target"
running=$target/lanes.pid
is_running() {
    # Not another process that has its number since, as in a new container.
    [ "$1" != $$ ] && kill -0 "$1" 2>/dev/null && { tr '\0' ' ' <"/proc/$1/cmdline" || ps -o args= -p "$1"; } 2>/dev/null | grep -q 'lanes/run\.sh'
}
if ! (set -C && echo $$ >"$running") 2>/dev/null; then
    other=$(cat "$running" 2>/dev/null)
    if [ -n "$other" ] && is_running "$other"; then
        echo "make test: it runs in this folder already, as process $other (says $running)" >&2
        exit 1
    fi
    # Of one that was killed.
    echo $$ >"$running" || exit 1
fi

pids= beat=
# The lanes and all that they began: what a shell has in the background hears no Ctrl-C.
below() {
    {
        if [ -r /proc/self/stat ]; then
            cat /proc/[0-9]*/stat 2>/dev/null | awk '{ pid = $1; sub(/.*\) /, ""); print pid, $2 }'
        else
            ps -A -o pid= -o ppid=
        fi
    } | awk -v tops=" $pids $beat " '{ parent[$1] = $2 } END { for (p in parent) for (q = p; q in parent; q = parent[q]) if (index(tops, " " q " ")) { print p; break } }'
}
trap 'kill $(below) 2>/dev/null; rm -f "$running"' EXIT
trap 'exit 130' INT TERM HUP

rm -rf "$logs" && mkdir -p "$logs/counts"
rm -f "$target/tmp/skipped.txt"
export SEALSTONE_COUNTS="$PWD/$logs/counts"
case $logs in /*) export SEALSTONE_COUNTS="$logs/counts" ;; esac
# As lanes/count.sh reads them, whatever the user has set.
export NO_COLOR=1 PY_COLORS=0 CARGO_TERM_COLOR=never CARGO_TERM_QUIET=false

lanes="rust npm python go"
echo "make test: four lanes side by side: rust, npm, python and go. On two cores they take some 20 minutes, or 12 when all is compiled."
for lane in $lanes; do
    # The longest of them goes first: its steps wait for each other, and at the end it would have one core.
    case $lane in npm) later= ;; *) later="nice -n 4" ;; esac
    (
        $later ${MAKE:-make} --no-print-directory "lane-$lane" >"$logs/$lane.log" 2>&1
        status=$?
        echo "$status" >"$logs/$lane.status"
        # Its last line is of all that the lane ran: seconds of the user's and of the system's.
        times >"$logs/$lane.times"
        took=$(tail -n 1 "$logs/$lane.times" | sed 's/\.[0-9]*s/s/g; s/ / and /')
        [ $status = 0 ] && echo "make test: the lane $lane is done: $took of CPU" || echo "make test: the lane $lane has FAILED: $logs/$lane.log"
    ) &
    pids="$pids $!"
done

begun=$(date +%s)
(
    # Whoever reads what this prints does not wait for the last sleep.
    while sleep 60 >/dev/null 2>&1; do
        said=
        for lane in $lanes; do
            [ -e "$logs/$lane.status" ] || said="$said; $lane: $(grep '^== ' "$logs/$lane.log" | tail -n 1 | cut -c 4-)"
        done
        echo "make test: $((($(date +%s) - begun) / 60)) min$said"
    done
) </dev/null &
beat=$!
wait $pids
kill $(below) 2>/dev/null
pids= beat=

failed=0
for lane in $lanes; do
    if [ "$(cat "$logs/$lane.status" 2>/dev/null)" != 0 ]; then
        failed=1
        echo "---- the end of $logs/$lane.log ----"
        tail -n 60 "$logs/$lane.log"
    fi
done
if [ -s "$target/tmp/skipped.txt" ]; then
    echo "Skipped:"
    sort -u "$target/tmp/skipped.txt"
fi
sh lanes/count.sh check "$logs" || failed=1
exit $failed
