#!/bin/sh
# Which torch extensions would be built for: by --torch, --python, then the environment; told by plan and report, and a
# named one that isn't there is never replaced.
. "$(dirname "$0")/../support/e2e.sh"
unset VIRTUAL_ENV CONDA_PREFIX

# environment NAME TORCH: as `python3 -m venv` and a wheel leave it
environment() {
    site=$1/lib/python3.11/site-packages/torch
    mkdir -p "$1/bin" "$site"
    printf 'home = /nowhere/bin\n' >"$1/pyvenv.cfg"
    printf '#!/bin/sh\nexit 1\n' >"$1/bin/python3.11"
    chmod +x "$1/bin/python3.11"
    ln -s python3.11 "$1/bin/python3"
    : >"$site/__init__.py"
    printf "__version__ = '%s'\ncuda = None\n" "$2" >"$site/version.py"
}
environment one 2.6.0+cpu
environment two 2.15.0+cpu
mkdir -p bare/lib/python3.11/site-packages

expect 0 "$DSBUILD" plan --ops cpu_adam --accelerators cpu --python two --format json
says stdout "torch-2.15.0+cpu at $work/two/lib/python3.11/site-packages/torch"
says stdout '"origin": "--python"'
expect 0 "$DSBUILD" plan --ops cpu_adam --accelerators cpu --python two --torch one/lib/python3.11/site-packages/torch/ --format json
says stdout torch-2.6.0+cpu
says stdout '"origin": "--torch"'
# An op that needs no torch has no setting of one.
expect 0 env VIRTUAL_ENV="$work/one" "$DSBUILD" plan --ops cpu_adam --accelerators cpu --format json
says_not stdout torch-2.6.0

expect 3 "$DSBUILD" plan --ops cpu_adam --python bare
says stderr "--python $work/bare"
says stderr "no version.py in $work/bare/lib/python3.11/site-packages/torch"
expect 2 "$DSBUILD" build --ops cpu_adam --torch nowhere
says stderr "no such file or folder"
[ ! -e out ] || fail "something was built"

# A report is made all the same.
expect 0 env VIRTUAL_ENV="$work/one" "$DSBUILD" report --torch nowhere
says stdout "$work/nowhere; no such file or folder"
says stdout 2.6.0+cpu
expect 0 env VIRTUAL_ENV="$work/one" CONDA_PREFIX="$work/two" "$DSBUILD" report --format json
cat >look.py <<'LOOK'
import json
torches = json.load(open("stdout"))["machine"]["torches"]
assert [(t["id"], t["origin"]) for t in torches[:2]] == [
    ("torch-2.6.0+cpu", "VIRTUAL_ENV"), ("torch-2.15.0+cpu", "CONDA_PREFIX")], torches
LOOK
/usr/bin/python3 look.py
