"""Knows how to make a bundle of the toy op of tests/unit/runtime/toy; CTest names its files.

Does not know what a test expects.
"""

import os
import pathlib
import platform
import shutil
import sys

import pytest

PACKAGE = pathlib.Path(__file__).resolve().parents[2] / "packaging" / "python"
sys.path.insert(0, str(PACKAGE))
sys.dont_write_bytecode = True

TRIPLE = platform.machine() + "-linux-gnu"


@pytest.fixture(scope="session")
def bundle_path(tmp_path_factory):
    """A bundle with toy, libdsops and the Python package."""
    if "DSOPS_TOY_FILES" not in os.environ:
        pytest.skip("DSOPS_TOY_FILES and DSOPS_LIBRARY are not set: run it by ctest -R python")
    files = pathlib.Path(os.environ["DSOPS_TOY_FILES"])
    bundle = tmp_path_factory.mktemp("bundle")
    libraries = bundle / "lib" / TRIPLE
    images = bundle / "images" / "toy"
    for folder in (libraries, images / "cpu", images / "emu"):
        folder.mkdir(parents=True)
    shutil.copy(os.environ["DSOPS_LIBRARY"], libraries / "libdsops.so")
    shutil.copy(files / "toy.so", libraries)
    shutil.copy(files / "emu.so", images / "emu" / (platform.machine() + ".so"))
    for image in list(files.glob("x86-64-v*.so")) + list(files.glob("armv8-a.so")):
        shutil.copy(image, images / "cpu")
    shutil.copytree(PACKAGE / "dsops", bundle / "python" / "dsops")
    return bundle


@pytest.fixture
def bundle(bundle_path, monkeypatch):
    """The bundle, opened, in an environment that chooses nothing."""
    for variable in ("DSOPS_BUNDLE", "DS_ACCELERATOR", "DSOPS_MAX_CPU_LEVEL"):
        monkeypatch.delenv(variable, raising=False)
    import dsops

    with dsops.open(bundle_path) as opened:
        yield opened
