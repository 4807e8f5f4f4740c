# Sourced by tests of DeepSpeed's ops, after e2e.sh: stand-ins for what such a build needs and no test may count on.

# The environment that scripts/peers makes, if it is there.
find_peers() {
    peers=${DSBUILD_BENCH_DEEPSPEED:-${XDG_CACHE_HOME:-$HOME/.cache}/dsbuild-peers}
    [ -x "$peers/bin/ds_report" ] && echo "$peers"
}

# A copy of the real DeepSpeed, which the test may change, beside the real torch: use_deepspeed [PEERS]
# Sets $peers (where they come from), $site (the copy's packages) and $python (its own).
use_deepspeed() {
    peers=${1:-$(find_peers)} || skip "no real torch: scripts/peers makes one"
    need g++ ninja
    site=$(sh "$SOURCE/tests/deepspeed/environment.sh" "$peers" "$work/env")
    python=$work/env/bin/python
}

# A tree with every file that a manifest lists, all of them empty: make_tree FOLDER VERSION
make_tree() {
    mkdir -p "$1/op_builder"
    : >"$1/op_builder/builder.py"
    echo "$2" >"$1/version.txt"
    python3 - "$SOURCE/manifests/deepspeed" "$1" <<'CODE'
import glob, json, os, sys
manifests, tree = sys.argv[1:]
for file in glob.glob(manifests + "/*.json"):
    op = json.load(open(file))
    for part in [op] + op.get("parts", []):
        for folder in part.get("include", []):
            os.makedirs(os.path.join(tree, folder), exist_ok=True)
        for source in part.get("binding", []) + part.get("sources", []) if part is not op else []:
            path = os.path.join(tree, source)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            open(path, "a").close()
CODE
}

# A virtual environment with the files by which a torch is told: make_torch FOLDER VERSION
make_torch() {
    site=$1/lib/python3.11/site-packages
    mkdir -p "$1/bin" "$1/python/bin" "$1/python/include/python3.11" "$1/python/lib/python3.11" "$site/torch/lib" "$site/torch/include/ATen"
    printf '#!/bin/sh\nexit 1\n' >"$1/python/bin/python3.11"
    chmod +x "$1/python/bin/python3.11"
    ln -sf python3.11 "$1/python/bin/python3"
    ln -sf "$1/python/bin/python3" "$1/bin/python3"
    printf 'home = %s/python/bin\ninclude-system-site-packages = false\n' "$1" >"$1/pyvenv.cfg"
    : >"$1/python/include/python3.11/Python.h"
    : >"$1/python/lib/python3.11/os.py"
    echo "build_time_vars = {'EXT_SUFFIX': '.cpython-311-x86_64-linux-gnu.so'}" >"$1/python/lib/python3.11/_sysconfigdata__linux_x86_64-linux-gnu.py"
    : >"$site/torch/__init__.py"
    printf "__version__ = '%s'\ncuda = None\nhip = None\n" "$2" >"$site/torch/version.py"
    printf '#error C++17 or later compatible compiler is required to use ATen.\n' >"$site/torch/include/ATen/ATen.h"
    for library in torch torch_cpu torch_python; do : >"$site/torch/lib/lib$library.so"; done
    # The symbol by which its C++ ABI is told.
    printf '_ZN3c105ErrorC1ENS_14SourceLocationENSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE' >"$site/torch/lib/libc10.so"
}

# The plan's ops: ops_of FILE (a plan as JSON)
ops_of() {
    python3 -c 'import json, sys
print(*sorted({e["op"] for e in json.load(open(sys.argv[1]))["entries"]}))' "$1"
}
