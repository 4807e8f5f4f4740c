#!/bin/sh
# E02: an op that its own variable asks for and that can't be built ends with exit code 4 and the reason; the same op among all is skipped with it.
. "$(dirname "$0")/../support/e2e.sh"
. "$SOURCE/tests/support/deepspeed.sh"
need g++ ninja python3
unset $(env | sed -n 's/^\(DS_[A-Za-z_]*\)=.*/\1/p') 2>/dev/null || :
make_tree tree 0.19.6
make_torch "$work/venv" 2.15.0
export VIRTUAL_ENV="$work/venv"
unset CCL_ROOT

expect 4 env DS_BUILD_OPS=0 DS_BUILD_CCL_COMM=1 "$DSBUILD" build --source tree --accelerators cpu --dry-run
says stderr 'deepspeed_ccl_comm needs oneccl: no include/oneapi/ccl.hpp was found; CCL_ROOT is not set (install oneCCL'
says stderr 'nothing was compiled'
# Among all ops too, because it was named.
expect 4 env DS_BUILD_OPS=1 DS_BUILD_CCL_COMM=1 "$DSBUILD" build --source tree --accelerators cpu --dry-run
expect 0 env DS_BUILD_OPS=1 "$DSBUILD" plan --source tree --accelerators cpu
says stdout 'deepspeed_ccl_comm'
says stdout 'CCL_ROOT is not set'
# What a variable names is looked at there alone.
expect 4 env CCL_ROOT="$work" DS_BUILD_CCL_COMM=1 "$DSBUILD" build --source tree --accelerators cpu --dry-run
says stderr "CCL_ROOT=$work holds no include/oneapi/ccl.hpp"
mkdir -p ccl/include/oneapi ccl/lib && : >ccl/include/oneapi/ccl.hpp
expect 0 env CCL_ROOT="$work/ccl" DS_BUILD_CCL_COMM=1 "$DSBUILD" plan --source tree --accelerators cpu --format json
says stdout "\"-isystem\", \"$work/ccl/include\""
says stdout "\"-L$work/ccl/lib\""
says stdout '"-lccl"'
# One that the tree has for no accelerator of this build.
expect 4 env DS_BUILD_PACK_BITS=1 "$DSBUILD" build --source tree --accelerators cpu --dry-run
says stderr 'pack_bits has no kernel for cpu'
