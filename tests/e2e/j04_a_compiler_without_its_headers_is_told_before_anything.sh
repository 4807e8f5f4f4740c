#!/bin/sh
# J04: a host compiler that starts and compiles C, but lacks its C++ headers: exit 3 with the compiler's words before
# anything is built where it was named; passed over, and told, where it was not.
. "$(dirname "$0")/../support/e2e.sh"
need g++ ninja

mkdir bare
printf '#!/bin/sh\nexec %s -nostdinc++ "$@"\n' "$(command -v g++)" >bare/g++
chmod +x bare/g++

expect 3 env CXX="$work/bare/g++" "$DSBUILD" build --ops cpu_adam
says stderr "at $work/bare/g++ failed its canary"
says stderr 'functional: No such file or directory'
says stderr 'nothing was compiled'
[ ! -e out/build/build.ninja ] || fail 'something was built'

# Found first on PATH, but not named: the next compiler is taken, if there is one, and the note says why.
code=0
env PATH="$work/bare:$PATH" "$DSBUILD" build --ops cpu_adam --accelerators cpu --arch x86-64-v2 >stdout 2>stderr || code=$?
says stderr 'functional: No such file or directory'
[ "$code" -eq 3 ] || { [ "$code" -eq 0 ] && says stderr 'is used instead' && has_file out/bundle/bundle.json; } ||
    fail "exit code $code"
