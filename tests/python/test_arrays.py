"""Arrays of all kinds: dtypes, views, read-only ones, DLPack capsules of both forms."""

import ctypes
import sys

import pytest

import dsops
from dsops import _abi, _tensor

np = pytest.importorskip("numpy")

_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Versioned(ctypes.Structure):
    """struct DLManagedTensorVersioned of DLPack 1.x."""

    _fields_ = [("version", ctypes.c_uint32 * 2), ("manager", ctypes.c_void_p),
                ("deleter", ctypes.c_void_p), ("flags", ctypes.c_uint64), ("tensor", _abi.DLTensor)]


class Foreign:
    """An array of another framework: its memory only through a versioned capsule."""

    def __init__(self, array, flags=0, device_type=1):
        self.lengths = (ctypes.c_int64 * array.ndim)(*array.shape)
        self.array = array
        self.managed = Versioned(version=(1, 1), flags=flags)
        self.managed.tensor = _abi.DLTensor(
            data=array.ctypes.data, device_type=device_type, ndim=array.ndim, code=2, bits=32,
            lanes=1, shape=ctypes.addressof(self.lengths))

    def __dlpack__(self):
        return _new_capsule(ctypes.addressof(self.managed), b"dltensor_versioned", None)


class InterfaceOnly:
    def __init__(self, array):
        self.__array_interface__ = array.__array_interface__
        self.array = array


class Gradient:
    """As PyTorch's parameters are: export is refused until detach()."""

    requires_grad = True

    def __init__(self, array):
        self.array = array

    def __dlpack__(self):
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")

    def detach(self):
        return self.array


def read(array):
    """What an op would see: the DLTensor, whether read-only, and what keeps it alive."""
    keep = []
    address, read_only = _tensor.take(array, keep)
    return _abi.DLTensor.from_address(address), read_only, keep


@pytest.mark.parametrize("dtype", [name for name in _tensor.DTYPES if name != "bfloat16"])
@pytest.mark.parametrize("wrap", [lambda a: a, InterfaceOnly], ids=["dlpack", "interface"])
def test_every_dtype_of_numpy_is_taken_for_what_it_is(dtype, wrap):
    array = np.zeros((3, 4), dtype)
    tensor, read_only, keep = read(wrap(array))
    code, bits, _ = _tensor.DTYPES[dtype]
    assert (tensor.code, tensor.bits, tensor.lanes) == (code, bits, 1)
    assert tensor.data + tensor.byte_offset == array.ctypes.data
    assert (tensor.device_type, tensor.ndim) == (1, 2)
    assert list((ctypes.c_int64 * 2).from_address(tensor.shape)) == [3, 4]
    assert not read_only
    assert keep


@pytest.mark.parametrize("wrap", [lambda a: a, InterfaceOnly, Foreign, Gradient],
                         ids=["numpy", "interface", "versioned", "gradient"])
def test_all_ways_to_export_an_array_give_its_own_memory(bundle, wrap):
    y, x = np.ones(10, np.float32), np.arange(10, dtype=np.float32)
    bundle.toy.axpy(wrap(y), wrap(x))
    np.testing.assert_array_equal(y, 1 + x)


def test_read_only_arrays_are_read_and_never_written(bundle):
    y, x = np.ones(10, np.float32), np.arange(10, dtype=np.float32)
    x.flags.writeable = False
    bundle.toy.axpy(y, x)
    y.flags.writeable = False
    with pytest.raises(dsops.InvalidError, match="`y`: expected memory to write to, got read-only"):
        bundle.toy.axpy(y, x)
    with pytest.raises(dsops.InvalidError, match=r"`ys\[1\]`: expected memory to write to"):
        bundle.toy.lists([np.ones(2, np.float32), y], [x])
    np.testing.assert_array_equal(y, 1 + x)


def test_the_read_only_flag_of_a_versioned_capsule_counts(bundle):
    y, x = np.ones(10, np.float32), np.arange(10, dtype=np.float32)
    bundle.toy.axpy(y, Foreign(x, flags=1))
    with pytest.raises(dsops.InvalidError, match="got read-only"):
        bundle.toy.axpy(Foreign(y, flags=1), x)


def test_memory_of_another_device_is_refused_by_name(bundle):
    y, x = np.ones(10, np.float32), np.arange(10, dtype=np.float32)
    with pytest.raises(dsops.UnsupportedError, match="`x`: expected memory that cpu .*got cuda"):
        bundle.toy.axpy(y, Foreign(x, device_type=2))


def test_views_are_taken_where_they_are_compact_and_refused_where_not(bundle):
    memory = np.ones((8, 100), np.float32)
    bundle.toy.axpy(memory[3], np.ones(100, np.float32))
    np.testing.assert_array_equal(memory[3], 2)
    np.testing.assert_array_equal(memory[[0, 1, 2, 4, 5, 6, 7]], 1)
    for view in (memory[:, 3], memory[0, ::2], memory.T, memory[0, ::-1]):
        with pytest.raises(dsops.InvalidError, match="`y`: expected contiguous memory"):
            bundle.toy.axpy(view, np.ones(view.shape, np.float32))


def test_strides_of_the_interface_are_bytes_and_become_elements(bundle):
    x = np.ones(4, np.float32)
    with pytest.raises(dsops.InvalidError, match=r"got shape \[4\] with strides \[2\]"):
        bundle.toy.axpy(InterfaceOnly(np.ones(8, np.float32)[::2]), x)
    packed = np.zeros(4, [("a", np.float32), ("b", np.int16)])
    with pytest.raises(TypeError, match="`y`: strides .* are no multiples of"):
        bundle.toy.axpy(packed["a"], x)


def test_empty_arrays_scalars_and_many_dimensions_pass(bundle):
    bundle.toy.axpy(np.zeros((3, 0), np.float32), np.zeros((3, 0), np.float32))
    for shape in ((), (1,), (2, 3, 1, 5)):
        y = np.ones(shape, np.float32)
        bundle.toy.axpy(y, np.full(shape, 2, np.float32))
        np.testing.assert_array_equal(y, 3)


def test_numpys_scalars_are_no_arrays(bundle):
    with pytest.raises(TypeError, match="`y`: expected an array .* got float32"):
        bundle.toy.axpy(np.float32(1), np.ones((), np.float32))


def test_elements_that_no_op_can_take_are_refused_by_their_type(bundle):
    y = np.ones(4, np.float32)
    with pytest.raises(TypeError, match="elements of the type >f4"):
        bundle.toy.axpy(y, y.astype(">f4"))
    with pytest.raises(TypeError, match="elements of the type [|]O"):
        bundle.toy.axpy(y, np.zeros(4, object))
    with pytest.raises(dsops.UnsupportedError, match="expected float32, got float64"):
        bundle.toy.axpy(y, np.ones(4))


def test_as_dtype_takes_the_bits_for_another_type(bundle):
    bits = np.zeros(4, np.uint16)
    tensor, _, _ = read(dsops.as_dtype(bits, "bfloat16"))
    assert (tensor.code, tensor.bits) == (4, 16)
    assert tensor.data == bits.ctypes.data
    bundle.toy.lists([np.zeros(4, np.float16)], [dsops.as_dtype(bits, "bfloat16")])
    with pytest.raises(dsops.UnsupportedError, match=r"`ys\[0\]`: expected .*, got bfloat16"):
        bundle.toy.lists([dsops.as_dtype(bits, "bfloat16")], [])
    with pytest.raises(TypeError, match="bfloat16 has 16 bits, the array's elements have 32"):
        bundle.toy.lists([], [dsops.as_dtype(np.zeros(4, np.float32), "bfloat16")])
    with pytest.raises(ValueError, match="expected one of float32, .* got 'half'"):
        dsops.as_dtype(bits, "half")


def test_a_call_holds_its_arrays_as_long_as_it_runs_and_not_longer(bundle):
    y, x = np.ones(10, np.float32), np.arange(10, dtype=np.float32)
    before = sys.getrefcount(y), sys.getrefcount(x)
    for _ in range(10):
        bundle.toy.axpy(y, x)
        bundle.toy.lists([y], [x])
    assert (sys.getrefcount(y), sys.getrefcount(x)) == before
