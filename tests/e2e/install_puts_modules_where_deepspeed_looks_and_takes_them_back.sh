#!/bin/sh
# bundle install: modules where DeepSpeed looks, its record as it was but for them, twice is no change, --remove leaves
# no trace and nothing of anybody else's.
. "$(dirname "$0")/../support/e2e.sh"
. "$(dirname "$0")/../support/python_site.sh"
need g++ ninja python3
make_site env
record=$site/deepspeed/git_version_info_installed.py
cp -a "$site/deepspeed" before
make_extension root hello
make_extension root other
expect 0 "$DSBUILD" build --root root --ops hello,other --python env --install
says stdout deepspeed/ops/hello_op.
installed=$(echo "$site"/deepspeed/ops/hello_op.*.so)
has_file "$installed"
claims() { env/bin/python3 -c 'from deepspeed.git_version_info import *; print(sorted(o for o, on in installed_ops.items() if on), accelerator_name, git_hash, torch_info["version"])'; }
[ "$(claims)" = "['hello', 'other'] cpu abc 2.15" ] || fail "the record claims $(claims)"
[ "$(env/bin/python3 -c 'import torch, deepspeed.ops.hello_op as m; print(m.answer)')" = 42 ] || fail 'no answer'
[ "$(stat -c %a "$installed")" = "$(stat -c %a "$site/deepspeed/__init__.py")" ] || fail 'another mode than the package'

cp -a "$site/deepspeed" installed
expect 0 "$DSBUILD" bundle install out/bundle --into deepspeed --python env --format json
says stdout '"changed": false'
diff -r -x .lock installed "$site/deepspeed" || fail 'the second time changed something'

# What was there before comes back; what somebody changed since stays, and is told.
expect 0 "$DSBUILD" bundle install --remove --into deepspeed --python env
find "$site" -name __pycache__ -prune -exec rm -r {} +
diff -r -x .lock before "$site/deepspeed" || fail 'the removal left something'
echo theirs >"$installed"
expect 0 "$DSBUILD" bundle install out/bundle --into deepspeed --python env
cmp -s "$installed" out/bundle/extensions/cpu/deepspeed/ops/hello_op.*.so || fail 'it was not replaced'
other=$(echo "$site"/deepspeed/ops/other_op.*.so)
echo changed >"$other"
expect 0 "$DSBUILD" bundle install --remove --into deepspeed --python env
says stdout 'restored what was there before'
says stdout 'left: it was changed since'
[ "$(cat "$installed")" = theirs ] || fail 'what was replaced is not back'
[ "$(cat "$site"/deepspeed/ops/other_op.*.so)" = changed ] || fail 'a changed file was removed'
rm "$site"/deepspeed/ops/*.so

# One that was killed in between is taken back by the next one.
expect 0 "$DSBUILD" bundle install out/bundle --into deepspeed --python env
sed -i 's/"complete": true/"complete": false/' "$site/deepspeed/.dsbuild/installed.json"
cp before/git_version_info_installed.py "$record"
rm "$site"/deepspeed/ops/other_op.*.so
expect 0 "$DSBUILD" bundle install out/bundle --into deepspeed --python env --ops hello
says stdout 'an installation that was interrupted was taken back first'
[ "$(claims)" = "['hello'] cpu abc 2.15" ] || fail "the record claims $(claims)"
[ ! -e "$(echo "$site"/deepspeed/ops/other_op.*.so)" ] || fail 'a rest of the interrupted one is there'
