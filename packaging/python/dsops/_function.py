"""Knows how a function of an op becomes a Python function: arguments, signature, documentation.

Does not know any op by name.
"""

import ctypes
import difflib
import inspect
import operator
import struct

from . import _abi, _tensor

_NO_DEFAULT = inspect.Parameter.empty
_KINDS = {
    _abi.INT: "int",
    _abi.BOOL: "bool",
    _abi.FLOAT: "float",
    _abi.HANDLE: "handle",
    _abi.STRING: "str",
    _abi.TENSOR: "tensor",
    _abi.TENSOR_LIST: "list of tensors",
}


def make(bundle, op, row, default_exec):
    """A Python function with the name, signature and documentation of a row of an op's table."""
    plan = _Plan(bundle, op, row, default_exec)

    def function(*args, exec=None, **kwargs):
        plan.run(args, exec, kwargs)

    function.__name__ = row.name.decode()
    function.__qualname__ = plan.label
    function.__module__ = op
    function.__doc__ = "%s\n\nArguments:\n%s\n    exec: dsops.Exec, where and how it runs\n" % (
        _text(row.doc), "\n".join(argument.text() for argument in plan.arguments))
    function.__signature__ = _make_signature(plan.arguments)
    return function


class _Plan:
    """What of a function's table each call needs, made once."""

    def __init__(self, bundle, op, row, default_exec):
        self.bundle = bundle
        self.library = bundle._library
        self.label = "%s.%s" % (op, row.name.decode())
        table = _abi.rows(_abi.Argument, row.arguments, row.argument_count)
        self.arguments = [_Argument(self.label, argument) for argument in table]
        self.names = [argument.name for argument in self.arguments]
        self.takers = [argument.take for argument in self.arguments]
        values = ("IId" if argument.kind == _abi.FLOAT else "IIq" for argument in self.arguments)
        self.packer = struct.Struct("=" + "".join(values))
        self.needs_workspace = bool(row.workspace_size)
        self.default_exec = default_exec
        handle = ctypes.c_void_p()
        self.library.check(self.library.find(
            bundle._open_handle(), op.encode(), row.name, ctypes.byref(handle)))
        self.address = handle.value

    def run(self, args, exec, kwargs):
        self.bundle._open_handle()
        keep = []  # what must live until the call has returned
        packed = self.pack(args, kwargs, keep)
        settings = None
        if exec is not None or self.needs_workspace:
            settings = ctypes.addressof(self.make_exec(exec, packed, keep))
        status = self.library.call(self.address, settings, packed, len(self.names))
        if status:
            self.library.check(status)

    def pack(self, args, kwargs, keep):
        """The dsops_values of a call, as bytes."""
        given = len(args)
        if given > len(self.names):
            raise TypeError("%s: expected at most %d arguments, got %d"
                            % (self.label, len(self.names), given))
        values = []
        for i, name in enumerate(self.names):
            if i >= given:
                value = kwargs.pop(name, None)
            elif name in kwargs:
                raise TypeError("%s: argument `%s` is given twice" % (self.label, name))
            else:
                value = args[i]
            values += (0, 0, 0) if value is None else self.takers[i](value, keep)
        if kwargs:
            self.refuse_keyword(next(iter(kwargs)))
        return self.packer.pack(*values)

    def refuse_keyword(self, keyword):
        close = difflib.get_close_matches(keyword, self.names, 1)
        hint = "did you mean `%s`?" % close[0] if close else "it has: " + ", ".join(self.names)
        raise TypeError("%s: no argument `%s`; %s" % (self.label, keyword, hint))

    def make_exec(self, exec, packed, keep):
        """The dsops_exec of a call, with a workspace on the host if the function needs one."""
        result = (exec or self.default_exec())._struct(self.library)
        keep.append(result)
        if self.needs_workspace:
            size = ctypes.c_size_t()
            self.library.check(self.library.workspace_size(
                self.address, ctypes.addressof(result), packed, len(self.names),
                ctypes.byref(size)))
            memory = (ctypes.c_char * max(1, size.value))()
            keep.append(memory)
            result.workspace = ctypes.addressof(memory)
            result.workspace_size = size.value
        return result


class _Argument:
    """One row of a function's table, and how a value is taken for it."""

    def __init__(self, label, row):
        self.label = label
        self.name = row.name.decode()
        self.kind = row.kind
        self.written = bool(row.direction & _abi.OUT)
        self.optional = bool(row.flags & _abi.OPTIONAL)
        self.dtypes = _tensor.dtype_names(row.dtypes)
        self.direction = {1: "in", 2: "out", 3: "inout"}.get(row.direction, "")
        self.shape = _text(row.shape)
        self.doc = _text(row.doc)
        self.default = _default(row)
        # A value, not None, becomes (kind, flags, 8 bytes); what they point to goes to a list.
        self.take = getattr(self, {
            _abi.TENSOR: "take_tensor", _abi.TENSOR_LIST: "take_list", _abi.FLOAT: "take_float",
            _abi.INT: "take_int", _abi.BOOL: "take_bool", _abi.STRING: "take_string",
            _abi.HANDLE: "take_int"}[self.kind])

    def where(self, index=None):
        place = self.name if index is None else "%s[%d]" % (self.name, index)
        return "%s: argument `%s`: " % (self.label, place)

    def refuse(self, expected, value):
        raise TypeError(self.where() + "expected %s, got %s" % (expected, type(value).__name__))

    def take_tensor(self, value, keep, index=None):
        try:
            address, read_only = _tensor.take(value, keep)
        except TypeError as e:
            raise TypeError(self.where(index) + str(e)) from None
        if read_only and self.written:
            text = "expected memory to write to, got read-only"
            raise _abi.InvalidError(self.where(index) + text, -1)
        return self.kind, _abi.READ_ONLY if read_only else 0, address

    def take_list(self, value, keep):
        if not isinstance(value, (list, tuple)):
            self.refuse("a list of tensors", value)
        # dsops_tensor_list, and behind it the pointers that it points to.
        words = [24, len(value), 0]
        flags = 0
        for index, item in enumerate(value):
            _, flag, address = self.take_tensor(item, keep, index)
            flags |= flag
            words.append(address)
        memory = (ctypes.c_uint64 * len(words))(*words)
        address = ctypes.addressof(memory)
        memory[2] = address + 24
        keep.append(memory)
        return self.kind, flags, address

    def take_float(self, value, _):
        if isinstance(value, (str, bytes, bool)) or not hasattr(value, "__float__"):
            self.refuse("a float", value)
        return self.kind, 0, float(value)

    def take_int(self, value, _):
        if isinstance(value, bool) or not hasattr(value, "__index__"):
            self.refuse("an int", value)
        number = operator.index(value)
        if not -(1 << 63) <= number < 1 << 63:
            raise OverflowError(self.where() + "expected 64 bits, got %d" % number)
        return self.kind, 0, number

    def take_bool(self, value, _):
        if type(value).__name__ not in ("bool", "bool_"):  # Python's and NumPy's
            self.refuse("a bool", value)
        return self.kind, 0, int(value)

    def take_string(self, value, keep):
        if not isinstance(value, str):
            self.refuse("a str", value)
        memory = ctypes.create_string_buffer(value.encode())
        keep.append(memory)
        return self.kind, 0, ctypes.addressof(memory)

    def text(self):
        """Its lines in the documentation."""
        text = _KINDS[self.kind]
        if self.dtypes:
            text += " of " + " or ".join(self.dtypes)
            text += " " + self.shape if self.shape else ""
            text += ", " + self.direction
        if self.optional:
            text += ", may be left out"
        elif self.default is not _NO_DEFAULT:
            text += ", %r if left out" % self.default
        return "    %s: %s%s" % (self.name, text, "\n        " + self.doc if self.doc else "")


def _text(pointer):
    return (pointer or b"").decode()


def _default(row):
    value = row.default.as_
    if row.default.kind == _abi.NONE:
        return None if row.flags & _abi.OPTIONAL else _NO_DEFAULT
    return {_abi.FLOAT: lambda: value.f64, _abi.INT: lambda: value.i64,
            _abi.BOOL: lambda: bool(value.i64),
            _abi.STRING: lambda: _text(value.string)}[row.default.kind]()


def _make_signature(arguments):
    parameters = []
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    for argument in arguments:
        # Python wants no argument without a default after one that has one.
        if parameters and parameters[-1].default is not _NO_DEFAULT \
                and argument.default is _NO_DEFAULT:
            kind = inspect.Parameter.KEYWORD_ONLY
        parameters.append(inspect.Parameter(argument.name, kind, default=argument.default))
    parameters.append(inspect.Parameter("exec", inspect.Parameter.KEYWORD_ONLY, default=None))
    return inspect.Signature(parameters)
