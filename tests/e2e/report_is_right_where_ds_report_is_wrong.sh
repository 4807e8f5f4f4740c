#!/bin/sh
# Where the real ds_report and ours differ, ours is what the machine is: nvcc without a GPU, ops claimed without a file, the exit status, noise, an empty variable.
. "$(dirname "$0")/../support/e2e.sh"
need python3
peers=${DSBUILD_BENCH_DEEPSPEED:-${XDG_CACHE_HOME:-$HOME/.cache}/dsbuild-peers}
[ -x "$peers/bin/ds_report" ] || skip "no DeepSpeed at $peers (scripts/peers makes it)"

# An environment whose DeepSpeed claims cpu_adam, of which there is no file.
packages=$(echo "$peers"/lib/python3.*/site-packages)
venv=$work/venv
own=$venv/lib/$(basename "$(dirname "$packages")")/site-packages
mkdir -p "$own" "$venv/bin"
ln -s "$peers/bin/python3" "$venv/bin/python3"
cp -r "$packages/deepspeed" "$own/"
cp -r "$packages"/deepspeed-*.dist-info "$own/"
claims=$own/deepspeed/git_version_info_installed.py
sed -i "s/'cpu_adam': False/'cpu_adam': True/" "$claims"
grep -q "'cpu_adam': True" "$claims" || fail 'this DeepSpeed records its ops otherwise'
theirs() {
    env PATH="$peers/bin:$PATH" PYTHONPATH="$own" "$@" "$peers/bin/python3" -c 'from deepspeed.env_report import cli_main; cli_main()' \
        >theirs 2>theirs.err
}
ours() { env PATH="$peers/bin:$PATH" VIRTUAL_ENV="$venv" "$@"; }

theirs env || fail 'ds_report failed'
expect 0 ours "$DSBUILD" report
says_not stdout 'warning'
[ ! -s stderr ] || fail 'the report has noise beside it'

# It takes the machine for one without CUDA, though a build for CUDA is possible here.
if command -v nvcc >/dev/null; then
    cat theirs theirs.err >both
    says both 'Setting accelerator to CPU'
    says_not theirs 'nvcc version'
    says stdout 'nvcc-'
    says stdout 'fused_adam cuda'
fi

# It says that cpu_adam is installed.
sed 's/\x1b\[[0-9]*m//g' theirs | grep -q '^cpu_adam \.* \[YES\]' || fail 'ds_report does not say what it was made to say'
says stdout 'there is no file of: cpu_adam'
expect 0 ours "$DSBUILD" doctor
says stdout 'claims ops that have no file: cpu_adam'

# It ends with 0 whatever is missing: async_io can't be compiled here, and no exit status tells. Ours tells when asked.
mkdir bare
for tool in g++ as ld ninja git; do ln -s "$(command -v $tool)" bare/; done
expect 0 env PATH="$work/bare" CUDA_HOME='' CUDA_PATH='' "$DSBUILD" report
expect 1 env PATH="$work/bare" CUDA_HOME='' CUDA_PATH='' "$DSBUILD" doctor --strict --accelerators rocm
expect 3 env PATH="$work/bare" CUDA_HOME='' CUDA_PATH='' "$DSBUILD" plan --ops fused_adam --accelerators rocm

# An empty DS_ACCELERATOR ends it with a traceback; here it is no choice.
if theirs env DS_ACCELERATOR=; then fail 'ds_report takes an empty DS_ACCELERATOR now'; fi
says theirs.err 'Traceback'
expect 0 ours env DS_ACCELERATOR= "$DSBUILD" report

# What it probes for with a compiler ends up beside its table; asked for CUDA, the linker speaks.
theirs env DS_ACCELERATOR=cuda || fail 'ds_report failed'
expect 0 ours env DS_ACCELERATOR=cuda "$DSBUILD" report
[ ! -s stderr ] || fail 'the report has noise beside it'
says_not stdout 'collect2'
