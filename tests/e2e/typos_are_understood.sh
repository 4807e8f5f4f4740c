#!/bin/sh
# K07: an unknown command, option, variable or value ends with 2 (a variable: a warning) and the nearest word.
. "$(dirname "$0")/../support/e2e.sh"

expect 2 "$DSBUILD" biuld
says stderr "did you mean 'build'"
expect 2 "$DSBUILD" build --opps cpu_adam
says stderr "did you mean '--ops'"
expect 2 "$DSBUILD" build extra
says stderr "extra"
expect 2 "$DSBUILD" show cpu_adm
says stderr "did you mean 'cpu_adam'"
expect 2 "$DSBUILD" help exit-code
says stderr "did you mean 'exit-codes'"
expect 0 env DSBUILD_JOB=3 "$DSBUILD" list
says stderr "DSBUILD_JOB: warning: dsbuild knows no such variable; did you mean 'DSBUILD_JOBS'"
# G07
for value in 0 -1 abc 4x; do
    expect 2 env MAX_JOBS=$value "$DSBUILD" build --ops cpu_adam --dry-run
    says stderr MAX_JOBS
done
expect 0 env MAX_JOBS= "$DSBUILD" build --ops cpu_adam --dry-run --accelerators cpu
expect 2 "$DSBUILD" build --toolkit nvcc
says stderr 'KIND=PATH'
