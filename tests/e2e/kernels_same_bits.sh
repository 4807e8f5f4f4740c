#!/bin/sh
# Every kernel compiles for every target that this machine has compilers for, twice to the same
# bytes, and CPU levels and emu calculate the same bits.
command -v python3 >/dev/null || { echo "skip: no python3 on PATH"; exit 77; }
exec python3 "$SOURCE/tests/e2e/kernels_same_bits.py" "$BUILD/e2e"
