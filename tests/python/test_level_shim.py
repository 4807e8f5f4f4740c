"""Knows the shim that stands for an extension of several CPU levels, and makes extensions up: a C file that says its level.

Does not know which levels this CPU has: /proc/cpuinfo is replaced.
"""

import importlib.machinery
import pathlib
import shutil
import subprocess
import sys
import sysconfig

import pytest

SHIM = pathlib.Path(__file__).resolve().parents[2] / "packaging" / "python" / "level_shim.py"
SUFFIX = importlib.machinery.EXTENSION_SUFFIXES[0]
V2 = "sse4_2 ssse3 popcnt cx16"
V3 = V2 + " avx2 bmi1 bmi2 f16c fma abm movbe"
V4 = V3 + " avx512f avx512bw avx512cd avx512dq avx512vl"

SOURCE = """
#define PY_SSIZE_T_CLEAN
#include <Python.h>
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "adam", LEVEL, -1, 0, 0, 0, 0, 0};
PyMODINIT_FUNC PyInit_adam(void) { return PyModule_Create(&module); }
"""

# Imports the shim with another /proc/cpuinfo, and says what it became.
IMPORT = """
import builtins, io, sys
real = builtins.open
def pretended(path, *args, **kwargs):
    return io.StringIO(sys.argv[2]) if path == "/proc/cpuinfo" else real(path, *args, **kwargs)
builtins.open = pretended
sys.path.insert(0, sys.argv[1])
try:
    import pkg.adam
except ImportError as error:
    sys.exit(f"ImportError: {error}")
import pkg
assert sys.modules["pkg.adam"] is pkg.adam
assert pkg.adam.__name__ == "pkg.adam", pkg.adam.__name__
print(pkg.adam.__doc__, pkg.adam.__file__)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A package with the shim, and with extensions for v2 and v4."""
    header = pathlib.Path(sysconfig.get_paths()["include"]) / "Python.h"
    if shutil.which("gcc") is None or not header.exists():
        pytest.skip(f"no gcc, or no {header}")
    root = tmp_path_factory.mktemp("levels")
    package = root / "pkg"
    package.mkdir()
    (package / "__init__.py").touch()
    shutil.copy(SHIM, package / "adam.py")
    (root / "adam.c").write_text(SOURCE)
    for level in ("x86-64-v2", "x86-64-v4"):
        subprocess.run(["gcc", "-shared", "-fPIC", f"-I{header.parent}", f'-DLEVEL="{level}"', root / "adam.c",
                        "-o", package / f"adam.{level}{SUFFIX}"], check=True)
    return root


def import_with(folder, flags):
    """What the import says on a CPU with these flags."""
    child = subprocess.run([sys.executable, "-c", IMPORT, folder, f"processor\t: 0\nflags\t\t: fpu {flags}\n"],
                           capture_output=True, text=True, check=False)
    return child.stdout + child.stderr


@pytest.mark.parametrize("flags, level", [(V2, "x86-64-v2"), (V3, "x86-64-v2"), (V4, "x86-64-v4")])
def test_it_becomes_the_best_level_that_the_cpu_has(folder, flags, level):
    assert import_with(folder, flags).startswith(f"{level} {folder / 'pkg' / f'adam.{level}{SUFFIX}'}")


def test_a_cpu_of_no_level_is_told_what_is_here(folder):
    said = import_with(folder, "sse2")
    assert "built for x86-64-v4, x86-64-v2, and this CPU is none of them" in said


def test_a_shim_whose_files_are_gone_says_so(folder, tmp_path):
    package = tmp_path / "pkg"
    package.mkdir()
    (package / "__init__.py").touch()
    shutil.copy(SHIM, package / "adam.py")
    assert "built for no level" in import_with(tmp_path, V4)
