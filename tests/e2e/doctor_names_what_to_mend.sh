#!/bin/sh
# `dsbuild doctor`: what is wrong for the accelerators that matter, each with cause, consequence and remedy.
. "$(dirname "$0")/../support/e2e.sh"

# An empty container: nothing to build with, and still an answer.
mkdir empty
expect 0 env PATH="$work/empty" "$DSBUILD" doctor
says stdout 'error cause no ninja on PATH so nothing can be built mend apt-get install ninja-build'
says stdout 'not built for cpu: cpu_adam, transformer mend apt-get install g++'
says_not stdout rocm # there is no such device, and nobody named it
expect 1 env PATH="$work/empty" "$DSBUILD" doctor --strict

# What is named matters.
expect 1 env PATH="$work/empty" "$DSBUILD" doctor --accelerators rocm --strict --format json
says stdout '"weight": "error"'
says stdout 'not built for rocm'
expect 1 env PATH="$work/empty" DS_ACCELERATOR=cuda "$DSBUILD" doctor --strict
says stdout 'for cuda'

# On a machine that has what the CPU ops need there is nothing to mend; a note is no finding for --strict.
need g++ ninja
expect 0 env -i PATH="$PATH" HOME="$work" DSBUILD_CACHE_DIR="$work/cache" "$DSBUILD" doctor --accelerators cpu --strict
says stdout 'nothing to mend for cpu'
expect 0 env CPATH=/nowhere "$DSBUILD" doctor --accelerators cpu --strict
says stdout 'note cause set in the environment: CPATH'
