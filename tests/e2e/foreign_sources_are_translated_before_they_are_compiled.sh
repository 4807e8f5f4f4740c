#!/bin/sh
# A descriptor's step with "suffixes" translates foreign sources into the build folder, never into the source tree; its own sources go past it.
. "$(dirname "$0")/../support/e2e.sh"
need g++ ninja python3

# Acme's accelerator, which also takes CUDA sources once its translator has been over them.
cp -r "$SOURCE/tests/fixtures/acme" acme
python3 - acme/manifests/accelerators/acme.json <<'EDIT'
import json, sys
descriptor = json.load(open(sys.argv[1]))
descriptor["sources"].append(".cu")
descriptor["probes"][0]["beside"] = {"translate": "acme-translate"}
images = descriptor["toolchains"][0]["images"]["acx"]
images[0]["argv"].insert(-1, "-I{src}/ops/{op}")
images.insert(0, {"each": "source", "suffixes": [".cu"], "argv": ["{translate}", "{in}", "{out}"], "out": "{stem}.acu"})
json.dump(descriptor, open(sys.argv[1], "w"))
EDIT
printf '#!/bin/sh\nsed "s/CUDA_LANES/ACME_LANES/" "$1" >"$2"\n' >acme/bin/acme-translate
chmod +x acme/bin/acme-translate
acme() { env PATH="$work/acme/bin:$PATH" "$DSBUILD" "$@" --root acme; }

expect 0 acme plan --why acme_scale
says_not stdout 'acme-translate' # nothing to translate yet
mv acme/ops/acme_scale/kernels.acu acme/ops/acme_scale/foreign.cu
sed -i 's/kernels.acu/foreign.cu/' acme/manifests/ops/acme_scale.json
echo 'static_assert(CUDA_LANES > 0, "not translated");' >>acme/ops/acme_scale/foreign.cu
(cd acme && find . -type f -exec cksum {} + | sort) >before

warm_build out/build
expect 0 acme build --ops acme_scale --accelerators acme
has_file out/bundle/images/acme_scale/acme/wh.acx out/bundle/images/acme_scale/acme/bh.acx
says stderr 'foreign.acu acme_scale wh'
(cd acme && find . -type f -exec cksum {} + | sort) >after
cmp before after || fail 'the source tree was written to'
expect 0 acme build --ops acme_scale --accelerators acme
says stdout 'everything was up to date'

# A change of the foreign source, or of a header that the translated one includes, is compiled anew.
echo '// changed' >>acme/ops/acme_scale/foreign.cu
expect 0 acme build --ops acme_scale --accelerators acme
says stderr 'foreign.acu acme_scale wh'
says stderr 'acx acme_scale wh'
echo '// changed' >>acme/ops/acme_scale/acme_scale.h
expect 0 acme build --ops acme_scale --accelerators acme
says stderr 'acx acme_scale wh'
says_not stderr 'foreign.acu'

# Without the translator the toolchain is not all there, and says what is missing.
rm acme/bin/acme-translate
expect 3 acme build --ops acme_scale --accelerators acme
says stderr 'acme-translate'
