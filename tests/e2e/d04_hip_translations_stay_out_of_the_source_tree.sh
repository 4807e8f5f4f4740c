#!/bin/sh
# An extension with CUDA sources is built for ROCm: they and their headers are translated by torch's own translator into
# the build folder, hipcc gets all archs and the target's wavefront, and the (read-only) source tree stays as it is.
. "$(dirname "$0")/../support/e2e.sh"
need g++ ninja clang++-19
peers=${DSBUILD_BENCH_DEEPSPEED:-${XDG_CACHE_HOME:-$HOME/.cache}/dsbuild-peers}
packages=$(echo "$peers"/lib/python3.*/site-packages)
[ -d "$packages/torch/utils/hipify" ] || skip "no torch at $peers (scripts/peers makes it)"
unset VIRTUAL_ENV CONDA_PREFIX ROCM_HOME HIP_PATH

# A torch for ROCm, as far as dsbuild looks at one, with the real translator.
torch=venv/lib/$(basename "$(dirname "$packages")")/site-packages/torch
mkdir -p venv/bin "$torch/lib" "$torch/include/ATen" "$torch/share/cmake/Torch"
cp "$peers/pyvenv.cfg" venv/pyvenv.cfg
ln -s "$(readlink -f "$peers/bin/python3")" venv/bin/python3
printf "__version__ = '2.9.0+rocm6.2'\ncuda = None\nhip = '6.2.41133-dd7f95766'\n" >"$torch/version.py"
: >"$torch/__init__.py"
: >"$torch/include/ATen/ATen.h"
echo 'set(TORCH_CXX_FLAGS "-D_GLIBCXX_USE_CXX11_ABI=1")' >"$torch/share/cmake/Torch/TorchConfig.cmake"
mkdir "$torch/utils"
ln -s "$packages/torch/utils/hipify" "$torch/utils/hipify"
for library in c10 torch torch_cpu torch_python c10_hip torch_hip; do
    g++ -shared -x c++ /dev/null -o "$torch/lib/lib$library.so"
done

# A ROCm whose hipcc is the real clang for AMD GPUs without AMD's headers and libraries, and which checks its arguments.
mkdir -p rocm/bin rocm/llvm/bin rocm/amdgcn/bitcode rocm/include/hip rocm/lib rocm/.info
echo 6.2.0-66 >rocm/.info/version
: >rocm/amdgcn/bitcode/ocml.bc
for arch in 90a 942 1100; do : >"rocm/amdgcn/bitcode/oclc_isa_version_$arch.bc"; done
printf '#!/bin/sh\nexit 1\n' >rocm/llvm/bin/clang++
cat >rocm/bin/hipcc <<'FAKE'
#!/bin/sh
here=$(dirname "$0")
echo "$*" >>"$here/../calls"
case " $* " in *" --offload-arch="*) ;; *) echo "hipcc: no arch" >&2 && exit 1 ;; esac
case " $* " in *" -x hip "*) ;; *) echo "hipcc: no language" >&2 && exit 1 ;; esac
# As AMD does, by the wrapper that -nogpuinc leaves out.
exec clang++-19 -nogpulib -nogpuinc -isystem "$here/../include" -include hip/hip_runtime.h "$@"
FAKE
# What clang calls to put the images of all archs together; Debian has it in a package of its own.
cat >rocm/bin/clang-offload-bundler <<'FAKE'
#!/usr/bin/env python3
import struct, sys
words = dict(word.lstrip("-").split("=", 1) for word in sys.argv[1:] if word.startswith("-input") is False and "=" in word)
inputs = [word.split("=", 1)[1] for word in sys.argv[1:] if word.lstrip("-").startswith("input=")]
targets = words["targets"].split(",")
images = [open(path, "rb").read() for path in inputs]
offset = 4096
table, body = b"", b""
for target, image in zip(targets, images):
    table += struct.pack("<QQQ", offset, len(image), len(target)) + target.encode()
    image += b"\0" * (-len(image) % 4096)
    body += image
    offset += len(image)
head = b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q", len(targets)) + table
open(words["output"], "wb").write(head.ljust(4096, b"\0") + body)
FAKE
chmod +x rocm/bin/* rocm/llvm/bin/*
cat >rocm/include/hip/hip_runtime.h <<'HEADER'
#pragma once
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
struct dim3 { unsigned x, y, z; constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {} };
typedef struct ihipStream_t* hipStream_t;
typedef int hipError_t;
extern "C" {
hipError_t hipGetLastError();
hipError_t hipLaunchKernel(const void*, dim3, dim3, void**, unsigned long, hipStream_t);
hipError_t __hipPushCallConfiguration(dim3, dim3, unsigned long = 0, hipStream_t = nullptr);
hipError_t __hipPopCallConfiguration(dim3*, dim3*, unsigned long*, hipStream_t*);
}
HEADER
# g++ reads it for host sources, where there is no launch.
sed -i 's/#define __global__.*/#ifdef __HIP__\n&/; s/#define __host__.*/&\n#else\n#define __global__\n#define __device__\n#define __host__\n#endif/' rocm/include/hip/hip_runtime.h
cat >hip.cpp <<'CODE'
extern "C" {
int hipGetLastError() { return 0; }
int hipLaunchKernel() { return 0; }
int __hipPushCallConfiguration() { return 0; }
int __hipPopCallConfiguration() { return 0; }
void* __hipRegisterFatBinary() { return 0; }
void __hipUnregisterFatBinary() {}
void __hipRegisterFunction() {}
}
CODE
g++ -shared -fPIC hip.cpp -o rocm/lib/libamdhip64.so

# The op: what DeepSpeed's look like. D06: a .hip source, and a header without anything to translate.
op=root/ops/scale
mkdir -p root/manifests/ops "$op/includes"
cat >root/manifests/ops/scale.json <<'MANIFEST'
{"schema": 1, "name": "scale", "kind": "python_extension", "summary": "a test", "module": "pkg.scale_op", "include": ["includes"],
 "parts": [{"on": {"rocm": "*"}, "binding": ["bind.cpp"], "sources": ["kernel.cu", "native.hip"]}]}
MANIFEST
cat >"$op/includes/launch.h" <<'CODE'
#pragma once
#include <cuda_runtime.h>
#include "plain.h"
void launch(float* x, cudaStream_t stream);
CODE
echo 'constexpr int kCount = 3;' >"$op/includes/plain.h"
cat >"$op/bind.cpp" <<'CODE'
#include "launch.h"
void native();
extern "C" __attribute__((visibility("default"))) void* PyInit_scale_op() {
  cudaStream_t stream = nullptr;
  float x[kCount] = {};
  launch(x, stream);
  native();
  return nullptr;
}
CODE
cat >"$op/kernel.cu" <<'CODE'
#include "launch.h"
__global__ void scale(float* x) { x[0] *= ROCM_WAVEFRONT_SIZE; }
void launch(float* x, cudaStream_t stream) {
  if (x) scale<<<1, 64, 0, stream>>>(x); else cudaGetLastError();
}
CODE
printf '#include <hip/hip_runtime.h>\nvoid native() { hipGetLastError(); }\n' >"$op/native.hip"
chmod -R a-w root
(find root -exec ls -ld --time-style=full-iso {} + && find root -type f -exec cksum {} +) | sort >before

rocm() { env ROCM_PATH="$work/rocm" "$DSBUILD" "$@" --root root --ops scale --accelerators rocm --python venv; }
expect 0 rocm build --arch 'rocm:gfx90a,rocm:gfx942'
module=out/bundle/extensions/rocm/pkg/scale_op.cpython-*.so
has_file $module
(find root -exec ls -ld --time-style=full-iso {} + && find root -type f -exec cksum {} +) | sort >after
cmp before after || fail 'the source tree was written to'
translated=$(echo out/build/obj/translated/*)
has_file "$translated/bind.cpp" "$translated/kernel.cu" "$translated/includes/launch.h" "$translated/includes/plain.h"
[ ! -e "$translated/native.hip" ] || fail 'a HIP source was translated'
cmp root/ops/scale/includes/plain.h "$translated/includes/plain.h"
! grep -r 'cuda_runtime\|cudaStream_t' "$translated" || fail 'something was not translated'
grep -q 'scale<<<1, 64, 0, stream>>>(x); else hipGetLastError' "$translated/kernel.cu" || fail 'a launch was rewritten'
grep -q -- '--offload-arch=gfx90a --offload-arch=gfx942 .*-DROCM_WAVEFRONT_SIZE=64 ' rocm/calls || fail 'not one compile for both'

expect 0 rocm build --arch 'rocm:gfx90a,rocm:gfx942'
says stdout 'everything was up to date'

# A header: it is translated anew, and what includes it compiled, the HIP source not.
chmod -R u+w root
echo '// changed' >>root/ops/scale/includes/launch.h
: >rocm/calls
expect 0 rocm build --arch 'rocm:gfx90a,rocm:gfx942'
says stderr 'launch.h for torch-2.9.0+rocm6.2'
says stderr 'kernel.o for torch-2.9.0+rocm6.2'
says_not stderr 'native.o'
says_not stderr 'plain.h'

# Archs with other wavefronts are modules of their own.
expect 4 rocm build --arch 'rocm:gfx90a,rocm:gfx1100'
says stderr 'scale is built for ROCM_WAVEFRONT_SIZE=64, which is 32 for gfx1100'
expect 0 rocm build --arch rocm:gfx1100
grep -q -- '--offload-arch=gfx1100 .*-DROCM_WAVEFRONT_SIZE=32 ' rocm/calls || fail 'the wavefront of gfx1100 is 32'

# hipify-perl goes first where it is. D03: one that rejects what it gets is told.
printf '#!/bin/sh\necho "$0: unknown option" >&2\nexit 3\n' >rocm/bin/hipify-perl
chmod +x rocm/bin/hipify-perl
expect 1 rocm build --arch rocm:gfx90a
says stderr 'hipify-perl: unknown option'
printf '#!/bin/sh\nsed "s/cudaGetLastError/hipGetLastError/;1i// by perl" "$1"\n' >rocm/bin/hipify-perl
expect 0 rocm build --arch rocm:gfx90a
grep -rq 'by perl' out/build/obj/translated/*/kernel.cu || fail 'hipify-perl was not asked'
