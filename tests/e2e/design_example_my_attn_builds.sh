#!/bin/sh
# An op outside the tree, given as one file: instances are images of their own, what needs a vendor's header that is not
# here is skipped and says so, and what was built computes attention.
. "$(dirname "$0")/../support/e2e.sh"
need g++ ninja
need_python

manifest="$SOURCE/tests/fixtures/my_attn/my_attn.json"
mine() { "$DSBUILD" "$@" --manifest "$manifest"; }

expect 0 mine check
expect 0 mine list
says stdout my_attn
expect 0 mine plan --why my_attn
says stdout "images/my_attn/emu/$(uname -m).HEAD_DIM-64.so"
says stdout "images/my_attn/emu/$(uname -m).HEAD_DIM-128.so"
warm_build out/build
expect 0 mine build --ops my_attn
mv stdout built
expect 0 "$DSBUILD" bundle verify out/bundle
images=out/bundle/images/my_attn
[ "$(uname -m)" != x86_64 ] || has_file $images/cpu/x86-64-v2.so
has_file $images/emu/$(uname -m).HEAD_DIM-64.so $images/emu/$(uname -m).HEAD_DIM-128.so

# AMD: the two archs of the manifest, each twice, and no other; where there is no compiler for them, that is the reason.
if [ -e $images/rocm ]; then
    [ "$(ls $images/rocm)" = 'gfx90a.HEAD_DIM-128.hsaco
gfx90a.HEAD_DIM-64.hsaco
gfx942.HEAD_DIM-128.hsaco
gfx942.HEAD_DIM-64.hsaco' ] || fail "not the images of two archs: $(ls $images/rocm)"
    expect 4 mine build --ops my_attn --arch gfx1100
    says stderr 'my_attn has kernels for rocm gfx90a, gfx942, not for gfx1100'
else
    says out/bundle/bundle.json '"accelerator": "rocm", "code": "toolchain_'
fi

# CUDA: from 8.0 on, each twice. The set for 9.0a needs CUTLASS: no header, no image, and the bundle tells which one;
# a build that names op and accelerator is refused for it. With the header there, the image is made.
if [ -e $images/cuda ]; then
    has_file $images/cuda/sm_90.HEAD_DIM-64.cubin $images/cuda/sm_90.HEAD_DIM-128.cubin
    [ ! -e $images/cuda/sm_75.HEAD_DIM-64.cubin ] || fail 'an image for an arch below the bound'
fi
if [ ! -e $images/cuda ]; then
    says out/bundle/bundle.json '"accelerator": "cuda", "code": "toolchain_'
elif ! command -v nvcc >/dev/null; then
    # A compiler without a toolkit makes the freestanding images alone.
    says out/bundle/bundle.json '"arch": "sm_90a", "code": "toolchain_absent"'
else
    if [ ! -e $images/cuda/sm_90a.cubin ]; then
        says out/bundle/bundle.json 'my_attn needs the header cutlass/cutlass.h'
        says out/bundle/bundle.json 'install what brings cutlass/cutlass.h'
        says built 'sm_90a: my_attn needs the header cutlass/cutlass.h'
        expect 4 mine build --ops my_attn --accelerators cuda --arch 9.0
        says stderr 'my_attn needs the header cutlass/cutlass.h'
        says stderr 'nothing was compiled'
        expect 0 mine plan --why my_attn --toolkit nvcc="$(dirname "$(dirname "$(command -v nvcc)")")"
        says stdout 'sm_90a.cubin, if its build finds the header cutlass/cutlass.h'
    fi
    mkdir -p copy/third/cutlass
    cp "$SOURCE"/tests/fixtures/my_attn/* copy/
    echo '#define CUTLASS_DEVICE __forceinline__ __device__' >copy/third/cutlass/cutlass.h
    sed -i 's/"freestanding": false,/"freestanding": false, "include": ["third"],/' copy/my_attn.json
    expect 0 "$DSBUILD" build --manifest copy/my_attn.json --ops my_attn --arch 9.0 --accelerators cuda --out with/bundle
    has_file with/bundle/images/my_attn/cuda/sm_90a.cubin with/bundle/images/my_attn/cuda/sm_90.HEAD_DIM-64.cubin
    expect 0 "$DSBUILD" bundle verify with/bundle
fi

# The numbers, against double precision: the image for this CPU, and each instance of emu, given the plain name that a
# program takes.
cat >check.py <<'PYTHON'
import os, platform, shutil, sys
sys.path.insert(0, "out/bundle/python")
import dsops
import numpy as np

def attention(q, k, v, scale):
    scores = q.astype(np.float64) @ k.astype(np.float64).T * scale
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True) @ v.astype(np.float64)

random = np.random.RandomState(1)
for dim in 64, 128:
    q, k, v = (random.standard_normal((rows, dim)).astype(np.float32) for rows in (33, 77, 77))
    tensors = {"q": q, "k": k, "v": v, "scale": dim ** -0.5}
    y = np.zeros_like(q)
    dsops.open("out/bundle").my_attn.attend(**tensors, y=y, exec=dsops.Exec(device="cpu"))
    off = np.abs(y - attention(q, k, v, dim ** -0.5)).max()
    assert off < 2e-6, f"cpu, {dim} columns: off by {off}"

    emu = f"emu-{dim}"
    shutil.copytree("out/bundle", emu)
    folder, machine = f"{emu}/images/my_attn/emu", platform.machine()
    os.rename(f"{folder}/{machine}.HEAD_DIM-{dim}.so", f"{folder}/{machine}.so")
    z = np.zeros_like(q)
    dsops.open(emu).my_attn.attend(**tensors, y=z, exec=dsops.Exec(device="emu"))
    assert (z.view(np.uint32) == y.view(np.uint32)).all(), f"emu, {dim} columns: other bits than the CPU's"
PYTHON
expect 0 env PYTHONDONTWRITEBYTECODE=1 "$python" check.py
