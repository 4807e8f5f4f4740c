#!/bin/sh
# H12: after an upgrade of the compiler in place, with other flags or another environment, nothing stale comes from the step cache.
. "$(dirname "$0")/../support/e2e.sh"
need g++ ninja

make_root root one
mkdir -p bin
compiler() { # compiler ANSWER: a g++ that defines it
    rm -f bin/g++
    printf '#!/bin/sh\nexec %s -DFROM_COMPILER=%s "$@"\n' "$(command -v g++)" "$1" >bin/g++
    chmod +x bin/g++
}
printf '#include "one.h"\nextern "C" __attribute__((visibility("default"))) int one_answer() { return FROM_COMPILER; }\n' >root/ops/one/one.cpp
build() {
    rm -rf out/build/obj/one
    CXX="$work/bin/g++" "$DSBUILD" build --root root --ops one --cache steps
}
answer() {
    cat >main.cpp <<'CPP'
#include <dlfcn.h>
#include <stdio.h>
int main(int, char** argv) { printf("%d\n", reinterpret_cast<int (*)()>(dlsym(dlopen(argv[1], RTLD_NOW), "one_answer"))()); }
CPP
    [ -x main ] || g++ -o main main.cpp -ldl
    ./main "$(find "$work/out/bundle" -name 'one.so')"
}

compiler 1
expect 0 build
[ "$(answer)" = 1 ] || fail "$(answer)"
compiler 22
expect 0 build
[ "$(answer)" = 22 ] || fail "the old compiler's object came back: $(answer)"
expect 0 build
says_not stdout ' 0 of them from the cache'
[ "$(answer)" = 22 ] || fail "$(answer)"

# A define of the manifest.
sed -i 's/FROM_COMPILER; /FROM_COMPILER + MORE; /' root/ops/one/one.cpp
sed -i 's/"exports"/"defines": {"MORE": "100"}, "exports"/' root/manifests/ops/one.json
expect 0 build
[ "$(answer)" = 122 ] || fail "$(answer)"
sed -i 's/"100"/"200"/' root/manifests/ops/one.json
expect 0 build
[ "$(answer)" = 222 ] || fail "an object with another define came back: $(answer)"
