"""Ops of DeepSpeed as dsbuild built them: a package of its own beside DeepSpeed, none of whose files it changes.

`ops.json` says what is here, for which torch and which CUDA. A line in a .pth file calls `connect()` when Python starts;
it only puts a finder in place, which is asked when DeepSpeed imports its record or one of the ops.
Knows DeepSpeed's record and its names; nothing of how ops are built. This file is read whenever Python starts,
so it imports what it needs only when DeepSpeed is imported.
"""

import sys

_RECORD = "deepspeed.git_version_info_installed"
_NEEDED = {"version": "0.0.0", "git_hash": "[none]", "git_branch": "[none]", "installed_ops": {}, "accelerator_name": "", "torch_info": {}}


def connect():
    """Lets DeepSpeed find the ops. A second call does nothing."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


class _Finder:
    """Answers for DeepSpeed's record and for the ops' modules; everything else is found as ever."""

    def __init__(self):
        self._ops = None

    def find_spec(self, name, path=None, target=None):
        if not name.startswith("deepspeed."):
            return None
        import importlib.util
        import json
        import pathlib

        here = pathlib.Path(__file__).resolve().parent
        if self._ops is None:
            self._ops = json.loads((here / "ops.json").read_text())
        if name == _RECORD:
            return _record_spec(name, path, self._ops)
        file = self._ops["modules"].get(name)
        return importlib.util.spec_from_file_location(name, here / file) if file else None


class _RecordLoader:
    """Runs DeepSpeed's own record, where there is one, then adds the ops."""

    def __init__(self, own, ops):
        self._own = own
        self._ops = ops

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        import warnings

        if self._own is not None:
            self._own.loader.exec_module(module)
        else:
            module.version = _version()
        for name, usual in _NEEDED.items():
            module.__dict__.setdefault(name, usual)
        torch_info = _torch_info()
        reason = _reason_against(module, torch_info, self._ops)
        if reason:
            warnings.warn("deepspeed_ops_dsbuild: its ops are left out: " + reason, RuntimeWarning, stacklevel=2)
            return
        module.installed_ops = dict(module.installed_ops, **{op: True for op in self._ops["ops"]})
        module.accelerator_name = self._ops["accelerator"]
        # 0.0: DeepSpeed asks when it needs to know.
        module.torch_info = {"nccl_version": "0.0", "bf16_support": False, **module.torch_info, **torch_info}


def _record_spec(name, path, ops):
    import importlib.machinery
    import importlib.util

    own = importlib.machinery.PathFinder.find_spec(name, path)
    return importlib.util.spec_from_loader(name, _RecordLoader(own, ops), origin=own.origin if own else None)


def _version():
    import importlib.metadata

    try:
        return importlib.metadata.version("deepspeed")
    except importlib.metadata.PackageNotFoundError:
        return "0.0.0"


def _reason_against(record, torch_info, ops):
    claimed = [op for op, there in record.installed_ops.items() if there]
    if claimed and record.accelerator_name != ops["accelerator"]:
        return "DeepSpeed was installed with ops for %s, and these are for %s" % (record.accelerator_name, ops["accelerator"])
    if torch_info["version"] != ops["torch"]:
        return "they are for torch %s, and there is %s" % (ops["torch"], torch_info["version"])
    for name, title in (("cuda", "CUDA"), ("hip", "HIP")):
        there = torch_info[name + "_version"]
        # A runtime library of another major release has another name.
        if name in ops and ops[name] != there.split(".")[0]:
            return "they are for %s %s, and torch has %s" % (title, ops[name], "none" if there == "0.0" else there)
    return ""


def _torch_info():
    """As DeepSpeed's setup writes it. torch is loaded already when DeepSpeed is imported."""
    import torch

    def two(version):
        return ".".join(version.split("+")[0].split(".")[:2]) if version else "0.0"

    return {"version": two(torch.__version__), "cuda_version": two(torch.version.cuda), "hip_version": two(torch.version.hip)}
