#!/bin/sh
# The fakes' calls and types are those of the vendors' own headers, where this machine has these.
. "$(dirname "$0")/../support/e2e.sh"
need g++
fakes=$SOURCE/tests/fakes
checked=

# guard NAME HEADER INCLUDE...: compiles the guard against the first folder that has the header, and then with a call
# that is wrong, which it must refuse.
guard() {
    guard=$1 header=$2
    shift 2
    for include in "$@"; do
        [ -e "$include/$header" ] || continue
        expect 0 g++ -std=c++20 -fsyntax-only -I "$include" "$fakes/$guard.cpp"
        cp "$fakes"/*.h "$fakes/$guard.cpp" .
        expect 0 g++ -std=c++20 -fsyntax-only -I "$include" "$guard.cpp"
        sed -i 's/int\* out)/short* out)/; s/uint32_t\* out)/uint16_t* out)/' "${guard%_guard}_calls.h"
        expect 1 g++ -std=c++20 -fsyntax-only -I "$include" "$guard.cpp"
        says stderr 'has other arguments in'
        checked="$checked $guard"
        return
    done
    echo "not checked: $guard, no $header in $*"
}

guard rocm_smi_guard rocm_smi/rocm_smi.h /usr/include /opt/rocm/include
guard cuda_guard cuda.h /usr/local/cuda/include /usr/local/cuda/targets/x86_64-linux/include
[ -n "$checked" ] || skip "neither AMD's header (apt-get install librocm-smi-dev) nor a CUDA toolkit's cuda.h"
