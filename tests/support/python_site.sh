# Sourced after e2e.sh by tests that install into a Python: a real one, with stand-ins of torch and DeepSpeed that
# import in no time, and an op that needs nothing of torch but its libraries' names.

# make_site FOLDER: a virtual environment. Sets $site.
make_site() {
    base=$(command -v python3)
    for base in "$base" "$HOME"/.cache/dsbuild-peers/bin/python3 /usr/bin/python3; do
        "$base" -c 'import os, sysconfig, venv, sys; sys.exit(not os.path.exists(sysconfig.get_paths()["include"] + "/Python.h"))' 2>/dev/null && break
        base=
    done
    [ -n "$base" ] || skip 'no python3 with venv and Python.h'
    "$base" -m venv --without-pip --symlinks "$1"
    site=$("$1/bin/python3" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
    mkdir -p "$site/torch/lib" "$site/torch/include/ATen" "$site/deepspeed/ops" "$site/deepspeed-0.19.8.dist-info"
    # What says of libc10.so which C++ ABI it has.
    g++ -shared -fPIC -x c++ - -Wl,-soname,libc10.so -o "$site/torch/lib/libc10.so" <<'CODE'
#include <string>
namespace c10 {
struct SourceLocation { const char* function; const char* file; unsigned line; };
struct Error { Error(SourceLocation, std::string); };
Error::Error(SourceLocation, std::string) {}
}
CODE
    for library in torch torch_cpu torch_python; do
        echo | g++ -shared -x c++ - -Wl,-soname,lib$library.so -o "$site/torch/lib/lib$library.so"
    done
    printf "__version__ = '2.15.0+cpu'\ncuda = None\nhip = None\n" >"$site/torch/version.py"
    echo '#error C++17 or later compatible compiler is required to use ATen.' >"$site/torch/include/ATen/ATen.h"
    cat >"$site/torch/__init__.py" <<'CODE'
import ctypes, pathlib
from . import version
from .version import __version__
for name in ("c10", "torch", "torch_cpu", "torch_python"):
    ctypes.CDLL(str(pathlib.Path(__file__).parent / "lib" / ("lib%s.so" % name)))
CODE
    printf 'Metadata-Version: 2.1\nName: deepspeed\nVersion: 0.19.8\n' >"$site/deepspeed-0.19.8.dist-info/METADATA"
    : >"$site/deepspeed/ops/__init__.py"
    echo 'from . import git_version_info' >"$site/deepspeed/__init__.py"
    echo 'from .git_version_info_installed import *' >"$site/deepspeed/git_version_info.py"
    cat >"$site/deepspeed/git_version_info_installed.py" <<'CODE'
version='0.19.8'
git_hash='abc'
git_branch='main'
installed_ops={'hello': False, 'other': False}
accelerator_name='cpu'
torch_info={'version': '2.15', 'bf16_support': False, 'cuda_version': '0.0', 'nccl_version': '0.0', 'hip_version': '0.0'}
CODE
}

# make_extension ROOT OP [TEXT]: an op whose module deepspeed.ops.OP_op has the constant `answer`; TEXT is C code that
# its init function begins with.
make_extension() {
    mkdir -p "$1/manifests/ops" "$1/ops/$2"
    cat >"$1/manifests/ops/$2.json" <<MANIFEST
{"schema": 1, "name": "$2", "kind": "python_extension", "summary": "a test", "module": "deepspeed.ops.$2_op",
 "parts": [{"on": {"cpu": "*"}, "binding": ["$2.cpp"]}]}
MANIFEST
    cat >"$1/ops/$2/$2.cpp" <<CODE
#include <Python.h>
#include <csignal>
#define JOIN(a, b) a##b
#define INIT(name) JOIN(PyInit_, name)
#define TEXT(name) #name
#define NAME(name) TEXT(name)
static PyModuleDef definition = {PyModuleDef_HEAD_INIT, NAME(TORCH_EXTENSION_NAME), nullptr, -1};
PyMODINIT_FUNC INIT(TORCH_EXTENSION_NAME)() {
  ${3:-}
  PyObject* module = PyModule_Create(&definition);
  PyModule_AddIntConstant(module, "answer", 42);
  return module;
}
CODE
}
