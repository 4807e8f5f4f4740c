#!/bin/sh
# G10: a failing step is told with op, first error, cause, command and log; exit 1. With --keep-going the bundle has the other ops, and
# what failed is a gap in it; without, nothing is published.
. "$(dirname "$0")/../support/e2e.sh"

warm_build out/build
make_root root good
make_root root bad
echo 'int broken( { return nonsense; }' >>root/ops/bad/bad.cpp
expect 1 "$DSBUILD" build --root root --ops good,bad --keep-going
says stderr 'FAILED bad cpu'
says stderr 'bad.cpp:3'
says stderr 'error:'
says stderr 'exit status 1'
says stderr 'g++'
log=$(sed -n 's/^  log: *//p' stderr)
has_file "$log"
grep -q nonsense "$log" || fail 'the log does not hold what the compiler said'
[ "$(sed -n '/^FAILED/,$p' stderr | wc -l)" -lt 10 ] || fail 'a wall of output'
says stderr 'the bundle has what could be built'
has_file "out/bundle/lib/$(g++ -dumpmachine)/good.so"
[ ! -e "out/bundle/lib/$(g++ -dumpmachine)/bad.so" ] || fail 'what failed was published'
says out/bundle/bundle.json '"code": "step_failed"'
expect 0 "$DSBUILD" bundle verify out/bundle

rm -rf out/bundle
expect 1 "$DSBUILD" build --root root --ops good,bad
says stderr 'the old bundle was left as it was'
[ ! -e out/bundle ] || fail 'a bundle was published although a step failed'
