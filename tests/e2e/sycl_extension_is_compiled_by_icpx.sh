#!/bin/sh
# All sources of an extension with SYCL sources go through icpx with the portable target, and their device code is linked
# as one more object; host sources alone need no icpx. (A fake icpx, which checks its arguments.)
. "$(dirname "$0")/../support/e2e.sh"
need g++ ninja python3
unset VIRTUAL_ENV CONDA_PREFIX CMPLR_ROOT ONEAPI_ROOT

# A torch for Intel GPUs, and the Python that it is for, as far as dsbuild looks at them.
home=$(/usr/bin/python3 -c 'import sys; print(sys.base_prefix)')
version=$(/usr/bin/python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
[ -e "$home/include/python$version/patchlevel.h" ] || skip "no headers of Python $version (apt-get install python3-dev)"
torch=venv/lib/python$version/site-packages/torch
mkdir -p venv/bin "$torch/lib" "$torch/include/ATen" "$torch/share/cmake/Torch"
printf 'home = %s/bin\nversion = %s\n' "$home" "$version" >venv/pyvenv.cfg
ln -s /usr/bin/python3 venv/bin/python3
printf "__version__ = '2.9.0+xpu'\ncuda = None\nhip = None\nxpu = '20250101'\n" >"$torch/version.py"
: >"$torch/__init__.py"
: >"$torch/include/ATen/ATen.h"
echo 'set(TORCH_CXX_FLAGS "-D_GLIBCXX_USE_CXX11_ABI=1")' >"$torch/share/cmake/Torch/TorchConfig.cmake"
for library in c10 torch torch_cpu torch_python c10_xpu torch_xpu; do
    g++ -shared -x c++ /dev/null -o "$torch/lib/lib$library.so"
done

mkdir -p oneapi/bin oneapi/include/sycl oneapi/lib
for library in sycl svml irng imf intlc; do g++ -shared -x c++ /dev/null -o "oneapi/lib/lib$library.so"; done
echo 'inline int in_sycl() { return SYCL; }' >oneapi/include/sycl/sycl.hpp
cat >oneapi/bin/icpx <<'FAKE'
#!/usr/bin/env python3
import os, subprocess, sys
here = os.path.dirname(os.path.abspath(sys.argv[0]))
words = sys.argv[1:]
if words == ["--version"]:
    print("Intel(R) oneAPI DPC++/C++ Compiler 2025.1.1 (2025.1.1.20250418)")
    sys.exit()
with open(here + "/../calls", "a") as calls:
    print(*words, file=calls)
for word in ("-fsycl", "-fsycl-targets=spir64"):
    if word not in words:
        sys.exit("icpx: no " + word)
if "-fsycl-link" in words:
    objects = [word for word in words if word.endswith(".o")]
    wanted = int(open(here + "/../objects").read())
    if len(objects) != wanted + 1 or not all(os.path.exists(name) for name in objects[:-1]):
        sys.exit("icpx: not %d objects to link" % wanted)
    words = ["-x", "c", "-c", "/dev/null", "-o", objects[-1]]
else:
    words = [word for word in words if not word.startswith("-fsycl")]
    words += ["-DSYCL=1", "-isystem", here + "/../include"]
sys.exit(subprocess.call(["g++"] + words))
FAKE
chmod +x oneapi/bin/icpx

op=root/ops/scale
mkdir -p root/manifests/ops "$op"
cat >root/manifests/ops/scale.json <<'MANIFEST'
{"schema": 1, "name": "scale", "kind": "python_extension", "summary": "a test", "module": "pkg.scale_op",
 "parts": [{"on": {"xpu": "*"}, "binding": ["bind.cpp"], "sources": ["kernel.dp.cpp"], "flags": {"icpx": ["-Wall"]}}]}
MANIFEST
cat >"$op/bind.cpp" <<'CODE'
#include <sycl/sycl.hpp>
int kernel();
extern "C" __attribute__((visibility("default"))) void* PyInit_scale_op() { return kernel() == in_sycl() ? nullptr : new int; }
CODE
printf '#include <sycl/sycl.hpp>\nint kernel() { return in_sycl(); }\n' >"$op/kernel.dp.cpp"

xpu() { env CMPLR_ROOT="$work/oneapi" "$DSBUILD" "$@" --root root --ops scale --accelerators xpu --python venv; }
echo 2 >oneapi/objects
expect 0 xpu build
has_file out/bundle/extensions/xpu/pkg/scale_op.*.so
grep -q -- '-x c++ -c -fsycl -fsycl-targets=spir64 .*-Wall .*kernel.dp.cpp' oneapi/calls || fail 'the kernel was not compiled so'
[ "$(grep -c -- '-fsycl-link' oneapi/calls)" -eq 1 ] || fail 'device code was not linked once'
expect 0 xpu build
says stdout 'everything was up to date'
expect 2 xpu build --arch xpu:pvc
expect 0 xpu build --arch xpu:spir64

# SYCL in a source whose name says C++: the op says that it needs the toolkit.
cp root/manifests/ops/scale.json saved.json
cp "$op/bind.cpp" bind.cpp
sed -i 's/, "sources": .*/, "needs": {"xpu": ">=0"}}]}/' root/manifests/ops/scale.json
printf '#include <sycl/sycl.hpp>\nextern "C" __attribute__((visibility("default"))) void* PyInit_scale_op() { return in_sycl() ? nullptr : new int; }\n' >"$op/bind.cpp"
: >oneapi/calls
echo 1 >oneapi/objects
expect 0 xpu build
grep -q -- '-x c++ -c -fsycl -fsycl-targets=spir64 .*bind.cpp' oneapi/calls || fail 'the source was not compiled so'
mv saved.json root/manifests/ops/scale.json
mv bind.cpp "$op/bind.cpp"

# An op of host sources alone needs no icpx; one that has others says what is missing.
sed -i 's/, "sources": .*/}]}/' root/manifests/ops/scale.json
printf 'extern "C" __attribute__((visibility("default"))) void* PyInit_scale_op() { return nullptr; }\n' >"$op/bind.cpp"
rm -r oneapi
expect 0 "$DSBUILD" build --root root --ops scale --accelerators xpu --python venv
sed -i 's/\["bind.cpp"\]/&, "sources": ["kernel.dp.cpp"]/' root/manifests/ops/scale.json
expect 3 "$DSBUILD" build --root root --ops scale --accelerators xpu --python venv
says stderr icpx
