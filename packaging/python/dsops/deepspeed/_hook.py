"""Puts `dsbuild load` in the place of the builders' jit_load.

Knows DeepSpeed's builder classes and dsbuild's command line; nothing of how ops are built.
"""

import functools
import importlib
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import warnings

_ORIGINAL = "_dsops_original_jit_load"
_PREBUILT = "--require-prebuilt"


class _Unable(Exception):
    """Why dsbuild gives no module."""


def hook(dsbuild=None, options=()):
    """Lets every builder of the present accelerator load by dsbuild.

    `dsbuild`: the program; that of the variable DSBUILD, else the one on PATH. `options` are passed
    on to `dsbuild load`, such as ("--cache", "/fast/disk"); with "--require-prebuilt" nothing is ever
    compiled: what dsbuild doesn't give is a RuntimeError. A second call replaces the first.
    """
    unhook()
    for builder in _builders():
        own = builder.__dict__.get("jit_load")
        if own is None:
            continue
        setattr(builder, _ORIGINAL, own)
        builder.jit_load = _replacement(own, dsbuild, tuple(options))


def unhook():
    """Gives the builders their own jit_load back."""
    for builder in _builders():
        if _ORIGINAL in builder.__dict__:
            builder.jit_load = builder.__dict__[_ORIGINAL]
            delattr(builder, _ORIGINAL)


def _builders():
    """The base class of all builders and everything below it."""
    from deepspeed.accelerator import get_accelerator

    folder = get_accelerator().op_builder_dir()
    importlib.import_module(folder)  # brings the classes of this accelerator
    # In a checkout the top folder `op_builder` is a second copy of all classes.
    names = {folder.split(".op_builder")[0] + ".op_builder" if ".op_builder" in folder else folder.split(".")[0]}
    names.add("deepspeed.ops.op_builder")
    found = []
    for name in sorted(names):
        module = sys.modules.get(name + ".builder")
        waiting = [module.OpBuilder] if module else []
        while waiting:
            builder = waiting.pop()
            if builder not in found:
                found.append(builder)
                waiting.extend(builder.__subclasses__())
    return found


def _replacement(original, dsbuild, options):
    @functools.wraps(original)
    def jit_load(self, verbose=True):
        try:
            module = _import(self.absolute_name(), _find(self, dsbuild, options, verbose))
        except _Unable as reason:
            if _PREBUILT in options:
                raise RuntimeError("dsbuild: %s: %s" % (self.name, reason)) from None
            _warn_once("%s: %s; DeepSpeed builds it itself" % (self.name, reason))
            return original(self, verbose)
        type(self)._loaded_ops[self.name] = module
        return module

    return jit_load


def _find(builder, dsbuild, options, verbose):
    """The path of the module. Raises _Unable with the reason: the last line of stderr, or all of it."""
    program = dsbuild or os.environ.get("DSBUILD") or shutil.which("dsbuild")
    if not program:
        raise _Unable("dsbuild is not on PATH, and DSBUILD names none")
    command = [program, "load", builder.name, "--source", str(_source_tree()), "--python", sys.executable]
    command += ["--accelerators", _accelerator(), *options]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    except OSError as error:
        raise _Unable("%s: %s" % (program, error.strerror)) from None
    if verbose and done.stderr:
        sys.stderr.write(done.stderr)
    lines = done.stdout.split("\n")
    if done.returncode == 0 and lines[0]:
        return lines[0]
    if not verbose:
        sys.stderr.write(done.stderr)
    said = [line for line in done.stderr.splitlines() if line.strip()]
    if not said:
        said = ["dsbuild ended with %d" % done.returncode]
    raise _Unable("\n".join(said) if _PREBUILT in options else said[-1].strip())


def _source_tree():
    """The folder of packages or the checkout that DeepSpeed is imported from."""
    import deepspeed

    return pathlib.Path(deepspeed.__file__).resolve().parent.parent


def _accelerator():
    """dsbuild's name of the accelerator that DeepSpeed uses: it calls ROCm cuda, as torch does."""
    import torch
    from deepspeed.accelerator import get_accelerator

    name = get_accelerator()._name
    return "rocm" if name == "cuda" and getattr(torch.version, "hip", None) else name


def _import(name, path):
    """Under the name that DeepSpeed imports prebuilt ops by, which is that of its init function."""
    if name in sys.modules and getattr(sys.modules[name], "__file__", None) == path:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    try:
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    except ImportError as error:
        raise _Unable(str(error)) from None
    sys.modules[name] = module
    return module


@functools.lru_cache(maxsize=None)
def _warn_once(text):
    warnings.warn("dsbuild: " + text, RuntimeWarning, stacklevel=4)
