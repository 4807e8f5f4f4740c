#!/bin/sh
# C04: a host compiler below what is needed is exit 3 before anything is compiled, with its version, its path and the bound.
. "$(dirname "$0")/../support/e2e.sh"
need g++ ninja

mkdir bin
for tool in as ld ninja sh; do ln -s "$(command -v $tool)" bin/; done
cat >bin/g++ <<OLD
#!/bin/sh
case \$1 in
-dumpfullversion) echo 8.3.0 ;;
-dumpversion) echo 8 ;;
*) exec "$(command -v g++)" "\$@" ;;
esac
OLD
chmod +x bin/g++
old() { env PATH="$work/bin" CUDA_HOME='' "$DSBUILD" "$@"; }

expect 3 old build --ops cpu_adam
says stderr "gcc-8.3.0 at $work/bin/g++ is not >=11"
says stderr 'nothing was compiled'
[ ! -e out/build ] || fail 'something was made'
expect 0 old report
says stdout "gcc 8.3.0 complete $work/bin/g++"
# A newer one beside it is taken instead, and the report tells both.
ln -s "$(command -v g++)" bin/g++-12
expect 0 old plan --ops cpu_adam --accelerators cpu
says stdout 'x86-64-v3'
expect 0 old report
says stdout 'gcc 8.3.0'
says stdout "$work/bin/g++-12"
# Demanded, it is not replaced.
expect 3 env CXX="$work/bin/g++" PATH="$work/bin" CUDA_HOME='' "$DSBUILD" build --ops cpu_adam
says stderr "gcc-8.3.0 at $work/bin/g++ is not >=11"
says stderr CXX
