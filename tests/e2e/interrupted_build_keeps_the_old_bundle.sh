#!/bin/sh
# Ctrl-C ends with 130, leaves the old bundle, and the next build is right.
. "$(dirname "$0")/../support/e2e.sh"
need setsid

make_root root hello
expect 0 "$DSBUILD" build --root root --ops hello
before=$(sha256sum out/bundle/bundle.json)
# A compile that takes long: a header that includes itself many times would do; a slow compiler is surer.
mkdir slow
real=$(command -v g++)
cat >slow/g++ <<SH
#!/bin/sh
for word in "\$@"; do case \$word in *hello.cpp) sleep 30 ;; esac; done
exec $real "\$@"
SH
chmod +x slow/g++
echo '// changed' >>root/ops/hello/hello.cpp
PATH="$work/slow:$PATH" setsid "$DSBUILD" build --root root --ops hello --toolkit gcc="$work/slow/g++" >stdout 2>stderr &
pid=$!
for _ in $(seq 100); do pgrep -f "$work/slow/g++" >/dev/null && break; sleep 0.1; done
pgrep -f "$work/slow/g++" >/dev/null || { cat stderr; fail 'the slow compile never started'; }
kill -INT $pid
code=0
wait $pid || code=$?
[ $code -eq 130 ] || { cat stderr; fail "exit code $code instead of 130"; }
says stderr 'interrupted'
sleep 0.3
! pgrep -f "$work/slow/g++" >/dev/null || fail 'the compiler still runs'
[ "$before" = "$(sha256sum out/bundle/bundle.json)" ] || fail 'the old bundle changed'
expect 0 "$DSBUILD" build --root root --ops hello
expect 0 "$DSBUILD" bundle verify out/bundle
