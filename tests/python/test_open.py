"""Where a bundle is looked for, and what an open one says of itself."""

import os
import subprocess
import sys

import pytest

import dsops


def test_an_open_bundle_lists_its_ops(bundle, bundle_path):
    assert bundle.path == os.path.realpath(bundle_path)
    assert bundle.ops == ["toy"]
    assert "toy" in dir(bundle)
    assert bundle.accelerators("toy") == ["cpu", "emu"]
    assert repr(bundle) == "<dsops.Bundle %s: toy>" % bundle.path
    assert bundle.toy.__version__ == "1.2.3"
    assert bundle.toy is bundle["toy"]


def test_DSOPS_BUNDLE_names_the_bundle_where_no_path_is_given(bundle_path, monkeypatch):
    monkeypatch.setenv("DSOPS_BUNDLE", str(bundle_path))
    with dsops.open() as opened:
        assert opened.ops == ["toy"]


def test_the_package_inside_a_bundle_opens_that_bundle(bundle_path, tmp_path):
    environment = {"PYTHONPATH": str(bundle_path / "python"), "PATH": os.environ["PATH"]}
    if "LD_PRELOAD" in os.environ:
        environment["LD_PRELOAD"] = os.environ["LD_PRELOAD"]
    program = "import dsops; print(dsops.open().path)"
    result = subprocess.run([sys.executable, "-c", program], env=environment, cwd=str(tmp_path),
                            stdout=subprocess.PIPE, check=True)
    assert result.stdout.decode().strip() == os.path.realpath(bundle_path)


def test_what_is_no_bundle_is_refused_by_its_path(tmp_path, monkeypatch):
    with pytest.raises(dsops.NotFoundError, match="no lib/.*libdsops.so, so it is no bundle"):
        dsops.open(tmp_path)
    with pytest.raises(dsops.NotFoundError, match="/nowhere"):
        dsops.open("/nowhere")
    monkeypatch.delenv("DSOPS_BUNDLE", raising=False)
    with pytest.raises(dsops.NotFoundError, match="DSOPS_BUNDLE is not set"):
        dsops.open()


def test_a_library_that_can_not_be_loaded_is_an_error_with_the_loaders_words(tmp_path):
    import platform

    folder = tmp_path / "lib" / (platform.machine() + "-linux-gnu")
    folder.mkdir(parents=True)
    (folder / "libdsops.so").write_text("not a library")
    with pytest.raises(dsops.Error, match="libdsops.so"):
        dsops.open(tmp_path)


def test_an_op_that_is_not_there_is_an_attribute_error_that_lists_the_others(bundle):
    with pytest.raises(AttributeError, match=r"no op tay in the bundle .* \(it has: toy\)"):
        bundle.tay
    with pytest.raises(dsops.NotFoundError):
        bundle["tay"]
    with pytest.raises(dsops.NotFoundError):
        bundle.accelerators("tay")
    assert not hasattr(bundle, "_repr_html_")


def test_a_closed_bundle_runs_nothing(bundle_path):
    opened = dsops.open(bundle_path)
    axpy = opened.toy.axpy
    opened.close()
    opened.close()
    with pytest.raises(dsops.InvalidError, match="is closed"):
        axpy(None, None)
    with pytest.raises(dsops.InvalidError, match="is closed"):
        opened.accelerators("toy")


def test_the_accelerator_and_its_rule(bundle, monkeypatch):
    assert bundle.accelerator.name == "cpu"
    assert "cpu is always there" in bundle.accelerator.rule
    monkeypatch.setenv("DS_ACCELERATOR", "emu")
    assert bundle.accelerator[:3] == ("emu", 1000, 1)
    assert bundle.accelerator.rule == "DS_ACCELERATOR=emu"
    monkeypatch.setenv("DS_ACCELERATOR", "cuda")
    with pytest.raises(dsops.UnsupportedError, match="cuda: not in this version of libdsops"):
        bundle.accelerator
