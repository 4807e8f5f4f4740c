#!/bin/sh
# F2: clang's depfile of a fat HIP object names the headers of the host's pass alone; a recipe's scans complete it, for Ninja and for the step cache.
. "$(dirname "$0")/../support/e2e.sh"
need g++ ninja objcopy
clang=$(command -v clang++-19 || command -v clang++-15 || skip 'no clang for HIP on this machine') || { echo "$clang"; exit 77; }
"$clang" --print-supported-cpus --target=amdgcn-amd-amdhsa -nogpulib 2>&1 | grep -q gfx90a || skip "$clang knows no gfx90a"

# The driver's passes, one by one (Debian's clang lacks the bundler that joins them): the host's comes last and writes the depfile.
cp -r "$SOURCE/tests/fixtures/acme" acme
cat >acme/bin/acmecc <<SH
#!/bin/sh
set -eu
gfx() { if [ "\$1" = wh ]; then echo gfx908; else echo gfx90a; fi; }
hip() { $clang -x hip -nogpulib -nogpuinc "\$@"; }
case \$1 in
--version) echo 'acmecc 2.4.1' ;;
--list-targets) printf 'wh\nbh\n' ;;
scan) hip --cuda-device-only --offload-arch="\$(gfx "\$2")" -M -MF "\$3" "\$4" ;;
image) exec g++ -x c++ -std=c++17 -O2 -fPIC -shared -nostdlib -fvisibility=hidden -DACME_LANES=1 -MD -MF "\$3" -o "\$4" "\$2" ;;
object)
    shift
    source=\$1 deps=\$2 out=\$3
    shift 3
    for target; do
        hip --cuda-device-only --no-gpu-bundle-output --offload-arch="\$(gfx "\$target")" -O2 -c "\$source" -o "\$out.\$target"
    done
    hip --cuda-host-only -fPIC -O2 -MD -MF "\$deps" -c "\$source" -o "\$out"
    for target; do
        objcopy --add-section ".fat_\$target=\$out.\$target" "\$out"
        rm "\$out.\$target"
    done
    ;;
esac
SH
python3 - acme/manifests/accelerators/acme.json <<'EDIT'
import json, sys
descriptor = json.load(open(sys.argv[1]))
recipe = descriptor["toolchains"][0]
recipe["images"]["acx"][0]["argv"] = ["{acmecc}", "image", "{in}", "{depfile}", "{out}"]
recipe["object"] = {
    "each": "source", "argv": ["{acmecc}", "object", "{in}", "{depfile}", "{out}", {"for": "acx", "argv": ["{arch}"]}],
    "out": "{stem}.o", "depfile": True,
    "scans": [{"for": "acx", "argv": ["{acmecc}", "scan", "{arch}", "{depfile}", "{in}"]}]}
json.dump(descriptor, open(sys.argv[1], "w"))
EDIT
rm -rf acme/ops/* acme/manifests/ops/*
mkdir -p acme/ops/fat
cat >acme/manifests/ops/fat.json <<'JSON'
{"schema": 1, "name": "fat", "kind": "shared_library", "summary": "a test",
 "kernels": [{"sources": ["fat.acu"], "on": {"acme": "*"}, "freestanding": false}], "exports": ["fat_answer"]}
JSON
cat >acme/ops/fat/fat.acu <<'CODE'
#include "host.h"
#ifdef __gfx90a__
#include "only90a.h"
#else
#define ANSWER 908
#endif
#ifdef __HIP_DEVICE_COMPILE__
__attribute__((global)) void fat_kernel(int* out) { *out = ANSWER; }
#else
extern "C" __attribute__((visibility("default"))) int fat_answer() { return HOST; }
#endif
CODE
echo '#define HOST 1' >acme/ops/fat/host.h
echo '#define ANSWER 901' >acme/ops/fat/only90a.h
warm_build out/build
build() { env PATH="$work/acme/bin:$PATH" "$DSBUILD" build --root acme --ops fat --accelerators acme --cache steps; }
object() { find out/build/obj/fat -name 'fat.o'; }

sleep 0.05
expect 0 build
cp "$(object)" first.o
expect 0 build
says stdout 'everything was up to date'

echo '#define ANSWER 902' >acme/ops/fat/only90a.h
sleep 0.05
expect 0 build
says_not stdout 'up to date'
says stdout ' 0 of them from the cache'
! cmp -s "$(object)" first.o || fail 'the object is the old one after a change of a header of gfx90a'

echo '#define ANSWER 901' >acme/ops/fat/only90a.h
sleep 0.05
expect 0 build
says stdout ' 1 of them from the cache'
cmp "$(object)" first.o || fail 'another object than the one of that state'
