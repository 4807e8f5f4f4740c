# Sourced by tests/e2e/*.sh. Gives: $DSBUILD (the built program), $SOURCE (the checkout), a work folder of its own
# as the current folder (kept when the test fails), and the helpers below. Exit 77 means skipped, with a reason printed.
set -eu

: "${DSBUILD:?the built dsbuild}" "${SOURCE:?the checkout}"
name=$(basename "$0" .sh)
work=$(mktemp -d "${TMPDIR:-/tmp}/dsbuild-$name.XXXXXX")
cd "$work"
# Tests must not see what this machine's user has set, nor leave anything in the user's cache.
unset DS_ACCELERATOR TORCH_CUDA_ARCH_LIST PYTORCH_ROCM_ARCH CUDAARCHS DSBUILD_PATH DSBUILD_JOBS MAX_JOBS CXX CC NVCC_CCBIN CUDA_HOME CUDA_PATH
export DSBUILD_CACHE_DIR="$work/cache" LC_ALL=C NO_COLOR=1
trap 'status=$?; [ $status -eq 0 ] || [ $status -eq 77 ] && { cd /; chmod -R u+w "$work"; rm -rf "$work"; } || echo "left for a look: $work" >&2' EXIT

fail() {
    echo "FAIL: $*" >&2
    exit 1
}

skip() {
    echo "skipped: $*"
    exit 77
}

need() {
    for tool in "$@"; do command -v "$tool" >/dev/null 2>&1 || skip "no $tool on this machine"; done
}

# expect CODE COMMAND...: runs it, keeps its output in ./stdout and ./stderr, and fails on another exit code.
expect() {
    wanted=$1
    shift
    code=0
    "$@" >stdout 2>stderr || code=$?
    [ "$code" -eq "$wanted" ] || {
        cat stdout stderr >&2
        fail "exit code $code instead of $wanted from: $*"
    }
}

# says FILE TEXT: the file holds the text, whatever the line breaks and the width of the table.
says() {
    tr -s ' \n' '  ' <"$1" | grep -qF -- "$2" || {
        cat "$1" >&2
        fail "$1 does not say: $2"
    }
}

says_not() {
    ! tr -s ' \n' '  ' <"$1" | grep -qF -- "$2" || {
        cat "$1" >&2
        fail "$1 says: $2"
    }
}

has_file() {
    for file in "$@"; do [ -e "$file" ] || fail "$file is not there"; done
}

# A catalog root with one small CPU op: make_root FOLDER OP
make_root() {
    mkdir -p "$1/manifests/ops" "$1/ops/$2"
    cat >"$1/manifests/ops/$2.json" <<MANIFEST
{"schema": 1, "name": "$2", "kind": "shared_library", "summary": "a test",
 "host": {"sources": ["$2.cpp"]}, "exports": ["$2_answer"]}
MANIFEST
    cat >"$1/ops/$2/$2.h" <<HEADER
#define ANSWER 42
HEADER
    cat >"$1/ops/$2/$2.cpp" <<CODE
#include "$2.h"
extern "C" __attribute__((visibility("default"))) int $2_answer() { return ANSWER; }
CODE
}

# Sets $python to one that has numpy and pytest; Debian's own first.
need_python() {
    for python in /usr/bin/python3 python3; do
        "$python" -c 'import numpy, pytest' 2>/dev/null && return
    done
    skip 'no python3 with numpy and pytest'
}

# warm_build FOLDER: a build folder in which the runtime is built already, for tests that are not about building it.
warm_build() {
    shared=$BUILD/e2e
    mkdir -p "$shared"
    (
        flock 9
        [ -d "$shared/root" ] || make_root "$shared/root" hello
        "$DSBUILD" build --root "$shared/root" --ops hello --build-dir "$shared/warm" --out "$shared/warm-bundle" >"$shared/warm.log" 2>&1
    ) 9>"$shared/lock" || fail "building the runtime: $(cat "$shared/warm.log")"
    mkdir -p "$(dirname "$1")"
    cp -a "$shared/warm" "$1"
}
