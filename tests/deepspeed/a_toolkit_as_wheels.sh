#!/bin/sh
# The CUDA compiler of torch's own release, as wheels bring it (no lib64, no version.json, no libcudart.so), builds ops that this torch
# imports, for the newest arch as well. About eight minutes on 2 cores: run by scripts/test --deepspeed.
. "$(dirname "$0")/../support/e2e.sh"
. "$SOURCE/tests/support/deepspeed.sh"

use_deepspeed
toolkit=$(sh "$SOURCE/scripts/peers" toolkit)/toolkit

expect 0 "$DSBUILD" build --source "$site" --python "$peers" --ops fused_adam,fused_lion --accelerators cuda --arch "9.0;12.1" --toolkit "nvcc=$toolkit"
cat stdout
says_not stdout 'the same major release' # it is the very release
says_not stderr 'the same major release'
"$python" "$SOURCE/tests/deepspeed/import_modules.py" out/bundle/extensions/cuda >imported
cat imported
says_not imported FAILED
