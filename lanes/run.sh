#!/bin/sh
# Runs the lanes of `make test` side by side, each with a log of its own, and says what each is at. The last line counts the tests.
set -u
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}
logs=$target/lanes
rm -rf "$logs" && mkdir -p "$logs/counts"
rm -f "$target/tmp/skipped.txt"
export SEALSTONE_COUNTS="$PWD/$logs/counts" NO_COLOR=1
case $logs in /*) export SEALSTONE_COUNTS="$logs/counts" ;; esac

echo "make test: three lanes side by side: rust, npm and python. On two cores they take some 20 minutes, or 15 when all is compiled."
pids=
for lane in rust npm python; do
    (
        ${MAKE:-make} --no-print-directory "lane-$lane" >"$logs/$lane.log" 2>&1
        status=$?
        echo "$status" >"$logs/$lane.status"
        # Its last line is of all that the lane ran: seconds of the user's and of the system's.
        times >"$logs/$lane.times"
        took=$(tail -n 1 "$logs/$lane.times" | sed 's/\.[0-9]*s/s/g; s/ / and /')
        [ $status = 0 ] && echo "make test: the lane $lane is done: $took of CPU" || echo "make test: the lane $lane has FAILED: $logs/$lane.log"
    ) &
    pids="$pids $!"
done
trap 'kill $pids $beat 2>/dev/null' EXIT
trap 'exit 130' INT TERM HUP

begun=$(date +%s)
(
    while sleep 60; do
        said=
        for lane in rust npm python; do
            [ -e "$logs/$lane.status" ] || said="$said; $lane: $(grep '^== ' "$logs/$lane.log" | tail -n 1 | cut -c 4-)"
        done
        echo "make test: $((($(date +%s) - begun) / 60)) min$said"
    done
) </dev/null &
beat=$!
wait $pids
kill $beat 2>/dev/null

failed=0
for lane in rust npm python; do
    if [ "$(cat "$logs/$lane.status")" != 0 ]; then
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
