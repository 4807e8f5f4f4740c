#!/bin/sh
# G10: a failing step is told with op, first error, cause, command and log; other ops are built with --keep-going; exit 1.
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
[ ! -e out/bundle ] || fail 'a bundle was published although a step failed'
has_file "out/build/lib/$(g++ -dumpmachine)/good.so"
