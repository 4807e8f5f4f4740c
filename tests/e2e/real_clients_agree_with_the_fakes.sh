#!/bin/sh
# Programs that others wrote (NVIDIA's Python client of NVML, CUDA's device query, AMD's rocm-smi) read from the fakes what
# the machine file says: the fakes have the vendors' calls as these really are.
. "$(dirname "$0")/../support/e2e.sh"
need python3
fakes=$BUILD/fakes/lib
[ -e "$fakes/libnvidia-ml.so.1" ] || skip 'the fakes are not built'
asked=

clients=${DSBUILD_CLIENTS:-${XDG_CACHE_HOME:-$HOME/.cache}/dsbuild-clients}
if [ -x "$clients/bin/python" ]; then
    cat >nvml.py <<'END'
import json, sys
from pynvml import *
machine = json.load(open(sys.argv[1]))["machine"]
source = machine["sources"][0]
nvmlInit()
said = [nvmlSystemGetDriverVersion(), nvmlDeviceGetCount()]
given = [source["driver_version"]["value"], len(source["devices"])]
for i, device in enumerate(source["devices"]):
    handle = nvmlDeviceGetHandleByIndex(i)
    pci = nvmlDeviceGetPciInfo(handle)
    arch = "sm_%d%d" % nvmlDeviceGetCudaComputeCapability(handle)
    parts = [nvmlDeviceGetMigDeviceHandleByIndex(handle, part) for part in range(len(device["parts"]["value"]))]
    said.append([pci.busId[4:], "10de:%04x" % (pci.pciDeviceId >> 16), nvmlDeviceGetName(handle), arch, nvmlDeviceGetUUID(handle),
                 nvmlDeviceGetMemoryInfo(handle).total, nvmlDeviceGetPowerUsage(handle), nvmlDeviceGetTotalEnergyConsumption(handle),
                 nvmlDeviceGetUtilizationRates(handle).gpu, nvmlDeviceGetMigMode(handle)[0], len(set(str(part) for part in parts))])
    given.append([device["address"], machine["devices"][i]["id"]] +
                 [device[key]["value"] for key in ("name", "arch", "uuid", "memory", "power", "energy", "utilization")] +
                 [1, len(device["parts"]["value"])])
assert len(said) > 2 and said == given, (said, given)
END
    expect 0 env LD_LIBRARY_PATH="$fakes" DSBUILD_FAKE_MACHINE="$SOURCE/tests/machines/a100_mig.json" \
        "$clients/bin/python" nvml.py "$SOURCE/tests/machines/a100_mig.json"
    asked="$asked nvidia-ml-py"
else
    echo "not asked: nvidia-ml-py, not at $clients (scripts/clients makes it)"
fi

query=${CUDA_HOME:-/usr/local/cuda}/bin/__nvcc_device_query
if [ -x "$query" ]; then
    expect 0 env LD_LIBRARY_PATH="$fakes" DSBUILD_FAKE_MACHINE="$SOURCE/tests/machines/t4_and_a100.json" "$query"
    says stdout 75
    says stdout 80
    asked="$asked __nvcc_device_query"
else
    echo "not asked: $query, there is none"
fi

# rocm-smi looks for its library beside itself, and for a driver in /sys, by cat.
rocm_smi=/usr/libexec/rocm_smi
if [ -e "$rocm_smi/rocm_smi.py" ]; then
    mkdir -p usr/lib usr/libexec bin
    cp -r "$rocm_smi" usr/libexec/
    ln -s "$fakes/librocm_smi64.so.1" usr/lib/
    printf '#!/bin/sh\ncase $1 in */amdgpu/initstate) echo live ;; *) exec /bin/cat "$@" ;; esac\n' >bin/cat
    chmod +x bin/cat
    cat >amd.json <<'END'
{"schema": 1, "machine": {
  "devices": [{"accelerator": "rocm", "address": "0000:c1:00.0", "id": "1002:740c"}],
  "sources": [{"id": "amd/rocm_smi", "driver_version": {"value": "6.14.14"}, "devices": [
    {"accelerator": "rocm", "address": "0000:c1:00.0", "uuid": {"value": "GPU-5f1ce0d2a9b34c77"},
     "memory": {"value": 68702699520}, "memory_used": {"value": 1073741824}, "energy": {"value": 123456}}]}]}}
END
    while IFS='|' read -r option said; do
        # shellcheck disable=SC2086
        expect 0 env PATH="$work/bin:$PATH" DSBUILD_FAKE_MACHINE="$work/amd.json" \
            python3 usr/libexec/rocm_smi/rocm_smi.py $option --json
        says stdout "$said"
    done <<'ROWS'
--showid|"GPU ID": "0x740c"
--showbus|"PCI Bus": "0000:C1:00.0"
--showuniqueid|"Unique ID": "0x5f1ce0d2a9b34c77"
--showmeminfo vram|"VRAM Total Memory (B)": "68702699520", "VRAM Total Used Memory (B)": "1073741824"
--showenergycounter|"Accumulated Energy (uJ)": "123456000.0"
ROWS
    asked="$asked rocm-smi"
else
    echo "not asked: rocm-smi (apt-get install rocm-smi)"
fi
[ -n "$asked" ] || skip 'none of these programs is on this machine'
