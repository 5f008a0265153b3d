# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/tvm_ffi.py: ops of plugins as functions of tvm-ffi.
"""Ops of Tenon's plugins as functions of tvm-ffi, for its callers in any language.

    import tenon.tvm_ffi

    gelu = tenon.tvm_ffi.export("tenon.gelu")     # a tvm_ffi.Function
    y = gelu(x)                                   # x: anything with DLPack; y: tvm_ffi.Tensor

docs/tvm-ffi.md states the rules. The other way, functions of tvm-ffi as ops, is `tenon wrap`.
"""

try:
    import tvm_ffi
except ImportError as missing:
    raise ImportError(
        "tenon.tvm_ffi uses tvm-ffi, which is not installed: pip install apache-tvm-ffi"
    ) from missing

from tenon import _autograd, _core, _errors, _schema, _tensor

__all__ = ["export"]

# What tvm-ffi carries across languages by name; the first that fits is raised.
_KINDS = (IndexError, TypeError, ValueError, MemoryError, NotImplementedError, RuntimeError)


def _ours(value):
    """An argument as an operand or an attribute."""
    if isinstance(value, tvm_ffi.Tensor):
        return _tensor.from_dlpack(value)
    if isinstance(value, (tvm_ffi.Array, tvm_ffi.List, tuple)):  # a Shape is a tuple
        return [_ours(each) for each in value]
    return str(value) if isinstance(value, tvm_ffi.dtype) else value


def _theirs(result):
    """A result; of several a list, of none None."""
    if isinstance(result, _core.Tensor):
        return tvm_ffi.from_dlpack(result)
    return None if result is None else [tvm_ffi.from_dlpack(each) for each in result]


def export(op, name=None, override=False):
    """Makes an op a function of tvm-ffi.

    op        an op, or its name: tenon.op.acme.swish, "acme.swish"
    name      also the name of a global function, which callers in any language get; it holds the
              interpreter lock while it runs
    override  replace a global function of that name, which is refused otherwise

    Returns a tvm_ffi.Function. Its arguments are by position: the operands, then the attributes in
    the schema's order; what is left out, or None, is the default. Tensors are shared without a
    copy, results are new ones: one tensor, an array of several, None if the op gives nothing. It
    has no gradient. Errors are tvm-ffi's own kinds (ValueError, TypeError, ...) with all words.
    """
    full = op if isinstance(op, str) else getattr(op, "name", None)
    _errors.check_type("tenon.tvm_ffi.export", "op", full, str, "an op or its name")
    found = _core.Op(full)
    schema = _schema.Schema(found.name, found.revision)
    operands = len(schema.inputs)
    attributes = [each[0] for each in schema.attributes]
    most = operands + len(attributes)

    def call(*arguments):
        try:
            if len(arguments) > most:
                raise _errors.make_refusal(
                    "type", full, "arguments", f"at most {most}: {schema.signature()}",
                    str(len(arguments)),
                )  # fmt: skip
            given = [_ours(each) for each in arguments]
            named = {
                key: value for key, value in zip(attributes, given[operands:]) if value is not None
            }
            with _autograd.no_grad():
                return _theirs(found(*given[:operands], **named))
        except Exception as error:
            kind = next((each for each in _KINDS if isinstance(error, each)), RuntimeError)
            raise kind(str(error)) from None

    call.__name__ = full
    call.__doc__ = found.__doc__
    if name is not None:
        return tvm_ffi.register_global_func(name, call, override)
    return tvm_ffi.convert(call)
