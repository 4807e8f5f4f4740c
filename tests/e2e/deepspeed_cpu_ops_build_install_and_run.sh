#!/bin/sh
# Every CPU op of the real DeepSpeed is built for the real torch, installed into a copy of DeepSpeed and loaded by it: with no
# compiler on PATH the ops compute what torch's optimizers and the definitions say, a training with offload runs, ds_report shows
# exactly these ops as installed, and taking them out again leaves DeepSpeed as it was.
. "$(dirname "$0")/../support/e2e.sh"
. "$SOURCE/tests/support/deepspeed.sh"

use_deepspeed
ops=async_io,cpu_adagrad,cpu_adam,cpu_lion,deepspeed_shm_comm,fused_adam,pin_memory

# The level that most CPUs have; the bundle says so, and what is not built is said, too.
expect 0 "$DSBUILD" build --source "$site" --python "$peers" --accelerators cpu --ops "$ops"
for op in adam/cpu_adam adagrad/cpu_adagrad lion/cpu_lion aio/async_io; do
    has_file out/bundle/extensions/cpu/deepspeed/ops/${op}_op.cpython-*.so
done
expect 0 "$DSBUILD" bundle verify out/bundle
expect 0 "$DSBUILD" build --source "$site" --python "$peers" --accelerators cpu --ops "$ops"
says stdout 'up to date'

# A header that changes costs what includes it.
header=$site/deepspeed/ops/csrc/includes/cpu_lion.h
cp -p "$header" header.h
echo '// changed' >>"$header"
ninja -C out/build -n >would
mv header.h "$header"
says would 'extension cpu_lion'
says_not would cpu_adagrad
says_not would async_io
ninja -C out/build -n >would
says would 'no work to do'

cp "$site/deepspeed/git_version_info_installed.py" before.py
expect 0 "$DSBUILD" bundle install out/bundle --into deepspeed --python "$python"
mkdir nothing
clean="env -i HOME=$work PATH=$work/nothing DS_ACCELERATOR=cpu LC_ALL=C"
expect 0 $clean "$python" "$SOURCE/tests/deepspeed/run_cpu_ops.py"
says_not stdout WRONG
says stdout 'cpu_adam: largest difference'
expect 0 $clean OMP_NUM_THREADS=1 "$python" "$SOURCE/tests/deepspeed/train_offload.py"
[ "$(grep -c '^loss ' stdout)" -eq 12 ] || fail "not 12 losses"
first=$(grep '^loss ' stdout | head -1)
last=$(grep '^loss ' stdout | tail -1)
"$python" -c 'import sys
first, last = (float.fromhex(line.split()[1]) for line in sys.argv[1:])
sys.exit(not last < first / 2)' "$first" "$last" || fail "the training learns nothing: $first, $last"

# ds_report: exactly these.
env DS_ACCELERATOR=cpu PATH="$work/env/bin:$peers/bin:$PATH" "$python" "$peers/bin/ds_report" 2>/dev/null |
    sed 's/\x1b\[[0-9;]*m//g' >report.txt
for op in $(echo "$ops" | tr , ' '); do
    grep -q "^$op \.* \[YES\]" report.txt || { cat report.txt >&2; fail "ds_report doesn't show $op as installed"; }
done
[ "$(grep -c '\[YES\]' report.txt)" -eq 7 ] || { cat report.txt >&2; fail "ds_report shows other ops as installed, too"; }

expect 0 "$DSBUILD" bundle install --into deepspeed --python "$python" --remove
cmp "$site/deepspeed/git_version_info_installed.py" before.py
[ -z "$(find "$site/deepspeed/ops" -name '*_op.cpython-*.so')" ] || fail "modules stayed behind"
