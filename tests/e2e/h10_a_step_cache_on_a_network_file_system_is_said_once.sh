#!/bin/sh
# On a network file system a step cache is said to be slower, once, and `load` builds in a folder of the host's own (H04), because locks
# may hold on one host alone. The file system is a pretended one.
. "$(dirname "$0")/../support/e2e.sh"
. "$(dirname "$0")/../support/python_site.sh"
need g++ ninja python3
unset DSBUILD_CACHE TORCH_EXTENSIONS_DIR XDG_CACHE_HOME

cat >shim.cpp <<'CODE'
#include <dlfcn.h>
#include <sys/vfs.h>

#include <cstdlib>

template <typename Status>
int pretend(const char* name, const char* path, Status* status) {
  const auto real = reinterpret_cast<int (*)(const char*, Status*)>(dlsym(RTLD_NEXT, name));
  const int result = real(path, status);
  const char* magic = std::getenv("FAKE_MAGIC");
  if (result == 0 && magic != nullptr) status->f_type = std::strtol(magic, nullptr, 0);
  return result;
}
extern "C" int statfs(const char* path, struct statfs* status) noexcept { return pretend("statfs", path, status); }
extern "C" int statfs64(const char* path, struct statfs64* status) noexcept { return pretend("statfs64", path, status); }
CODE
g++ -shared -fPIC shim.cpp -o shim.so
on() { # on MAGIC COMMAND...
    magic=$1
    shift
    env LD_PRELOAD="$work/shim.so" FAKE_MAGIC="$magic" "$@"
}
on 0x6969 "$DSBUILD" help >/dev/null 2>&1 || skip 'this program takes no LD_PRELOAD'

make_root root one
warm_build nfs
warm_build disk
expect 0 on 0x6969 "$DSBUILD" build --root root --ops one --build-dir nfs --cache steps
[ "$(grep -c 'is on nfs' stderr)" -eq 1 ] || fail "said $(grep -c 'is on nfs' stderr) times: $(cat stderr)"
expect 0 on 0x19830326 "$DSBUILD" build --root root --ops one --build-dir nfs --cache steps
says_not stderr 'is on' # nothing to do
expect 0 on 0x12345678 "$DSBUILD" build --root root --ops one --build-dir disk --cache steps
says_not stderr 'is on'

make_site env
make_extension root hello
expect 0 on 0x6969 "$DSBUILD" load hello --root root --python env --cache cache
has_file "$(cat stdout)" cache/load/*/build-"$(uname -n)"/build.ninja
[ ! -e "$(echo cache/load/*)/build" ] || fail 'it was built in a folder that other hosts build in, too'
path=$(cat stdout)
expect 0 on 0x12345678 "$DSBUILD" load hello --root root --python env --cache cache
[ "$path" = "$(cat stdout)" ] || fail "$(cat stdout) instead of $path"
has_file cache/load/*/build/build.ninja
