"""Knows dsops ABI 1 as C lays it out (include/dsops/dsops.h), and how to load libdsops.

Does not know arrays, nor what an op does.
"""

import ctypes
import os
import platform

NONE, INT, BOOL, FLOAT, HANDLE, TENSOR, STRING, TENSOR_LIST = 0, 1, 2, 3, 4, 7, 8, 100
READ_ONLY = 1
OUT = 2
OPTIONAL = 1


class Error(RuntimeError):
    """A call of libdsops that failed. `status` is the code of dsops.h."""

    def __init__(self, message, status):
        super().__init__(message)
        self.status = status


class InvalidError(Error, ValueError):
    """An argument, path or variable is wrong."""


class UnsupportedError(Error):
    """Right, but not for this dtype, device, CPU or version."""


class NotFoundError(Error, LookupError):
    """No such bundle, op, function, image, kernel or backend."""


_ERRORS = {-1: InvalidError, -2: UnsupportedError, -5: NotFoundError}


class DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("byte_offset", ctypes.c_uint64),
    ]


class ExecStruct(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        ("num_threads", ctypes.c_int32),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("stream", ctypes.c_void_p),
        ("workspace", ctypes.c_void_p),
        ("workspace_size", ctypes.c_size_t),
        ("parallel_for", ctypes.c_void_p),
        ("parallel_for_context", ctypes.c_void_p),
        ("host", ctypes.c_void_p),
        ("backend", ctypes.c_void_p),
        ("image", ctypes.c_void_p),
        ("callable", ctypes.c_void_p),
    ]


class Argument(ctypes.Structure):
    class _Default(ctypes.Structure):
        class _As(ctypes.Union):
            _fields_ = [
                ("i64", ctypes.c_int64),
                ("f64", ctypes.c_double),
                ("string", ctypes.c_char_p),
            ]

        _fields_ = [("kind", ctypes.c_uint32), ("flags", ctypes.c_uint32), ("as_", _As)]

    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        ("kind", ctypes.c_uint32),
        ("direction", ctypes.c_uint32),
        ("flags", ctypes.c_uint32),
        ("dtypes", ctypes.c_uint64),
        ("name", ctypes.c_char_p),
        ("shape", ctypes.c_char_p),
        ("doc", ctypes.c_char_p),
        ("default", _Default),
    ]


class Function(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        ("argument_count", ctypes.c_uint32),
        ("name", ctypes.c_char_p),
        ("doc", ctypes.c_char_p),
        ("arguments", ctypes.c_void_p),
        ("call", ctypes.c_void_p),
        ("workspace_size", ctypes.c_void_p),
    ]


class Op(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        ("function_count", ctypes.c_uint32),
        ("name", ctypes.c_char_p),
        ("version", ctypes.c_char_p),
        ("summary", ctypes.c_char_p),
        ("functions", ctypes.c_void_p),
    ]


class AcceleratorStruct(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        ("device_type", ctypes.c_int32),
        ("device_count", ctypes.c_int32),
        ("name", ctypes.c_char_p),
        ("rule", ctypes.c_char * 256),
    ]


class BackendStart(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        ("abi", ctypes.c_uint16 * 2),
        ("name", ctypes.c_char_p),
        ("device_type", ctypes.c_int32),
    ]


def rows(kind, address, count):
    """Rows of an array of structs, walked by the size that the first of them says it has."""
    size = kind.from_address(address).struct_size if count else 0
    return [kind.from_address(address + i * size) for i in range(count)]


_P = ctypes.c_void_p
_OUT = ctypes.POINTER(ctypes.c_void_p)
_PROTOTYPES = {
    "dsops_abi_version": (ctypes.c_uint32, []),
    "dsops_last_error": (ctypes.c_char_p, []),
    "dsops_bundle_open": (ctypes.c_int32, [ctypes.c_char_p, _OUT]),
    "dsops_bundle_close": (None, [_P]),
    "dsops_bundle_path": (ctypes.c_char_p, [_P]),
    "dsops_bundle_op_count": (ctypes.c_int32, [_P]),
    "dsops_bundle_op_name": (ctypes.c_char_p, [_P, ctypes.c_int32]),
    "dsops_bundle_op_accelerators": (ctypes.c_char_p, [_P, ctypes.c_char_p]),
    "dsops_bundle_op": (ctypes.c_int32, [_P, ctypes.c_char_p, _OUT]),
    "dsops_find": (ctypes.c_int32, [_P, ctypes.c_char_p, ctypes.c_char_p, _OUT]),
    "dsops_call": (ctypes.c_int32, [_P, _P, ctypes.c_char_p, ctypes.c_uint32]),
    "dsops_workspace_size": (
        ctypes.c_int32,
        [_P, _P, ctypes.c_char_p, ctypes.c_uint32, ctypes.POINTER(ctypes.c_size_t)],
    ),
    "dsops_get_accelerator": (ctypes.c_int32, [ctypes.POINTER(AcceleratorStruct)]),
    "dsops_backend_find": (ctypes.c_int32, [ctypes.c_char_p, _OUT]),
}


class Library:
    """libdsops: its functions, by their names without "dsops_"."""

    def __init__(self, path):
        try:
            loaded = ctypes.CDLL(path)
        except OSError as e:
            raise Error("%s: %s" % (path, e), -4) from None
        for name, (result, arguments) in _PROTOTYPES.items():
            function = getattr(loaded, name)
            function.restype = result
            function.argtypes = arguments
            setattr(self, name[len("dsops_"):], function)
        self.path = path
        if self.abi_version() >> 16 != 1:
            major = self.abi_version() >> 16
            raise UnsupportedError("%s: has dsops ABI %d, this package knows 1" % (path, major), -2)

    def check(self, status):
        """Raises what a status that is not 0 means, with this thread's text."""
        if status != 0:
            raise _ERRORS.get(status, Error)(self.last_error().decode("utf-8", "replace"), status)


_libraries = {}


def find_bundle(path):
    """Folder of a bundle: `path`, else DSOPS_BUNDLE, else the one that this package lies in."""
    if path is not None:
        return os.path.abspath(os.fspath(path))
    if os.environ.get("DSOPS_BUNDLE"):
        return os.path.abspath(os.environ["DSOPS_BUNDLE"])
    # <bundle>/python/dsops/_abi.py
    beside = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
    if os.path.isdir(os.path.join(beside, "lib")):
        return beside
    raise NotFoundError(
        "no bundle: no path was given, DSOPS_BUNDLE is not set, and %s is no bundle" % beside, -5
    )


def load_library(bundle):
    """libdsops of a bundle, loaded once."""
    folder = os.path.join(bundle, "lib")
    machine = platform.machine() + "-"
    triples = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    for triple in triples:
        path = os.path.realpath(os.path.join(folder, triple, "libdsops.so"))
        if triple.startswith(machine) and os.path.exists(path):
            if path not in _libraries:
                _libraries[path] = Library(path)
            return _libraries[path]
    raise NotFoundError("%s: no lib/%s*/libdsops.so, so it is no bundle for this host"
                        % (bundle, machine), -5)
