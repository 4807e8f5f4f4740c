#!/bin/sh
# K06: what a build goes by is told with where it came from: flag, variable, default; in the plan, the report, the first lines.
. "$(dirname "$0")/../support/e2e.sh"
need g++ ninja

expect 0 "$DSBUILD" report
says stdout 'archs.cpu default'
says stdout 'ops default'
says stdout 'accelerators default'
says stdout 'toolchain.cpu PATH gcc-'
expect 0 env DS_ACCELERATOR=cpu CXX="$(command -v g++)" "$DSBUILD" report
says stdout 'accelerators DS_ACCELERATOR cpu'
says stdout 'toolchain.cpu CXX gcc-'
expect 0 env TORCH_CUDA_ARCH_LIST=9.0 PYTORCH_ROCM_ARCH=gfx942 "$DSBUILD" report
says stdout 'archs.cuda TORCH_CUDA_ARCH_LIST sm_90'
says stdout 'archs.rocm PYTORCH_ROCM_ARCH gfx942'
expect 0 "$DSBUILD" plan --ops cpu_adam --accelerators cpu --arch x86-64-v3 --format json
says stdout '"name": "archs.cpu", "origin": "--arch", "value": "x86-64-v3"'
says stdout '"name": "ops", "origin": "--ops", "value": "cpu_adam"'
# The flag beats the variable, and says so; an empty variable is none.
expect 0 env TORCH_CUDA_ARCH_LIST=8.0 DS_ACCELERATOR=cpu \
    "$DSBUILD" build --ops transformer --accelerators cpu,emu --arch x86-64-v2 --dry-run
says stderr 'cpu: building for x86-64-v2 (--arch)'
says stderr 'emu: building for'
expect 0 env TORCH_CUDA_ARCH_LIST='' DS_ACCELERATOR='' "$DSBUILD" report
says stdout 'accelerators default'
says_not stdout TORCH_CUDA_ARCH_LIST
