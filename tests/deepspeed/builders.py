#!/usr/bin/env python3
"""Prints as JSON what each of DeepSpeed's own op builders answers, method by method.

    builders.py ROOT ACCELERATOR

ROOT is a checkout (or an unpacked source archive), or the folder that holds the installed package. The
builders are the real ones, run as its own setup would run them ahead of time; only what a builder asks
of a part that this machine lacks is answered by a stand-in: a vendor's Python module, a torch for ROCm
or XPU. ACCELERATOR is DeepSpeed's word for it, or `rocm`: its folder `cuda` under a torch for ROCm.
"""
import contextlib
import importlib
import importlib.machinery
import io
import json
import os
import sys
import types

STANDINS = {  # packages that only the vendor's own wheels bring
    "xpu": ["intel_extension_for_pytorch"],
    "npu": ["torch_npu"],
    "sdaa": ["torch_sdaa"],
    "mlu": ["torch_mlu"],
    "supa": ["torch_supa"],
    "klxpu": ["torch_klxpu", "torch_xmlir"],
    "hpu": ["habana_frameworks"],
}


class StandIn(types.ModuleType):
    """A module that has every name, each of them callable and yes to every question."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return StandIn(f"{self.__name__}.{name}")

    def __call__(self, *args, **kwargs):
        return self

    def __bool__(self):
        return True


class StandInFinder:
    """Imports every module of some packages as a stand-in."""

    def __init__(self, packages):
        self.packages = packages

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] not in self.packages:
            return None
        return importlib.machinery.ModuleSpec(name, self, origin=f"/stand-in/{name.split('.')[0]}/__init__.py", is_package=True)

    def create_module(self, spec):
        module = StandIn(spec.name)
        module.__file__ = spec.origin
        return module

    def exec_module(self, module):
        pass


def prepare(accelerator):
    """The stand-ins of `accelerator`, before anything of DeepSpeed is imported."""
    import torch
    import torch.utils.cpp_extension
    sys.meta_path.insert(0, StandInFinder(STANDINS.get(accelerator, [])))
    if accelerator in STANDINS and not hasattr(torch, accelerator):
        setattr(torch, accelerator, StandIn(f"torch.{accelerator}"))
        sys.modules[f"torch.{accelerator}"] = getattr(torch, accelerator)
    if accelerator in ("cuda", "rocm") and not torch.cuda.is_available():
        device = types.SimpleNamespace(major=8, minor=0)  # older builders ask for device 0
        torch.cuda.get_device_properties = lambda *_: device
        torch.cuda.get_device_capability = lambda *_: (device.major, device.minor)
    if accelerator == "xpu":
        torch.xpu.is_available = lambda: True
    if accelerator == "mps":
        torch.mps.current_allocated_memory = lambda: 0
    if accelerator == "rocm":
        torch.version.hip = "6.2.41133"
        torch.utils.cpp_extension.ROCM_HOME = "/opt/rocm"
        torch.utils.cpp_extension.CUDA_HOME = None
        torch.__version__ = torch.__version__.split("+")[0] + "+rocm6.2"


def answer(builder, method):
    """What `method` of `builder` returns, or {"error": the exception's text}."""
    try:
        value = getattr(builder, method)()
    except Exception as error:  # noqa: BLE001: theirs to raise, ours to record
        return {"error": f"{type(error).__name__}: {error}"}
    return [item for item in value if item] if isinstance(value, (list, tuple)) else value


METHODS = ("absolute_name", "sources", "include_paths", "cxx_args", "nvcc_args", "extra_ldflags",
           "libraries_args", "is_compatible")


def record(builder):
    # nvcc_args decides the archs and with them bf16: it comes before what reads that.
    arch_list = os.environ.get("TORCH_CUDA_ARCH_LIST")
    found = {method: answer(builder, method) for method in METHODS if hasattr(builder, method)}
    found["bf16"] = bool(getattr(builder, "enable_bf16", False))
    found["variable"] = getattr(builder, "BUILD_VAR", None)
    found["class"] = type(builder).__name__
    if arch_list is not None:  # they write the list that they filtered for one op into the environment
        os.environ["TORCH_CUDA_ARCH_LIST"] = arch_list
    return found


def main():
    root, accelerator = os.path.abspath(sys.argv[1]), sys.argv[2]
    os.environ["DS_ACCELERATOR"] = "cuda" if accelerator == "rocm" else accelerator
    os.environ.setdefault("PYTORCH_NVML_BASED_CUDA_CHECK", "1")
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        prepare(accelerator)
        sys.path.insert(0, root)
        os.chdir(root)
        checkout = os.path.isfile(os.path.join(root, "op_builder", "builder.py"))
        ops = importlib.import_module("op_builder.all_ops" if checkout
                                      else "deepspeed.ops.op_builder.all_ops").ALL_OPS
        records = {name: record(builder) for name, builder in ops.items()}
    json.dump({"order": list(ops), "ops": records}, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
