#!/bin/sh
# The tests of the ops, and those of the Python package, pass on the bundle that dsbuild itself makes.
. "$(dirname "$0")/../support/e2e.sh"
need g++ ninja
need_python
export PYTHONDONTWRITEBYTECODE=1

expect 0 "$DSBUILD" build --ops cpu_adam,fused_adam,transformer --accelerators cpu,emu
expect 0 "$DSBUILD" bundle verify out/bundle
bundle="$work/out/bundle"

# From a folder of its own: what is imported must be the bundle's or the checkout's, never what lies about.
expect 0 env DSOPS_BUNDLE="$bundle" "$python" -m pytest -q -p no:cacheprovider "$SOURCE/tests/ops"
says stdout passed
says_not stdout 'no tests ran'
for tested in cpu_adam-bundle-cpu-x86-64-v2 fused_adam-bundle-emu transformer-bundle-cpu transformer-bundle-emu; do
    env DSOPS_BUNDLE="$bundle" "$python" -m pytest -q -p no:cacheprovider --collect-only "$SOURCE/tests/ops" >collected
    grep -q "$tested" collected || [ "$(uname -m)" != x86_64 ] || fail "nothing was tested of $tested"
done

# The package's own tests use an op made for them, here with the libdsops of the bundle.
toy=$(dirname "$(find "$BUILD" -name toy.so | head -n 1)")
if [ "$toy" != . ]; then
    library=$(echo "$bundle"/lib/*/libdsops.so)
    expect 0 env DSOPS_TOY_FILES="$toy" DSOPS_LIBRARY="$library" \
        "$python" -m pytest -q -p no:cacheprovider "$SOURCE/tests/python"
    says stdout passed
    says_not stdout skipped
fi
