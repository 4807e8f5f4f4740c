#!/bin/sh
# A fresh clone in another folder takes everything that is compiled from a warm step cache; the compiler is not started, and the bundles are the same.
. "$(dirname "$0")/../support/e2e.sh"
need g++ ninja

# A compiler that counts how often it is asked to compile.
mkdir -p bin
cat >bin/g++ <<SH
#!/bin/sh
for word; do [ "\$word" = -c ] && echo compile >>"$work/count"; done
exec $(command -v g++) "\$@"
SH
chmod +x bin/g++
compiles() { if [ -f count ]; then wc -l <count; else echo 0; fi; }
clone() {
    make_root "$1/root" one
    make_root "$1/root" two
    cp "$SOURCE/LICENSE" "$1/"
}
build() { # build FOLDER [FLAG...]
    (
        cd "$1"
        shift
        CXX="$work/bin/g++" "$DSBUILD" build --root root --ops one,two --cache "$work/steps" "$@"
    )
}
steps() { sed -n 's/^ *steps *\([0-9]*\) in .*/\1/p' stdout; }

clone first
expect 0 build first
[ "$(compiles)" -gt 2 ] || fail "the counting compiler was not used: $(compiles)"
says stdout '0 of them from the cache'
all=$(steps)
rm -f count

clone second/deeper
expect 0 build second/deeper
[ "$(compiles)" -eq 0 ] || fail "$(compiles) compiles in a fresh clone"
says stdout 'of them from the cache'
diff -r first/out/bundle second/deeper/out/bundle || fail 'the bundles differ'
expect 0 build second/deeper
says stdout 'everything was up to date'

# Headers of a result from the cache are known to Ninja, and their contents to the cache.
echo '#define ANSWER 43' >second/deeper/root/ops/one/one.h
expect 0 build second/deeper
[ "$(compiles)" -eq 1 ] || fail "$(compiles) compiles after the change of one header"
echo '#define ANSWER 42' >second/deeper/root/ops/one/one.h
expect 0 build second/deeper
[ "$(compiles)" -eq 1 ] || fail 'the state before the change was not known any more'
diff -r first/out/bundle second/deeper/out/bundle || fail 'the bundles differ after a change and back'

# H17: where all times of sources are others, older or newer, contents decide. (Outputs lie beside them, and keep theirs.)
rm -f count
find second/deeper/root second/deeper/LICENSE -type f -exec touch -d @1700000000 {} +
expect 0 build second/deeper
expect 0 build second/deeper
says stdout 'everything was up to date'
find second/deeper/root second/deeper/LICENSE -type f -exec touch {} +
expect 0 build second/deeper
says stdout 'of them from the cache'
[ "$(compiles)" -eq 0 ] || fail "$(compiles) compiles although nothing but times changed"
expect 0 build second/deeper
says stdout 'everything was up to date'

# O06: every step is run again when that is asked for, and gives the same.
expect 0 build second/deeper --force
[ "$(steps)" = "$all" ] || fail "--force ran $(steps) of $all steps"
[ "$(compiles)" -gt 2 ] || fail "$(compiles) compiles with --force"
says_not stdout 'from the cache'
says stdout 'unchanged'
diff -r first/out/bundle second/deeper/out/bundle || fail 'the bundles differ after --force'
expect 0 build second/deeper
says stdout 'everything was up to date'

expect 0 "$DSBUILD" cache stats --cache steps
says stdout 'step cache'
says stdout "$work/steps"
expect 0 env DSBUILD_CACHE="$work/steps" "$DSBUILD" cache stats --format json
grep -q '"hits"' stdout || fail 'no hits in the JSON'
expect 0 "$DSBUILD" cache clean --all --cache steps
says stdout '0 B left'
rm -f count
rm -rf second/deeper/out/build/obj/one
expect 0 build second/deeper
[ "$(compiles)" -eq 1 ] || fail 'an empty cache gave something'

# Mistakes are told before anything is done.
expect 2 "$DSBUILD" cache stats
says stderr 'DSBUILD_CACHE'
expect 2 "$DSBUILD" cache clean --cache steps --older-than soon
says stderr '--older-than'
expect 2 "$DSBUILD" build --cache steps --cache-size huge
says stderr '--cache-size'
