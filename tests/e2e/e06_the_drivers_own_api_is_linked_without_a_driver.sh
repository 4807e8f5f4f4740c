#!/bin/sh
# E06: an op that calls libcuda is linked with the toolkit's stub of it, so that building needs no driver; what is made needs libcuda.so.1, and no folder of stubs.
# Its host code finds the toolkit's headers, those that CUDA 13 moved to cccl, too.
. "$(dirname "$0")/../support/e2e.sh"
need g++ ninja nvcc readelf

mkdir -p root/manifests/ops root/ops/early
cat >root/manifests/ops/early.json <<'JSON'
{"schema": 1, "name": "early", "kind": "shared_library", "summary": "a test", "exports": ["early_init"], "libraries": ["cuda"],
 "host": {"sources": ["api.cpp"]}, "kernels": [{"sources": ["early.cu"], "on": {"cuda": "*"}}]}
JSON
cat >root/ops/early/api.cpp <<'CODE'
#include <cuda.h>
#include <cuda/std/version>
#include <cuda_runtime.h>
extern "C" __attribute__((visibility("default"))) int early_init() { return cuInit(0); }
CODE
echo '__global__ void early_kernel() {}' >root/ops/early/early.cu
expect 0 "$DSBUILD" plan --root root --ops early --accelerators cuda --arch 9.0 --format json
stubs=$(sed -n 's/.*"-L\(.*\/stubs\)".*/\1/p' stdout | head -n 1)
[ -n "$stubs" ] || fail 'nothing names the folder of stubs'
[ -e "$stubs/libcuda.so" ] || skip "the CUDA toolkit has no $stubs/libcuda.so"

expect 0 "$DSBUILD" build --root root --ops early --accelerators cuda --arch 9.0
says out/bundle/bundle.json '"libraries": "libcuda.so.1"'
readelf -d out/bundle/lib/*/cuda/early.so >dynamic
says dynamic 'Shared library: [libcuda.so.1]'
says_not dynamic stubs
