"""dsops.deepspeed with a DeepSpeed and a dsbuild of the test's own: small files that act like them."""

import os
import pathlib
import subprocess
import sys
import sysconfig
import textwrap

import pytest

PACKAGE = pathlib.Path(__file__).resolve().parents[2] / "packaging" / "python"


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(textwrap.dedent(text))


@pytest.fixture
def site(tmp_path):
    """A folder of packages: what the hook touches of torch and deepspeed, and no more."""
    folder = tmp_path / "site"
    write(folder / "torch/__init__.py", "class version:\n    hip = None\n")
    write(folder / "deepspeed/__init__.py", "")
    write(
        folder / "deepspeed/accelerator.py",
        """
        class Cpu:
            _name = "cpu"
            def op_builder_dir(self):
                return "deepspeed.ops.op_builder.cpu"
        def get_accelerator():
            return Cpu()
        """,
    )
    write(folder / "deepspeed/ops/__init__.py", "")
    write(folder / "deepspeed/ops/op_builder/__init__.py", "from . import builder\n")
    write(
        folder / "deepspeed/ops/op_builder/builder.py",
        """
        class OpBuilder:
            _loaded_ops = {}
            name = "toy"
            def absolute_name(self):
                return "deepspeed.ops.toy.toy_op"
            def load(self, verbose=False):
                if self.name in __class__._loaded_ops:
                    return __class__._loaded_ops[self.name]
                return self.jit_load(verbose)
            def jit_load(self, verbose=True):
                return "built by DeepSpeed"
        """,
    )
    write(
        folder / "deepspeed/ops/op_builder/cpu/__init__.py",
        """
        from ..builder import OpBuilder
        class Toy(OpBuilder):
            pass
        class Other(OpBuilder):
            name = "other"
            def jit_load(self, verbose=True):
                return "built by Other"
        """,
    )
    return folder


def fake_dsbuild(folder, body):
    program = folder / "dsbuild"
    write(program, "#!%s\nimport sys\n" % sys.executable + textwrap.dedent(body))
    program.chmod(0o755)
    return program


def run(site, program, code):
    environment = dict(os.environ, PYTHONPATH="%s:%s" % (site, PACKAGE), DSBUILD=str(program))
    text = "from deepspeed.ops.op_builder.cpu import Toy, Other\nimport dsops.deepspeed as d\n" + textwrap.dedent(code)
    return subprocess.run([sys.executable, "-c", text], env=environment, capture_output=True, text=True)


def toy_module(folder):
    """A real extension module whose init function is PyInit_toy_op."""
    source = folder / "toy.c"
    write(
        source,
        """
        #include <Python.h>
        static struct PyModuleDef toy = {PyModuleDef_HEAD_INIT, "toy_op", 0, -1, 0, 0, 0, 0, 0};
        PyMODINIT_FUNC PyInit_toy_op(void) {
          PyObject* module = PyModule_Create(&toy);
          PyModule_AddIntConstant(module, "answer", 42);
          return module;
        }
        """,
    )
    path = folder / "toy_op.so"
    include = sysconfig.get_paths()["include"]
    if not (pathlib.Path(include) / "Python.h").exists():
        pytest.skip("no Python.h")
    subprocess.run(["cc", "-shared", "-fPIC", "-I" + include, str(source), "-o", str(path)], check=True)
    return path


def test_load_takes_the_module_that_dsbuild_prints(site, tmp_path):
    module = toy_module(tmp_path)
    log = tmp_path / "log"
    program = fake_dsbuild(tmp_path, "open(%r, 'a').write(repr(sys.argv[1:]) + chr(10))\nprint(%r)\n" % (str(log), str(module)))
    done = run(site, program, "d.hook(options=('--cache', 'C'))\nprint(Toy().load().answer, Toy().load().__name__)")
    assert done.stdout == "42 deepspeed.ops.toy.toy_op\n", done.stderr
    assert done.stderr == ""
    calls = log.read_text().splitlines()
    wanted = ["load", "toy", "--source", str(site), "--python", sys.executable, "--accelerators", "cpu", "--cache", "C"]
    assert calls == [repr(wanted)]  # loaded once, then remembered by DeepSpeed


def test_a_builder_with_a_way_of_its_own_is_hooked_too_and_unhook_gives_it_back(site, tmp_path):
    module = toy_module(tmp_path)
    program = fake_dsbuild(tmp_path, "print(%r)\n" % str(module))
    done = run(site, program, "d.hook()\nd.hook()\nprint(Other().load().answer)\nd.unhook()\nOther._loaded_ops.clear()\nprint(Other().load(), Toy().load())")
    assert done.stdout == "42\nbuilt by Other built by DeepSpeed\n", done.stderr


def test_what_dsbuild_cant_do_deepspeed_does_with_one_warning_that_says_why(site, tmp_path):
    program = fake_dsbuild(tmp_path, "sys.stderr.write('dsbuild: no compiler here\\n')\nsys.exit(3)\n")
    done = run(site, program, "d.hook()\nprint(Toy().load())\nprint(Toy().load())")
    assert done.stdout == "built by DeepSpeed\nbuilt by DeepSpeed\n"
    assert done.stderr.count("RuntimeWarning: dsbuild: toy: dsbuild: no compiler here") == 1


def test_where_prebuilt_ops_are_required_a_miss_is_an_error_and_nothing_is_built(site, tmp_path):
    program = fake_dsbuild(tmp_path, "sys.stderr.write('dsbuild: /c: no prebuilt toy\\n  /c/toy-1 has torch 2.14\\n')\nsys.exit(4)\n")
    done = run(site, program, "d.hook(options=['--require-prebuilt'])\ntry:\n    print(Toy().load())\nexcept RuntimeError as error:\n    print(error)")
    assert done.stdout == "dsbuild: toy: dsbuild: /c: no prebuilt toy\n  /c/toy-1 has torch 2.14\n", done.stderr
    done = run(site, tmp_path / "nothing", "d.hook(options=['--require-prebuilt'])\nToy().load()")
    assert done.returncode == 1 and "RuntimeError: dsbuild: toy: " in done.stderr


def test_without_a_dsbuild_deepspeed_builds_and_the_warning_says_so(site, tmp_path):
    done = run(site, tmp_path / "nothing", "d.hook()\nprint(Toy().load())")
    assert done.stdout == "built by DeepSpeed\n"
    assert "No such file or directory" in done.stderr


def test_a_module_that_cant_be_imported_is_no_end(site, tmp_path):
    (tmp_path / "bad.so").write_text("no ELF")
    program = fake_dsbuild(tmp_path, "print(%r)\n" % str(tmp_path / "bad.so"))
    done = run(site, program, "d.hook()\nprint(Toy().load())")
    assert done.stdout == "built by DeepSpeed\n"
    assert "RuntimeWarning" in done.stderr
