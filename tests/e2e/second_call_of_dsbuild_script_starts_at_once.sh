#!/bin/sh
# scripts/dsbuild sets up and configures in its first call only; later ones run what is built, with nothing to say.
. "$(dirname "$0")/../support/e2e.sh"

# A tree of our own: the script, a setup that notes when it is called, and compilers' stand-ins that do.
mkdir -p tree/scripts tree/build bin
cp "$SOURCE/scripts/dsbuild" tree/scripts/
printf '#!/bin/sh\necho setup >>"%s/calls"\n' "$work" >tree/scripts/setup
cat >bin/cmake <<CMAKE
#!/bin/sh
echo cmake >>"$work/calls"
mkdir -p "$work/tree/build/tool/bin"
: >"$work/tree/build/tool/build.ninja"
CMAKE
cat >bin/ninja <<NINJA
#!/bin/sh
echo ninja >>"$work/calls"
ln -sf "$DSBUILD" "$work/tree/build/tool/bin/dsbuild"
NINJA
chmod +x bin/* tree/scripts/*
expect 0 env PATH="$work/bin:$PATH" tree/scripts/dsbuild --version
[ "$(xargs <calls)" = 'setup cmake ninja' ] || fail "the first call did: $(xargs <calls)"
says stderr 'building the tool, once'
: >calls
expect 0 env PATH="$work/bin:$PATH" tree/scripts/dsbuild --version
[ "$(xargs <calls)" = ninja ] || fail "the second call did: $(xargs <calls)"
[ ! -s stderr ] || fail "the second call said: $(cat stderr)"
# What is given is passed on as it is, and so is the exit code.
expect 2 env PATH="$work/bin:$PATH" tree/scripts/dsbuild show 'no such op'
says stderr 'no such op'

# The same on the real build: nothing is compiled, linked or configured.
[ -e "${BUILD:-}/build.ninja" ] || skip 'BUILD is no build folder'
need ninja
rm -r tree/build/tool
ln -s "$BUILD" tree/build/tool
ninja -C "$BUILD" bin/dsbuild >/dev/null # up to date, whatever was edited since the build
before=$(stat -c %y "$BUILD/build.ninja" "$BUILD/bin/dsbuild")
: >calls
expect 0 tree/scripts/dsbuild --version
says stdout 'dsbuild'
[ ! -s stderr ] && [ ! -s calls ] || fail "it said or did: $(cat stderr calls)"
[ "$(stat -c %y "$BUILD/build.ninja" "$BUILD/bin/dsbuild")" = "$before" ] || fail 'something was built again'
