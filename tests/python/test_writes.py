# SPDX-License-Identifier: Apache-2.0
# tests/python/test_writes.py: what a refused write into a tensor says: `x[key] = value`, `x += y`
# and `x.fill_(...)`, never the ops that they are made of.
import copy
import operator
import pickle
import unittest

from support import Case, tenon

NUMBERS = [[1.0, 2.0], [3.0, 4.0]]


def leaf():
    return tenon.tensor(NUMBERS, requires_grad=True)


def made():
    return leaf() * 1


def view():
    return (leaf() * 1)[0]


def plain():
    return tenon.tensor(NUMBERS)


SIGNS = {
    "+=": operator.iadd, "-=": operator.isub, "*=": operator.imul, "/=": operator.itruediv,
    "//=": operator.ifloordiv, "%=": operator.imod, "**=": operator.ipow,
}  # fmt: skip
WHOLE_SIGNS = {
    "&=": operator.iand, "|=": operator.ior, "^=": operator.ixor, "<<=": operator.ilshift,
    ">>=": operator.irshift,
}  # fmt: skip
METHODS = {
    "fill_": (1.0,), "zero_": (), "fill": (1.0,), "copy_": (tenon.tensor(1.0),), "normal_": (),
    "uniform_": (), "relu_": (), "add_": (1.0,), "clamp_": (0.0,),
    "masked_fill_": (tenon.tensor(True), 1.0), "index_fill_": (0, tenon.tensor([0]), 1.0),
}  # fmt: skip


class Writes(Case):
    def refusal(self, kind, call, op, *words):
        """The message begins with the program's words, names no op, and has a hint that helps."""
        error = self.refused(kind, call, *words)
        self.assertEqual(error.op, op)
        self.assertNotIn("tenon.copy", str(error))
        self.assertNotIn("out=", str(error))
        self.assertIn("test_writes.py", error.place)
        return error

    def test_items(self):
        keys = {"place": 0, "all": ..., "slice": slice(1), "list": [0], "new": None}
        for name, key in keys.items():
            for x in (leaf(), made(), view()):
                if name == "list" and not x.is_leaf and x.ndim == 2:
                    continue  # recorded
                for value in (1.0, tenon.tensor(1.0), made()[0, 0]):
                    with self.subTest(name, x=x.shape, value=value):
                        error = self.refusal(
                            tenon.GradError,
                            lambda x=x, key=key, v=value: operator.setitem(x, key, v),
                            "item assignment", "x[key] = value: ",
                        )  # fmt: skip
                        self.assertEqual(error.operand, "x")
                        self.assertIn("with tenon.no_grad:", error.hint)
        mask = plain() > 1
        self.refusal(
            tenon.GradError, lambda: operator.setitem(leaf(), mask, 1.0),
            "item assignment", "x[key] = value: x is a leaf that requires a gradient",
        )  # fmt: skip

    def test_a_value_that_requires_a_gradient(self):
        value = made()
        for key in (0, ..., slice(1)):
            x = plain()
            error = self.refusal(
                tenon.GradError, lambda x=x, key=key: operator.setitem(x, key, value[0]),
                "item assignment", "x[key] = value: the value requires a gradient", "f32[2]",
            )  # fmt: skip
            self.assertEqual(error.operand, "value")
            self.assertIn("x[[0]] = value", error.hint)
        x = plain()
        x[[0]] = value[1]  # as the hint says
        x.sum().backward()
        for name in ("copy_", "fill_"):
            self.refusal(
                tenon.GradError, lambda name=name: getattr(plain(), name)(value[0, 0]),
                name, f"x.{name}(...): the value requires a gradient",
            )  # fmt: skip

    def test_operators(self):
        for sign, write in SIGNS.items():
            with self.subTest(sign):
                error = self.refusal(
                    tenon.GradError, lambda write=write: write(leaf(), 2.0), sign,
                    f"x {sign} y: x is a leaf that requires a gradient", f"x = x {sign[:-1]} y",
                )  # fmt: skip
                self.assertIn("with tenon.no_grad:", error.hint)
                self.refusal(
                    tenon.GradError, lambda write=write: write(view(), 2.0), sign,
                    f"x {sign} y: x is a view that a gradient flows through",
                )  # fmt: skip
                self.refusal(
                    tenon.ShapeError, lambda write=write: write(plain()[0], plain()), sign,
                    f"x {sign} y: the result has another shape than x", "f32[2]", "f32[2,2]",
                )  # fmt: skip
                self.refusal(
                    tenon.ShapeError, lambda write=write: write(plain(), tenon.full([3], 1.0)),
                    sign, f"x {sign} y: ",
                )  # fmt: skip
        self.refusal(
            tenon.DtypeError, lambda: operator.iadd(tenon.tensor([1]), 1.5), "+=",
            "x += y: the result has another dtype than x", "i64[1]", "f32[1]", "x = x + y",
        )  # fmt: skip
        for sign, write in WHOLE_SIGNS.items():
            x = tenon.tensor([1]).expand([2, 1])
            self.refusal(
                tenon.AliasError, lambda write=write, x=x: write(x, 1), sign, f"x {sign} y: "
            )

    def test_augmented_items(self):
        def add_to_item(x, value):
            x[0] += value

        for x, value in ((leaf(), 1.0), (made(), 1.0), (plain(), made()[0])):
            error = self.refused(tenon.GradError, lambda x=x, v=value: add_to_item(x, v))
            self.assertNotIn("tenon.copy", str(error))
        with tenon.no_grad:
            x = leaf()
            add_to_item(x, 1.0)
        self.same(x, [[2.0, 3.0], [3.0, 4.0]])

    def test_methods(self):
        for name, arguments in METHODS.items():
            for x in (leaf(), view()):
                with self.subTest(name, x=x.shape):
                    error = self.refusal(
                        tenon.GradError, lambda x=x, n=name, a=arguments: getattr(x, n)(*a),
                        name, f"x.{name}(...): x is a ",
                    )  # fmt: skip
                    self.assertIn("with tenon.no_grad:", error.hint)
                    with tenon.no_grad:
                        getattr(x, name)(*arguments)

    def test_memory_that_cannot_be_written(self):
        wide = tenon.tensor([[1.0], [2.0]]).expand([2, 3])
        fixed = tenon.asarray(memoryview(b"abcd"))
        for x, what in ((wide, "repeats elements"), (fixed, "read-only")):
            for call, op in (
                (lambda x: operator.setitem(x, 0, 1), "item assignment"),
                (lambda x: operator.iadd(x, 1), "+="),
                (lambda x: x.fill_(1), "fill_"),
            ):
                error = self.refusal(tenon.AliasError, lambda x=x, c=call: c(x), op, what)
                self.assertIn("x = x.clone()", error.hint)

    def test_values_that_do_not_fit(self):
        three = tenon.full([3], 1.0)
        for key in (slice(None), [0, 1], slice(0, 2)):
            error = self.refusal(
                tenon.ShapeError,
                lambda key=key: operator.setitem(tenon.tensor([1.0, 2.0]), key, three),
                "item assignment", "x[key] = value: the value does not fit the place",
            )  # fmt: skip
            self.assertEqual(error.operand, "value")

    def test_refusals_can_be_copied(self):
        error = self.refused(tenon.GradError, lambda: leaf().fill_(1.0))
        for other in (copy.deepcopy(error), pickle.loads(pickle.dumps(error))):
            self.assertEqual((str(other), other.op), (str(error), "fill_"))


if __name__ == "__main__":
    unittest.main()
