#!/bin/sh
# H01: two builds of one folder wait for each other; a lock that is held too long ends with 5 and names the holder; a killed holder blocks nobody.
. "$(dirname "$0")/../support/e2e.sh"
need flock

make_root root hello
warm_build out/build
flock out/build/.lock sleep 30 &
holder=$!
sleep 0.3
expect 5 "$DSBUILD" build --root root --ops hello --lock-timeout 1
says stderr 'out/build/.lock'
says stderr '--lock-timeout'
pkill -KILL -P $holder || true
kill -KILL $holder 2>/dev/null || true
wait $holder 2>/dev/null || true
expect 0 "$DSBUILD" build --root root --ops hello --lock-timeout 1
"$DSBUILD" build --root root --ops hello >one 2>&1 &
first=$!
expect 0 "$DSBUILD" build --root root --ops hello
wait $first || fail 'the other build failed'
