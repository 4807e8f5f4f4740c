#!/bin/sh
# The driver's, the toolkit's and the framework's CUDA are told apart; only another major is worth a word.
. "$(dirname "$0")/../support/e2e.sh"
need nvcc

torch=venv/lib/python3.11/site-packages/torch
mkdir -p "$torch" venv/bin
: >"$torch/__init__.py"
built_with() {
	printf "__version__ = '2.5.1'\ncuda: Optional[str] = '%s'\nhip = None\n" "$1" >"$torch/version.py"
}
with_torch() {
	expect 0 env VIRTUAL_ENV="$work/venv" DSBUILD_CACHE_DIR="$work/cache" "$DSBUILD" "$@"
}

built_with 1.0
with_torch report
says stdout 'versions accelerator of version where cuda driver'
says stdout "torch 1.0 torch 2.5.1 ($work/venv) was built with it"
with_torch doctor --accelerators cuda,cpu
says stdout 'was built with cuda 1.0, and the toolkit that is taken, nvcc-'
says stdout 'install a toolkit of 1.x for them and name it: --toolkit nvcc=DIR'

# Another minor of the same major is fine.
major=$(nvcc --version | sed -n 's/.*release \([0-9]*\)\..*/\1/p')
built_with "$major.999"
with_torch doctor --accelerators cuda,cpu
says_not stdout 'is another major'

# What nobody named and is not here is no finding.
built_with 1.0
with_torch doctor --accelerators cpu
says_not stdout 'is another major'
