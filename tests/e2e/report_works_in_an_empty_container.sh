#!/bin/sh
# L05: with no PATH, no home, no compiler and no writable cache, `report`, `list`, `help` and --version work and end with 0.
. "$(dirname "$0")/../support/e2e.sh"

for command in 'report' 'report --format json' 'list' 'help settings' '--version' '--help' 'check'; do
    # shellcheck disable=SC2086
    expect 0 env -i "$DSBUILD" $command
    [ -s stdout ] || fail "$command printed nothing"
done
mkdir root
expect 0 env -i "$DSBUILD" report --sysroot root
says stdout 'no g++ or g++-<number> on PATH'
says stdout 'unknown'
expect 0 env -i "$DSBUILD" report --sysroot root --format json
if command -v python3 >/dev/null; then python3 -m json.tool <stdout >/dev/null || fail 'no JSON'; fi
expect 3 env -i "$DSBUILD" build
says stderr 'nothing can be built on this machine'
