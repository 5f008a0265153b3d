# SPDX-License-Identifier: Apache-2.0
# tests/python/test_names.py: names and arguments as users of NumPy, PyTorch and the array API
# standard write them. tests/outside compares the results with these libraries'; here are the rules.
import copy
import inspect
import json
import math
import pickle
import re
import unittest

from support import Case, tenon

from tenon import _methods, _names


def x():
    return tenon.tensor([[1.0, -2.0, 3.0], [0.5, 1.5, -1.0]])


def v():
    return tenon.tensor([1.0, 2.0, 3.0])


VALUES = (
    ("one word for an axis", lambda: x().sum(1), [2.0, 1.0]),
    ("the standard's", lambda: tenon.sum(x(), axis=1, keepdims=True), [[2.0], [1.0]]),
    ("PyTorch's", lambda: x().mean(dim=0, keepdim=True), [[0.75, -0.25, 1.0]]),
    ("several", lambda: tenon.sum(x(), axis=(0, 1)), 3.0),
    ("a dtype", lambda: tenon.sum(x(), dtype="float64"), 3.0),
    ("an op's attribute by place", lambda: tenon.flatten(tenon.ones(2, 3, 4), 1).shape, (2, 12)),
    ("PyTorch's order", lambda: x().gather(1, tenon.tensor([[2], [0]])), [[3.0], [0.5]]),
    ("the op's order", lambda: x().gather(tenon.tensor([[2], [0]]), axis=1), [[3.0], [0.5]]),
    ("std divides by n", lambda: tenon.var(tenon.tensor([1.0, 3.0])), 1.0),
    ("correction", lambda: tenon.var(tenon.tensor([1.0, 3.0]), correction=1), 2.0),
    ("ddof", lambda: tenon.var(tenon.tensor([1.0, 3.0]), ddof=1), 2.0),
    ("unbiased", lambda: tenon.tensor([1.0, 3.0]).var(dim=0, unbiased=True), 2.0),
    ("sort gives values", lambda: tenon.sort(v(), descending=True), [3.0, 2.0, 1.0]),
    ("unique gives values", lambda: tenon.unique(tenon.tensor([2, 1, 2])), [1, 2]),
    ("take of a vector", lambda: tenon.take(x(), tenon.tensor([4])), [1.5]),
    ("take along an axis", lambda: x().take(tenon.tensor([1]), axis=1), [[-2.0], [1.5]]),
    ("repeat", lambda: v().repeat(2), [1.0, 1.0, 2.0, 2.0, 3.0, 3.0]),
    ("repeat of each", lambda: tenon.repeat(v(), [2, 0, 1]), [1.0, 1.0, 3.0]),
    ("tile", lambda: v().tile(2), [1.0, 2.0, 3.0, 1.0, 2.0, 3.0]),
    ("trace is the matrix'", lambda: tenon.trace(tenon.eye(3), offset=0), 3.0),
    ("arange", lambda: tenon.arange(3), [0, 1, 2]),
    ("arange of floats", lambda: tenon.arange(0.0, 1.0, 0.5), [0.0, 0.5]),
    ("the median of an even number", lambda: tenon.median(tenon.tensor([4.0, 1.0, 3.0, 2.0])), 2.5),
    ("quantiles", lambda: tenon.quantile(v(), [0.0, 0.25, 1.0]), [1.0, 1.5, 3.0]),
    ("NaN is in the median", lambda: tenon.median(tenon.tensor([1.0, math.nan])).isnan(), True),
    ("bincount", lambda: tenon.bincount(tenon.tensor([3, 1, 1])), [0, 2, 0, 1]),
    ("the last bin has its end", lambda: tenon.histogram(v(), 2)[0], [1, 2]),
    ("fmod has the sign of a", lambda: tenon.fmod(tenon.tensor([-5.0, 5.0]), -3.0), [-2.0, 2.0]),
    ("det", lambda: tenon.linalg.det(tenon.tensor([[0.0, 2.0], [3.0, 0.0]])), -6.0),
    ("det of singular ones", lambda: tenon.linalg.det(tenon.ones(2, 2)), 0.0),
    ("rank", lambda: tenon.linalg.matrix_rank(tenon.ones(3, 2)), 1),
    ("pad", lambda: tenon.pad(v(), (1, 0)), [0.0, 1.0, 2.0, 3.0]),
    ("in place", lambda: v().add_(1.0).mul_(2.0).zero_().fill_(5.0), [5.0, 5.0, 5.0]),
    (
        "in place, a place",
        lambda: v().index_add_(0, tenon.tensor([0, 0]), tenon.ones(2)),
        [3.0, 2.0, 3.0],
    ),
    ("an array on the left", lambda: [1.0, 2.0, 3.0] - v(), [0.0, 0.0, 0.0]),
    ("where alone", lambda: tenon.where(v() > 1.0)[0], [1, 2]),
)

# Methods of PyTorch's that are attributes here, or were missing, and what they give.
METHODS = (
    ("numel", lambda: type(x().numel()) is int and x().numel(), 6),
    ("nelement", lambda: x().nelement(), 6),
    ("dim", lambda: (x().dim(), x().ndimension()), (2, 2)),
    ("stride", lambda: (x().stride(), x().stride(0)), ((3, 1), 3)),
    ("is_contiguous", lambda: (x().is_contiguous(), x().T.is_contiguous()), (True, False)),
    ("is_contiguous is an attribute", lambda: f"{x().is_contiguous} {x().T.is_contiguous!r}",
     "True False"),
    ("data_ptr", lambda: (lambda a: a.data_ptr() == a.data_ptr)(x()), True),
    ("a copied size", lambda: type(copy.copy(x().size)), int),
    ("a pickled truth", lambda: pickle.loads(pickle.dumps(x().is_contiguous)) is True, True),
    ("size in a shape", lambda: tenon.zeros(x().size).shape, (6,)),
    ("sizes in JSON", lambda: json.dumps([x().size]), "[6]"),
    ("clamp_min", lambda: x().clamp_min(0.0)[0].tolist(), [1.0, 0.0, 3.0]),
    ("clamp_max_", lambda: x().clamp_max_(0.0)[0].tolist(), [0.0, -2.0, 0.0]),
    ("byte", lambda: v().byte().dtype.name, "uint8"),
    ("char", lambda: v().char().dtype.name, "int8"),
    ("where it is", lambda: (x().is_cpu, x().is_cuda, x().get_device()), (True, False, -1)),
    ("what it is", lambda: (x().is_complex(), x().is_signed(), v().byte().is_signed()),
     (False, True, False)),
    ("is_same_size", lambda: x().is_same_size(x() + 1), True),
    ("is_nonzero", lambda: tenon.tensor([2.0]).is_nonzero(), True),
    ("inverse", lambda: tenon.tensor([[2.0]]).inverse().tolist(), [[0.5]]),
    ("pinverse", lambda: tenon.tensor([[2.0]]).pinverse().tolist(), [[0.5]]),
    ("logdet", lambda: tenon.eye(2).logdet().item(), 0.0),
    ("logdet below 0", lambda: math.isnan((-tenon.eye(1)).logdet().item()), True),
    ("det", lambda: (tenon.eye(3) * 2).det().item(), 8.0),
    ("matrix_power", lambda: tenon.tensor([[2.0]]).matrix_power(3).tolist(), [[8.0]]),
    ("aminmax", lambda: [each.item() for each in x().aminmax()], [-2.0, 3.0]),
    ("aminmax of rows", lambda: x().aminmax(dim=1).max.tolist(), [3.0, 1.5]),
    ("index_add", lambda: v().index_add(0, tenon.tensor([0, 0]), tenon.ones(2)).tolist(),
     [3.0, 2.0, 3.0]),
    ("index_copy", lambda: v().index_copy(0, tenon.tensor([2]), tenon.ones(1)).tolist(),
     [1.0, 2.0, 1.0]),
    ("index_fill", lambda: x().index_fill(1, tenon.tensor([0, 2]), 9.0).tolist(),
     [[9.0, -2.0, 9.0], [9.0, 1.5, 9.0]]),
    ("index_fill_", lambda: v().index_fill_(0, tenon.tensor([1]), 0.0).tolist(), [1.0, 0.0, 3.0]),
    ("new_empty", lambda: x().new_empty(2, 3).shape, (2, 3)),
    ("split_with_sizes", lambda: [each.shape for each in x().split_with_sizes([1, 2], 1)],
     [(2, 1), (2, 2)]),
    ("tensor_split", lambda: [each.shape for each in x().tensor_split(2, dim=1)],
     [(2, 2), (2, 1)]),
    ("mH", lambda: (x().mH.shape, x().adjoint().shape), ((3, 2), (3, 2))),
    ("other names", lambda: (v().fix().tolist() == v().trunc().tolist(), v().sgn().sum().item(),
                             x().swapdims(0, 1).shape), (True, 3.0, (3, 2))),
)  # fmt: skip

# What PyTorch's words would mean otherwise is an error that says so.
REFUSED = (
    (lambda: x().size(), "x.shape"),
    (lambda: x().size(0), "x.shape[0]"),
    (lambda: x().max(dim=1), "amax"),
    (lambda: tenon.min(x(), dim=1), "argmin"),
    (lambda: tenon.sort(x(), dim=1), "argsort"),
    (lambda: x().sort(), "tenon.sort"),
    (lambda: tenon.std(x(), dim=0), "correction=1"),
    (lambda: tenon.median(x(), dim=0), "kthvalue"),
    (lambda: v().repeat(2, 1), "tenon.tile"),
    (lambda: tenon.split(x(), 1, dim=0), "tenon.chunk"),
    (lambda: v().detach_(), "x.detach()"),
    (lambda: tenon.trace("steps.json"), "tenon.profile"),
    (lambda: tenon.mse_loss(tenon.ones(4, 1), tenon.ones(4)), "would both be repeated"),
    (lambda: tenon.softmax(x(), axs=1), "did you mean axis?"),
    (lambda: tenon.sum(x(), axis=1, dim=0), "one of axis, axes and dim"),
    (lambda: tenon.var(x(), axis=1, axes=0), "one of axis, axes and dim"),
    (lambda: tenon.argsort(x(), axis=1, dim=0), "expected one value, found two"),
    (lambda: tenon.diff(x(), axis=1, dim=0), "one of axis, axes and dim"),
    (lambda: tenon.linalg.norm(x(), axis=1, dim=0), "one of axis, axes and dim"),
    (lambda: x().gather(tenon.tensor([[0]]), axis=1, dim=0), "one of axis, axes and dim"),
    (lambda: x().nothing, "no op is named"),
    (lambda: tenon.compile, "tenon.captured"),
    (lambda: tenon.fft, "complex"),
    (lambda: tenon.random, "tenon.seed"),
)


class Names(Case):
    def test_values(self):
        for words, call, values in VALUES:
            with self.subTest(words):
                found = call()
                if isinstance(values, tuple):
                    self.assertEqual(found, values)
                else:
                    self.same(found, values)

    def test_methods(self):
        for name, call, expected in METHODS:
            with self.subTest(name):
                self.assertEqual(call(), expected)

    def test_methods_that_are_elsewhere(self):
        for name, words in (("resize_", "reshape"), ("tobytes", "numpy()"), ("grad_fn", "node")):
            with self.assertRaisesRegex(AttributeError, re.escape(words)):
                getattr(x(), name)

    def test_copies_with_places_changed_have_gradients(self):
        w = v().requires_grad_()
        changed = w.index_add(0, tenon.tensor([0]), tenon.ones(1)) * 2.0
        self.same(tenon.grad(changed.sum(), w), [2.0, 2.0, 2.0])
        self.same(w, [1.0, 2.0, 3.0])

    def test_refusals(self):
        for call, words in REFUSED:
            with self.subTest(words):
                self.refused(Exception, call, words)

    def test_every_name_is_there_and_has_words(self):
        for name in [*_names.FUNCTIONS, *_names.ALIASES]:
            with self.subTest(name):
                self.assertTrue(getattr(tenon, name).__doc__)
                self.assertIn(name, dir(tenon))
                inspect.signature(getattr(tenon, name))
        one = tenon.ones(1, 1)
        for name in _names.method_names():
            with self.subTest(name):
                self.assertIn(name, dir(one))
                getattr(one, name)
        for name in _names.METHODS:
            self.assertTrue(vars(_methods)[name].__doc__, name)

    def test_names_that_are_elsewhere(self):
        for name in _names.INSTEAD:
            with self.subTest(name):
                self.refused(AttributeError, lambda name=name: getattr(tenon, name), "hint: ")

    def test_outputs_have_names(self):
        found = tenon.topk(x(), 2)
        self.same(found.values, [[3.0, 1.0], [1.5, 0.5]])
        self.same(found.indices, [[2, 0], [1, 0]])
        values, indices = found
        self.assertIs(values, found[0])
        copied = pickle.loads(pickle.dumps(found))
        self.assertIs(type(copied), tuple)
        self.same(copied[1], indices.tolist())

    def test_gradients_flow(self):
        w = tenon.tensor([[2.0, 1.0], [1.0, 3.0]], requires_grad=True)
        for function in (
            tenon.linalg.inv, tenon.linalg.det, tenon.linalg.pinv, tenon.median, tenon.std,
            lambda a: tenon.logaddexp(a, 1.0), lambda a: tenon.kron(a, a), tenon.diff,
            lambda a: tenon.quantile(a, 0.3, axis=1), lambda a: tenon.stack(tenon.unbind(a)),
        ):  # fmt: skip
            gradient = tenon.grad(function(w).sum(), w)
            self.assertTrue(bool(gradient.isfinite().all()))
            self.assertTrue(bool((gradient != 0).any()))

    def test_singular_matrices_have_a_gradient_of_their_determinant(self):
        w = tenon.tensor([[1.0, 2.0], [2.0, 4.0]], requires_grad=True)
        self.same(tenon.grad(tenon.linalg.det(w), w), [[4.0, -2.0], [-2.0, 1.0]])
        both = tenon.tensor([[[1.0, 2.0], [2.0, 4.0]], [[2.0, 0.0], [0.0, 4.0]]]).requires_grad_()
        sign, logarithm = tenon.linalg.slogdet(both)
        self.same(sign, [0.0, 1.0])
        self.assertEqual(logarithm[0].item(), -math.inf)
        found = tenon.grad(logarithm.sum(), both)
        self.assertTrue(bool(found[0].isnan().all()))
        self.same(found[1], [[0.5, 0.0], [0.0, 0.25]])

    def test_the_standard_asks(self):
        info = tenon.__array_namespace_info__()
        self.assertEqual(v().__array_namespace__(api_version="2024.12"), tenon)
        self.assertIs(info.default_dtypes()["real floating"], tenon.float32)
        self.assertIn("cpu", info.devices())
        integers = {"int8", "int16", "int32", "int64", "uint8"}
        self.assertEqual(set(info.dtypes(kind="integral")), integers)
        self.refused(ValueError, lambda: v().__array_namespace__(api_version="1999"))
        self.assertEqual((v() + 1.0).to_device("cpu").tolist(), [2.0, 3.0, 4.0])
        self.assertTrue(tenon.isdtype(tenon.int8, ("bool", "integral")))
        self.assertTrue(tenon.can_cast(tenon.int32, tenon.float64))
        self.assertIs(tenon.result_type(tenon.int32, tenon.float32), tenon.float32)


if __name__ == "__main__":
    unittest.main()
