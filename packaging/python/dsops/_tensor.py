"""Knows how to get at the memory of an array, without a copy: DLPack and __array_interface__.

Does not know ops or arguments.
"""

import ctypes

from ._abi import DLTensor

# name: (code, bits, bit in a set of dtypes)
DTYPES = {
    "float32": (2, 32, 1 << 0),
    "float16": (2, 16, 1 << 1),
    "bfloat16": (4, 16, 1 << 2),
    "float64": (2, 64, 1 << 3),
    "int8": (0, 8, 1 << 4),
    "int16": (0, 16, 1 << 5),
    "int32": (0, 32, 1 << 6),
    "int64": (0, 64, 1 << 7),
    "uint8": (1, 8, 1 << 8),
    "uint16": (1, 16, 1 << 9),
    "uint32": (1, 32, 1 << 10),
    "uint64": (1, 64, 1 << 11),
    "bool": (6, 8, 1 << 12),
}

_INTERFACE_CODES = {"f": 2, "i": 0, "u": 1, "b": 6}

_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype = ctypes.c_void_p
_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
# struct DLManagedTensorVersioned: version, manager_ctx, deleter, flags, dl_tensor.
_VERSIONED_FLAGS = 24
_VERSIONED_TENSOR = 32


def dtype_names(bits):
    """Names of the dtypes of a set of bits."""
    return [name for name, row in DTYPES.items() if row[2] & bits]


class _Typed:
    """An array whose elements are to be taken for another dtype of the same size."""

    def __init__(self, array, dtype):
        self.array = array
        self.dtype = dtype


def as_dtype(array, dtype):
    """The same memory with its elements taken for `dtype`, of the same size.

    NumPy has no bfloat16: keep such numbers in a uint16 array and pass as_dtype(a, "bfloat16").
    """
    if dtype not in DTYPES:
        raise ValueError("dtype: expected one of %s, got %r" % (", ".join(DTYPES), dtype))
    return _Typed(array, dtype)


def take(array, keep):
    """Address of a DLTensor for an array, and whether its memory is read-only.

    What must live as long as the address is used is appended to the list `keep`.
    """
    try:
        capsule = array.__dlpack__()
    except AttributeError:
        if isinstance(array, _Typed):
            return _take_typed(array, keep)
        return _take_interface(array, keep)
    except (BufferError, TypeError, RuntimeError) as e:
        # NumPy: it is read-only, or of a dtype that DLPack lacks. PyTorch: it requires a gradient.
        if hasattr(array, "__array_interface__"):
            return _take_interface(array, keep)
        if getattr(array, "requires_grad", False):
            return take(array.detach(), keep)
        raise TypeError("can't be exported through DLPack: %s" % e) from None
    keep.append(capsule)
    try:
        return _pointer(capsule, b"dltensor"), False
    except ValueError:  # a capsule of another name
        address = _pointer(capsule, b"dltensor_versioned")
    flags = ctypes.c_uint64.from_address(address + _VERSIONED_FLAGS).value
    return address + _VERSIONED_TENSOR, bool(flags & 1)


def _take_typed(typed, keep):
    address, read_only = take(typed.array, keep)
    tensor = DLTensor.from_buffer_copy(DLTensor.from_address(address))
    code, bits, _ = DTYPES[typed.dtype]
    if tensor.bits != bits:
        raise TypeError("as_dtype(): %s has %d bits, the array's elements have %d"
                        % (typed.dtype, bits, tensor.bits))
    tensor.code = code
    keep.append(tensor)
    return ctypes.addressof(tensor), read_only


# https://numpy.org/doc/stable/reference/arrays.interface.html
def _take_interface(array, keep):
    interface = getattr(array, "__array_interface__", None)
    # NumPy's scalars have it too, but for a copy of themselves.
    if interface is None or (getattr(array, "ndim", 1) == 0 and not hasattr(array, "__dlpack__")):
        raise TypeError("expected an array with __dlpack__ or __array_interface__, got %s"
                        % type(array).__name__)
    text = interface["typestr"]
    code = _INTERFACE_CODES.get(text[1])
    if text[1] == "V" and getattr(getattr(array, "dtype", None), "name", "") == "bfloat16":
        code = 4
    if code is None or text[0] == ">":
        raise TypeError("elements of the type %s can't be passed to an op" % text)
    size = int(text[2:])
    shape = interface["shape"]
    data, read_only = interface["data"]
    tensor = DLTensor(data=data, device_type=1, ndim=len(shape), code=code, bits=8 * size, lanes=1)
    lengths = (ctypes.c_int64 * len(shape))(*shape)
    tensor.shape = ctypes.addressof(lengths)
    keep += [array, tensor, lengths]
    strides = interface.get("strides")
    if strides is not None:
        if any(step % size for step in strides):
            raise TypeError("strides %s are no multiples of the element's %d bytes"
                            % (strides, size))
        steps = (ctypes.c_int64 * len(shape))(*(step // size for step in strides))
        tensor.strides = ctypes.addressof(steps)
        keep.append(steps)
    return ctypes.addressof(tensor), read_only
