#!/bin/sh
# `build --ops cpu_adam,transformer` leaves a bundle that verifies; a second build does nothing and changes no file.
. "$(dirname "$0")/../support/e2e.sh"

expect 0 "$DSBUILD" build --ops cpu_adam,transformer
says stdout 'bundle out/bundle:'
triple=$(g++ -dumpmachine)
for level in v2 v3 v4; do has_file "out/bundle/images/cpu_adam/cpu/x86-64-$level.so" "out/bundle/images/transformer/cpu/x86-64-$level.so"; done
has_file "out/bundle/lib/$triple/libdsops.so" "out/bundle/lib/$triple/cpu_adam.so" "out/bundle/lib/$triple/transformer.so" \
    out/bundle/images/cpu_adam/emu/*.so out/bundle/bundle.json out/bundle/report.json out/bundle/report.txt \
    out/bundle/include/dsops/dsops.h out/bundle/python/dsops/__init__.py
[ ! -e "out/bundle/lib/$triple/fused_adam.so" ] || fail 'an op that was not asked for is in the bundle'
expect 0 "$DSBUILD" bundle verify out/bundle

if command -v nvcc >/dev/null; then
    # Every unsuffixed arch of the toolkit, and PTX for the newest.
    newest=
    for number in $(nvcc --list-gpu-arch | sed 's/compute_//' | sort -n); do
        has_file "out/bundle/images/transformer/cuda/sm_$number.cubin"
        newest=$number
    done
    has_file "out/bundle/images/transformer/cuda/sm_$newest.ptx"
fi
if command -v clang++-19 >/dev/null; then
    has_file out/bundle/images/transformer/rocm/gfx90a.hsaco out/bundle/images/transformer/rocm/gfx942.hsaco
fi

find out/bundle -type f -exec stat -c '%n %Y %i' {} + | sort >before
expect 0 "$DSBUILD" build --ops cpu_adam,transformer
says stdout 'none: everything was up to date'
says stdout 'unchanged'
find out/bundle -type f -exec stat -c '%n %Y %i' {} + | sort >after
cmp before after || fail 'a build with nothing to do touched the bundle'

# The report tells what is built and what of it would load here; a bundle that can't be read doesn't stop it.
expect 0 "$DSBUILD" report
says stdout 'built, in out/bundle'
says stdout 'images/cpu_adam/cpu/x86-64-v'
echo '{' >out/bundle/bundle.json
expect 0 "$DSBUILD" report
says stdout 'bundle.json'
