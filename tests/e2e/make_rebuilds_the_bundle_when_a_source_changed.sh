#!/bin/sh
# The make example builds and runs under -j; a second make does nothing; a touched header of the op rebuilds it; flags do too.
. "$(dirname "$0")/../support/e2e.sh"
need make gcc

# A catalog of our own to change: the checkout's ops, copied.
mkdir -p tool/bin tool/share/dsbuild/src tool/share/dsbuild/packaging
cp "$DSBUILD" tool/bin/
cp -r "$SOURCE/manifests" "$SOURCE/ops" "$SOURCE/LICENSE" tool/share/dsbuild/
cp -r "$SOURCE/src/runtime" "$SOURCE/src/cpu" tool/share/dsbuild/src/
cp -r "$SOURCE/packaging/python" tool/share/dsbuild/packaging/
cp -r "$SOURCE/packaging/make" make
export PATH="$work/tool/bin:$PATH" DSBUILD=dsbuild
cd make/example

expect 0 make -j4 run
says stdout '1 -> 0.999'
expect 0 make -j4 run
says_not stdout 'dsbuild'
says_not stderr 'dsbuild'
sleep 0.01
touch "$work/tool/share/dsbuild/ops/common/adam.h"
expect 0 make -j4 run
says stdout 'dsbuild build'
says stdout '1 -> 0.999'
expect 0 make -j4 run
says_not stdout 'dsbuild build'
sed -i 's/^DSBUILD_FLAGS.*/DSBUILD_FLAGS := --accelerators cpu --arch x86-64-v2/' Makefile
expect 0 make -j4 run
says stdout 'dsbuild build'
[ ! -e out/bundle/images/cpu_adam/cpu/x86-64-v3.so ] || fail 'an image that is no longer wanted is still there'
expect 0 make clean
[ ! -e out ] || fail 'clean left out'
