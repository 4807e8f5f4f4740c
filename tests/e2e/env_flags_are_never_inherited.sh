#!/bin/sh
# NVCC_APPEND_FLAGS, CPATH and their like change nothing in what is built.
. "$(dirname "$0")/../support/e2e.sh"

unset LIBRARY_PATH LD_RUN_PATH
for folder in ba bb bc bd; do warm_build $folder; done
expect 0 "$DSBUILD" build --ops fused_adam,cpu_adam --arch x86-64-v3 --accelerators emu,cpu --out a --build-dir ba
mkdir evil
echo '#error evil' >evil/stdint.h
expect 0 env CPATH="$work/evil" NVCC_APPEND_FLAGS=-lineinfo GCC_EXEC_PREFIX= CPLUS_INCLUDE_PATH="$work/evil" \
    "$DSBUILD" build --ops fused_adam,cpu_adam --arch x86-64-v3 --accelerators emu,cpu --out b --build-dir bb
says stderr 'not passed on to compilers: CPATH, CPLUS_INCLUDE_PATH, NVCC_APPEND_FLAGS'
diff -r a/images b/images || fail 'the environment leaked into an image'
if command -v nvcc >/dev/null; then
    expect 0 "$DSBUILD" build --ops fused_adam --arch 9.0 --accelerators cuda --out c --build-dir bc
    expect 0 env NVCC_APPEND_FLAGS=-lineinfo "$DSBUILD" build --ops fused_adam --arch 9.0 --accelerators cuda --out d --build-dir bd
    diff -r c/images d/images || fail 'NVCC_APPEND_FLAGS leaked into a cubin'
fi
