#!/bin/sh
# F05: the compiler knows AVX-512 and its assembler doesn't: the levels below are built, and the reason has the assembler's
# words; exit 3 where the level was named. Nothing fails in the middle of a build.
. "$(dirname "$0")/../support/e2e.sh"
need g++ ninja as
[ "$(uname -m)" = x86_64 ] || skip 'not x86-64'

mkdir old
cat >old/as <<SH
#!/bin/sh
for word; do
    case \$word in *.s) input=\$word ;; esac
done
if grep -q zmm "\$input"; then
    echo "Error: no such instruction: \\\`vpxord'" >&2
    exit 1
fi
exec $(command -v as) "\$@"
SH
printf '#!/bin/sh\nexec %s -B"%s/old/" "$@"\n' "$(command -v g++)" "$work" >old/g++
chmod +x old/as old/g++
build() { env CXX="$work/old/g++" "$DSBUILD" build --ops cpu_adam --accelerators cpu "$@"; }

expect 3 build --arch x86-64-v4
says stderr "at $work/old/g++ doesn't make code for x86-64-v4"
says stderr 'no such instruction'
says stderr 'nothing was compiled'
[ ! -e out/build/build.ninja ] || fail 'something was built'

expect 0 build
says stdout "no such instruction: \`vpxord'"
images=out/bundle/images/cpu_adam/cpu
has_file $images/x86-64-v2.so $images/x86-64-v3.so
[ ! -e $images/x86-64-v4.so ] || fail 'v4 was built'
