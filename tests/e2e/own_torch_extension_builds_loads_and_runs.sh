#!/bin/sh
# A torch extension of one's own is a manifest beside its source: the module that comes out is imported by that torch's Python and
# computes; a second build runs no step. What uses torch's stable ABI alone loads in other releases of torch, too.
. "$(dirname "$0")/../support/e2e.sh"
. "$SOURCE/tests/support/deepspeed.sh"

peers=$(find_peers) || skip "no real torch: scripts/peers makes one"
need g++ ninja
fixtures=$SOURCE/tests/fixtures
suffix=$("$peers/bin/python" -c 'import sysconfig; print(sysconfig.get_config_var("EXT_SUFFIX"))')

expect 0 "$DSBUILD" build --python "$peers" --accelerators cpu --manifest "$fixtures/torch_scale/torch_scale.json" \
    --manifest "$fixtures/torch_stable/torch_stable.json" --ops torch_scale,torch_stable
scale=out/bundle/extensions/cpu/torch_scale$suffix
stable=out/bundle/extensions/cpu/torch_stable$suffix
has_file "$scale" "$stable"
says out/bundle/bundle.json '"torch": ">=2.10"'
expect 0 "$DSBUILD" bundle verify out/bundle
expect 0 "$DSBUILD" build --python "$peers" --accelerators cpu --manifest "$fixtures/torch_scale/torch_scale.json" \
    --manifest "$fixtures/torch_stable/torch_stable.json" --ops torch_scale,torch_stable
says stdout 'up to date'

PYTHONPATH=$(dirname "$scale") expect 0 "$peers/bin/python" -c '
import torch, torch_scale
x = torch.arange(4.0)
torch_scale.scale(x, 3)
print(x.tolist())'
says stdout '[0.0, 3.0, 6.0, 9.0]'

# No file of Python or of C++ is in its way: each torch that is here loads the same file.
for python in "$peers/bin/python" ${DSBUILD_OTHER_TORCH:+"$DSBUILD_OTHER_TORCH/bin/python"}; do
    expect 0 "$python" -c '
import sys, torch
torch.ops.load_library(sys.argv[1])
print(torch.__version__, torch.ops.torch_stable.count(torch.zeros(3, 5)))' "$PWD/$stable"
    says stdout ' 15'
done
