#!/bin/sh
# F04: a CXX wrapper that appends -march: every level would silently hold other code than its name says, the host library
# included. Exit 3 with the canary's words before anything is built; and code that is what was asked for is built.
. "$(dirname "$0")/../support/e2e.sh"
need g++ ninja
[ "$(uname -m)" = x86_64 ] || skip 'not x86-64'

wrapper() { # wrapper FOLDER MARCH
    mkdir "$1"
    printf '#!/bin/sh\nexec %s "$@" -march=%s\n' "$(command -v g++)" "$2" >"$1/g++"
    chmod +x "$1/g++"
}
wrapper site x86-64-v3
wrapper low x86-64-v2
with() { folder=$1 && shift && env CXX="$work/$folder/g++" "$DSBUILD" build --ops cpu_adam --accelerators cpu "$@"; }
refused() {
    expect 3 with "$@"
    says stderr "at $work/$1/g++"
    says stderr 'this compiler makes other code'
    says stderr 'nothing was compiled'
    [ ! -e out/build/build.ninja ] || fail 'something was built'
}

# More than the baseline's: it would die on the CPUs that the library is for.
refused site
says stderr 'asked for x86-64-v2'
refused site --arch x86-64-v4
refused site --arch x86-64-v3
# Less than what was asked for.
refused low --arch x86-64-v4
says stderr "at $work/low/g++ doesn't make code for x86-64-v4"
says stderr 'asked for x86-64-v4'
refused low --arch x86-64-v2,x86-64-v3

expect 0 with low --arch x86-64-v2
has_file out/bundle/images/cpu_adam/cpu/x86-64-v2.so
# What was not named is left out, and told.
expect 0 with low
says stdout 'asked for x86-64-v4'
[ ! -e out/bundle/images/cpu_adam/cpu/x86-64-v3.so ] || fail 'v3 was built by a compiler for v2'
