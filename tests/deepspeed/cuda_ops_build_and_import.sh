#!/bin/sh
# Every CUDA op of the real DeepSpeed whose needs are here is built for sm_80, sm_90 and the newest arch, and the real torch imports
# it. One that the compiler refuses fails alone, with its cause, and the rest is there. About 20 minutes on 2 cores: run by scripts/test --deepspeed.
. "$(dirname "$0")/../support/e2e.sh"
. "$SOURCE/tests/support/deepspeed.sh"

use_deepspeed
need nvcc

code=0
"$DSBUILD" build --source "$site" --python "$peers" --ops "${OPS:-all}" --accelerators cuda --arch "8.0;9.0;12.1" --keep-going >stdout 2>stderr || code=$?
cat stdout stderr
case $code in 0 | 1 | 4) ;; *) fail "exit code $code" ;; esac
"$python" "$SOURCE/tests/deepspeed/import_modules.py" out/bundle/extensions/cuda >imported
cat imported
says_not imported FAILED
