#!/bin/sh
# An accelerator that no line of the program knows is listed, planned, built, rebuilt and reported from its descriptor alone.
. "$(dirname "$0")/../support/e2e.sh"
need g++ ninja

found=$(grep -ri acme "$SOURCE/src" "$SOURCE/manifests" "$SOURCE/ops") && fail "the program knows it: $found"

cp -r "$SOURCE/tests/fixtures/acme" acme
echo '#define TUNED 1' >acme/ops/acme_scale/tuned.h
sed -i '/include "acme_scale.h"/a #include "tuned.h"' acme/ops/acme_scale/kernels.acu
bare() { "$DSBUILD" "$@" --root acme; }
acme() { env PATH="$work/acme/bin:$PATH" "$DSBUILD" "$@" --root acme; }

# Listed, shown, planned, reported.
expect 0 acme list
says stdout 'acme_scale acme cpu'
expect 0 acme show acme_scale --resolved
says stdout 'acmecc-2.4.1'
says stdout '--target=bh'
says stdout '-DSCALE_UNROLL=4'
expect 0 acme plan --why acme_scale
says stdout 'acme wh planned acmecc-2.4.1'
says stdout 'acme bh planned acmecc-2.4.1'
expect 0 acme report
says stdout 'acmecc 2.4.1 complete'
says stdout 'archs.acme default wh, bh'
says stdout 'acme_scale acme wh bh'

# Its archs are chosen as those of any other.
expect 0 acme plan --ops acme_scale --arch acme:wh
says stdout 'acme wh'
says stdout 'cpu x86-64-v2'
says_not stdout 'wh bh'
expect 0 env ACME_TARGETS=bh PATH="$work/acme/bin:$PATH" "$DSBUILD" plan --ops acme_scale --root acme
says stdout 'building for bh (ACME_TARGETS)'
expect 0 env DS_ACCELERATOR=anvil PATH="$work/acme/bin:$PATH" "$DSBUILD" plan --ops acme_scale --root acme
says stdout 'DS_ACCELERATOR leaves cpu out'
expect 2 acme plan --arch acme:xh
says stderr "'acme:xh' is no arch of acme"
expect 2 env ACME_TARGETS='wh,xh' PATH="$work/acme/bin:$PATH" "$DSBUILD" plan --root acme
says stderr "ACME_TARGETS: 'xh' is no arch of acme"
expect 3 acme plan --ops acme_scale --arch acme:native
says stderr 'acme:native needs a visible device'

# Built, each image what its own compiler made for its own target.
warm_build out/build
expect 0 acme build --ops acme_scale
says stdout 'built acme, cpu'
images=out/bundle/images/acme_scale/acme
has_file $images/wh.acx $images/bh.acx
! cmp -s $images/wh.acx $images/bh.acx || fail 'both targets have the same image'
grep -q 'acmecc 2.4.1\|acmecc-2.4.1' out/bundle/report.txt out/bundle/report.json || fail 'no word of acmecc in the bundle'
expect 0 "$DSBUILD" bundle verify out/bundle
expect 0 acme build --ops acme_scale
says stdout 'everything was up to date'

# The depfile that acmecc writes is read: tuned.h is of the device's source alone, acme_scale.h of every one.
sleep 0.01
echo '#define TUNED 2' >acme/ops/acme_scale/tuned.h
expect 0 acme build --ops acme_scale
[ "$(grep -c 'acx acme_scale' stderr)" -eq 2 ] || fail 'not both images were made again'
says stdout '2 in'
echo '// changed' >>acme/ops/acme_scale/acme_scale.h
expect 0 acme build --ops acme_scale
for step in 'acx acme_scale wh' 'acx acme_scale bh' 'op.o acme_scale' 'kernels.o acme_scale x86-64-v3'; do says stderr "$step"; done
says_not stderr dsops

# Without its compiler: skipped with the descriptor's own hint; refused where it was named.
expect 0 bare plan --why acme_scale
says stdout 'acme skipped no toolchain for acme is on this machine'
says stdout 'install the Acme toolkit and put acmecc on PATH'
expect 0 bare build --ops acme_scale
says stdout 'built cpu; skipped acme'
says stdout 'install the Acme toolkit'
[ ! -e $images ] || fail 'the bundle has images that this build did not ask for'
for named in '--accelerators acme' '--arch wh'; do
    # shellcheck disable=SC2086
    expect 3 bare build --ops acme_scale $named
    says stderr 'install the Acme toolkit'
    says stderr 'nothing was compiled'
done

# With a compiler that answers but can't compile, the canary tells: the compiler's own words.
mkdir broken
cat >broken/acmecc <<'BROKEN'
#!/bin/sh
case $1 in
--version) echo "acmecc 2.4.1" ;;
--list-targets) printf 'wh\nbh\n' ;;
*) echo "acmecc: error: the licence has ended" >&2; exit 1 ;;
esac
BROKEN
chmod +x broken/acmecc
broken() { env PATH="$work/broken:$PATH" "$DSBUILD" "$@" --root acme; }
expect 0 broken build --ops acme_scale
says stdout 'built cpu; skipped acme'
says stdout 'acmecc: error: the licence has ended'
expect 3 broken build --ops acme_scale --accelerators acme
says stderr 'failed its canary: acmecc: error: the licence has ended'
says stderr 'nothing was compiled'
