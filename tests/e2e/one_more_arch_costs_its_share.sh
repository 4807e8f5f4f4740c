#!/bin/sh
# With a warm step cache, one more arch runs nvcc's device compiler for that arch alone, and the object is the one that a build without a cache makes.
. "$(dirname "$0")/../support/e2e.sh"
. "$SOURCE/tests/support/deepspeed.sh"
need g++ ninja
real=/usr/local/cuda
[ -x "$real/bin/nvcc" ] && [ -x "$real/nvvm/bin/cicc" ] && [ -f "$real/bin/nvcc.profile" ] || skip 'no CUDA toolkit on this machine'
[ -f "$real/include/thrust/complex.h" ] || [ -f "$real/include/cccl/thrust/complex.h" ] || skip 'no thrust on this machine'

# The real toolkit, in which the programs that nvcc runs are counted.
mkdir -p cuda/bin cuda/nvvm/bin
for file in "$real"/*; do [ -e "cuda/$(basename "$file")" ] || ln -s "$file" cuda/; done
for file in "$real"/bin/* "$real"/nvvm/bin/*; do
    place=cuda/${file#"$real"/}
    case $(basename "$file") in
        cicc | cudafe++ | ptxas)
            printf '#!/bin/sh\nfor word; do case $word in compute_*|-arch=*) arch=${word##*_};; esac; done\necho "%s ${arch-}" >>"%s/calls"\nexec "%s" "$@"\n' \
                "$(basename "$file")" "$work" "$file" >"$place"
            chmod +x "$place"
            ;;
        *) ln -s "$file" "$place" ;;
    esac
done
[ -e cuda/nvvm/libdevice ] || ln -s "$real/nvvm/libdevice" cuda/nvvm/
export CUDA_HOME="$work/cuda"

mkdir -p root/manifests/ops root/ops/fat
cat >root/manifests/ops/fat.json <<'JSON'
{"schema": 1, "name": "fat", "kind": "shared_library", "summary": "a test", "exports": ["fat_plain", "fat_named", "fat_lines"],
 "kernels": [{"sources": ["plain.cu", "named.cu"], "on": {"cuda": "*"}},
             {"sources": ["lines.cu"], "on": {"cuda": "*"}, "flags": {"nvcc": ["-lineinfo"]}}]}
JSON
cat >root/ops/fat/plain.h <<'CODE'
#if __CUDA_ARCH__ >= 900
#define CHANGE(x) x += 2
#else
#define CHANGE(x) x *= 3
#endif
CODE
cat >root/ops/fat/plain.cu <<'CODE'
#include "plain.h"
__global__ void plain(float* a) { CHANGE(a[threadIdx.x]); }
extern "C" __attribute__((visibility("default"))) void fat_plain(float* a) { plain<<<1, 32>>>(a); }
CODE
# As in every source that includes torch's headers: a namespace has the list of archs in its name, and a kernel's name has the namespace.
cat >root/ops/fat/named.cu <<'CODE'
#include <thrust/complex.h>
template <typename T>
__global__ void named(T* a) { a[threadIdx.x] = a[threadIdx.x] * a[threadIdx.x]; }
extern "C" __attribute__((visibility("default"))) void fat_named(void* a) { named<<<1, 32>>>(static_cast<thrust::complex<float>*>(a)); }
CODE
# Information on lines spells such names letter by letter: what has it is for its own list of archs alone. It has paths of headers, too.
sed 's/named/lines/g' root/ops/fat/named.cu >root/ops/fat/lines.cu
build() { # build FOLDER ARCHS FLAGS...
    folder=$1 archs=$2
    shift 2
    rm -f calls
    "$DSBUILD" build --root root --ops fat --accelerators cuda --arch "$archs" --build-dir "$folder/build" --out "$folder/out" "$@"
}
count() { if [ -f calls ]; then grep -c "^$1 *$2\$" calls || true; else echo 0; fi; }
objects() { find "$1/build" -name plain.o -o -name named.o -o -name lines.o | sort; }

# The canary, for the oldest arch, is compiled once, and not counted.
expect 0 build warm 8.0
expect 0 build two 8.0,9.0 --cache steps
[ "$(count cicc 80) $(count cicc 90)" = '3 3' ] || fail "$(cat calls)"
[ -n "$(objects two)" ] || fail 'no objects'

expect 0 build three 8.0,9.0,12.0 --cache steps
[ "$(count cicc 80) $(count cicc 90) $(count cicc 120)" = '1 1 3' ] || fail "$(cat calls)"
[ "$(count 'cudafe++' '')" = 0 ] || fail "$(cat calls)"
# What ptxas makes of a kernel with the list in its name has the name too.
[ "$(count ptxas 80) $(count ptxas 90) $(count ptxas 120)" = '2 2 3' ] || fail "$(cat calls)"
says stdout 'of what compilers ran for each arch, 9 of 21'

expect 0 build plain 8.0,9.0,12.0
[ "$(count cicc 80) $(count cicc 90) $(count cicc 120)" = '3 3 3' ] || fail "$(cat calls)"
for object in $(objects plain); do
    cmp "$object" "three/${object#plain/}" || fail "$object differs from what a build without a cache makes"
done
diff -r plain/out three/out || fail 'the bundles differ'
cuobjdump=$(command -v cuobjdump || find -L "$(find_peers)/lib" -name cuobjdump -type f 2>/dev/null | head -1)
if [ -n "$cuobjdump" ]; then
    library=$(find three/out -name '*.so' -path '*cuda*' | head -1)
    "$cuobjdump" --list-elf "$library" >elfs
    for arch in 80 90 120; do grep -q "sm_$arch" elfs || fail "$(cat elfs)"; done
else
    echo 'no cuobjdump (scripts/peers brings one): the archs of the library are not listed'
fi

# Of another list nothing is made anew but where the list is spelled.
expect 0 build other 8.0,12.0 --cache steps
[ "$(count cicc '.*') $(count 'cudafe++' '')" = '2 0' ] || fail "$(cat calls)"
expect 0 "$DSBUILD" cache stats --cache steps
says stdout 'parts of steps'

# A header's code under #if for some archs is in the texts of these alone, and never comes back stale.
sed -i 's/+= 2/+= 5/' root/ops/fat/plain.h
expect 0 build three 8.0,9.0,12.0 --cache steps
[ "$(count cicc 80) $(count cicc 90) $(count cicc 120)" = '0 1 1' ] || fail "$(cat calls)"
expect 0 build plain 8.0,9.0,12.0
diff -r plain/out three/out || fail 'the bundles differ after a change'

# A source that can't be compiled fails as it would.
echo 'broken' >>root/ops/fat/plain.cu
expect 1 build three 8.0,9.0,12.0 --cache steps
says stderr 'plain.cu'
