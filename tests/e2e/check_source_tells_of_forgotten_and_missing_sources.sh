#!/bin/sh
# check --source: every file that a manifest lists is in the tree, and every source of the tree is listed, or said why not; for old and new versions and both layouts.
. "$(dirname "$0")/../support/e2e.sh"
. "$SOURCE/tests/support/deepspeed.sh"
need python3

# The stand-in has the files of all versions, so that only the newest sources are to be told of.
make_tree tree 0.19.8
for old in csrc/aio/py_lib/deepspeed_pin_tensor.cpp csrc/fp_quantizer/fp_quantize.cu csrc/quantization/fake_quantizer.cu \
    csrc/sparse_attention/utils.cpp csrc/xpu/packbits/packing.cpp; do rm tree/$old; done
expect 0 "$DSBUILD" check --source tree
says stdout "deepspeed 0.19.8 at $work/tree"
: >tree/csrc/adam/new_kernels.cu
: >tree/csrc/includes/new_header.h
expect 2 "$DSBUILD" check --source tree
says stdout 'no op uses csrc/adam/new_kernels.cu'
says_not stdout new_header
rm tree/csrc/adam/new_kernels.cu tree/csrc/adam/cpu_adam_impl.cpp
expect 2 "$DSBUILD" check --source tree
says stdout 'cpu_adam_impl.cpp'
# As it is installed, named by the package's own folder.
mkdir -p site/deepspeed/ops
make_tree package 0.19.8
rm package/csrc/aio/py_lib/deepspeed_pin_tensor.cpp package/csrc/fp_quantizer/fp_quantize.cu package/csrc/quantization/fake_quantizer.cu \
    package/csrc/sparse_attention/utils.cpp package/csrc/xpu/packbits/packing.cpp
mv package/csrc package/op_builder site/deepspeed/ops/
mv package/deepspeed/inference site/deepspeed/
echo "version='0.19.8+unknown'" >site/deepspeed/git_version_info_installed.py
expect 0 "$DSBUILD" check --source site/deepspeed
says stdout "deepspeed 0.19.8 at $work/site"
expect 2 "$DSBUILD" check --source .
says stdout 'holds no source tree'
