#!/bin/sh
# Each way of breaking the ops that is listed in tests/ops/mutations.py makes their tests fail.
. "$(dirname "$0")/../support/e2e.sh"
need g++
need_python

"$python" "$SOURCE/tests/ops/mutations.py" "$work/mutants" "$DSBUILD"
