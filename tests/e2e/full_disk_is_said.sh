#!/bin/sh
# A full disk ends with 6, names the place, and leaves the old bundle.
. "$(dirname "$0")/../support/e2e.sh"
need mount unshare
unshare -m true 2>/dev/null || skip 'no mount namespaces for this user'

warm_build b
make_root root hello
cat >inside.sh <<'SH'
set -eu
mkdir -p small
mount -t tmpfs -o size=300k tmpfs small
code=0
"$DSBUILD" build --root root --ops hello --out small/bundle --build-dir b >stdout 2>stderr || code=$?
[ $code -eq 6 ] || { cat stdout stderr; echo "exit code $code instead of 6"; exit 1; }
grep -q 'No space left' stderr || { cat stderr; exit 1; }
grep -q small stderr || { cat stderr; exit 1; }
[ ! -e small/bundle ] || { echo 'half a bundle was left'; ls -laR small; exit 1; }
[ -z "$(ls -A small)" ] || { echo 'something was left on the full disk'; ls -laR small; exit 1; }
code=0
mkdir ro && mount -t tmpfs -o ro tmpfs ro
"$DSBUILD" build --root root --ops hello --out ro/bundle --build-dir b >stdout 2>stderr || code=$?
[ $code -eq 6 ] || { cat stdout stderr; echo "exit code $code instead of 6 on a read-only file system"; exit 1; }
grep -qi 'read-only' stderr || { cat stderr; exit 1; }
SH
DSBUILD="$DSBUILD" unshare -m sh inside.sh
