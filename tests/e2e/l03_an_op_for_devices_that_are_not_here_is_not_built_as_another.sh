#!/bin/sh
# dsbuild load: an op that has code for one kind of device alone is refused where there is none, and nothing is built for the CPU instead.
. "$(dirname "$0")/../support/e2e.sh"
. "$(dirname "$0")/../support/python_site.sh"
need g++ ninja python3
unset DSBUILD_CACHE TORCH_EXTENSIONS_DIR XDG_CACHE_HOME
make_site env # its torch was built for the CPU alone
make_extension root far
sed -i 's/"on": {"cpu"/"on": {"cuda"/' root/manifests/ops/far.json

expect 4 "$DSBUILD" load far --root root --python env --cache cache
says stderr 'far has no kernel for cpu; it has: cuda'
[ ! -s stdout ] || fail 'a path was printed'
[ ! -e cache/load ] || fail 'something was built'
