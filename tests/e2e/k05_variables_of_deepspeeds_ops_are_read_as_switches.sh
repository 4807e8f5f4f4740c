#!/bin/sh
# K05: DS_BUILD_OPS and DS_BUILD_<op> choose ops of a DeepSpeed tree: switches in any spelling, empty is unset, another value is an error, an unknown name is told.
. "$(dirname "$0")/../support/e2e.sh"
. "$SOURCE/tests/support/deepspeed.sh"
need g++ python3
unset $(env | sed -n 's/^\(DS_[A-Za-z_]*\)=.*/\1/p') 2>/dev/null || :
make_tree tree 0.19.8
make_torch "$work/venv" 2.15.0
export VIRTUAL_ENV="$work/venv"
plan() { env "$@" "$DSBUILD" plan --source tree --accelerators cpu --format json; }
chooses() { # WANTED OPS, then VARIABLE=VALUE...
    names=$1
    shift
    expect 0 plan "$@"
    [ "$(ops_of stdout)" = "$names" ] || fail "$*: $(ops_of stdout)"
}

# An op's own variable means that op alone, however the switch is spelt.
for on in 1 true ON yes ' 1 '; do chooses cpu_adam DS_BUILD_CPU_ADAM="$on"; done
chooses cpu_adam DS_BUILD_OPS=0 DS_BUILD_CPU_ADAM=1
chooses 'cpu_adam cpu_lion' DS_BUILD_CPU_LION=1 DS_BUILD_CPU_ADAM=1 DS_BUILD_UTILS=0
says stdout '"name": "ops", "origin": "DS_BUILD_CPU_ADAM, DS_BUILD_CPU_LION, DS_BUILD_UTILS"'
# One that is left out is missing from all; an empty one says nothing.
expect 0 plan DS_BUILD_OPS=
all=$(ops_of stdout)
for off in 0 false off NO; do
    chooses "$(echo " $all " | sed 's/ cpu_adam / /; s/^ //; s/ $//')" DS_BUILD_CPU_ADAM=$off
done
chooses "$all" DS_BUILD_OPS=1 DS_BUILD_CPU_ADAM=
chooses "$(echo " $all " | sed 's/ cpu_adam / /; s/^ //; s/ $//')" DS_BUILD_OPS=1 DS_BUILD_CPU_ADAM=0
# The name with small letters in it, and what must be loaded before an op.
chooses 'async_io pin_memory' DS_BUILD_AIO=1 DS_BUILD_PIN_MEMORY=0
expect 4 "$DSBUILD" build --source tree --accelerators xpu --ops flash_attn --dry-run
says stderr 'calls torch'
# --ops beats them all.
expect 0 env DS_BUILD_OPS=1 DS_BUILD_CPU_ADAM=0 "$DSBUILD" plan --source tree --accelerators cpu --ops cpu_adam --format json
[ "$(ops_of stdout)" = cpu_adam ] || fail "--ops: $(ops_of stdout)"
says stdout '"name": "ops", "origin": "--ops"'

# Anything else ends the program, and names the variable; nothing at all is no wish.
for variable in DS_BUILD_OPS DS_BUILD_CPU_ADAM DS_BUILD_FlashAttention; do
    expect 2 plan $variable=2
    says stderr "$variable: '2' is neither on nor off"
done
expect 2 plan DS_BUILD_OPS=0
says stderr 'DS_BUILD_OPS: no op is asked for'
# A name that no op has.
expect 0 plan DS_BUILD_CPUADAM=1 DS_BUILD_STRING=.dev1
says stderr "DS_BUILD_CPUADAM: warning: no op of deepspeed has this variable; did you mean 'DS_BUILD_CPU_ADAM'?"
says_not stderr DS_BUILD_STRING
# Each name that DeepSpeed's setup reads is one of an op here, but for that of all.
expect 0 "$DSBUILD" help settings --source tree
for name in AIO CCL_COMM CPU_ADAGRAD CPU_ADAM CPU_LION CUTLASS_OPS DEEP_COMPILE EVOFORMER_ATTN FP_QUANTIZER FUSED_ADAM FUSED_LAMB FUSED_LION FlashAttention GDS \
    INFERENCE_CORE_OPS NOT_IMPLEMENTED PACK_BITS PIN_MEMORY QUANTIZER RAGGED_DEVICE_OPS RAGGED_OPS RANDOM_LTD SHM_COMM SPARSE_ATTN SPATIAL_INFERENCE \
    STOCHASTIC_TRANSFORMER TRANSFORMER TRANSFORMER_INFERENCE UTILS OPS; do
    says stdout " DS_BUILD_$name "
done
# The others change commands or say that they don't.
expect 2 plan DS_NVCC_THREADS=many
says stderr "DS_NVCC_THREADS: 'many' is no count"
expect 0 plan DS_NVCC_THREADS=3 DS_DEBUG_CUDA_BUILD=0
says stdout '"name": "DS_NVCC_THREADS", "origin": "DS_NVCC_THREADS", "value": "3"'
says_not stdout DS_DEBUG_CUDA_BUILD
