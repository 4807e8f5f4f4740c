#!/bin/sh
# dsbuild load: where the cache folder is read-only, full or noexec it says so and takes a private one; what is ready in a
# read-only one is taken from there. A killed holder of the lock delays nobody.
. "$(dirname "$0")/../support/e2e.sh"
. "$(dirname "$0")/../support/python_site.sh"
need g++ ninja python3
unset DSBUILD_CACHE TORCH_EXTENSIONS_DIR XDG_CACHE_HOME
make_site env
make_extension root hello
mkdir -p tmp
export TMPDIR="$work/tmp"

# Where it is kept: --cache, DSBUILD_CACHE, TORCH_EXTENSIONS_DIR, the user's cache.
expect 0 env HOME="$work/home" "$DSBUILD" load hello --root root --python env
says stdout "$work/home/.cache/torch_extensions/dsbuild/load/hello-cpu-"
expect 0 env TORCH_EXTENSIONS_DIR="$work/te" "$DSBUILD" load hello --root root --python env
says stdout "$work/te/dsbuild/load/"
expect 0 env TORCH_EXTENSIONS_DIR="$work/te" DSBUILD_CACHE="$work/dc" "$DSBUILD" load hello --root root --python env
says stdout "$work/dc/load/"

# The lock is the kernel's: its file alone locks nothing.
folder=$(echo dc/load/*)
echo 'process 1 on nowhere' >"$folder/.lock"
expect 0 timeout 20 "$DSBUILD" load hello --root root --python env --cache dc --lock-timeout 5

# What is ready in a folder that can't be written is taken from there; else a private folder is.
mkdir locked noexec small
cp -r dc/load locked/
mount --bind locked locked 2>/dev/null && mount -o remount,ro,bind locked 2>/dev/null || exit 0
code=0
"$DSBUILD" load hello --root root --python env --cache locked >stdout 2>stderr || code=$?
make_extension root other
"$DSBUILD" load other --root root --python env --cache locked >stdout2 2>stderr2 || code=$?
umount locked
[ $code -eq 0 ] || fail "read-only: $code $(cat stderr stderr2)"
says stdout "$work/locked/load/"
says stdout2 "$work/tmp/dsbuild-"
says stderr2 'it belongs to root, mode 0755'

mount -t tmpfs -o noexec tmpfs noexec 2>/dev/null || exit 0
code=0
"$DSBUILD" load hello --root root --python env --cache noexec >stdout 2>stderr || code=$?
umount noexec
[ $code -eq 0 ] || fail "noexec: $code $(cat stderr)"
says stderr 'mounted noexec'
says stdout "$work/tmp/"
mount -t tmpfs -o size=32k tmpfs small 2>/dev/null || exit 0
"$DSBUILD" load hello --root root --python env --cache small >stdout 2>stderr || code=$?
umount small
[ $code -eq 0 ] || fail "full: $code $(cat stderr)"
says stderr 'No space left on device'
says stdout "$work/tmp/"
