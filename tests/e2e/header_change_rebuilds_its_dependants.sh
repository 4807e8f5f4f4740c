#!/bin/sh
# P04: a touched header rebuilds exactly what includes it; the same content under a new time is compiled but changes no file.
. "$(dirname "$0")/../support/e2e.sh"

warm_build out/build
make_root root one
make_root root two
expect 0 "$DSBUILD" build --root root --ops one,two
sleep 0.01
echo '#define ANSWER 43' >root/ops/one/one.h
expect 0 "$DSBUILD" build --root root --ops one,two
says stdout '2 in'
grep -q 'one' stderr || fail 'the step of one did not run'
! grep -q 'two' stderr || fail 'a step of two ran'
