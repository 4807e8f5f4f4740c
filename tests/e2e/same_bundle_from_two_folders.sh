#!/bin/sh
# Two copies of the sources in two folders give the same bundle, byte for byte.
. "$(dirname "$0")/../support/e2e.sh"

for folder in one two/deeper; do
    root=$folder/share/dsbuild
    mkdir -p "$folder/bin" "$root/src" "$root/packaging"
    cp "$DSBUILD" "$folder/bin/"
    cp -r "$SOURCE/manifests" "$SOURCE/ops" "$SOURCE/LICENSE" "$root/"
    cp -r "$SOURCE/src/runtime" "$SOURCE/src/cpu" "$root/src/"
    cp -r "$SOURCE/packaging/python" "$root/packaging/"
    (cd "$folder" && "$work/$folder/bin/dsbuild" build >build.log 2>&1) || { cat "$folder/build.log"; fail "the build in $folder"; }
done
diff -r one/out/bundle two/deeper/out/bundle || fail 'the bundles differ'
[ "$(find one/out/bundle -name '*.so' | wc -l)" -ge 8 ] || fail 'hardly anything was built'
