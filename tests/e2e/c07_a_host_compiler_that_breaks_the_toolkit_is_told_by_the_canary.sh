#!/bin/sh
# C01, C03, C07: the real nvcc with a host compiler that it can't work with: exit 3 where nvcc was named, with the first
# error's words and both paths; passed over where it was not; and no flag that hides it (C02).
. "$(dirname "$0")/../support/e2e.sh"
need g++ ninja nvcc

mkdir new libc
# As g++ 16 would be, but for the version that it tells: only a compile finds out.
printf '#!/bin/sh\nexec %s -U__GNUC__ -D__GNUC__=16 "$@"\n' "$(command -v g++)" >new/g++
# As glibc 2.42 is: rsqrt is declared, with another exception specification than CUDA's.
echo 'extern "C" double rsqrt(double) noexcept(true);' >glibc.h
printf '#!/bin/sh\nexec %s -include "%s" "$@"\n' "$(command -v g++)" "$work/glibc.h" >libc/g++
chmod +x new/g++ libc/g++
unset CUDA_HOME CUDA_PATH
toolkit=$(dirname "$(dirname "$(readlink -f "$(command -v nvcc)")")")
with() { compiler=$1 && shift && env CXX="$work/$compiler/g++" "$DSBUILD" build --ops fused_adam --arch 9.0 "$@"; }

expect 3 with new --accelerators cuda --toolkit nvcc="$toolkit"
says stderr "at $work/new/g++ do not work together"
says stderr 'unsupported GNU version'
says stderr 'nothing was compiled'
expect 3 with libc --accelerators cuda --toolkit nvcc="$toolkit"
says stderr "at $work/libc/g++ do not work together"
says stderr 'rsqrt'
[ ! -e out/build/build.ninja ] || fail 'something was built'

# nvcc was not named: another toolchain for CUDA is taken, where there is one, and why is told.
expect 0 env CXX="$work/libc/g++" "$DSBUILD" build --ops fused_adam --dry-run
says_not stdout 'nvcc -cubin'
says_not stdout '-allow-unsupported-compiler'
if grep -q sm_ stdout; then says stderr rsqrt; fi
