#!/bin/sh
# The TGZ of cpack, unpacked anywhere, builds cpu_adam with only g++ and ninja: no network, no Python, no GPU, no cmake.
. "$(dirname "$0")/../support/e2e.sh"
need cpack unshare tar
unshare -rn true 2>/dev/null || unshare -n true 2>/dev/null || skip 'no network namespaces for this user'

cpack -G TGZ --config "$BUILD/CPackConfig.cmake" -B "$work/pack" >cpack.log 2>&1 || { cat cpack.log; fail cpack; }
mkdir 'some where'
tar -xzf pack/dsbuild-*.tar.gz -C 'some where' --strip-components 1
mkdir bin
for tool in g++ as ld ninja; do ln -s "$(command -v $tool)" bin/; done
tool="$work/some where/bin/dsbuild"
case $(id -u) in 0) isolate='unshare -n' ;; *) isolate='unshare -rn' ;; esac
expect 0 $isolate env -i PATH="$work/bin" HOME="$work/home" "$tool" build --ops cpu_adam
says stdout 'built cpu'
expect 0 env -i PATH=/nonexistent "$tool" bundle verify out/bundle
for level in v2 v3 v4; do has_file out/bundle/images/cpu_adam/cpu/x86-64-$level.so; done
# Nothing of the folder where the tool was built is needed or named.
if grep -rlF "$SOURCE/" 'some where' >leaks; then cat leaks; fail 'the package names the folder it was built in'; fi
