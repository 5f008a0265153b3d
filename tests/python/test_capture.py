# SPDX-License-Identifier: Apache-2.0
# tests/python/test_capture.py: captured steps: replays, the decorator, and what cannot be captured.
import contextlib
import functools
import io
import itertools
import math
import pathlib
import random
import struct
import sys
import tempfile
import threading
import unittest

from support import Case, run_python, tenon


def bits(tensor):
    """Of a f32 tensor: -0.0 and 0.0 differ, NaN and NaN do not."""
    numbers = tensor.reshape(-1).tolist()
    return struct.pack(f"{len(numbers)}f", *numbers)


class Plans(Case):
    def setUp(self):
        self.x = tenon.tensor([1.0, 2.0, 3.0])

    def tearDown(self):
        del self.x

    def test_inputs_are_exchanged_together_or_not_at_all(self):
        plan = tenon.capture(lambda a, b: a + b, self.x, self.x * 10)
        self.same(plan(self.x * 2), [12.0, 24.0, 36.0])
        short = tenon.tensor([1.0])
        error = self.refused(
            tenon.PlanShapeError, lambda: plan(self.x * 5, short), "f32[3]", "f32[1]"
        )
        self.assertEqual(error.operand, "input 1")
        self.assertIn("capture the step again", error.hint)
        self.same(plan(), [12.0, 24.0, 36.0])
        self.refused(tenon.PlanShapeError, lambda: plan(tenon.tensor([1, 2, 3])), "i64[3]")
        self.refused(tenon.PlanShapeError, lambda: plan(tenon.full([6], 1.0)[::2]), "strides [2]")
        error = self.refused(ValueError, lambda: plan(self.x, self.x, self.x), "at most 2")
        self.assertEqual((error.op, error.operand), ("plan", "inputs"))
        self.refused(TypeError, lambda: plan([1.0, 2.0, 3.0]), "a tensor")
        self.same(plan(self.x, self.x), [2.0, 4.0, 6.0])

    def test_inputs_share_no_memory(self):
        pairs = {"equal": self.x, "view": self.x[1:], "reversed": self.x[::-1]}
        for name, other in pairs.items():
            with self.subTest(name):
                error = self.refused(
                    tenon.AliasError,
                    lambda other=other: tenon.capture(lambda a, b: a.sum(), self.x, other),
                    "input 1 shares memory with input 0",
                )
                self.assertEqual(error.hint, "give a copy of it")
        plan = tenon.capture(lambda a, b: a - b, self.x, self.x.clone())
        self.same(plan(self.x, self.x * 3), [-2.0, -4.0, -6.0])

    def test_a_result_is_not_the_next_input(self):
        plan = tenon.capture(lambda a: tenon.matmul(a, a), tenon.tensor([[1.0, 2.0], [3.0, 4.0]]))
        result = plan()
        self.refused(tenon.AliasError, lambda: plan(result), "what the plan writes")
        self.same(plan(), [[7.0, 10.0], [15.0, 22.0]])
        self.same(plan(result.clone()), [[199.0, 290.0], [435.0, 634.0]])

    def test_results_of_inputs_get_new_values(self):
        import collections

        Pair = collections.namedtuple("Pair", "first second")
        forms = {
            "itself": lambda a: a,
            "view": lambda a: a[1:],
            "reversed": lambda a: a[::-1],
            "of a view": lambda a: a[1:][:1],
            "tuple": lambda a: (a, a * 2),
            "named": lambda a: Pair(a[0], a + 1),
            "nested": lambda a: {"views": [a[:1], (a[2], 3)], "sum": a.sum()},
            "reshaped": lambda a: a.reshape(3, 1),
            "written": lambda a: a.__iadd__(1),
        }

        def values(result):
            if isinstance(result, tenon.Tensor):
                return result.tolist()
            if isinstance(result, dict):
                return {key: values(each) for key, each in result.items()}
            if isinstance(result, (tuple, list)):
                return type(result).__name__, [values(each) for each in result]
            return result

        for name, function in forms.items():
            with self.subTest(name):
                numbers = [[1.0, 2.0, 3.0], [40.0, 50.0, 60.0], [-1.0, 0.0, 7.0]]
                plan = tenon.capture(function, tenon.tensor(numbers[0]))
                self.assertEqual(values(plan.results), values(function(tenon.tensor(numbers[0]))))
                for each in numbers[1:]:
                    wanted = values(function(tenon.tensor(each)))
                    self.assertEqual(values(plan(tenon.tensor(each))), wanted)

    def test_what_a_step_makes_of_numbers_is_made_in_each_run(self):
        def step(x):
            sums = tenon.tensor([1.0, 2.0, 3.0])
            sums += x
            first = tenon.tensor([0.5, 0.25])
            first[1:] = sums[:1] + first[:1]
            return sums, first

        plan = tenon.capture(step, self.x)
        for x in (self.x, self.x * 3, self.x - 1):
            for found, wanted in zip(plan(x), step(x), strict=True):
                self.same(found, wanted.tolist())

    def test_what_a_plan_has_frozen_may_not_change(self):
        w = tenon.tensor([1.0, 2.0], requires_grad=True)
        optimizer = tenon.optim.adamw([w], lr=0.1, weight_decay=0.5)

        def step(x):
            (x * w).sum().backward()
            optimizer.step(clear_grad=True)

        plan = tenon.capture(step, tenon.tensor([1.0, 1.0]))
        optimizer.weight_decay = 0.0
        before = w.tolist()
        error = self.refused(tenon.StateError, plan, '"weight_decay" of tenon.adamw = 0.5')
        self.assertEqual((error.expected, error.found), ("0.5", "0"))
        self.same(w, before)
        optimizer.weight_decay = 0.5
        optimizer.lr = 0.2
        plan()
        self.assertNotEqual(w.tolist(), before)

        class Model(tenon.nn.Module):
            def __init__(self):
                self.drop = tenon.nn.dropout(p=0.5)

            def forward(self, x):
                return self.drop(x) if self.training else x * 1

        class Plain(tenon.nn.Module):
            def forward(self, x):
                return x * 0 if self.training else x

        for model in (tenon.nn.dropout(p=0.5), Model(), Plain()):
            with self.subTest(type(model).__name__):
                x = tenon.full([64], 1.0)
                run = tenon.capture(lambda x, model=model: model(x), x)
                self.assertIn(0.0, run.results.tolist())
                model.eval()
                error = self.refused(tenon.StateError, lambda run=run, x=x: run(x), "training")
                self.assertIn("capture the step again", error.hint)
                model.train()
                run(x)

    def test_gradients_are_state(self):
        """A replay does with a leaf's gradient what the step would do: add to it, or replace it."""

        def loss(w, x):
            return (tenon.sin(w) * x + w * w * x).sum()

        def backward(w, x, _):
            loss(w, x).backward()

        def micro_steps(w, x, _):
            loss(w, x).backward()
            loss(w, x * 2).backward()

        def cleared_first(w, x, optimizer):
            optimizer.zero_grad()
            loss(w, x).backward()
            optimizer.step()

        def cleared_between(w, x, optimizer):
            loss(w, x).backward()
            optimizer.step(clear_grad=True)
            loss(w, x * 3).backward()

        def cleared_last(w, x, optimizer):
            loss(w, x).backward()
            optimizer.step(clear_grad=True)

        def replaced(w, x, _):
            w.grad = x * 2

        def step_alone(w, x, optimizer):
            optimizer.step()

        steps = (backward, micro_steps, cleared_first, cleared_between, cleared_last, replaced)
        scripts = ("run run run", "run none run run", "eager run run", "eager run none run run")
        cases = [*itertools.product(steps, scripts), (cleared_last, "eager run eager run run")]
        cases += [(step, "run set run run") for step in steps if step is not cleared_last]
        cases.append((step_alone, "eager run run eager run none eager run"))
        for step, script in cases:
            with self.subTest(step.__name__, script=script):
                leaves = [tenon.tensor([1.0, -2.0, 3.0], requires_grad=True) for _ in "ec"]
                optimizers = [tenon.optim.sgd([w], lr=0.125) for w in leaves]
                plan = None
                for number, event in enumerate(script.split()):
                    x = tenon.tensor([number + 1.0, 2.0, -number])
                    for w, optimizer in zip(leaves, optimizers, strict=True):
                        if event == "none":
                            w.grad = None
                        elif event == "set":
                            w.grad = tenon.tensor([9.0, 8.0, 7.0])
                        elif event == "eager":
                            loss(w, x).backward()
                        elif w is leaves[0]:
                            step(w, x, optimizer)
                        elif plan is None:
                            run = functools.partial(step, w)
                            plan = tenon.capture(lambda x, f=run, o=optimizer: f(x, o), x)
                        else:
                            plan(x)
                    eager, captured = leaves
                    self.same(captured, eager.tolist())
                    if eager.grad is None:
                        self.assertIsNone(captured.grad)
                    else:
                        self.same(captured.grad, eager.grad.tolist())

    def test_gradients_that_a_plan_cannot_take(self):
        w = tenon.tensor([1.0, 2.0], requires_grad=True)
        optimizer = tenon.optim.sgd([w], lr=0.5)

        def step():
            (w * w).sum().backward()
            optimizer.step(clear_grad=True)

        plan = tenon.capture(step)
        w.grad = tenon.tensor([1.0, 1.0])
        before = w.tolist()
        error = self.refused(tenon.StateError, plan, "f32[2] had none, and now it has one")
        self.assertIn("give it up before the run", error.hint)
        self.same(w, before)
        self.same(w.grad, [1.0, 1.0])
        step_alone = tenon.capture(optimizer.step)
        w.grad = None
        self.refused(tenon.StateError, step_alone, "had one, and now it has none")
        table = tenon.tensor([[1.0], [2.0]], requires_grad=True)
        tenon.embedding(table, tenon.tensor([1])).sum().backward()
        rows = tenon.optim.sgd([table], lr=0.5)
        self.refused(tenon.CaptureError, lambda: tenon.capture(rows.step), "is held as rows")
        w.grad = self.x[:2]
        self.refused(
            tenon.AliasError,
            lambda: tenon.capture(lambda x: (w * x[:2]).sum().backward(), self.x),
            "shares memory with the gradient of f32[2]",
        )

    def test_an_input_has_its_own_gradient(self):
        x, z, plain = (tenon.tensor([n, 2.0], requires_grad=n < 7) for n in (1.0, 5.0, 7.0))
        plan = tenon.capture(lambda a: (a * a).sum().backward(), x)
        plan(z)
        plan(plain)
        self.same(x.grad, [2.0, 4.0])
        self.same(z.grad, [10.0, 4.0])
        plan(z)
        self.same(z.grad, [20.0, 8.0])
        self.assertIsNone(plain.grad)

    def test_gradients_with_rows_have_one_order(self):
        """Dense gradients of a leaf, rows and the gradient it holds sum up to the same bits."""
        rng = random.Random(5)

        def numbers(*shape):
            count = math.prod(shape)
            return tenon.tensor([rng.gauss(0, 1) * 3 ** rng.randint(-9, 9) for _ in range(count)])

        start = numbers(5, 3).tolist()
        a, b, c, d = (numbers(n) for n in (15, 15, 21, 21))
        rows = tenon.tensor([4, 0, 4, 4, 1, 0, 4])
        terms = {
            "sin": lambda x: tenon.sin(x.reshape(15)) * a,
            "exp2": lambda x: tenon.exp2(x.reshape(15) * 0.1) * b,
            "rows": lambda x: tenon.embedding(x, rows).reshape(21) * c,
            "more rows": lambda x: tenon.embedding(x, rows).reshape(21) * d,
        }
        kinds = [names for n in (1, 2, 3) for names in itertools.permutations(terms, n)]

        def leaf(held):
            x = tenon.tensor(start).reshape(5, 3).clone().detach()
            x.requires_grad = True
            if held:
                (x * x).sum().backward()
            return x

        for names in kinds:
            for held in (False, True):
                with self.subTest(names, held=held):

                    def loss(x, names=names):
                        total = 0.0
                        for name in names:
                            total = total + terms[name](x).sum()
                        return total

                    def dense(x):
                        if not x.has_grad_rows:
                            return x.grad
                        indices, values = x.grad_rows()
                        out = [[0.0] * 3 for _ in range(5)]
                        for row, each in zip(indices.tolist(), values.tolist(), strict=True):
                            out[row] = each
                        return tenon.tensor(out)

                    eager, captured = leaf(held), leaf(held)
                    loss(eager).backward()
                    tenon.capture(lambda x=captured, loss=loss: loss(x).backward())
                    self.assertEqual(bits(dense(captured)), bits(dense(eager)))
                    if not held:
                        (given,) = tenon.grad(loss(eager), [eager])
                        self.assertEqual(bits(given), bits(dense(eager)))

    def test_rows_are_added_one_by_one_to_what_is_there(self):
        """Rows that stand twice, several of them, and rows that are left out: in every run the bits
        of the step, whatever the leaf held when it was captured."""
        rng = random.Random(7)
        start = [[rng.gauss(0, 1) for _ in range(2)] for _ in range(4)]
        turns = [
            ([rng.choice([1, 3]) for _ in range(9)], [[rng.gauss(0, 1)] for _ in range(9)])
            for _ in range(6)
        ]

        def run(held, captured):
            w = tenon.tensor(start, requires_grad=True)
            if held:
                (w[1:] * 0.3).sum().backward()

            def step(rows, scale):
                picked = tenon.embedding(w, rows) * scale
                (picked + tenon.embedding(w, rows[:2])[1]).sum().backward()

            plan, found = None, []
            for turn, (rows, scale) in enumerate(turns):
                inputs = tenon.tensor(rows), tenon.tensor(scale)
                if not captured:
                    step(*inputs)
                elif plan is None:
                    plan = tenon.capture(step, *inputs)
                else:
                    plan(*inputs)
                grad = w.grad_rows() if w.has_grad_rows else None
                dense = tenon.full([4, 2], 0.0) if grad else w.grad
                if grad:
                    dense[grad[0]] = grad[1]
                found.append(bits(dense))
                if turn == 2:
                    w.grad = None
            return found

        for held in (False, True):
            with self.subTest(held=held):
                self.assertEqual(run(held, True), run(held, False))

    def test_what_rows_leave_out_is_a_positive_zero(self):
        """Dense gradients that follow rows, and are zeros of either sign."""
        kinds = {
            "rows": lambda w, rows: tenon.embedding(w, rows) * -0.5,
            "dense": lambda w, rows: w * tenon.tensor([[-0.0, 1.0], [0.0, -0.0], [-0.0, 2.0]]),
        }

        def run(names, held, captured):
            w = tenon.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], requires_grad=True)
            plan, found = None, []

            def step(rows, names=names):
                for name in names:
                    kinds[name](w, rows).sum().backward()

            for turn, rows in enumerate(([0], [1, 1], [2], [0, 2])):
                w.grad = None
                step(tenon.tensor([turn % 3]), held)
                if not captured:
                    step(tenon.tensor(rows))
                elif len(rows) == 2:
                    tenon.capture(step, tenon.tensor(rows))
                elif plan is None:
                    plan = tenon.capture(step, tenon.tensor(rows))
                else:
                    plan(tenon.tensor(rows))
                grad = w.grad_rows() if w.has_grad_rows else None
                dense = tenon.full([3, 2], 0.0) if grad else w.grad
                if grad:
                    dense[grad[0]] = grad[1]
                found.append(bits(dense))
            return found

        for count in (1, 2, 3):
            for names in itertools.product(kinds, repeat=count):
                for held in ([], ["rows"], ["dense"], ["rows", "dense"]):
                    with self.subTest(names, held=held):
                        self.assertEqual(run(names, held, True), run(names, held, False))

    def test_the_decorator_captures_each_kind_of_input_once(self):
        runs = []

        @tenon.captured
        def double(x):
            """Twice x."""
            runs.append(x.shape)
            return x * 2

        first = double(self.x)
        self.same(first, [2.0, 4.0, 6.0])
        self.assertIs(double(self.x + 1), first)
        self.same(first, [4.0, 6.0, 8.0])
        self.same(double(tenon.tensor([[1]])), [[2]])
        self.same(double(self.x[::-1]), [6.0, 4.0, 2.0])
        self.same(double(self.x), [2.0, 4.0, 6.0])
        self.assertEqual(runs, [(3,), (1, 1), (3,)])
        self.assertEqual(
            (double.__name__, double.__doc__, len(double.plans)), ("double", "Twice x.", 3)
        )
        error = self.refused(TypeError, lambda: double(3.0), "functools.partial")
        self.assertEqual((error.op, error.operand), ("double", "input 0"))

    def test_the_decorator_captures_once_more_in_another_mode_of_the_thread(self):
        w = tenon.tensor([2.0, 3.0, 4.0], requires_grad=True)
        runs = []

        @tenon.captured
        def total(x):
            runs.append(1)
            return (x * w).sum()

        with tenon.no_grad:
            self.assertFalse(total(self.x).requires_grad)
        recorded = total(self.x)
        self.assertTrue(recorded.requires_grad)
        self.same(tenon.grad(recorded, w), [1.0, 2.0, 3.0])
        with tenon.inference, tenon.enable_grad():
            self.assertIs(total(self.x), recorded)
        with tenon.inference:
            total(self.x)
        with tenon.no_grad:
            self.assertIsNot(total(self.x), recorded)
        self.assertEqual(len(runs), 3)

    def test_the_decorator_captures_once_more_in_other_arithmetic(self):
        double = tenon.captured(lambda x: x * 2)
        exact = double(self.x)
        tenon.fast_arithmetic()
        try:
            fast = double(self.x)
            self.assertIsNot(fast, exact)
            self.assertIs(double(self.x), fast)
        finally:
            tenon.fast_arithmetic(False)
        self.assertIs(double(self.x), exact)
        self.assertEqual(len(double.plans), 2)

    def test_the_decorator_keeps_the_plans_that_ran_last(self):
        runs = []

        @tenon.captured(max_plans=2)
        def double(x):
            runs.append(x.shape[0])
            return x * 2

        def of(n):
            return double(tenon.full([n], 1.0)).tolist()

        self.assertEqual([of(1), of(2), of(1)], [[2.0], [2.0, 2.0], [2.0]])
        of(3)  # in place of the plan for 2
        self.assertEqual((runs, len(double.plans)), ([1, 2, 3], 2))
        of(1)
        self.assertEqual(runs, [1, 2, 3])
        of(2)
        self.assertEqual((runs, len(double.plans)), ([1, 2, 3, 2], 2))
        double.max_plans = 3
        self.assertEqual([len(of(n)) for n in (3, 1, 2, 3)], [3, 1, 2, 3])
        self.assertEqual((runs, len(double.plans)), ([1, 2, 3, 2, 3], 3))
        double.max_plans = 1
        of(4)
        self.assertEqual(len(double.plans), 1)
        self.assertEqual(tenon.captured(lambda x: x).max_plans, 32)
        self.refused(TypeError, lambda: tenon.captured(max_plans="two"), "max_plans")
        self.refused(ValueError, lambda: tenon.captured(max_plans=0), "at least 1")

    def test_plans_of_the_decorator_can_be_let_go(self):
        before = tenon.stats()["plans"]
        runs = []
        double = tenon.captured(lambda x: runs.append(1) or x * 2)
        double(self.x)
        double(self.x[:2])
        self.assertEqual(tenon.stats()["plans"], before + 2)
        double.plans.clear()
        self.assertEqual(tenon.stats()["plans"], before)
        self.same(double(self.x), [2.0, 4.0, 6.0])
        self.same(double(self.x), [2.0, 4.0, 6.0])
        self.assertEqual((len(runs), len(double.plans)), (3, 1))
        del double.plans[0]
        self.same(double(self.x), [2.0, 4.0, 6.0])
        self.assertEqual((len(runs), len(double.plans)), (4, 1))

    def test_the_decorator_captures_once_more_after_a_change(self):
        """With what has changed, and without what was there; what was set back is there still."""
        w = tenon.tensor([1.0, 1.0, 1.0], requires_grad=True)
        v = tenon.tensor([1.0, 1.0, 1.0], requires_grad=True)
        runs = []

        @tenon.captured
        def step(x):
            runs.append(1)
            (x * w * v).sum().backward()

        for wanted, expected in ((True, 1), (False, 2), (True, 2), (False, 2), (True, 2)):
            w.requires_grad = wanted
            w.grad = v.grad = None
            step(self.x)
            self.assertEqual((len(runs), len(step.plans)), (expected, expected))
            self.assertEqual(w.grad is not None, wanted)
            self.same(v.grad, [1.0, 2.0, 3.0])
        w.grad = v.grad = None
        end = w.add_hook(lambda grad: grad * 2)
        self.refused(tenon.StateError, lambda: step(self.x), "a hook was begun")
        end()
        step(self.x)
        self.assertEqual(len(step.plans), 2)

        class Model(tenon.nn.Module):
            def __init__(self):
                self.head = tenon.nn.linear(inputs=3, outputs=2)

            def forward(self, x):
                return self.head(x)

        model = Model()
        forward = tenon.captured(lambda x: model(x).detach())
        before = forward(self.x)
        model.head = tenon.nn.linear(inputs=3, outputs=2)
        self.assertNotEqual(forward(self.x).tolist(), before.tolist())
        self.same(forward(self.x), model(self.x).tolist())
        self.assertEqual(len(forward.plans), 1)

    def test_a_training_step(self):
        def run(step_of):
            w = tenon.tensor([1.0, 2.0], requires_grad=True)
            optimizer = tenon.optim.sgd([w], lr=0.1)

            def step(x):
                loss = ((x * w) * (x * w)).sum()
                loss.backward()
                optimizer.step(clear_grad=True)
                return loss

            step = step_of(step)
            return [step(tenon.tensor([float(i), 1.0])).item() for i in range(4)], w.tolist()

        self.assertEqual(run(tenon.captured), run(lambda step: step))

    def test_reading_values_is_refused(self):
        reads = {
            "item": lambda x: x.sum().item(),
            "bool": lambda x: bool((x > 0).all()),
            "float": lambda x: float(x.sum()),
            "tolist": lambda x: x.tolist(),
            "repr": repr,
            "info": lambda x: x.info(),
            "memoryview": lambda x: memoryview(x),
            "dlpack": lambda x: x.__dlpack__(max_version=(1, 0)),
            "reduce": lambda x: x.__reduce__(),
            "in": lambda x: 1.0 in x,
            "mask": lambda x: x[x > 1],
            "save": lambda x: tenon.save(pathlib.Path(self.folder) / "x.npy", {"x": x}),
            "seed": lambda x: tenon.seed(3),
        }
        with tempfile.TemporaryDirectory() as self.folder:
            for name, read in reads.items():
                with self.subTest(name):
                    error = self.refused(
                        tenon.CaptureError,
                        lambda read=read: tenon.capture(lambda x: read(x * 1), self.x),
                    )
                    self.assertNotIn("tenon_", error.hint)
                    self.same(self.x, [1.0, 2.0, 3.0])
        plan = tenon.capture(lambda x: x * 2, self.x)
        self.assertEqual(bytes(memoryview(plan(self.x + 1)))[:4], b"\x00\x00\x80\x40")

    def test_captures_do_not_nest(self):
        plan = tenon.capture(lambda x: x + 1, self.x)
        nested = {
            tenon.StateError: lambda x: tenon.capture(lambda y: y, x),
            tenon.CaptureError: plan,
        }
        for kind, call in nested.items():
            self.refused(kind, lambda call=call: tenon.capture(call, self.x))
            self.same(plan(self.x), [2.0, 3.0, 4.0])

    def test_what_is_no_tensor_or_no_function(self):
        self.refused(TypeError, lambda: tenon.capture(lambda x: x, 3), "tensors")
        self.assertRaises(TypeError, lambda: tenon.capture(3, self.x))
        self.assertRaises(TypeError, lambda: tenon.capture(lambda: 1, self.x))
        self.same(self.x + 1, [2.0, 3.0, 4.0])

    def test_a_thread_may_end_in_a_capture(self):
        def work():
            from tenon import _core

            _core.begin_capture([])

        for _ in range(20):
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
        seen = []
        thread = threading.Thread(target=lambda: seen.append((self.x + 1).tolist()))
        thread.start()
        thread.join()
        self.assertEqual(seen, [[2.0, 3.0, 4.0]])


class OpLog(Case):
    def test_lines_of_ops_and_kernels(self):
        x, lines = tenon.tensor([1.0, 2.0]), []
        with tenon.op_log(lines.append), tenon.scope("block"):
            y = x + 1
        (-y).tolist()
        self.assertEqual(lines[0], "[block] tenon.add f32[2] 1")
        self.assertRegex(lines[1], r"^  tenon\.cpu f32\[2\] f32\[2\] f32\[2\]  \d+\.\d us$")
        self.assertEqual(len(lines), 2)
        with contextlib.redirect_stderr(io.StringIO()) as said, tenon.op_log():
            (-x).tolist()
        self.assertTrue(said.getvalue().startswith("tenon.neg f32[2]\n  tenon.cpu "))
        with self.assertRaises(tenon.StateError), tenon.op_log(lines.append), tenon.op_log():
            pass
        # The log has ended with its block, whatever ended that.
        with tenon.op_log(lines.append):
            pass

    def test_an_exception_in_it_leaves_the_op_alone(self):
        def fail(line):
            raise KeyError(line)

        x, caught = tenon.tensor([1.0]), []
        before, sys.unraisablehook = sys.unraisablehook, lambda hook: caught.append(hook.exc_type)
        try:
            with tenon.op_log(fail):
                y = -x
        finally:
            sys.unraisablehook = before
        self.same(y, [-1.0])
        self.assertEqual(caught, [KeyError, KeyError])


class Page(Case):
    def test_its_program(self):
        page = pathlib.Path(__file__).resolve().parents[2] / "docs/plans.md"
        program = page.read_text().split("```python\n")[1].split("```")[0]
        done = run_python(program)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        first, last = map(float, done.stdout.split())
        self.assertLess(last, first)


if __name__ == "__main__":
    unittest.main()
