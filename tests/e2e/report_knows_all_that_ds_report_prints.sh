#!/bin/sh
# Side by side with the real ds_report: every fact that it prints is in ours, and ours needs no torch for it.
. "$(dirname "$0")/../support/e2e.sh"
need python3
peers=${DSBUILD_BENCH_DEEPSPEED:-${XDG_CACHE_HOME:-$HOME/.cache}/dsbuild-peers}
[ -x "$peers/bin/ds_report" ] || skip "no DeepSpeed at $peers (scripts/peers makes it)"

env PATH="$peers/bin:$PATH" CUDA_HOME="${CUDA_HOME:-/usr/local/cuda}" DS_ACCELERATOR=cuda "$peers/bin/ds_report" >theirs 2>/dev/null
expect 0 env VIRTUAL_ENV="$peers" PATH="$peers/bin:$PATH" "$DSBUILD" report --format json
cat >compare.py <<'COMPARE'
import ast, json, re, sys

theirs = re.sub(r"\x1b\[\d+m", "", open("theirs").read())
machine = json.load(open("stdout"))["machine"]
frameworks = {f["name"]: f for f in reversed(machine["frameworks"])}
torch, deepspeed = frameworks["torch"], frameworks["deepspeed"]


def said(what):
    return re.search(rf"^{re.escape(what)} \.* (.*?) *$", theirs, re.M).group(1)


def same(what, ours):
    assert said(what) == ours, f"{what}: ds_report says {said(what)}, ours {ours}"


def value(fact):
    return fact.get("value", "None")


same("torch version", value(torch["version"]))
assert ast.literal_eval(said("torch install path")) == [value(torch["path"])]
assert ast.literal_eval(said("deepspeed install path")) == [value(deepspeed["path"])]
info = [value(fact) for fact in (deepspeed["version"], deepspeed["details"]["git_hash"], deepspeed["details"]["git_branch"])]
assert said("deepspeed info").split(", ") == info, info
wheel = said("deepspeed wheel compiled w.")
assert "torch " + value(deepspeed["details"]["built_with_torch"]) in wheel, wheel
same("torch cuda version", value(torch["details"]["cuda"]))
same("torch hip version", value(torch["details"]["hip"]))
nvcc = [value(t["version"]) for t in machine["toolchains"] if t["kind"] == "nvcc"]
if re.match(r"[0-9]", said("nvcc version")):
    assert any((version + ".").startswith(said("nvcc version") + ".") for version in nvcc), nvcc
known = {state["name"] for state in machine["accelerators"]["order"]}
source = open(value(deepspeed["path"]) + "/accelerator/real_accelerator.py").read()
for name in ast.literal_eval(re.search(r"SUPPORTED_ACCELERATOR_LIST = (\[.*?\])", source, re.S).group(1)):
    assert name in known, f"no descriptor of {name}"
shared = next(f for f in machine["limits"]["folders"] if f["use"] == "shared memory")
number, unit = re.search(r"shared memory.* ([0-9.]+) (\w+)", theirs).groups()
size = float(number) * 1024 ** ["B", "KB", "MB", "GB", "TB"].index(unit)
assert abs(size - shared["size"]["value"]) < 0.01 * size, (size, shared)
COMPARE
python3 compare.py || { cat theirs >&2; fail 'a fact of ds_report is missing or another'; }
