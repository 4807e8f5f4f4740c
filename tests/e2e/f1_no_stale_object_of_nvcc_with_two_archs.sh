#!/bin/sh
# F1: one object for two archs: code and a header that only one of them compiles are seen by the step cache, whichever arch comes first.
. "$(dirname "$0")/../support/e2e.sh"
need g++ ninja
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || skip 'no nvcc on this machine'

warm_build out/build
mkdir -p root/manifests/ops root/ops/fat
cat >root/manifests/ops/fat.json <<'JSON'
{"schema": 1, "name": "fat", "kind": "shared_library", "summary": "a test",
 "kernels": [{"sources": ["fat.cu"], "on": {"cuda": "*"}, "freestanding": false}], "exports": ["fat_launch"]}
JSON
cat >root/ops/fat/fat.cu <<'CU'
#if __CUDA_ARCH__ >= 900
#include "only90.h"
#endif
__global__ void fat_kernel(int* out) {
#if __CUDA_ARCH__ >= 900
  *out = FROM_HEADER;
#else
  *out = 80;
#endif
}
extern "C" __attribute__((visibility("default"))) void fat_launch(int* out) { fat_kernel<<<1, 1>>>(out); }
CU
echo '#define FROM_HEADER 1001' >root/ops/fat/only90.h
build() { "$DSBUILD" build --root root --ops fat --accelerators cuda --arch "8.0;9.0" --cache steps; }
object() { find out/build/obj -name 'fat.o' -path '*fat*'; }

sleep 0.05
expect 0 build
cp "$(object)" first.o
sed -i 's/1001/2002/' root/ops/fat/only90.h
sleep 0.05
expect 0 build
says_not stdout 'up to date'
says stdout ' 0 of them from the cache'
cp "$(object)" second.o
! cmp -s first.o second.o || fail 'the object is the old one after a change of a header of sm_90'
sed -i 's/= FROM_HEADER/= FROM_HEADER + 7/' root/ops/fat/fat.cu
sleep 0.05
expect 0 build
says stdout ' 0 of them from the cache'
cp "$(object)" third.o
! cmp -s second.o third.o || fail 'the object is the old one after a change of code of sm_90'

# Back to the first state: the very object of then.
sed -i 's/= FROM_HEADER + 7/= FROM_HEADER/' root/ops/fat/fat.cu
sed -i 's/2002/1001/' root/ops/fat/only90.h
sleep 0.05
expect 0 build
says stdout ' 1 of them from the cache'
cmp "$(object)" first.o || fail 'another object than the one of that state'
