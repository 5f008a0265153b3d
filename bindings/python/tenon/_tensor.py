# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/_tensor.py: making tensors, and the methods of tenon.Tensor that need not be
# fast; the others are in the extension module, or ops of the registry.
"""Methods are written as functions here and put into the extension module's type."""

import sys

from tenon import _autograd, _core, _errors, _runtime
from tenon._core import Tensor
from tenon._ops import op


def find_dtype(given):
    """A Dtype for a name, bool, int, float, or a dtype of NumPy."""
    by_type = {bool: "bool", int: "int64", float: "float32"}
    name = by_type.get(given) if isinstance(given, type) else None
    name = name or getattr(given, "name", None) or getattr(given, "__name__", given)
    found = getattr(_core, name, None) if isinstance(name, str) else None
    if not isinstance(found, _core.Dtype):
        known = "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64"
        raise _errors.make_refusal("type", "dtype", "dtype", f"one of {known}", repr(given), "")
    return found


_MOST_NESTED = 8  # dimensions


# ---- making tensors -----------------------------------------------------------------------------


def _has_buffer(data):
    try:
        memoryview(data).release()
    except (TypeError, ValueError, BufferError):
        return False
    return True


def _holds_tensors(data):
    """Is the first that is in nested lists a tensor? A list may be in itself."""
    for _ in range(_MOST_NESTED):
        if not isinstance(data, (list, tuple)) or not data:
            break
        data = data[0]
    return isinstance(data, Tensor)


def _holds_arrays(data, depth=0):
    """Is a tensor, or an array, anywhere in nested lists?"""
    if isinstance(data, (list, tuple)):
        return depth < _MOST_NESTED and any(_holds_arrays(each, depth + 1) for each in data)
    return isinstance(data, Tensor) or (
        hasattr(data, "__array__") and getattr(data, "shape", ()) != ()
    )


def _stacked(data):
    """Lists in which tensors or arrays are, as one tensor."""
    names = tuple(map(str, range(len(data))))
    return op.tenon.stack(list(_core.operands("tensor", names, tuple(data))))


def _is_number(data):
    """A number of Python's; NumPy's have a dtype."""
    return isinstance(data, (bool, int, float)) and not hasattr(data, "dtype")


def tensor(data, dtype=None, *, device=None, requires_grad=False):
    """A tensor with a copy of `data`.

    data     a number, nested lists of numbers, a tensor, or anything with a buffer, `__dlpack__`
             or `__array__`: NumPy's arrays, array.array, memoryview, PyTorch's tensors
    dtype    that of `data`; for numbers float32, int64 or bool, whichever holds them
    device   "cpu" unless given
    """
    if isinstance(data, Tensor):
        made = op.tenon.copy(data.detach())
    elif isinstance(data, (list, tuple)) or _is_number(data):
        if _holds_tensors(data):
            made = _stacked(data).detach()
        else:
            made = _core.from_numbers(data, dtype)
    elif _has_buffer(data):
        made = _core.copy_buffer(data)
    elif hasattr(data, "__dlpack__"):
        made = op.tenon.copy(from_dlpack(data))
    elif hasattr(data, "__array__"):
        made = _core.copy_buffer(data.__array__())
    else:
        made = _core.from_numbers(data, None)  # refuses it
    made = _converted(made, dtype, device)
    if requires_grad:
        made.requires_grad = True
    return made


def make_operand(given, dtype, device):
    """A tensor for a number, a list of numbers or an array that stands where a tensor is expected;
    None for anything else.

    dtype    of numbers and lists, if not the one they have alone
    device   (kind, index) for a tensor that has to go there
    """
    if device is not None:
        return op.tenon.to(given, kind=device[0], index=device[1])
    if isinstance(given, (list, tuple)):
        if not _core.all_numbers(given) and _holds_arrays(given):
            return _stacked(given)
        return tensor(given, dtype)
    if isinstance(given, (bool, int, float)):
        return tensor(given, dtype)
    if hasattr(given, "__array__") or hasattr(given, "__dlpack__") or _has_buffer(given):
        return asarray(given)
    return None


def asarray(data, dtype=None, *, device=None, copy=None):
    """A tensor on the memory of `data` where that is possible, else with a copy of it.

    copy     True: always; False: never, but an error where it would be needed
    memory   `data` stays alive as long as the tensor; what is written to the one is seen by the
             other, and not by versions
    """
    if copy or isinstance(data, (list, tuple)) or _is_number(data):
        if copy is False:
            raise _errors.make_refusal(
                "value", "asarray", "data", "shared memory", "numbers, which are copied", ""
            )
        return tensor(data, dtype, device=device)
    if isinstance(data, Tensor):
        shared = data
    elif _has_buffer(data):
        shared = _core.share_buffer(data)
    elif hasattr(data, "__array__") and not hasattr(data, "__dlpack__"):  # of pandas
        shared = asarray(data.__array__())
    else:
        shared = from_dlpack(data, copy=copy)
    made = _converted(shared, dtype, device)
    if copy is False and made is not shared:
        raise _errors.make_refusal(
            "value", "asarray", "data", "shared memory", "another dtype or device", "copy=None"
        )
    return made


def _converted(made, dtype, device):
    if dtype is not None:
        made = astype(made, dtype)
    return made if device is None else _placed(made, device)


def _resolved(x, copy):
    """`x`, or what it means where that is not what lies in its memory: PyTorch puts negations and
    conjugations off, and says so in Python alone."""
    kind = getattr(sys.modules.get("torch"), "Tensor", None)
    if not isinstance(kind, type) or not isinstance(x, kind) or not (x.is_neg() or x.is_conj()):
        return x
    if copy is False and x.is_neg():
        raise _errors.make_refusal(
            "value", "from_dlpack", "x", "a tensor of PyTorch whose values lie in its memory",
            "one whose negation is pending", "x.resolve_neg() first, or copy=None",
        )  # fmt: skip
    return x.resolve_conj().resolve_neg()


def from_dlpack(x, /, *, device=None, copy=None):
    """A tensor on the memory of another library's array, through DLPack.

    device   "cpu" also takes what lies elsewhere, where its library copies it
    copy     True: always; False: never, but an error where it would be needed
    memory   read-only where the library says so, or cannot say: JAX speaks DLPack of before 1.0.
             A tensor of PyTorch whose negation is pending is copied, and the copy is read-only,
             as nobody would see what is written there. With copy=True it may be written
    """
    if not hasattr(x, "__dlpack__"):
        raise _errors.make_refusal(
            "type", "from_dlpack", "x", "an object with __dlpack__", type(x).__name__, ""
        )
    values = _resolved(x, copy)
    # Without a version, that of a copy is read-only.
    asked = {"max_version": (1, 0)} if values is x else {}
    if copy is False:
        asked["copy"] = False
    if device == "cpu" and x.__dlpack_device__()[0] != 1:
        asked["dl_device"] = (1, 0)
    try:
        capsule = values.__dlpack__(**asked)
    except TypeError:  # perhaps of before DLPack 1.0; else it is raised again
        capsule = values.__dlpack__()
    made = _core.from_dlpack(capsule)
    if copy:  # here, since not all make one, and not all that do say so
        made = op.tenon.copy(made)
    return made if device is None else _placed(made, device)


def _dtype_of_number(value):
    """That of a tensor of the number alone; a NumPy scalar is a number."""
    if isinstance(value, bool) or type(value).__name__ in ("bool_", "bool"):
        return _core.bool
    return _core.int64 if hasattr(value, "__index__") else _core.float32


def full(shape, fill_value=None, dtype=None, *, device=None, value=None):
    """A tensor of one value; float32 unless `dtype` is given or the value is an integer or bool."""
    value = value if fill_value is None else fill_value
    if dtype is None:
        dtype = _dtype_of_number(value)
    for operand, given in (("shape", shape), ("value", value)):
        if given is None:
            words = {"shape": "a list of integers", "value": "a number"}[operand]
            raise _errors.make_refusal("type", "tenon.full", operand, words, "NoneType")
    shape = (shape,) if isinstance(shape, int) else shape
    made = op.tenon.full(shape=shape, value=value, dtype=dtype)
    return made if device is None else _placed(made, device)


def info(x):
    """Values, strides, offset, storage, version and statistics of a tensor, as text."""
    return x.info()


# ---- methods ------------------------------------------------------------------------------------

_methods = {}


def _method(function):
    _methods[function.__name__] = function
    return function


def _numbers(given):
    """x.reshape(2, 3) and x.reshape((2, 3)) are the same."""
    return given[0] if len(given) == 1 and not isinstance(given[0], int) else given


@_method
def astype(self, dtype):
    """The values in another dtype; the tensor itself where it has that dtype."""
    wanted = _core.as_dtype(dtype)
    return self if wanted is self.dtype else op.tenon.cast(self, dtype=wanted)



@_method
def to(self, target=None, dtype=None, *, device=None):
    """On another device ("cpu", "cuda:1"), in another dtype, or both; itself where it is that."""
    if dtype is not None or device is not None:
        for each in (device, dtype):
            target = to(self if target is None else to(self, target), each) if each else target
        return target
    if isinstance(target, Tensor):
        return _placed(astype(self, target.dtype), target.device)
    if isinstance(target, str) and not hasattr(_core, target):
        return _placed(self, target)
    return astype(self, target)


def _placed(self, device):
    kind, index = _runtime.find_device(device)
    if (kind, index) == self._device_numbers:
        return self
    return op.tenon.to(self, kind=kind, index=index)


@_method
def clone(self, *, layout="row-major"):
    """A copy with memory of its own; gradients flow through it.

    layout   "row-major", or "preserve": with the strides of the tensor, whatever they are
    """
    if layout == "preserve":
        return self._clone_preserving()
    if layout != "row-major":
        raise ValueError(f"clone: layout {layout!r} is neither 'row-major' nor 'preserve'")
    return op.tenon.copy(self)


@_method
def contiguous(self):
    """The same values row-major; the tensor itself where it is so already."""
    return self if self.is_contiguous else op.tenon.copy(self)


@_method
def reshape(self, *shape):
    """The same elements in another shape, of which one length may be -1."""
    return op.tenon.reshape(self, shape=_numbers(shape))


@_method
def view(self, *shape):
    """As `reshape`, but an error where elements would have to move."""
    return op.tenon.view(self, shape=_numbers(shape))


@_method
def permute(self, *axes):
    """The dimensions in another order; a view."""
    return op.tenon.permute(self, axes=_numbers(axes))


@_method
def expand(self, *shape):
    """Dimensions of length 1 repeated; a view."""
    return op.tenon.expand(self, shape=_numbers(shape))


@_method
def tolist(self):
    """The values as nested lists of Python numbers; one number for rank 0."""
    here = self.detach()
    if here.dtype is _core.bfloat16 or here.dtype is _core.float16:
        here = astype(here, _core.float32)
    return memoryview(to(here, "cpu")).tolist()


@_method
def numpy(self):
    """A NumPy array on the same memory, which both keep alive."""
    import numpy as np

    return np.asarray(memoryview(self))


@_method
def __array__(self, dtype=None, copy=None):
    import numpy as np

    array = np.asarray(memoryview(self))
    if dtype is not None and array.dtype != dtype:
        if copy is False:
            raise ValueError("another dtype needs a copy")
        return array.astype(dtype)
    return array.copy() if copy else array


@_method
def to_device(self, device, *, stream=None):
    """On another device; itself where it is there. Tenon's streams are its own: `stream` is
    None."""
    if stream is not None:
        raise _errors.make_refusal("value", "to_device", "stream", "None", repr(stream))
    return _placed(self, device)


@_method
def __array_namespace__(self, *, api_version=None):
    """The module: the array API standard's functions are its own."""
    import tenon

    if api_version not in (None, "2021.12", "2022.12", "2023.12", "2024.12"):
        raise ValueError(f"Tenon follows the array API standard 2024.12, not {api_version!r}")
    return tenon


@_method
def __dir__(self):
    from tenon import _names
    from tenon._ops import names

    ops = [name.removeprefix("tenon.") for name in names() if name.startswith("tenon.")]
    return sorted({*object.__dir__(self), *_names.method_names(), *ops})


# NumPy leaves its operators to ours.
_methods["__array_ufunc__"] = None


@_method
def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
    """A capsule, as the DLPack protocol asks for: "dltensor_versioned", or "dltensor" for who knows
    no version, or one below 1.0."""
    if stream not in (None, -1):
        raise BufferError(f"Tenon: host memory has no streams: expected None, found {stream!r}")
    lent = self
    if dl_device is not None and tuple(dl_device) != _dlpack_device(self):
        if tuple(dl_device) != (1, 0) or copy is False:
            raise BufferError(
                "Tenon lends memory where it is, and copies it to host memory, dl_device=(1, 0), "
                "unless copy=False: use x.to(...) first"
            )
        lent = to(self, "cpu")
    elif copy:
        lent = op.tenon.copy(self)
    if lent.requires_grad:
        raise BufferError(
            "Tenon: the tensor requires a gradient, which would not see what others do: "
            "x.detach() first"
        )
    __dlpack_device__(lent)
    versioned = max_version is not None and max_version[0] >= 1
    return _core.to_dlpack(lent, versioned, lent is not self)


def _dlpack_device(self):
    return (1, 0) if _runtime.device_name(self._device_numbers) == "cpu" else None


@_method
def __dlpack_device__(self):
    """(1, 0): host memory, the one kind that DLPack has a number for here."""
    if not _dlpack_device(self):
        raise BufferError("Tenon lends host memory: copy it there first, x.to('cpu')")
    return 1, 0


@_method
def __iter__(self):
    return (self[i] for i in range(len(self)))


@_method
def __contains__(self, value):
    return bool(op.tenon.any(self == value))


@_method
def __copy__(self):
    return self.detach() if self.is_leaf else clone(self)


@_method
def __deepcopy__(self, memo):
    copied = tensor(self, requires_grad=self.requires_grad and self.is_leaf)
    memo[id(self)] = copied
    return copied


@_method
def __reduce__(self):
    here = self.detach()
    leaf = self.requires_grad and self.is_leaf
    return _unpickle, (_core.get_bytes(here), self.dtype, self.shape, self.device, leaf)


def _unpickle(data, dtype, shape, device, requires_grad):
    made = _core.from_bytes(data, dtype, shape)
    made = made if device == "cpu" else to(made, device)
    if requires_grad:
        made.requires_grad = True
    return made


@_method
def __format__(self, spec):
    return format(self.item(), spec) if spec else repr(self)


@_method
def backward(self, grad=None, *, retain_graph=False, create_graph=False):
    """Adds the gradients of the tensor, times `grad`, to the leaves it was computed from."""
    _autograd.backward(self, grad, retain_graph=retain_graph, create_graph=create_graph)


@_method
def retain_grad(self, wanted=True):
    """Keeps the gradient of a tensor that is not a leaf, for `grad`."""
    _core.retain_grad(self, wanted)


@_method
def grad_rows(self):
    """(indices, values) of a gradient that is held as rows, or None."""
    return _core.grad_rows(self)


@_method
def add_hook(self, function):
    """Calls function(gradient) in each backward through here; what it returns, if anything, is the
    gradient from then on. Returns a function that ends it."""
    _errors.check_type("add_hook", "function", function, None, "a function of a gradient")
    number = _core.begin_hook(self, function)
    return lambda: _core.end_hook(self, number)


_methods["device"] = property(
    lambda self: _runtime.device_name(self._device_numbers), doc='Where it is: "cpu", "cuda:1".'
)
_methods["T"] = property(
    lambda self: op.tenon.permute(self, axes=list(range(self.ndim))[::-1]),
    doc="The dimensions in reverse order; a view.",
)


def _repr_html_(self):
    from tenon import _notebook

    return _notebook.tensor_html(self)


_methods["_repr_html_"] = _repr_html_

for _name, _function in _methods.items():
    setattr(Tensor, _name, _function)
