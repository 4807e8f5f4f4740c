#!/bin/sh
# show --resolved says, method by method, what the builders of the real DeepSpeed return; each difference is one of tests/deepspeed/differences.json.
. "$(dirname "$0")/../support/e2e.sh"
peers=${DSBUILD_BENCH_DEEPSPEED:-${XDG_CACHE_HOME:-$HOME/.cache}/dsbuild-peers}
[ -x "$peers/bin/ds_report" ] || skip "no DeepSpeed at $peers (scripts/peers makes it)"
need g++ nvcc
unset $(env | sed -n 's/^\(DS_[A-Za-z_]*\)=.*/\1/p') 2>/dev/null || :

# What this machine lacks: the folders that some ops need, with the file by which each is told.
for marker in cutlass/include/cutlass/cutlass.h cutlass/tools/util/include/cutlass/util/device_memory.h ccl/include/oneapi/ccl.hpp; do
    mkdir -p "$(dirname "$marker")" && : >"$marker"
done
export VIRTUAL_ENV="$peers" PATH="$peers/bin:$PATH" DS_SKIP_CUDA_CHECK=1 TORCH_CUDA_ARCH_LIST='8.0;9.0' \
    CUTLASS_PATH="$work/cutlass" CCL_ROOT="$work/ccl" ASCEND_HOME_PATH=/ascend
site=$(echo "$peers"/lib/python3.*/site-packages)
"$peers/bin/python3" "$SOURCE/tests/deepspeed/compare.py" "$DSBUILD" "$peers/bin/python3" "$site" ${ACCELERATORS:-cpu cuda rocm xpu npu hpu mlu sdaa supa klxpu mps}
