# SPDX-License-Identifier: Apache-2.0
# tests/python/test_wrong_input.py: wrong calls from Python: each is the exception that says what is
# wrong with which operand of what, ends with the caller's line, and changes nothing.
import itertools
import json
import os
import pathlib
import re
import struct
import tempfile
import unittest

from support import Case, run_python, tenon

NAN = float("nan")


class World:
    """What the calls are made with, and where files lie."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.x = tenon.tensor([[1.0, 2.0], [3.0, 4.0]])
        self.v = tenon.tensor([1.0, 2.0, 3.0])
        self.i = tenon.tensor([0, 1])
        self.w = tenon.tensor([1.0, 2.0], requires_grad=True)
        self.layer = tenon.nn.linear(inputs=2, outputs=3)
        self.sgd = tenon.optim.sgd([self.w], lr=0.1)
        self.selfish = []
        self.selfish.append(self.selfish)

    def tensors(self):
        return [self.x, self.v, self.i, self.w.detach(), *self.layer.state_dict().values()]

    def values(self):
        return [each.tolist() for each in self.tensors()], self.w.grad, self.sgd.lr

    def file(self, name, data):
        path = self.folder / name
        path.write_bytes(data)
        return path

    def safetensors(self, header, data=b"12345678"):
        text = json.dumps(header).encode() if isinstance(header, dict) else header
        return self.file("x.safetensors", struct.pack("<Q", len(text)) + text + data)


def mutating(world):
    """A list whose element empties it while it is read."""

    class Emptier:
        def __index__(self):
            numbers.clear()
            return 1

    numbers = [Emptier(), 2, 3]
    return numbers


def item_of(tensor, key, value):
    tensor[key] = value


def in_inference(call):
    with tenon.inference:
        call()


def captured(call):
    return lambda w: tenon.capture(lambda: call(w))


def freed(w):
    total = (w.w * 2).sum()
    total.backward()
    w.w.grad = None
    total.backward()


def overwritten(w):
    saved = w.w.exp()
    total = saved.sum()
    with tenon.no_grad:
        saved += 1
    total.backward()


# (call, class, op, operand, words of the hint)
MAKING = (
    (lambda w: tenon.tensor([2**70]), OverflowError, "tensor", "data", ""),
    (lambda w: tenon.tensor(w.selfish), ValueError, "tensor", "data", ""),
    (lambda w: tenon.tensor(None), TypeError, "tensor", "data", "stack"),
    (lambda w: tenon.tensor("abc"), TypeError, "tensor", "data", "stack"),
    (lambda w: tenon.tensor({}), TypeError, "tensor", "data", "stack"),
    (lambda w: tenon.tensor([1j]), TypeError, "tensor", "data", "stack"),
    (lambda w: tenon.tensor([[1], [1, 2]]), ValueError, "tensor", "data", "rectangular"),
    (lambda w: tenon.tensor([1, [2]]), ValueError, "tensor", "data", "rectangular"),
    (lambda w: tenon.tensor(mutating(w)), TypeError, "tensor", "data", ""),
    (lambda w: tenon.tensor([1], "float33"), TypeError, "dtype", "dtype", ""),
    (lambda w: tenon.tensor([1], 3), TypeError, "dtype", "dtype", ""),
    (lambda w: tenon.tensor([1], requires_grad=True), tenon.DtypeError, "", "tensor", ""),
    (lambda w: tenon.tensor([1], device="tpu"), tenon.NotFoundError, "", "", "TENON_PLUGIN_PATH"),
    (lambda w: tenon.tensor([1], device="cpu:7"), tenon.DeviceError, "", "device", ""),
    (lambda w: tenon.tensor([1], device="cpu:x"), ValueError, "to", "device", ""),
    (lambda w: tenon.tensor([1], device=3), TypeError, "to", "device", ""),
    (lambda w: tenon.full([-1], 0.0), tenon.ShapeError, "tenon.full", "shape", ""),
    (lambda w: tenon.full([NAN], 0.0), TypeError, "tenon.full", "shape", ""),
    (lambda w: tenon.full([2**70], 0.0), OverflowError, "tenon.full", "shape", ""),
    (lambda w: tenon.full([2**62], 0.0), tenon.ShapeError, "tenon.full", "shape", ""),
    (lambda w: tenon.full([2**40, 2**40], 0.0), tenon.ShapeError, "tenon.full", "shape", ""),
    (lambda w: tenon.full([2**50], 0.0), MemoryError, "", "", ""),
    (lambda w: tenon.full([1] * 9, 0.0), tenon.Error, "tenon.full", "shape", ""),
    (lambda w: tenon.full("3", 0.0), TypeError, "tenon.full", "shape", ""),
    (lambda w: tenon.full(None, 0.0), TypeError, "tenon.full", "shape", ""),
    (lambda w: tenon.full([2], None), TypeError, "tenon.full", "value", ""),
    (lambda w: tenon.full([2], w.x), TypeError, "tenon.full", "value", ""),
    (lambda w: tenon.full(mutating(w), 0.0), TypeError, "tenon.full", "shape", ""),
    (lambda w: tenon.asarray([1], copy=False), ValueError, "asarray", "data", ""),
    (lambda w: tenon.from_dlpack(3), TypeError, "from_dlpack", "x", ""),
)
SHAPES = (
    (lambda w: w.x + w.v, tenon.ShapeError, "tenon.add", "b", "counted from the last"),
    (lambda w: w.x @ w.v, tenon.ShapeError, "tenon.matmul", "b", ""),
    (lambda w: w.x + 2**70, OverflowError, "tenon.add", "b", ""),
    (lambda w: w.x & w.x, tenon.DtypeError, "tenon.bitwise_and", "a", "the schema is"),
    (lambda w: tenon.add(w.x, {1}), TypeError, "tenon.add", "b", "tenon.tensor"),
    (lambda w: tenon.add(w.x, "1"), TypeError, "tenon.add", "b", "tenon.tensor"),
    (lambda w: tenon.add(w.x), ValueError, "tenon.add", "", ""),
    (lambda w: tenon.add(w.x, w.x, w.x), TypeError, "tenon.add", "arguments", "(a, b,"),
    (lambda w: tenon.add(w.x, w.x, c=1), TypeError, "tenon.add", "c", ""),
    (lambda w: tenon.add(w.x, w.x, a=w.x), TypeError, "tenon.add", "a", ""),
    (lambda w: w.x.sum(axes=7), tenon.AxisError, "tenon.sum", "axes", ""),
    (lambda w: w.x.sum(axes=-3), IndexError, "tenon.sum", "axes", ""),
    (lambda w: w.x[0, 0].sum(axes=0), tenon.AxisError, "tenon.sum", "axes", ""),
    (lambda w: tenon.softmax(w.x[0, 0]), tenon.NoAxisError, "tenon.softmax", "x", "reshape"),
    (lambda w: tenon.take(w.x, w.i, axis=2), tenon.OptionError, "tenon.take", "axis", ""),
    (lambda w: w.x.take(w.i - 3, axis=0), tenon.DataError, "tenon.take", "indices", "values"),
    (lambda w: tenon.gather(w.x, w.x.astype("int64") - 2, axis=0), tenon.DataError, None, None, ""),
    (lambda w: w.x.sum(axes=[0, 0]), tenon.OptionError, "tenon.sum", "axes", ""),
    (lambda w: w.x.sum(axes="a"), TypeError, "tenon.sum", "axes", ""),
    (lambda w: w.x.sum(axes=NAN), TypeError, "tenon.sum", "axes", ""),
    (lambda w: w.x.sum(axes=2**70), OverflowError, "tenon.sum", "axes", ""),
    (lambda w: w.x.sum(axes=w.selfish), TypeError, "tenon.sum", "axes", ""),
    (lambda w: tenon.softmax(w.x, axis=9), tenon.OptionError, "tenon.softmax", "axis", ""),
    (lambda w: tenon.softmax(w.x, axis=NAN), TypeError, "tenon.softmax", "axis", ""),
    (lambda w: w.x.reshape(3, 3), tenon.ShapeError, "tenon.reshape", "shape", ""),
    (lambda w: w.x.reshape(-1, -1), tenon.ShapeError, "tenon.reshape", "shape", ""),
    (lambda w: w.x.reshape(w.x), TypeError, "tenon.reshape", "shape", ""),
    (lambda w: w.x.T.view(4), tenon.LayoutError, "tenon.view", "x", "reshape copies"),
    (lambda w: w.x.permute(0, 0), tenon.OptionError, "tenon.permute", "axes", ""),
    (lambda w: w.x.transpose(0, 5), tenon.OptionError, "tenon.transpose", "axis1", ""),
    (lambda w: w.x.expand(5, 5, 5), tenon.ShapeError, "tenon.expand", "shape", ""),
    (lambda w: w.x.squeeze(0), tenon.ShapeError, "tenon.squeeze", "axes", ""),
    (lambda w: tenon.concat([]), ValueError, "tenon.concat", "xs", ""),
    (lambda w: tenon.concat(None), ValueError, "tenon.concat", "xs", ""),
    (lambda w: tenon.concat([w.x, w.i]), tenon.ShapeError, "tenon.concat", "xs", ""),
    (lambda w: tenon.concat(w.selfish), TypeError, "tenon.concat", "xs", ""),
    (lambda w: tenon.stack([w.x, None]), TypeError, "tenon.stack", "xs", ""),
    (lambda w: tenon.topk(w.x, k=9), tenon.OptionError, "tenon.topk", "k", ""),
    (lambda w: tenon.dropout(w.x, p=NAN), tenon.OptionError, "tenon.dropout", "p", ""),
    (lambda w: tenon.embedding(w.x, w.i + 7), tenon.DataError, "tenon.embedding", "indices", "val"),
    (lambda w: tenon.embedding(w.x, w.x), tenon.DtypeError, "tenon.embedding", "indices", "sche"),
    (lambda w: tenon.mse_loss(w.x, w.x, reduction="most"), ValueError, "tenon.mse_loss", "red", ""),
    (lambda w: tenon.cholesky(-w.x), tenon.DataError, "tenon.cholesky", "x", "identity"),
    (lambda w: tenon.Op(None), TypeError, "Op", "name", ""),
    (lambda w: tenon.Op("tenon.nothing"), LookupError, "", "", "tenon doctor"),
)
INDEXING = (
    (lambda w: w.x[5], IndexError, "index", "axis 0", ""),
    (lambda w: w.x[2**70], IndexError, "index", "axis 0", ""),
    (lambda w: w.x[0, 0, 0], IndexError, "index", "key", ""),
    (lambda w: w.x["a"], TypeError, "index", "key", ""),
    (lambda w: w.x[NAN], TypeError, "index", "key", ""),
    (lambda w: w.x[w.x], TypeError, "index", "key", ""),
    (lambda w: item_of(w.x, 9, 1.0), IndexError, "index", "axis 0", ""),
    (lambda w: item_of(w.x, 0, "a"), TypeError, "tensor", "data", ""),
    (lambda w: item_of(w.x, 0, w.v), tenon.ShapeError, None, None, ""),
    (lambda w: item_of(w.w, 0, 1.0), tenon.GradError, "item assignment", "x", "tenon.no_grad"),
)
READING = (
    (lambda w: w.x.item(), tenon.ShapeError, "", "tensor", "x.tolist()"),
    (lambda w: bool(w.x), tenon.ShapeError, "", "tensor", "x.tolist()"),
    (lambda w: len(w.x[0, 0]), TypeError, "len", "x", "item()"),
    (lambda w: range(w.x[0, 0]), TypeError, "index", "x", ""),
    (lambda w: w.x.to("nowhere"), tenon.NotFoundError, "", "", "tenon doctor"),
    (lambda w: w.x.to(None), TypeError, "dtype", "dtype", ""),
    (lambda w: w.x.astype("x"), TypeError, "dtype", "dtype", ""),
    (captured(lambda w: w.x.item()), tenon.CaptureError, "", "reading", "captured function"),
    (captured(lambda w: w.x.tolist()), tenon.CaptureError, "buffer", "x", "return the tensor"),
    (captured(lambda w: tenon.nonzero(w.x)), tenon.CaptureError, "tenon.nonzero", "", "captured f"),
    (lambda w: tenon.capture(3), TypeError, "capture", "function", ""),
    (lambda w: tenon.capture(lambda x: x, 3), TypeError, "capture", "inputs", ""),
)
WRITING = (
    (lambda w: w.w.__iadd__(1), tenon.GradError, "+=", "x", "tenon.no_grad"),
    (lambda w: w.w[0:1].__iadd__(1), tenon.GradError, "+=", "x", "x = x + y"),
    (lambda w: w.i.__iadd__(1.5), tenon.DtypeError, "+=", "x", "x = x + y"),
    (
        lambda w: w.v.__iadd__(w.x[:1, :1].expand(4, 3)),
        tenon.ShapeError,
        "+=",
        "x",
        "x = x + y",
    ),
    (lambda w: w.x[:1].expand(2, 2).__iadd__(1.0), tenon.AliasError, "+=", "x", "x.clone()"),
    (lambda w: tenon.add(w.x, w.x, out=w.v), tenon.ShapeError, "tenon.add", "out", "never resized"),
    (lambda w: tenon.add(w.x, w.x, out=(w.x, w.x)), ValueError, "tenon.add", "", ""),
    (lambda w: tenon.add(w.x, w.x, out=[None]), TypeError, "tenon.add", "out", ""),
    (lambda w: tenon.add(w.w, 1, out=w.x[0]), tenon.GradError, "tenon.add", "out", "leave out="),
    (lambda w: tenon.add(w.x[0], 1, out=w.w), tenon.GradError, "tenon.add", "out", "no_grad"),
)
GRADIENTS = (
    (lambda w: (w.w * 2).backward(), tenon.GradError, "", "root 0", "seed of its shape"),
    (lambda w: w.x.sum().backward(), tenon.GradError, "", "root 0", "requires_grad = True"),
    (freed, tenon.GraphFreedError, "tenon.sum", "", "retain_graph=True"),
    (overwritten, tenon.VersionError, "tenon.exp", "saved output", "write to a copy"),
    (lambda w: (w.w * 2).backward(w.v), tenon.ShapeError, "", "seed 0", ""),
    (lambda w: (w.w * 2).backward(1.0), TypeError, "backward", "seeds", ""),
    (lambda w: tenon.backward(None), TypeError, "backward", "roots", ""),
    (lambda w: tenon.grad(w.w.sum(), w.x), tenon.GradError, "", "inputs", ""),
    (lambda w: tenon.grad(w.w.sum(), None), TypeError, "grad", "inputs", ""),
    (lambda w: in_inference(w.w.sum().backward), tenon.StateError, "", "", "tenon.no_grad"),
    (lambda w: tenon.value_and_grad(3), TypeError, "value_and_grad", "function", ""),
    (lambda w: tenon.value_and_grad(len, "a"), TypeError, "value_and_grad", "argnums", ""),
    (lambda w: tenon.value_and_grad(len, 5)(w.w), TypeError, "len", "argument 5", "argnums"),
    (lambda w: setattr(w.w, "grad", 1.0), TypeError, "grad", "grad", ""),
    (lambda w: setattr(w.w, "grad", w.w), ValueError, "", "grad", "pass a copy"),
    (lambda w: setattr(w.w, "grad", w.v), tenon.ShapeError, "", "grad", ""),
    (lambda w: setattr(w.w * 2, "requires_grad", False), tenon.GradError, "", "tensor", "x.retain"),
    (lambda w: w.x.retain_grad(), tenon.GradError, "", "tensor", "require a gradient"),
    (lambda w: w.x.add_hook(print), tenon.GradError, "", "tensor", "require a gradient"),
    (lambda w: w.w.add_hook(None), TypeError, "add_hook", "function", ""),
    (lambda w: tenon.gradcheck(3, w.x), TypeError, "gradcheck", "function", ""),
    (lambda w: tenon.draw(w.w * 2, "x.gif"), tenon.NotFoundError, "", "topic", ""),
)
TRAINING = (
    (lambda w: tenon.nn.linear(inputs=2), tenon.OptionError, "tenon.linear", "outputs", ""),
    (lambda w: tenon.nn.linear(inputs=0, outputs=1), tenon.OptionError, "tenon.linear", "inp", ""),
    (lambda w: tenon.nn.linear(colour=1), tenon.OptionError, "tenon.linear", "colour", ""),
    (lambda w: tenon.nn.linear(inputs=object()), TypeError, "tenon.linear", "inputs", ""),
    (lambda w: tenon.nn.linear(inputs=2**70), OverflowError, "tenon.linear", "inputs", ""),
    (lambda w: w.layer(), ValueError, "tenon.linear", "inputs", ""),
    (lambda w: w.layer(None), ValueError, "tenon.linear", "x", ""),
    (lambda w: w.layer(1.0), TypeError, "layer", "inputs", ""),
    (lambda w: w.layer(tenon.full([2, 5], 1.0)), tenon.ShapeError, "tenon.linear", "x", ""),
    (lambda w: w.layer.append(w.layer), tenon.UnsupportedError, "tenon.linear", "lay", "query"),
    (lambda w: tenon.nn.sequential(3), TypeError, "tenon.sequential", "child", "Module"),
    (lambda w: w.layer.load_state_dict({}), ValueError, "load_state_dict", "names", ""),
    (lambda w: w.layer.load_state_dict(None), TypeError, "load_state_dict", "saved", ""),
    (lambda w: w.layer.load_state_dict({"a": 1}), TypeError, "load_state_dict", "a", ""),
    (lambda w: tenon.optim.sgd(None), TypeError, "tenon.sgd", "params", ""),
    (lambda w: tenon.optim.sgd([w.w, w.w * 2]), tenon.GradError, "", "params[1]", "x.detach()"),
    (lambda w: tenon.optim.sgd([w.x]), tenon.GradError, "", "params[0]", "model.parameters()"),
    (lambda w: tenon.optim.sgd([w.w], lr=-1.0), tenon.OptionError, "tenon.sgd", "lr", ""),
    (lambda w: tenon.optim.sgd([w.w], lr=NAN), tenon.OptionError, "tenon.sgd", "lr", ""),
    (lambda w: tenon.optim.sgd([w.w], colour=1), tenon.OptionError, "tenon.sgd", "colour", ""),
    (lambda w: setattr(w.sgd, "lr", "a"), TypeError, "optimizer", "lr", ""),
    (lambda w: setattr(w.sgd, "lr", 2**70), OverflowError, "optimizer", "lr", ""),
    (lambda w: w.sgd.load_state_dict({}), TypeError, "load_state_dict", "hypers", ""),
    (lambda w: tenon.schedules.cosine("a"), TypeError, "tenon.cosine", "base_value", ""),
    (lambda w: tenon.data.idx(), tenon.OptionError, "tenon.idx", "images", ""),
    (lambda w: tenon.data.idx(images="/nowhere", labels="/n"), OSError, "tenon.idx", "", ""),
)
FILES = (
    (lambda w: tenon.load(None), TypeError, "load", "path", ""),
    (lambda w: tenon.load(w.folder / "none.npy"), OSError, "", "path", ""),
    (lambda w: tenon.load("a\0b.npy"), ValueError, "", "path", ""),
    (lambda w: tenon.load(w.file("a.what", b"x")), LookupError, "", "path", "safetensors"),
    (lambda w: tenon.load(w.file("a.safetensors", b"")), tenon.DataError, None, "", "damaged"),
    (lambda w: tenon.load(w.file("a.safetensors", b"\xff" * 8)), tenon.DataError, None, "", "dama"),
    (lambda w: tenon.load(w.safetensors(b"{{{{")), tenon.DataError, None, "", "damaged"),
    (lambda w: tenon.load(w.safetensors(b"[" * 100_000)), tenon.DataError, None, "", "damaged"),
    (
        lambda w: tenon.load(w.safetensors({"a": entry("F32", [2**40, 2**40])})),
        *(tenon.DataError, None, "", "damaged"),
    ),
    (
        lambda w: tenon.load(w.safetensors({"a": entry("F32", [2], 80)})),
        *(tenon.DataError, None, "", "damaged"),
    ),
    (lambda w: tenon.load(w.file("a.npy", b"\x93NUMPY")), tenon.DataError, None, "", "damaged"),
    (lambda w: tenon.load(w.file("a.npz", b"PK\x03\x04")), tenon.DataError, None, "", "damaged"),
    (lambda w: tenon.save(None, {}), TypeError, "save", "path", ""),
    (lambda w: tenon.save(w.folder / "x.npz", [w.x]), TypeError, "save", "tensors", ""),
    (lambda w: tenon.save(w.folder / "x.npz", {1: w.x}), TypeError, "save", "names", ""),
    (lambda w: tenon.save(w.folder / "x.npz", {"a": 1}), TypeError, "save", "a", ""),
    (lambda w: tenon.save(w.folder / "no/x.npz", {"a": w.x}), OSError, "", "path", "what it was"),
    (lambda w: tenon.save(w.folder / "x.npy", {}), tenon.UnsupportedError, None, "", ""),
)
RUNTIME = (
    (lambda w: tenon.seed("a"), TypeError, "seed", "number", ""),
    (lambda w: tenon.seed(-1), ValueError, "seed", "number", ""),
    (lambda w: tenon.seed(0, 2**64), ValueError, "seed", "stream", ""),
    (lambda w: tenon.set_rng_state((1, 2)), ValueError, "set_rng_state", "state", ""),
    (lambda w: tenon.query("nothing"), LookupError, "", "topic", ""),
    (lambda w: tenon.query(None), TypeError, "query", "topic", ""),
    (lambda w: tenon.scope(3).__enter__(), TypeError, "scope", "label", ""),
    (lambda w: tenon.configure(threads=2), tenon.StateError, "configure", "", "import"),
)
# These are Python's own exceptions: its protocols say which.
PROTOCOLS = (
    (lambda w: w.x + "a", TypeError),
    (lambda w: w.x + None, TypeError),
    (lambda w: {1} + w.x, TypeError),
    (lambda w: w.x < "a", TypeError),
    (lambda w: memoryview(w.w), BufferError),
    (lambda w: memoryview(tenon.tensor([1.0], tenon.bfloat16)), BufferError),
    (lambda w: w.w.__dlpack__(max_version=(1, 0)), BufferError),
    (lambda w: w.x.nothing, AttributeError),
    (lambda w: tenon.nn.nothing, AttributeError),
    (lambda w: w.sgd.nothing, AttributeError),
    (lambda w: w.x.__delitem__(0), TypeError),
    (lambda w: tenon.Tensor(), TypeError),
    (lambda w: tenon.scope("\udc80").__enter__(), ValueError),
)


def entry(dtype, shape, end=8):
    return {"dtype": dtype, "shape": shape, "data_offsets": [0, end]}


class WrongCalls(Case):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.world = World(self.folder.name)

    def tearDown(self):
        del self.world
        self.folder.cleanup()

    def table(self, rows):
        w = self.world
        before = w.values()
        for place, (call, kind, op, operand, hint) in enumerate(rows):
            with self.subTest(row=place, op=op, operand=operand):
                error = self.refused(kind, lambda call=call: call(w))
                self.assertIsInstance(error, tenon.Error)
                if op is not None:
                    self.assertEqual(error.op, op)
                if operand is not None:
                    self.assertTrue(error.operand.startswith(operand), error.operand)
                    self.assertTrue(operand or not error.operand, error.operand)
                self.assertIn(hint, error.hint)
                self.assertNotIn("tenon_", error.hint)
                self.assertGreater(len(error.message), 8)
                self.assertIn(error.expected, str(error))
                self.assertIn(error.found, str(error))
                last = str(error).splitlines()[-1]
                self.assertRegex(last, r"^  at .*test_wrong_input\.py:\d+: \S")
                self.assertEqual(last, f"  at {error.place}")
                self.assertEqual(w.values(), before)
                self.same(w.x + 1, [[2.0, 3.0], [4.0, 5.0]])

    def test_making(self):
        self.table(MAKING)

    def test_shapes(self):
        self.table(SHAPES)

    def test_axes_of_every_op(self):
        """An axis that no operand has is an IndexError, whichever op is called."""
        found, kinds = set(), (self.world.x, self.world.x.astype("int64"))
        for described in tenon.query("ops"):
            op = tenon.Op(described["name"])
            for name in re.findall(r"(\w*ax[ei]s\w*): int", op.schema.partition("*,")[2]):
                is_list = f"{name}: int[]" in op.schema
                for count, x in itertools.product((1, 2, 3), kinds):
                    operands = [[x] if "*" in op.schema.partition(",")[0] else x] * count
                    try:
                        op(*operands, **{name: [99, 0] if is_list else 99})
                    except tenon.Error as error:
                        if error.operand == name and error.status_name == "TENON_E_ATTRIBUTE":
                            self.assertIsInstance(error, tenon.AxisError, error.message)
                            found.add(op.name)
        self.assertGreater(len(found), 30, found)

    def test_indexing(self):
        self.table(INDEXING)

    def test_reading(self):
        self.table(READING)

    def test_writing(self):
        self.table(WRITING)

    def test_gradients(self):
        self.table(GRADIENTS)

    def test_training(self):
        self.table(TRAINING)

    def test_files(self):
        self.table(FILES)
        self.assertEqual(sorted(os.listdir(self.world.folder)), KEPT_FILES)

    def test_runtime(self):
        self.table(RUNTIME)

    def test_protocols(self):
        before = self.world.values()
        for place, (call, kind) in enumerate(PROTOCOLS):
            with self.subTest(row=place):
                self.refused(kind, lambda call=call: call(self.world))
                self.assertEqual(self.world.values(), before)


# Those that were written to be loaded; what could not be saved left none.
KEPT_FILES = ["a.npy", "a.npz", "a.safetensors", "a.what", "x.safetensors"]

# In a process of its own: whatever is wrong, it ends as usual.
SWEEP = """
import tenon
from tenon import _schema

selfish = []; selfish.append(selfish)

class Odd:
    def __index__(self): raise KeyError("index")
    def __float__(self): raise KeyError("float")

class Large:
    def __len__(self): return 2**62
    def __getitem__(self, at): return 1

class Emptier:
    def __index__(self): numbers.clear(); return 1
    __float__ = __index__

numbers = []
def emptied():
    numbers[:] = [Emptier(), 1, 2, 3]
    return numbers

plain = tenon.tensor([[1.0, 2.0]])
wrong = [
    None, "a", "", b"x", 2**70, 2**63 - 1, -2**63, float("nan"), float("inf"), -1, True, 1j, [],
    [[]], selfish, (None,), {}, object(), Odd(), Large(), print, emptied, tenon.tensor([]),
    tenon.tensor(1.0), tenon.tensor([1, 2**40]), tenon.tensor([True]), tenon.full([1] * 8, 1.0),
    tenon.tensor([float("nan")] * 3), tenon.tensor([1.0], tenon.bfloat16), tenon.full([0, 3], 1.0),
    tenon.tensor([1.0, 2.0], requires_grad=True), [plain], [plain, None], [2**62, 4], [-1],
    [2**40], [1.5], list(range(9)), ["a"],
]
calls = 0
for name in dir(tenon.op.tenon):
    op = getattr(tenon.op.tenon, name)
    schema = _schema.Schema(op.name, op.revision)
    operands = [each[0] for each in schema.inputs]
    options = [*(each[0] for each in schema.attributes), *schema.synonyms(), "out"]
    cases = [((), {}), ((1,) * 12, {}), ((), {"nonsense": 1})]
    for value in wrong:
        cases.append(((value,) * len(operands), {}))
        for at in range(len(operands)):
            cases.append(([plain] * at + [value] + [plain] * (len(operands) - at - 1), {}))
        cases += [([plain] * len(operands), {each: value}) for each in options]
    for positional, named in cases:
        calls += 1
        positional = [each() if each is emptied else each for each in positional]
        named = {key: each() if each is emptied else each for key, each in named.items()}
        try:
            op(*positional, **named)
        except KeyError as error:
            assert error.args[0] in ("index", "float"), error
        except tenon.Error as error:
            assert error.status_name != "TENON_E_INTERNAL", error
assert (tenon.tensor([[1.0, 2.0]]) + 1).tolist() == [[2.0, 3.0]]  # plain may be written
print(calls > 20_000)
"""
METHODS = """
import tenon

selfish = []; selfish.append(selfish)
wrong = [None, "a", b"x", 2**70, -2**70, float("nan"), -1, 1j, [], selfish, {}, object(), print,
         slice(None, None, 0), ..., tenon.tensor([float("nan")]), tenon.tensor([True, False]),
         [2**62]]
x = tenon.tensor([[1.0, 2.0], [3.0, 4.0]])
w = tenon.tensor([1.0, 2.0], requires_grad=True)
skipped = {"save", "draw", "profile", "configure", "info"}
kept = [x.tolist(), w.tolist()]
names = [each for each in dir(tenon.Tensor) if not each.startswith("_")]
functions = [getattr(x, each) for each in names] + [getattr(w, each) for each in names]
functions += [getattr(tenon, each) for each in tenon.__all__ if each not in skipped]
functions += [x.__getitem__, w.__getitem__, tenon.load, tenon.capture, tenon.custom_op]
functions += [getattr(tenon.nn, each) for each in dir(tenon.nn)]
functions += [getattr(tenon.optim, each) for each in dir(tenon.optim)]
functions += [getattr(tenon.schedules, each) for each in dir(tenon.schedules)]
functions += [getattr(tenon.data, each) for each in dir(tenon.data)]
for function in functions:
    if not callable(function):
        continue
    cases = [()] + [(each,) for each in wrong] + [(each, each) for each in wrong]
    for case in cases:
        try:
            function(*case)
        except Exception as error:
            assert getattr(error, "status_name", "") != "TENON_E_INTERNAL", error
assert [x.tolist(), w.tolist()] == kept
print((x + 1).tolist())
"""


def complaints(text):
    """What a process said to stderr, but for a sanitizer's remarks on memory that is not there."""
    remarks = ("==", "    #", "\n")
    return "".join(line for line in text.splitlines(True) if not line.startswith(remarks))


# What wrong calls leave with an interpreter that ends is not looked at.
ASAN = "detect_leaks=0:allocator_may_return_null=1"


class Sweeps(Case):
    def test_every_op(self):
        done = run_python(SWEEP, ASAN_OPTIONS=ASAN)
        found = done.returncode, done.stdout, complaints(done.stderr)
        self.assertEqual(found, (0, "True\n", ""))

    def test_every_function(self):
        done = run_python(METHODS, ASAN_OPTIONS=ASAN)
        expected = (0, "[[2.0, 3.0], [4.0, 5.0]]", "")
        found = done.returncode, done.stdout.strip()[-24:], complaints(done.stderr)
        self.assertEqual(found, expected)


if __name__ == "__main__":
    unittest.main()
