#!/bin/sh
# With only g++ and ninja, `build` builds the CPU ops, ends with 0 and says what it left out and what would bring it.
. "$(dirname "$0")/../support/e2e.sh"

mkdir bin
for tool in g++ as ld ninja; do ln -s "$(command -v $tool)" bin/; done
expect 0 env PATH="$work/bin" CUDA_HOME= CUDA_PATH= "$DSBUILD" build --toolkit nvcc=/nonexistent --ops cpu_adam
expect 0 env PATH="$work/bin" CUDA_HOME= CUDA_PATH= "$DSBUILD" build
says stdout 'built cpu'
says stdout 'rocm'
says stdout 'apt-get install clang-19 lld-19'
says out/bundle/bundle.json '"code": "toolchain_absent"'
