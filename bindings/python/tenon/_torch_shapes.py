# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/_torch_shapes.py: results without values, by an op's own shape rule: for
# torch.compile, torch.export and the device "meta".
"""A rule knows numbers alone. If PyTorch has symbols as lengths, the rule is asked twice, with
small and with large numbers for them: a length that is a symbol's both times is that symbol. If any
follows from symbols otherwise, the symbols become the numbers that they stand for."""

import torch

from tenon import _bridge, _core, _errors
from tenon._torch_exchange import DTYPES, THEIRS, check_dtype

# What symbols are asked with: small numbers, then large ones in the other order, so that
# what follows from the smaller of two, or of one and a number, is found out.
_SMALL = (2, 3, 5, 7, 11, 13)
_LARGE = (1033, 1031, 1021, 1019, 1013, 1009)


def tensors_of(arguments, named):
    """All tensors among a call's arguments."""
    for given in [*arguments, *named.values()]:
        for each in given if isinstance(given, (list, tuple)) else [given]:
            if isinstance(each, torch.Tensor):
                yield each


def _key(length):
    return str(length.node.expr)


class _Asking:
    """Operands as Tenon's tensors without values, with numbers for symbols."""

    def __init__(self, numbers=None):
        self.numbers = numbers  # {symbol: number}; None: the numbers that they stand for

    def __call__(self, given):
        if isinstance(given, torch.Tensor):
            return self.placeholder(given)
        if isinstance(given, (list, tuple)) and any(isinstance(x, torch.Tensor) for x in given):
            return [self(each) for each in given]
        return DTYPES[given] if isinstance(given, torch.dtype) else given

    def placeholder(self, x):
        check_dtype(x)
        shape = tuple(map(self.number, x.shape))
        numbers = self.numbers is None
        strides = tuple(map(int, x.stride())) if numbers else _bridge.row_major(shape)
        return _core.placeholder(DTYPES[x.dtype], shape, strides)

    def number(self, length):
        if isinstance(length, int) or self.numbers is None:
            return int(length)
        return self.numbers[_key(length)]


class Shapes:
    """What `torch.library.register_fake` takes for one op."""

    def __init__(self, op, schema):
        self.op, self.schema = op, schema
        flags = schema.said["flags"]
        self.elementwise, self.dynamic = "elementwise" in flags, "dynamic-out" in flags

    def __call__(self, *arguments, **named):
        tensors = list(tensors_of(arguments, named))
        symbols = {_key(n): n for x in tensors for n in x.shape if not isinstance(n, int)}
        found = self._with_symbols(symbols, tensors, arguments, named) if symbols else None
        found = found or self._explained(_Asking(), arguments, named)
        if self.dynamic:
            found = self._measured(found)
        device = tensors[0].device if tensors else "cpu"
        made = tuple(torch.empty(shape, dtype=dtype, device=device) for shape, dtype in found)
        return made[0] if len(made) == 1 else (made or None)

    def _explained(self, asking, arguments, named):
        """[(shape, dtype), ...] of the outputs."""
        found = _bridge.infer(
            self.op, *map(asking, arguments), **{name: asking(x) for name, x in named.items()}
        )
        return [(shape, THEIRS[dtype]) for shape, dtype in found]

    def _with_symbols(self, symbols, tensors, arguments, named):
        """The same with symbols as lengths; None if they follow from symbols in another way."""
        if self.elementwise:
            found = self._explained(_Asking(dict.fromkeys(symbols, 1)), arguments, named)
            shape = torch.broadcast_shapes(*(x.shape for x in tensors))
            return [(shape, dtype) for _, dtype in found]
        if self.dynamic or len(symbols) > len(_SMALL):
            return None
        rows = [dict(zip(symbols, numbers, strict=False)) for numbers in (_SMALL, _LARGE)]
        try:
            small, large = (self._explained(_Asking(row), arguments, named) for row in rows)
        except _errors.Error:  # lengths that must be equal, or an attribute that asks for others
            return None
        found = []
        for (shape, dtype), (other, _) in zip(small, large, strict=True):
            lengths = [self._length(a, b, symbols, rows) for a, b in zip(shape, other, strict=True)]
            if None in lengths:
                return None
            found.append((lengths, dtype))
        return found

    @staticmethod
    def _length(a, b, symbols, rows):
        if a == b:
            return a
        return next((symbols[key] for key in symbols if rows[0][key] == a and rows[1][key] == b),
                    None)  # fmt: skip

    def _measured(self, found):
        """A length that values decide is a symbol: the first that no operand has."""
        known = {letter for said in self.schema.said["inputs"] for letter in said["dims"] or ()}
        dims = [each["dims"] or () for each in self.schema.said["outputs"] if not each["aux"]]
        counted = next(letter for each in dims for letter in each if letter not in known)
        symbol = torch.library.get_ctx().new_dynamic_size()
        return [
            (shape if "..." in letters else
             [symbol if x == counted else n for x, n in zip(letters, shape, strict=True)], dtype)
            for letters, (shape, dtype) in zip(dims, found, strict=True)
        ]  # fmt: skip
