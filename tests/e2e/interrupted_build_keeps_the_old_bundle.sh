#!/bin/sh
# Ctrl-C ends with 130, leaves the old bundle, and the next build is right.
. "$(dirname "$0")/../support/e2e.sh"

make_root root hello
# A compiler that takes long for one file, once slow/on is there.
mkdir slow
real=$(command -v g++)
cat >slow/g++ <<SH
#!/bin/sh
for word in "\$@"; do case \$word in *hello.cpp) [ ! -e "$work/slow/on" ] || sleep 30 ;; esac; done
exec $real "\$@"
SH
chmod +x slow/g++
build() { "$DSBUILD" build --root root --ops hello --toolkit gcc="$work/slow/g++"; }
expect 0 build
before=$(sha256sum out/bundle/bundle.json)
echo '// changed' >>root/ops/hello/hello.cpp
touch slow/on
# A shell starts background jobs with SIGINT ignored, which dsbuild would respect.
env --default-signal "$DSBUILD" build --root root --ops hello --toolkit gcc="$work/slow/g++" >stdout 2>stderr &
pid=$!
for _ in $(seq 100); do pgrep -f "$work/slow/g++.*hello.cpp" >/dev/null && break; sleep 0.1; done
pgrep -f "$work/slow/g++.*hello.cpp" >/dev/null || { cat stderr; fail 'the slow compile never started'; }
kill -INT $pid
code=0
wait $pid || code=$?
[ $code -eq 130 ] || { cat stderr; fail "exit code $code instead of 130"; }
says stderr 'interrupted'
sleep 0.3
! pgrep -f "$work/slow/g++.*hello.cpp" >/dev/null || fail 'the compiler still runs'
[ "$before" = "$(sha256sum out/bundle/bundle.json)" ] || fail 'the old bundle changed'
rm slow/on
expect 0 build
expect 0 "$DSBUILD" bundle verify out/bundle
