#!/bin/sh
# P05: a TMPDIR that can't be used is 6 and names the variable; nvcc without a host compiler is 3 and names what it needs; a
# compiler that goes away in mid-build is an honest failure.
. "$(dirname "$0")/../support/e2e.sh"
need g++ ninja

make_root root able
for folder in "$work/nowhere" "$work/root/manifests/ops/able.json"; do
    expect 6 env TMPDIR="$folder" "$DSBUILD" build --root root --ops able
    says stderr "TMPDIR $folder"
    says stderr 'leave it unset'
done
[ ! -e out ] || fail 'something was made'
expect 0 env TMPDIR= "$DSBUILD" build --root root --ops able --dry-run

if command -v nvcc >/dev/null; then
    mkdir bin
    for tool in ninja sh; do ln -s "$(command -v $tool)" bin/; done
    toolkit=$(dirname "$(dirname "$(readlink -f "$(command -v nvcc)")")")
    expect 3 env PATH="$work/bin" "$DSBUILD" build --ops fused_adam --accelerators cuda --toolkit nvcc="$toolkit"
    says stderr 'host compiler'
    [ ! -e out ] || fail 'something was made'
fi

# The compiler is there for the plan and the canaries, and gone when the step runs.
mkdir gone
for tool in as ld ninja sh; do ln -s "$(command -v $tool)" gone/; done
real=$(command -v g++)
cat >gone/g++ <<GPP
#!/bin/sh
case "\$*" in
*able.cpp*) rm -f "$work/gone/as"; exec "$work/gone/nothing" ;;
*) exec "$real" "\$@" ;;
esac
GPP
chmod +x gone/g++
expect 1 env PATH="$work/gone:/bin" CUDA_HOME='' "$DSBUILD" build --root root --ops able
says stderr "$work/gone/nothing"
says stderr 'exit status 127'
[ ! -e out/bundle ] || fail 'a bundle was published'
