#!/bin/sh
# What a target can do is recorded there and built for elsewhere: `report --record`, `build --for`, `report --bundle`.
. "$(dirname "$0")/../support/e2e.sh"
need g++ ninja python3

# Facts only: nothing tells whose machine it is.
mkdir -p home/bin && ln -s "$(command -v g++)" home/bin/g++
expect 0 env HOME="$work/home" PATH="$work/home/bin:$PATH" "$DSBUILD" report --record here.json
says stdout 'recorded in here.json'
says_not here.json "$work/home"
says here.json '~/bin/g++'
expect 0 env HOME="$work/home" PATH="$work/home/bin:$PATH" "$DSBUILD" report --record full.json --full
says full.json "$work/home/bin/g++"

# The recorded machine is reported as it was, wherever that is.
expect 0 "$DSBUILD" report --for here.json --format json
cp stdout there.out
expect 0 env HOME="$work/home" PATH="$work/home/bin:$PATH" "$DSBUILD" report --format json
sed "s|$work/home|~|g" stdout >here.out
python3 - <<'CHECK' || fail 'the report of the recorded machine is another'
import json
here, there = (json.load(open(name))["machine"] for name in ("here.out", "there.out"))
here["trials"] = there["trials"]
for machine in (here, there):  # what is free changes while this runs
    for folder in machine["limits"]["folders"]:
        folder["free"] = None
assert here == there, "they differ"
CHECK

# Two targets: a GPU server, and an older CPU. Of them the lowest level, and each arch of their devices.
machine() { # FILE LEVEL DEVICES
    python3 - "$@" <<'EDIT'
import json, sys
file, level, *devices = sys.argv[1:]
recorded = json.load(open("here.json"))
recorded["machine"]["cpu"]["level"] = {"value": level}
recorded["machine"]["devices"] = [
    dict(zip(("accelerator", "arch"), (d.split(":")[0], {"value": d.split(":")[1]})), address=str(i), id="0000:0000")
    for i, d in enumerate(devices)]
json.dump(recorded, open(file, "w"))
EDIT
}
machine server.json x86-64-v4 cuda:sm_90 cuda:sm_90 rocm:gfx942
machine old.json x86-64-v2
expect 0 "$DSBUILD" build --ops cpu_adam --for server.json --for old.json
has_file out/bundle/images/cpu_adam/cpu/x86-64-v2.so
[ "$(ls out/bundle/images/cpu_adam/cpu)" = x86-64-v2.so ] || fail 'other levels were built, too'
code=0
"$DSBUILD" plan --ops transformer --for server.json >stdout 2>stderr || code=$?
[ "$code" -eq 0 ] || [ "$code" -eq 3 ] || fail "plan ended with $code"
says stdout 'x86-64-v4 (--for server.json)'
says_not stdout sm_80
says stdout 'emu --for server.json leaves emu out (name emu in --accelerators)'

# A target whose libc is older than what was built needs is told, with exit code 7: the artifact fails there.
machine musty.json x86-64-v3
sed -i 's/"glibc [0-9.]*"/"glibc 2.17"/' musty.json
expect 7 "$DSBUILD" build --ops cpu_adam --out musty --for musty.json
says stderr "musty.json: cpu_adam won't load on its x86-64-v3"
says stderr 'there is 2.17'

# Which image each machine would load; --strict ends with 1 where there is none.
expect 0 "$DSBUILD" report --bundle out/bundle --for server.json --for old.json --strict
says stdout 'old.json op accelerator device would load cpu_adam cpu x86-64-v2 images/cpu_adam/cpu/x86-64-v2.so'
machine ancient.json x86-64-v1
expect 1 "$DSBUILD" report --bundle out/bundle --for ancient.json --for old.json --strict
says stdout 'nothing: x86-64-v1 is no arch of cpu'
expect 0 "$DSBUILD" report --bundle out/bundle
says stdout 'this machine'

# Wrong files and combinations are told.
echo '{"schema": 1}' >none.json
expect 2 "$DSBUILD" build --for none.json
says stderr 'none.json: it holds no machine'
expect 2 "$DSBUILD" plan --for missing.json
says stderr "missing.json: can't read the file"
echo '{"schema": 2, "machine": {}}' >later.json
expect 2 "$DSBUILD" plan --for later.json
says stderr 'its schema is 2, this dsbuild reads 1'
expect 2 "$DSBUILD" report --for server.json --for old.json
says stderr 'one report is of one machine'
expect 2 "$DSBUILD" report --strict
sed 's/"value":"x86_64"/"value":"aarch64"/; s/"value": "x86_64"/"value": "aarch64"/' old.json >arm.json
expect 3 "$DSBUILD" plan --for arm.json
says stderr 'the machine is aarch64, this one builds for x86_64 only'
