#!/bin/sh
# K11: whatever an nvcc prints, the report says what it was and ends with 0, CPU ops are planned, and CUDA that was named is 3.
. "$(dirname "$0")/../support/e2e.sh"
need g++ ninja

# A toolkit with every part and no file that tells its version.
mkdir -p toolkit/bin toolkit/nvvm/bin toolkit/include/crt toolkit/lib64 bin
touch toolkit/nvvm/bin/cicc toolkit/include/cuda_runtime.h toolkit/lib64/libcudart.so toolkit/bin/ptxas
echo '#if __GNUC__ > 15' >toolkit/include/crt/host_config.h
for tool in g++ as ld ninja sh; do ln -s "$(command -v $tool)" bin/; done
# Named by CUDA_HOME, so that no other toolkit of this machine comes in its place.
there() { env PATH="$work/bin:/bin" CUDA_HOME="$work/toolkit" "$DSBUILD" "$@"; }
nvcc() {
    printf '#!/bin/sh\n%s\n' "$1" >toolkit/bin/nvcc
    chmod +x toolkit/bin/nvcc toolkit/bin/ptxas toolkit/nvvm/bin/cicc
}

while IFS='|' read -r what prints said; do
    nvcc "$prints"
    expect 0 there report
    says stdout "$said" || fail "$what"
    expect 0 there report --format json
    expect 0 there plan --ops cpu_adam --accelerators cpu
    expect 3 there plan --ops fused_adam --accelerators cuda
    says stderr "$work/toolkit/bin/nvcc"
done <<'ROWS'
HIP|echo "HIP version: 5.2.21153"|version not understood: HIP version: 5.2.21153
nothing|:|version not understood: it said nothing
status 1|echo "nvcc fatal: no licence"; exit 1|exit status 1: nvcc fatal: no licence
garbage|head -c 4000 /dev/urandom|version not understood
no shell could run it|exit 127|version not understood
killed|kill -9 $$|version not understood
ROWS

# Warnings first, and a minor of two digits, are no trouble.
nvcc 'echo "nvcc warning: something"
case $1 in --list-gpu-arch) echo compute_90; echo compute_100 ;; *) echo "Cuda compilation tools, release 12.10, V12.10.7" ;; esac'
expect 0 there report
says stdout 'nvcc 12.10.7 complete'
expect 0 there plan --ops fused_adam --accelerators cuda
says stdout 'sm_90 sm_100 sm_100+ptx'
