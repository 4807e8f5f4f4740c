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

[ "$(id -u)" = 0 ] && command -v setpriv >/dev/null || exit 0
chmod a+rx "$work"
chmod -R a+rX .
chmod 1777 tmp
as_nobody() { setpriv --reuid 65534 --clear-groups env HOME=/nonexistent DSBUILD_CACHE_DIR= "$@"; }
expect 0 as_nobody "$DSBUILD" load hello --root "$work/root" --python "$work/env" --cache "$work/dc"
says stdout "$work/dc/load/"
mkdir -m 755 locked
expect 0 as_nobody "$DSBUILD" load hello --root "$work/root" --python "$work/env" --cache "$work/locked"
says stdout "$work/tmp/dsbuild-65534/load/"
says stderr 'it belongs to root, mode 0755'

mkdir noexec small
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
