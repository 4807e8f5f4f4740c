#!/bin/sh
# A cache folder that was named and can't be written ends with 6 and says whose it is; where the user's own can't be written a private
# one is taken, in one line; a folder of that name which is somebody else's never is.
. "$(dirname "$0")/../support/e2e.sh"
[ "$(id -u)" -eq 0 ] || skip 'only root can become another user'
need setpriv
plain() {
    setpriv --reuid 65534 --regid 65534 --clear-groups \
        env -u DSBUILD_CACHE_DIR -u XDG_CACHE_HOME HOME="$work/home" TMPDIR="$work/tmp" "$@"
}
chmod 755 .
plain "$DSBUILD" help >/dev/null 2>&1 || skip 'another user cannot run dsbuild where it lies'
mkdir -m 755 owned home
mkdir -m 1777 tmp

expect 6 plain "$DSBUILD" report --accelerators --cache-dir owned
says stderr '--cache-dir owned'
says stderr 'it belongs to root, mode 0755'
expect 6 plain env DSBUILD_CACHE_DIR="$work/owned/below" "$DSBUILD" report --accelerators
says stderr "DSBUILD_CACHE_DIR $work/owned/below"
says stderr "$work/owned: Permission denied; it belongs to root, mode 0755"

expect 0 plain "$DSBUILD" report --accelerators
says stderr "$work/home/.cache/dsbuild can't be written: $work/home: Permission denied; it belongs to root, mode 0755"
says stderr "$work/tmp/dsbuild-65534 is taken instead"
[ "$(grep -c "can't be written" stderr)" -eq 1 ] || fail 'it was said more than once'
[ "$(stat -c '%a %u' tmp/dsbuild-65534)" = '700 65534' ] || fail "$(stat -c '%a %u' tmp/dsbuild-65534)"
[ -n "$(ls tmp/dsbuild-65534)" ] || fail 'nothing is kept there'

rm -r tmp/dsbuild-65534
mkdir -m 777 tmp/dsbuild-65534
expect 0 plain "$DSBUILD" report --accelerators
says stderr 'nothing is remembered'
[ -z "$(ls tmp/dsbuild-65534)" ] || fail "somebody else's folder was taken"
