#!/bin/sh
# Ctrl-C while compilers are asked or tried ends them, too: 130, one line, nothing left, the old bundle as it was.
. "$(dirname "$0")/../support/e2e.sh"
need g++ env

make_root root hello
warm_build out/build
# A compiler that hangs where ./stage says: when it is asked for its version, or when it compiles.
mkdir bin
real=$(command -v g++)
cat >bin/g++ <<SH
#!/bin/sh
hang() {
    sleep 300 &
    echo \$! >>"$work/hung"
    wait
}
stage=\$(cat "$work/stage")
for word in "\$@"; do
    case \$stage:\$word in version:-dumpversion | compile:-c) hang ;; esac
done
exec $real "\$@"
SH
chmod +x bin/g++
PATH=$work/bin:$PATH
echo none >stage
expect 0 "$DSBUILD" build --root root --ops hello
before=$(sha256sum out/bundle/bundle.json)

# interrupt STAGE SIGNAL: nothing is remembered, the build hangs in STAGE, and SIGNAL comes.
interrupt() {
    echo "$1" >stage
    rm -rf cache hung
    # A shell's background job ignores SIGINT, and what it starts with it.
    env --default-signal "$DSBUILD" build --root root --ops hello >stdout 2>stderr &
    pid=$!
    for _ in $(seq 300); do [ -s hung ] && break; sleep 0.1; done
    [ -s hung ] || fail "$1: the compiler was never started: $(cat stderr)"
    kill "-$2" $pid
    code=0
    wait $pid || code=$?
    [ $code -eq 130 ] || fail "$1 $2: exit code $code instead of 130: $(cat stderr)"
    [ "$(grep -c interrupted stderr)" -eq 1 ] || fail "$1 $2: not one line: $(cat stderr)"
    says_not stderr FAILED
    # A dead one that nobody has waited for yet has no command line any more.
    while read -r child; do [ -z "$(cat "/proc/$child/cmdline" 2>/dev/null)" ] || fail "$1 $2: the compiler still runs"; done <hung
    [ -z "$(find cache out -name '*.staging')" ] || fail "$1 $2: temporary folders are left"
    [ "$before" = "$(sha256sum out/bundle/bundle.json)" ] || fail "$1 $2: the old bundle changed"
}
interrupt version INT
interrupt compile INT
interrupt compile TERM
echo none >stage
expect 0 "$DSBUILD" build --root root --ops hello
