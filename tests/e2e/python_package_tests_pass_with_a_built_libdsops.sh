#!/bin/sh
# The tests of the Python package pass with the libdsops that dsbuild makes for bundles, as they do with CMake's.
# (The tests of the ops run on built bundles in kernels_same_bits.sh.)
. "$(dirname "$0")/../support/e2e.sh"
need g++ ninja
need_python
toy=$(find "$BUILD" -path '*/toy/toy.so' | head -n 1)
[ -n "$toy" ] || skip "the op of these tests is not built in $BUILD"

make_root root hello
warm_build out/build
expect 0 "$DSBUILD" build --root root --ops hello
library=$(echo "$work"/out/bundle/lib/*/libdsops.so)
has_file "$library"
expect 0 env DSOPS_TOY_FILES="$(dirname "$toy")" DSOPS_LIBRARY="$library" PYTHONDONTWRITEBYTECODE=1 \
    "$python" -m pytest -p no:cacheprovider -v "$SOURCE/tests/python"
says stdout PASSED
says_not stdout SKIPPED
