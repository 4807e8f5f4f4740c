#!/bin/sh
# Every kernel, by every compiler of this machine, for every target: it is in the image, rounds to nearest, and calculates
# the same bits; and the tests of the ops pass on what g++ and clang built.
. "$(dirname "$0")/../support/e2e.sh"
need g++ clang++
need_python

build() {
    bundle=$1
    shift
    expect 0 env "$@" --manifest "$SOURCE/tests/ops/numbers.json" --out "$bundle" --build-dir "build-$bundle"
}
build gcc "$DSBUILD" build
build clang CXX=clang++ "$DSBUILD" build --accelerators cpu,emu
bundles="gcc clang"
ptxas=$(command -v ptxas || true)
if [ -n "$ptxas" ] && "$DSBUILD" report | grep -q 'clang-ptxas .* complete'; then
    build ptxas "$DSBUILD" build --accelerators cuda --arch '9.0+PTX' --toolkit "clang-ptxas=$ptxas"
    says ptxas/report.txt 'toolchain.cuda --toolkit clang-ptxas'
    bundles="$bundles ptxas"
else
    echo 'cuda by clang and ptxas is left out: no ptxas on PATH, or no clang that knows NVIDIA targets'
fi
# shellcheck disable=SC2086
"$python" "$SOURCE/tests/e2e/kernels_same_bits.py" . $bundles
export PYTHONDONTWRITEBYTECODE=1 DSBUILD_TEST_BUNDLES="$work/gcc:$work/clang"
"$python" -m pytest -q -p no:cacheprovider "$SOURCE/tests/ops"
