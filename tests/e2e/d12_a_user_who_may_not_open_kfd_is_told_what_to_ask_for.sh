#!/bin/sh
# D12: a plain user who may not open /dev/kfd is told so, and which groups to ask for, by report and doctor; what is named is planned all the same.
. "$(dirname "$0")/../support/e2e.sh"

case $(id -u) in
0) need setpriv && plain() { setpriv --reuid 65534 --regid 65534 --clear-groups env DSBUILD_CACHE_DIR="$work/plain" "$@"; } ;;
*) plain() { env DSBUILD_CACHE_DIR="$work/plain" "$@"; } ;;
esac
chmod 755 "$work"
mkdir -m 777 plain
plain "$DSBUILD" --version >/dev/null 2>&1 || skip "a plain user can't run $DSBUILD"

# An MI210 whose driver works, and compilers that answer.
card=root/sys/bus/pci/devices/0000:c1:00.0
node=root/sys/class/kfd/kfd/topology/nodes/1
mkdir -p "$card" root/sys/bus/pci/drivers/amdgpu "$node" root/dev root/usr/bin root/lib64
echo 0x1002 >"$card/vendor"
echo 0x740f >"$card/device"
echo 0x038000 >"$card/class"
ln -s ../../drivers/amdgpu "$card/driver"
printf 'gfx_target_version 90010\nvendor_id 4098\nlocation_id 49408\ndomain 0\n' >"$node/properties"
: >root/dev/kfd
chmod 000 root/dev/kfd
: >root/lib64/ld-linux-x86-64.so.2
printf '#!/bin/sh\necho 12.2.0\n' >root/usr/bin/g++
cat >root/usr/bin/clang++ <<'CLANG'
#!/bin/sh
case $1 in
--version) echo 'clang version 19.1.7' ;;
--print-supported-cpus) printf 'Available CPUs for this target:\n\n\tgfx90a\n' ;;
esac
CLANG
: >root/usr/bin/ld.lld
chmod +x root/usr/bin/*
export PATH="/usr/bin:/bin"

expect 0 plain "$DSBUILD" report --sysroot root
says stdout "0000:c1:00.0: this user can't open /dev/kfd; add the user to the groups render and video"
expect 0 plain "$DSBUILD" report --sysroot root --devices
says stdout "amd/kfd no_permission this user can't open /dev/kfd; add the user to the groups render and video"
says stdout 'amd/pci ok' # the driver is there
expect 0 plain "$DSBUILD" doctor --sysroot root
says stdout "the device 1002:740f at 0000:c1:00.0: this user can't open /dev/kfd"
says stdout 'mend add the user to the groups render and video'
says_not stdout "install its vendor's driver"

for arch in gfx90a rocm:native; do
    expect 0 plain "$DSBUILD" plan --sysroot root --ops fused_adam --accelerators rocm --arch "$arch"
    says stdout gfx90a
done

chmod 666 root/dev/kfd
expect 0 plain "$DSBUILD" report --sysroot root
says stdout gfx90a
says_not stdout "can't open"
