#!/bin/sh
# `report --libraries`: found isn't usable. Each library that is all there is compiled and linked with the host's
# compiler; the first error is shown, and what worked isn't tried again. The library is a pretended MPI.
. "$(dirname "$0")/../support/e2e.sh"
need g++
ldconfig -p | grep -q 'libmpi\.so' && skip 'a real MPI is here'

mkdir include lib
echo '#define OMPI_MAJOR_VERSION 5' >include/mpi.h
report() {
    expect 0 env -u CXX CPATH="$work/include" LIBRARY_PATH="$work/lib" DSBUILD_CACHE_DIR="$work/cache" \
        "$DSBUILD" report "$@"
}

# A header alone is not all of it, and is not tried.
report --libraries
says stdout 'not all of it: no libmpi.so; install libopenmpi-dev'

# A library without the symbol that is needed is found, and isn't usable.
echo 'extern "C" int MPI_Other() { return 0; }' >a.cpp
g++ -shared -fPIC a.cpp -o lib/libmpi.so
report
says_not stdout 'usable with gcc'
report --libraries
says stdout "undefined reference to \`MPI_Init'"

# With it, it is; and the next report doesn't compile.
echo 'extern "C" int MPI_Init() { return 0; }' >a.cpp
g++ -shared -fPIC a.cpp -o lib/libmpi.so
report --libraries
says stdout 'lib/libmpi.so, usable with gcc-'
before=$(find cache/answers -type f | xargs ls -l --time-style=full-iso | sort)
report --libraries
says stdout 'lib/libmpi.so, usable with gcc-'
[ "$before" = "$(find cache/answers -type f | xargs ls -l --time-style=full-iso | sort)" ] || fail 'tried again'

# A header that doesn't compile is told, too.
echo '#include <nowhere/to_be_found.h>' >include/mpi.h
report --libraries
says stdout 'fatal error: nowhere/to_be_found.h: No such file or directory'

# Another machine's can't be tried.
report --record machine.json
expect 2 "$DSBUILD" report --libraries --for machine.json
says stderr 'a recorded machine'
