#!/bin/sh
# A vendor's library that hangs, crashes, refuses or lies is a status of the report, which ends with 0 and tells the rest.
. "$(dirname "$0")/../support/e2e.sh"
fakes=$BUILD/fakes
[ -e "$fakes/lib/libnvidia-ml.so.1" ] || skip 'the fakes are not built'

export DSBUILD_FAKE_MACHINE="$work/fake.json" DSBUILD_PROBE_LIB_DIR="$fakes/lib"
h100='{"address": "0000:17:00.0", "name": {"value": "NVIDIA H100"}, "arch": {"value": "sm_90"},
       "memory": {"value": 85520809984}, "power": {"value": 71500},
       "parts": {"value": [{"id": "MIG 0"}, {"id": "MIG 1"},
         {"id": "MIG 2", "name": {"value": "NVIDIA H100 MIG 1g.10gb"}, "memory": {"value": 10468982784}}]}}'
# fake FAULTS [DEVICES]: the machine file of tests/machines, as far as the library reads it.
fake() {
    cat >fake.json <<END
{"schema": 1, "faults": {"nvidia/nvml": {$1}}, "machine": {"sources": [
  {"id": "nvidia/nvml", "driver_version": {"value": "580.65.06"}, "devices": [${2-$h100}]}]}}
END
}

fake ''
expect 0 "$DSBUILD" report --devices
says stdout '0000:17:00.0 NVIDIA H100 memory 85.5 GB'
says stdout 'power 71.5 W, parts 3; energy, use, processes unknown: not supported by this device'
says stdout 'MIG 2 NVIDIA H100 MIG 1g.10gb memory 10.5 GB'
says stdout 'nvidia/nvml ok driver 580.65.06'
says_not stdout 'a library that prints'
expect 0 "$DSBUILD" report --devices --format json
says stdout '"status": "ok"'

# Without --devices no library is loaded.
fake '"crash": "abort"'
expect 0 "$DSBUILD" report
says_not stdout 'nvidia/nvml'

while IFS='|' read -r fields status said; do
    fake "$fields"
    expect 0 "$DSBUILD" report --devices
    says stdout "nvidia/nvml $status $said"
    says stdout 'toolchains'
done <<'ROWS'
"crash": "abort"|crashed|the process that asked the library ended: killed by signal 6
"crash": "segv"|crashed|the process that asked the library ended: killed by signal 11
"crash": "exit"|crashed|the process that asked the library said nothing
"init_code": 9|driver_not_loaded|the kernel's driver is not loaded (NVML code 9)
"init_code": 18|version_mismatch|the library and the kernel's driver have different versions
"init_code": 4|no_permission|no permission to ask the driver
"init_code": 999|degraded|the library refused (NVML code 999)
"count": 4000000000|degraded|the library counts 4000000000 devices
"unterminated": true|ok|
"hang_ms": 600000|timeout|the library gave no answer within its time limit
ROWS

# The doctor, asked, makes it a finding with what mends it.
fake '"init_code": 18'
expect 1 "$DSBUILD" doctor --devices --strict --accelerators cuda
says stdout 'warning cause nvidia/nvml says version_mismatch'
says stdout 'mend reboot'
expect 0 "$DSBUILD" doctor
says_not stdout 'nvidia/nvml'

# One device that is lost doesn't take the other one with it.
fake '"codes": [15, 0]' "{}, $h100"
expect 0 "$DSBUILD" report --devices
says stdout 'device 0: the GPU has fallen off the bus (NVML code 15)'
says stdout '0000:17:00.0 NVIDIA H100'
says stdout 'nvidia/nvml degraded 1 of 2 devices'

# A driver from before the calls of today.
fake ''
DSBUILD_PROBE_LIB_DIR=$fakes/old expect 0 "$DSBUILD" report --devices
says stdout '0000:17:00.0 NVIDIA H100 memory 85.5 GB'
says stdout 'power, energy, use, parts, processes unknown: this version of the library has no such call'

# A file that is no library, and another root's.
mkdir bad
echo text >bad/libnvidia-ml.so.1
DSBUILD_PROBE_LIB_DIR=$work/bad expect 0 "$DSBUILD" report --devices
says stdout 'nvidia/nvml library_missing'

# A toolkit's stub bears the driver's name, and says that it is a stub.
stub=${CUDA_HOME:-/usr/local/cuda}/lib64/stubs/libcuda.so
if [ -e "$stub" ]; then
    mkdir stub
    ln -s "$stub" stub/libcuda.so.1
    DSBUILD_PROBE_LIB_DIR=$work/stub expect 0 "$DSBUILD" report --devices
    says stdout 'nvidia/cuda stub_library'
    says stdout "it is a toolkit's stub, for linking only (CUDA code 34)"
fi

# Invented devices show what a report of devices looks like.
DSBUILD_DUMMY_DEVICES=2 expect 0 "$DSBUILD" report --devices
says stdout 'DUMMY-1 dummy 1 memory 1.1 GB'
says stdout 'dummy ok'

# Below another root only what the variable names is loaded.
mkdir empty
expect 0 "$DSBUILD" report --devices --sysroot "$work/empty"
says stdout '0000:17:00.0 NVIDIA H100 memory 85.5 GB'
(
    unset DSBUILD_PROBE_LIB_DIR
    expect 0 "$DSBUILD" report --devices --sysroot "$work/empty"
    says stdout 'nvidia/nvml skipped libraries below another root are not loaded'
) || exit 1

# What was recorded is shown elsewhere; whose machine it is stays out of the file.
fake ''
expect 0 "$DSBUILD" report --devices --record recorded.json
expect 0 "$DSBUILD" report --devices --for recorded.json
says stdout 'device sources, as recorded'
says stdout '0000:17:00.0 NVIDIA H100 memory 85.5 GB'
expect 0 "$DSBUILD" report --record plain.json
expect 0 "$DSBUILD" report --devices --for plain.json
says stdout 'not recorded; on that machine: dsbuild report --devices --record FILE'
