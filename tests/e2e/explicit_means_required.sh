#!/bin/sh
# What is named must be built, or nothing is compiled and the exit code says why.
. "$(dirname "$0")/../support/e2e.sh"

# A machine with g++, ninja and git on PATH and nothing else there.
mkdir bin
for tool in g++ as ld ninja git; do ln -s "$(command -v $tool)" bin/; done
bare() { env PATH="$work/bin" CUDA_HOME='' CUDA_PATH='' "$DSBUILD" "$@"; }

expect 4 bare build --ops cpu_adam --accelerators cuda
says stderr 'cpu_adam has no kernel for cuda'
expect 4 bare build --ops fused_adam --accelerators cpu
says stderr 'fused_adam has no kernel for cpu'
expect 4 env DS_ACCELERATOR=xpu PATH="$work/bin" "$DSBUILD" build --ops cpu_adam
says stderr 'no kernel for xpu'
says stderr 'library ops have no SYCL sources'
expect 3 bare build --ops fused_adam --accelerators rocm
says stderr 'nothing was compiled'
expect 3 bare build --ops transformer --arch gfx90a
says stderr 'transformer, rocm'
expect 3 env DS_ACCELERATOR=rocm PATH="$work/bin" "$DSBUILD" build --ops transformer
says stderr 'rocm'
[ ! -e out/build/build.ninja ] || fail 'something was made although a named thing is missing'
expect 2 bare build --ops cpu_adm
says stderr "did you mean 'cpu_adam'"
expect 2 bare build --accelerators cudda
says stderr "did you mean 'cuda'"
expect 2 bare build --arch 9.0z
says stderr '9.0z'
says stderr '--arch'
expect 2 env TORCH_CUDA_ARCH_LIST='8.0;Amper' "$DSBUILD" build
says stderr 'Amper'
says stderr 'TORCH_CUDA_ARCH_LIST'
# E01: of what is tried and fails the first errors are told, and all that the compiler said when that is asked for.
mkdir odd
cat >odd/g++ <<SH
#!/bin/sh
case "\$*" in *canary.cpp*)
    for i in 1 2 3 4 5; do echo "odd.h:\$i: error: number \$i" >&2; done
    echo 'odd.h:6: note: the very last line' >&2
    exit 1
    ;;
esac
exec $(command -v g++) "\$@"
SH
chmod +x odd/g++
odd() { env CXX="$work/odd/g++" PATH="$work/bin" "$DSBUILD" build --ops cpu_adam --accelerators cpu "$@"; }
expect 3 odd
says stderr 'odd.h:1: error: number 1'
says_not stderr 'the very last line'
expect 3 odd -v
says stderr 'canary.cpp'
says stderr 'odd.h:5: error: number 5 odd.h:6: note: the very last line'
# K02: a variable that names no toolkit never falls back silently.
mkdir empty
expect 3 env CUDA_HOME="$work/empty" "$DSBUILD" build --ops fused_adam --accelerators cuda
says stderr "CUDA_HOME"
says stderr "$work/empty"
# E02: the rest is built when that is asked for, and the exit code still tells.
expect 4 bare build --ops cpu_adam,fused_adam --accelerators cpu --keep-going
has_file out/bundle/images/cpu_adam/cpu/x86-64-v2.so
