#!/bin/sh
# scripts/gpu-check holds what dsbuild says of each GPU against nvidia-smi and lspci; what differs ends it with 1.
. "$(dirname "$0")/../support/e2e.sh"
need python3

# A dsbuild that tells of one H100, and the other programs, as scripts.
mkdir bin
cat >report.json <<'E2'
{"machine": {
  "devices": [{"accelerator": "cuda", "address": "0000:17:00.0", "id": "10de:2330", "arch": {"value": "sm_90"}, "memory": {"reason": "no driver"},
               "driver_version": {"value": "580.65.06"}}],
  "sources": [{"id": "nvidia/nvml", "status": "ok", "message": "", "devices": [
    {"address": "0000:17:00.0", "name": {"value": "NVIDIA H100 80GB HBM3"}, "uuid": {"value": "GPU-1"}, "arch": {"value": "sm_90"}, "memory": {"value": 85520809984}}]}]}}
E2
printf '#!/bin/sh\ncat "%s/report.json"\n' "$work" >bin/dsbuild
printf '#!/bin/sh\necho "00000000:17:00.0, NVIDIA H100 80GB HBM3, GPU-1, ${CAPABILITY:-9.0}, 81559, 580.65.06"\n' >bin/nvidia-smi
printf '#!/bin/sh\necho "0000:17:00.0 0302: 10de:2330 (rev a1)"\n' >bin/lspci
chmod +x bin/*
check() { env PATH="$work/bin:$PATH" "$@" "$SOURCE/scripts/gpu-check" --dsbuild bin/dsbuild; }

expect 0 check env
says stdout 'nvidia/nvml: ok'
says stdout 'ok 0000:17:00.0 id: lspci 10de:2330; dsbuild 10de:2330'
says stdout 'ok 0000:17:00.0 arch: nvidia-smi sm_90; dsbuild sm_90'
expect 1 check env CAPABILITY=8.9
says stdout 'DIFFERS 0000:17:00.0 arch: nvidia-smi sm_89; nvidia/nvml sm_90'
printf '#!/bin/sh\necho "{\\"machine\\": {\\"devices\\": []}}"\n' >bin/dsbuild
expect 3 check env
says stdout 'nothing to compare'
