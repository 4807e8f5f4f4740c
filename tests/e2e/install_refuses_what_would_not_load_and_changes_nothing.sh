#!/bin/sh
# bundle install: what can't be imported, is for another torch, CPU or accelerator, or can't be written there is refused
# with the reason before anything is changed.
. "$(dirname "$0")/../support/e2e.sh"
. "$(dirname "$0")/../support/python_site.sh"
need g++ ninja python3
make_site env
make_extension root hello
make_extension root crash 'raise(SIGILL);'
make_extension root broken 'PyErr_SetString(PyExc_RuntimeError, "no such device"); return nullptr;'
expect 0 "$DSBUILD" build --root root --ops hello,crash,broken --python env
cp -a "$site/deepspeed" before
untouched() {
    find "$site" -name __pycache__ -prune -exec rm -r {} +
    diff -r before "$site/deepspeed" || fail "$* changed something"
}
install() { "$DSBUILD" bundle install "$1" --into deepspeed --python env; }

expect 7 install out/bundle
says stderr 'nothing was installed'
says stderr 'crash: the import was killed by SIGILL'
says stderr 'broken: RuntimeError: no such device'
says_not stderr hello:
untouched 'a module that crashes'

# Each with a bundle.json that asks for something else.
other() {
    rm -rf other
    cp -r out/bundle other
    sed -i "$1" other/bundle.json
}
other 's/"torch": "==2.15"/"torch": "==2.14"/'
expect 7 install other
says stderr 'hello: needs torch ==2.14, and there is 2.15.0+cpu'
other 's/"cxx11_abi": "1"/"cxx11_abi": "0"/'
expect 7 install other
says stderr 'hello: is for a torch with _GLIBCXX_USE_CXX11_ABI=0, and this one has 1'
other 's/"python": "==[0-9.]*"/"python": "==3.99"/'
expect 7 install other
says stderr 'is for Python ==3.99'
other 's/"cpu": "x86-64-v[0-9]"/"cpu": "x86-64-v4"/'
if ! grep -q avx512f /proc/cpuinfo; then
    expect 7 install other
    says stderr 'hello: needs a CPU of x86-64-v4'
fi
other 's/nothing/nothing/'
echo >>"$(echo other/extensions/cpu/deepspeed/ops/hello_op.*.so)"
expect 7 install other
says stderr 'not as bundle.json says'
untouched 'a bundle that does not fit'

# I03: the same for a consumer that is named, wherever it is.
expect 0 "$DSBUILD" bundle verify out/bundle --consumer torch=2.15.0+cpu
expect 7 "$DSBUILD" bundle verify out/bundle --consumer torch=2.2 --consumer glibc=99
says stdout 'hello_op'
says stdout 'needs torch ==2.15, the consumer has 2.2'
says_not stdout glibc
expect 2 "$DSBUILD" bundle verify out/bundle --consumer toch=2.2
says stderr 'no file of the bundle needs a version of toch'
says stderr 'torch'
for word in torch torch=new =2.2; do
    expect 2 "$DSBUILD" bundle verify out/bundle --consumer "$word"
    says stderr "'$word' is no NAME=VERSION"
    says stderr '--consumer torch=2.2'
done

# A record that breaks the import of DeepSpeed is not written.
echo 'raise ImportError("broken without any help")' >>"$site/deepspeed/__init__.py"
expect 7 "$DSBUILD" bundle install out/bundle --into deepspeed --python env --ops hello
says stderr 'import deepspeed: ImportError: broken without any help'
cp before/__init__.py "$site/deepspeed/__init__.py"
untouched 'a DeepSpeed that can not be imported'

# DeepSpeed works with the ops of one accelerator.
sed -i "s/'other': False/'other': True/; s/='cpu'/='cuda'/" "$site/deepspeed/git_version_info_installed.py"
expect 2 "$DSBUILD" bundle install out/bundle --into deepspeed --python env --ops hello
says stderr 'ops for cuda are installed there (other)'
cp before/git_version_info_installed.py "$site/deepspeed/"

expect 2 "$DSBUILD" bundle install out/bundle --into deepspeed --python nowhere
expect 2 "$DSBUILD" bundle install out/bundle --into somewhere --python env

# A folder that can't be written.
mount --bind "$site/deepspeed" "$site/deepspeed" 2>/dev/null || exit 0
code=0
mount -o remount,ro,bind "$site/deepspeed" 2>/dev/null && install out/bundle >stdout 2>stderr || code=$?
umount "$site/deepspeed"
[ $code -eq 6 ] || fail "read-only: exit code $code: $(cat stderr)"
says stderr 'it belongs to root, mode 0755'
untouched 'a read-only folder'
