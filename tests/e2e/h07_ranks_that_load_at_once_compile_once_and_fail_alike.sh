#!/bin/sh
# dsbuild load: 16 processes at once compile once and print the same path and nothing else; a build that fails says the
# same first error to all; a stale lock of PyTorch's is nothing; another torch has a folder of its own.
. "$(dirname "$0")/../support/e2e.sh"
. "$(dirname "$0")/../support/python_site.sh"
need g++ ninja python3
unset DSBUILD_CACHE TORCH_EXTENSIONS_DIR
make_site env
make_extension root hello
make_extension root bad '#error this op is broken'
mkdir -p bin
cat >bin/g++ <<SH
#!/bin/sh
for word; do case \$word in */hello.cpp | */bad.cpp) echo compile >>"$work/count" ;; esac; done
exec $(command -v g++) "\$@"
SH
chmod +x bin/g++
export CXX="$work/bin/g++"
load() { "$DSBUILD" load "$1" --root root --python env --cache cache; }
ranks() { # ranks N OP
    for rank in $(seq "$1"); do
        (
            code=0
            load "$2" >"out.$rank" 2>"err.$rank" || code=$?
            echo $code >"rc.$rank"
        ) &
    done
    wait
}

mkdir -p cache/load/hello cache/hello
: >cache/hello/lock
: >cache/lock
ranks 16 hello
[ "$(sort -u rc.* | tr '\n' ' ')" = '0 ' ] || fail "$(cat rc.* err.*)"
[ "$(sort -u out.* | wc -l)" -eq 1 ] || fail "$(sort -u out.*)"
[ "$(cat out.1 | wc -l)" -eq 1 ] || fail 'more than a path on stdout'
has_file "$(cat out.1)"
[ "$(wc -l <count)" -eq 1 ] || fail "$(wc -l <count) compiles"
rm -f count
expect 0 load hello
cmp stdout out.1
[ ! -e count ] || fail 'it was compiled again'
env/bin/python3 -c '
import importlib.util, sys, torch
spec = importlib.util.spec_from_file_location("deepspeed.ops.hello_op", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
assert module.answer == 42' "$(cat stdout)"

rm -f rc.* err.* out.* count
ranks 4 bad
[ "$(sort -u rc.* | tr '\n' ' ')" = '1 ' ] || fail "$(cat rc.* err.*)"
[ ! -s out.1 ] || fail 'a path was printed'
for rank in 1 2 3 4; do
    says err.$rank 'this op is broken'
    says err.$rank .log
done
[ "$(wc -l <count)" -le 2 ] || fail "$(wc -l <count) compiles of what is broken"

# A source that changed is compiled; another torch's module is another one.
sed -i 's/42/43/' root/ops/hello/hello.cpp
expect 0 load hello
has_file count
path=$(cat stdout)
sed -i 's/2.15.0/2.15.1/' "$site/torch/version.py"
expect 0 load hello
[ "$path" != "$(cat stdout)" ] || fail 'the module of another torch was given'
expect 2 "$DSBUILD" load hallo --root root --python env --cache cache
if ! grep -q avx512f /proc/cpuinfo; then
    expect 7 "$DSBUILD" load hello --root root --python env --cache cache --arch x86-64-v4
    says stderr 'was built for x86-64-v4, and this CPU is'
fi
