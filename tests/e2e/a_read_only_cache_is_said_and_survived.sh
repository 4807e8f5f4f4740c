#!/bin/sh
# A step cache that can't be written is told once, and the build goes on; what it has is still taken.
. "$(dirname "$0")/../support/e2e.sh"
need g++ ninja mount unshare
unshare -m true 2>/dev/null || skip 'no mount namespaces for this user'

warm_build out/build
make_root root one
make_root root two
build() { "$DSBUILD" build --root root --ops one,two --cache steps; }
once() { [ "$(grep -c 'step cache' stderr)" -eq 1 ] || { cat stderr; fail "$(grep -c 'step cache' stderr) lines about the step cache instead of one"; }; }

# A file where the folder should be.
echo >steps
expect 0 build
once
says stderr "$work/steps"
has_file out/bundle/bundle.json
rm steps

cp -a root fresh
rm -rf out/bundle
echo '#define ANSWER 1' >root/ops/one/one.h
echo '#define ANSWER 1' >root/ops/two/two.h
sleep 0.05
expect 0 build # fills it
says_not stderr 'step cache'
cat >inside.sh <<'SH'
set -eu
mount --bind steps steps
mount -o remount,bind,ro steps
"$DSBUILD" build --root root --ops one,two --cache steps
SH
ro() { unshare -m sh inside.sh; }
export DSBUILD
# Hits need no writing.
rm -rf out/build/obj/one
expect 0 ro
says_not stderr 'step cache'
says stdout 'from the cache'
# Misses do.
echo '#define ANSWER 2' >root/ops/one/one.h
echo '#define ANSWER 2' >root/ops/two/two.h
sleep 0.05
expect 0 ro
once
says stderr 'Read-only'

# A full one.
cat >inside.sh <<'SH'
set -eu
mkdir -p small
mount -t tmpfs -o size=16k tmpfs small
"$DSBUILD" build --root root --ops one,two --cache small
[ -z "$(find small -name '*.tmp')" ] || { echo 'something was left on the full disk' >&2; exit 9; }
SH
echo '#define ANSWER 3' >root/ops/one/one.h
echo '#define ANSWER 3' >root/ops/two/two.h
sleep 0.05
expect 0 ro
once
says stderr 'No space left'
