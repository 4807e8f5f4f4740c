#!/bin/sh
# The tests of the ops, and those of the Python package, pass on the bundle that dsbuild itself makes.
. "$(dirname "$0")/../support/e2e.sh"
need g++ ninja
need_python
export PYTHONDONTWRITEBYTECODE=1
# From this folder: what is imported is the bundle's or the checkout's, and never what lies about.
tests() { "$python" -m pytest -p no:cacheprovider "$@"; }

expect 0 "$DSBUILD" build --ops cpu_adam,fused_adam,transformer --accelerators cpu,emu
expect 0 "$DSBUILD" bundle verify out/bundle
export DSOPS_BUNDLE="$work/out/bundle"
expect 0 tests -v "$SOURCE/tests/ops"
grep PASSED stdout >passed || fail 'no test passed'
says_not stdout SKIPPED
# Of what the bundle holds nothing was left out, but for levels that this CPU lacks.
for image in cpu_adam-bundle-cpu fused_adam-bundle-emu transformer-bundle-cpu transformer-bundle-emu; do says passed "$image"; done
[ "$(uname -m)" != x86_64 ] || says passed cpu_adam-bundle-cpu-x86-64-v2

# The package's own tests use an op that is made for them, here with the libdsops of the bundle.
toy=$(find "$BUILD" -path '*/toy/toy.so' | head -n 1)
if [ -n "$toy" ]; then
    expect 0 env DSOPS_TOY_FILES="$(dirname "$toy")" DSOPS_LIBRARY="$(echo "$DSOPS_BUNDLE"/lib/*/libdsops.so)" \
        "$python" -m pytest -p no:cacheprovider -v "$SOURCE/tests/python"
    says stdout PASSED
    says_not stdout SKIPPED
fi
