#!/bin/sh
# DeepSpeed 0.16 with a torch of its time: the ops that it has for the CPU build, are installed, and compute what torch's optimizers say.
# About five minutes on 2 cores: run by scripts/test --deepspeed.
. "$(dirname "$0")/../support/e2e.sh"
. "$SOURCE/tests/support/deepspeed.sh"

old=$(sh "$SOURCE/scripts/peers" old)
use_deepspeed "$old"
ops=async_io,cpu_adam,deepspeed_shm_comm,fused_adam

expect 0 "$DSBUILD" build --source "$site" --python "$python" --accelerators cpu --ops "$ops" --install
cat stdout
mkdir nothing
clean="env -i HOME=$work PATH=$work/nothing DS_ACCELERATOR=cpu LC_ALL=C"
expect 0 $clean "$python" "$SOURCE/tests/deepspeed/run_cpu_ops.py" async_io cpu_adam deepspeed_shm_comm
says_not stdout WRONG
says stdout 'cpu_adam: largest difference'
cat stdout
expect 0 $clean OMP_NUM_THREADS=1 "$python" "$SOURCE/tests/deepspeed/train_offload.py"
[ "$(grep -c '^loss ' stdout)" -eq 12 ] || fail "not 12 losses"
