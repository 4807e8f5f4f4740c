#!/bin/sh
# dsbuild load --require-prebuilt gives what was built before, and else compiles nothing, ends with 4, and names the near misses with
# what differs. --force runs every step again.
. "$(dirname "$0")/../support/e2e.sh"
. "$(dirname "$0")/../support/python_site.sh"
need g++ ninja python3
unset DSBUILD_CACHE TORCH_EXTENSIONS_DIR XDG_CACHE_HOME
make_site env
make_extension root hello
mkdir -p bin tmp
export TMPDIR="$work/tmp"
cat >bin/g++ <<SH
#!/bin/sh
for word; do [ "\$word" = -c ] && echo compile >>"$work/count"; done
exec $(command -v g++) "\$@"
SH
chmod +x bin/g++
export CXX="$work/bin/g++"
load() { "$DSBUILD" load hello --root root --python env --cache cache "$@"; }

expect 4 load --require-prebuilt
says stderr 'no prebuilt hello for cpu ('
says stderr "torch-2.15.0"
says stderr 'no other one is there'
[ ! -s stdout ] || fail 'a path was printed'
[ ! -e count ] || fail 'something was compiled'
[ ! -e cache/load ] || fail 'something was made in the cache'

expect 0 load
path=$(cat stdout)
rm -f count
expect 0 load --require-prebuilt
[ "$path" = "$(cat stdout)" ] || fail "$(cat stdout) instead of $path"
[ ! -e count ] || fail 'it was compiled again'

# O06: every step again, and the same comes out.
expect 0 load --force
has_file count
[ "$path" = "$(cat stdout)" ] || fail "$(cat stdout) instead of $path"
rm -f count
expect 0 load
[ ! -e count ] || fail 'it was compiled again after --force'

# A near miss is told with what differs.
if [ "$(uname -m)" = x86_64 ]; then
    expect 4 load --require-prebuilt --arch x86-64-v2
    says stderr 'instead of x86-64-v2'
fi
sed -i 's/2.15.0/2.15.1/' "$site/torch/version.py"
expect 4 load --require-prebuilt
says stderr 'has torch torch-2.15.0'
says stderr 'instead of torch-2.15.1'
says stderr 'without --require-prebuilt it is built'
[ ! -e count ] || fail 'something was compiled'

# F10: below the level where extensions have their vector code, that is said.
if [ "$(uname -m)" = x86_64 ]; then
    expect 0 load --arch x86-64-v2
    says stderr 'built for x86-64-v2: hello has no vector code below x86-64-v3'
fi
