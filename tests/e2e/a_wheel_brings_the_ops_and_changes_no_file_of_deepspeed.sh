#!/bin/sh
# bundle export --format wheel: the same bytes each time, tagged for what it needs; installed beside DeepSpeed it makes
# DeepSpeed find the ops, changes none of its files, and leaves no trace when it goes.
. "$(dirname "$0")/../support/e2e.sh"
. "$(dirname "$0")/../support/python_site.sh"
need g++ ninja python3
make_site env
make_extension root hello
expect 0 "$DSBUILD" build --root root --ops hello --python env
cp -a "$site" before
expect 0 "$DSBUILD" bundle export out/bundle --format wheel --out one
wheel=$(cat stdout)
expect 0 "$DSBUILD" bundle export out/bundle --format wheel --out two
cmp "$wheel" two/* || fail 'two exports differ'
case $wheel in
one/deepspeed_ops_dsbuild-*+torch2.15.cpu-cp3*-cp3*-manylinux_2_*_*.whl | one/deepspeed_ops_dsbuild-*+torch2.15.cpu-cp3*-cp3*-linux_*.whl) ;;
*) fail "the name: $wheel" ;;
esac
python3 -m zipfile -t "$wheel" || fail 'no good archive'

pip=
for candidate in python3 "$HOME/.cache/dsbuild-peers/bin/python3" /usr/bin/python3; do
    "$candidate" -m pip --version >/dev/null 2>&1 && pip=$candidate && break
done
if [ -n "$pip" ]; then
    "$pip" -m pip --python env/bin/python3 install --no-deps --no-index "$wheel" >pip.log 2>&1 || fail "$(cat pip.log)"
else
    python3 -m zipfile -e "$wheel" "$site"
fi
has_file "$site/deepspeed_ops_dsbuild.pth"
claims() { env/bin/python3 -c 'from deepspeed.git_version_info import *; print(sorted(o for o, on in installed_ops.items() if on), accelerator_name, git_hash, torch_info["version"])'; }
[ "$(claims)" = "['hello'] cpu abc 2.15" ] || fail "the record claims $(claims)"
[ "$(env/bin/python3 -c 'import torch, importlib; print(importlib.import_module("deepspeed.ops.hello_op").answer)')" = 42 ] || fail 'no answer'
find "$site" -name __pycache__ -prune -exec rm -r {} +
diff -r before/deepspeed "$site/deepspeed" || fail 'a file of DeepSpeed was changed'

# I03: modules that need a CUDA, beside a torch that has none, an older one, and the right one.
cp -r out/bundle cuda
python3 - <<'CODE'
import json
index = json.load(open("cuda/bundle.json"))
for file in index["files"]:
    if file.get("form") == "extension":
        file["needs"]["libraries"] = "libc10.so libcudart.so.13"
json.dump(index, open("cuda/bundle.json", "w"))
CODE
expect 0 "$DSBUILD" bundle export cuda --format wheel --out three
python3 -m zipfile -e "$(cat stdout)" three/in
cp "$site/deepspeed_ops_dsbuild/ops.json" ops.json
cp three/in/deepspeed_ops_dsbuild/ops.json "$site/deepspeed_ops_dsbuild/"
claims >claimed 2>stderr
says claimed '[] cpu'
says stderr 'they are for CUDA 13, and torch has none'
sed -i "s/^cuda = .*/cuda = '12.6'/" "$site/torch/version.py"
claims >claimed 2>stderr
says claimed '[] cpu'
says stderr 'they are for CUDA 13, and torch has 12.6'
sed -i "s/^cuda = .*/cuda = '13.2'/" "$site/torch/version.py"
claims >claimed 2>stderr
says claimed "['hello'] cpu"
says_not stderr 'left out'
sed -i 's/^cuda = .*/cuda = None/' "$site/torch/version.py"
cp ops.json "$site/deepspeed_ops_dsbuild/"

# Not for this torch, or DeepSpeed has ops for another accelerator: it says so and DeepSpeed goes on without.
sed -i 's/2.15.0/2.16.0/' "$site/torch/version.py"
claims >claimed 2>stderr
says claimed '[] cpu'
says stderr 'they are for torch 2.15, and there is 2.16'
if [ -n "$pip" ]; then
    "$pip" -m pip --python env/bin/python3 uninstall -y deepspeed-ops-dsbuild >pip.log 2>&1 || fail "$(cat pip.log)"
    [ ! -e "$site/deepspeed_ops_dsbuild" ] || [ -z "$(find "$site/deepspeed_ops_dsbuild" -type f)" ] || fail 'files are left'
fi
