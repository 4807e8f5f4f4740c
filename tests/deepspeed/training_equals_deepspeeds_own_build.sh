#!/bin/sh
# A training with ZeRO-Offload makes the same losses, bit for bit, with dsbuild's modules as with those that DeepSpeed itself compiles at
# first use, whether they are installed or come through dsops.deepspeed.hook(). About six minutes on 2 cores: run by scripts/test --deepspeed.
. "$(dirname "$0")/../support/e2e.sh"
. "$SOURCE/tests/support/deepspeed.sh"

use_deepspeed
training=$SOURCE/tests/deepspeed/train_offload.py
train() { # FILE VARIABLE=VALUE... COMMAND...
    losses=$1
    shift
    expect 0 env -i HOME="$work" DS_ACCELERATOR=cpu OMP_NUM_THREADS=1 LC_ALL=C "$@"
    grep '^loss ' stdout >"$losses"
    [ "$(wc -l <"$losses")" -eq 12 ] || fail "not 12 losses"
}

# Theirs: compiled for this very CPU, into a folder of this test.
train theirs.txt PATH="$peers/bin:$PATH" TORCH_EXTENSIONS_DIR="$work/theirs" "$python" "$training"
has_file theirs/cpu_adam/cpu_adam.so

# Ours at first use, through the hook: DeepSpeed itself compiles nothing.
train hook.txt PATH="$peers/bin:$PATH" TORCH_EXTENSIONS_DIR="$work/hook" PYTHONPATH="$SOURCE/packaging/python" DSBUILD="$DSBUILD" "$python" -c '
import runpy, sys
import dsops.deepspeed
dsops.deepspeed.hook()
runpy.run_path(sys.argv[1], run_name="__main__")' "$training"
[ "$(ls hook)" = dsbuild ] || fail "DeepSpeed compiled, too: $(ls hook)"
diff theirs.txt hook.txt || fail "other losses through the hook"

# Ours, installed: no compiler is there, and nothing is compiled.
expect 0 "$DSBUILD" build --source "$site" --python "$python" --accelerators cpu --ops cpu_adam,deepspeed_shm_comm --install
mkdir nothing
train installed.txt PATH="$work/nothing" TORCH_EXTENSIONS_DIR="$work/installed" "$python" "$training"
[ ! -e installed ] || fail "something was compiled"
diff theirs.txt installed.txt || fail "other losses with what is installed"
cat theirs.txt
