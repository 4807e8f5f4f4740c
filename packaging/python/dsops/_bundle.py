"""Knows an open bundle: its ops as modules, and where a call runs.

Does not know how a function takes its arguments.
"""

import collections
import ctypes
import types

from . import _abi, _function

Accelerator = collections.namedtuple("Accelerator", "name device_type device_count rule")
Accelerator.__doc__ = "The accelerator of this process, and the rule that chose it."


def open(path=None):
    """Opens the bundle `path`, else that of DSOPS_BUNDLE, else the one this package lies in."""
    folder = _abi.find_bundle(path)
    return Bundle(_abi.load_library(folder), folder)


class Exec:
    """Where and how a call runs: `function(..., exec=dsops.Exec(device="emu", num_threads=4))`.

    device       accelerator such as "cpu" or "emu"; None: the device that holds the tensors
    device_id    number of the device
    num_threads  host threads; 0: all CPUs of this process
    stream       the device's stream, as an integer; 0: its default stream
    """

    def __init__(self, device=None, device_id=0, num_threads=0, stream=0):
        self.device = device
        self.device_id = device_id
        self.num_threads = num_threads
        self.stream = stream

    def _struct(self, library):
        result = _abi.ExecStruct(struct_size=ctypes.sizeof(_abi.ExecStruct))
        result.num_threads = self.num_threads
        result.device_id = self.device_id
        result.stream = self.stream
        if self.device is not None:
            backend = ctypes.c_void_p()
            library.check(library.backend_find(self.device.encode(), ctypes.byref(backend)))
            result.device_type = _abi.BackendStart.from_address(backend.value).device_type
        return result


class Bundle:
    """An open bundle. Its ops are its attributes: bundle.cpu_adam; `with` closes it."""

    def __init__(self, library, path):
        self._library = library
        self._handle = None
        self._ops = {}
        handle = ctypes.c_void_p()
        library.check(library.bundle_open(path.encode(), ctypes.byref(handle)))
        self._handle = handle
        self.path = library.bundle_path(handle).decode()
        count = library.bundle_op_count(handle)
        self.ops = [library.bundle_op_name(handle, i).decode() for i in range(count)]

    def __getitem__(self, name):
        if name not in self._ops:
            table = ctypes.c_void_p()
            handle = self._open_handle()
            self._library.check(
                self._library.bundle_op(handle, name.encode(), ctypes.byref(table)))
            self._ops[name] = _make_op(self, _abi.Op.from_address(table.value))
            if not hasattr(type(self), name):
                setattr(self, name, self._ops[name])  # found without __getattr__ from now on
        return self._ops[name]

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self[name]
        except _abi.NotFoundError as e:
            raise AttributeError(str(e)) from None

    def accelerators(self, op):
        """Names of the accelerators that the bundle has images of an op for."""
        text = self._library.bundle_op_accelerators(self._open_handle(), op.encode())
        if text is None:
            self._library.check(-5)
        return [] if text == b"none" else text.decode().split(", ")

    @property
    def accelerator(self):
        """The accelerator that DS_ACCELERATOR names, or the first that has a device."""
        result = _abi.AcceleratorStruct(struct_size=ctypes.sizeof(_abi.AcceleratorStruct))
        self._library.check(self._library.get_accelerator(ctypes.byref(result)))
        return Accelerator(result.name.decode(), result.device_type, result.device_count,
                           result.rule.decode())

    def close(self):
        """Closes the bundle; its functions can't be called any more."""
        handle, self._handle = self._handle, None
        self._ops.clear()
        if handle is not None:
            self._library.bundle_close(handle)

    def _open_handle(self):
        if self._handle is None:
            raise _abi.InvalidError("the bundle %s is closed" % self.path, -1)
        return self._handle

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __dir__(self):
        return list(super().__dir__()) + self.ops

    def __repr__(self):
        return "<dsops.Bundle %s: %s>" % (self.path, ", ".join(self.ops))


def _make_op(bundle, table):
    """An op as a module, so that help() lists its functions."""
    op = types.ModuleType(table.name.decode(), table.summary.decode())
    op.__version__ = table.version.decode()
    op.__all__ = []
    for row in _abi.rows(_abi.Function, table.functions, table.function_count):
        function = _function.make(bundle, op.__name__, row, Exec)
        setattr(op, function.__name__, function)
        op.__all__.append(function.__name__)
    return op
