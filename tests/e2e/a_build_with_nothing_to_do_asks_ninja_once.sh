#!/bin/sh
# Ninja looks at what it built last while the plan is made; only where that isn't what is wanted now, it is run to build.
. "$(dirname "$0")/../support/e2e.sh"

real=$(command -v ninja)
mkdir path
cat >path/ninja <<SH
#!/bin/sh
printf "%s\\n" "\$1" >>$work/asked
exec $real "\$@"
SH
chmod +x path/ninja
PATH=$work/path:$PATH
warm_build out/build
make_root root one
asked() {
    rm -f asked
    expect 0 "$DSBUILD" build --root root --ops one "$@"
    tr '\n' ' ' <asked
}
asked >/dev/null # its version, and what warm_build's Ninja made
[ "$(asked)" = '-n ' ] || fail "Ninja was started for: $(tr '\n' ' ' <asked)"
says stdout 'up to date'
echo '#define ANSWER 43' >root/ops/one/one.h
[ "$(asked)" = '-n -j ' ] || fail "after a change Ninja was started for: $(tr '\n' ' ' <asked)"
[ "$(asked --explain)" = '-j ' ] || fail "to explain, Ninja was started for: $(tr '\n' ' ' <asked)"
rm asked
expect 0 "$DSBUILD" build --root root --ops one --dry-run
[ ! -e asked ] || fail "for a dry run Ninja was started for: $(tr '\n' ' ' <asked)"
