# SPDX-License-Identifier: Apache-2.0
# tests/python/test_states.py: what optimizers and schedules remember is saved, loaded and copied: a
# run that goes on has the bits of one that was never interrupted, and what does not fit changes
# nothing.
import copy
import functools
import pickle
import tempfile
import unittest

from states_run import PARAMS, WAYS, Checkpoint, Run, all_bits, as_texts, optimizers
from support import Case, bits, tenon


def freeze(run):
    run.params[1].requires_grad = False


# What a run has done when it is saved, and whether parameter 1 is frozen from then on.
MOMENTS = {
    "before the first step": lambda run: None,
    "after one step": lambda run: run.steps(0, 1),
    "in mid-run": lambda run: run.steps(0, 4),
    "one of three has made no step": lambda run: run.steps(0, 4, skip=[1]),
    "one of three has made steps": lambda run: run.steps(0, 4, skip=[0, 2]),
    "one was frozen before its first step": lambda run: (freeze(run), run.steps(0, 4)),
    "one was frozen after steps": lambda run: (run.steps(0, 2), freeze(run), run.steps(2, 4)),
}
# What the optimizer has done that takes the state over.
INTO = {
    "a fresh one": lambda run: None,
    "one that has made steps": lambda run: run.steps(0, 5),
    "one in which another has made no step": lambda run: run.steps(2, 4, skip=[0]),
}


def resume(name, moment, into, way, grouped=False):
    """Parameters, numbers and states of a run that was not interrupted, and of one that was."""
    whole = Run(name, grouped, lr=0.05)
    MOMENTS[moment](whole)
    again = Run(name, grouped, lr=0.5)
    INTO[into](again)
    again.take_values(whole)
    for mine, theirs in zip(again.params, whole.params, strict=True):
        mine.requires_grad = theirs.requires_grad
    WAYS[way](whole.optimizer, again.optimizer)
    for run in (whole, again):
        run.steps(4, 7)
        run.params[1].requires_grad = True
        run.steps(7, 9)
    return all_bits(whole.optimizer), all_bits(again.optimizer)


class Resumed(Case):
    def expect_same(self, *case, **more):
        with self.subTest(case):
            whole, again = resume(*case, **more)
            self.assertEqual(again, whole)

    def test_every_optimizer_from_every_moment(self):
        for name in optimizers():
            for moment in MOMENTS:
                for into in INTO:
                    self.expect_same(name, moment, into, "a copied dict")

    def test_every_optimizer_in_every_way(self):
        moment, into = "one of three has made no step", "one that has made steps"
        for name in optimizers():
            for place, way in enumerate(WAYS):
                self.expect_same(name, moment, into, way, grouped=place % 2 == 0)

    def test_every_moment_in_every_way(self):
        for moment in MOMENTS:
            for place, way in enumerate(WAYS):
                into = "one that has made steps"
                self.expect_same("tenon.adamw", moment, into, way, grouped=place % 2 == 1)

    def test_an_optimizer_goes_back(self):
        for name in optimizers():
            with self.subTest(name):
                run = Run(name)
                values = [tenon.tensor(each) for each in run.params]
                first, ends = copy.deepcopy(run.optimizer.state_dict()), []
                for _ in range(2):
                    run.steps(0, 3)
                    ends.append([bits(each) for each in run.params])
                    run.optimizer.load_state_dict(first)
                    with tenon.no_grad:
                        for param, value in zip(run.params, values, strict=True):
                            param[...] = value
                self.assertEqual(*ends)

    def test_states_of_every_shape(self):
        for name in optimizers():
            for shape in ([], [3], [2, 3], [2, 1, 3], [1, 2]):
                for dtype in ("float64", "float16"):
                    with self.subTest(name, shape=shape, dtype=dtype):
                        one, other = (tenon.ones(shape, dtype=dtype) for _ in range(2))
                        rules = []
                        for param in (one, other):
                            param.requires_grad = True
                            rules.append(tenon.optim.Optimizer(name, [param]))
                        one.grad = one.detach()
                        if name == "tenon.muon" and len(shape) != 2:
                            self.refused(tenon.ShapeError, rules[0].step, "a matrix")
                            continue
                        rules[0].step()
                        rules[1].load_state_dict(rules[0].state_dict())
                        states = [all_bits(each)[2] for each in rules]
                        self.assertEqual(states[0], states[1])

    def test_its_own_state_changes_nothing(self):
        run = Run("tenon.adam", grouped=True)
        run.steps(0, 3, skip=[1])
        before = all_bits(run.optimizer)
        run.optimizer.load_state_dict(run.optimizer.state_dict())
        self.assertEqual(all_bits(run.optimizer), before)

    def test_captured_steps_go_on_with_what_was_loaded(self):
        def captured(run, x):
            def step(x):
                sum((p * p * x).sum() for p in run.params).backward()
                run.optimizer.step(clear_grad=True)

            return tenon.capture(step, x)

        one, other = Run("tenon.adamw"), Run("tenon.adamw")
        saved, x = copy.deepcopy(one.optimizer.state_dict()), tenon.tensor([0.5])
        plans = captured(one, x), captured(other, x)
        for plan, count in zip(plans, (3, 2), strict=True):
            for _ in range(count):
                plan(x)
        other.optimizer.load_state_dict(saved)
        other.take_values(Run("tenon.adamw"))
        for _ in range(4):  # with the one that was captured
            plans[1](x)
        self.assertEqual(all_bits(other.optimizer), all_bits(one.optimizer))


def adam(grouped=False, first=0, end=4):
    run = Run("tenon.adam", grouped)
    run.steps(first, end)
    return run


def saved_state(grouped=False):
    """Of a run with other numbers, so that whatever is loaded of it is seen."""
    run = Run("tenon.adam", grouped)
    run.optimizer.lr = 0.25
    run.steps(1, 3)
    return copy.deepcopy(run.optimizer.state_dict())


LAST = f"{PARAMS - 1}.exp_avg_sq"


def change_state(key, tensor):
    def change(saved):
        saved["state"][key] = tensor() if callable(tensor) else tensor

    return change


def change_number(name, number):
    def change(saved):
        saved["hypers"].pop(name, None)
        saved["hypers"][name] = number

    return change


# What is wrong with a state, the exception, and a word of its message.
WRONG = {
    "the last state has another shape": (
        change_state(LAST, lambda: tenon.zeros(3, 2)), ValueError, "float32[2, 3]"),
    "the last state has another dtype": (
        change_state(LAST, lambda: tenon.zeros(2, 3, dtype="float64")), ValueError, "float64[2"),
    "a scalar state is a vector": (
        change_state("2.step", lambda: tenon.zeros(1)), ValueError, "[1]"),
    "the last state is not there": (lambda saved: saved["state"].pop(LAST), ValueError, LAST),
    "a state is one of another optimizer": (
        change_state("2.momentum_buffer", lambda: tenon.zeros(2, 3)), ValueError, "buffer"),
    "there is a parameter more": (
        change_state("3.exp_avg", lambda: tenon.zeros(2, 3)), ValueError, "3.exp_avg"),
    "a parameter is counted from the end": (
        change_state("-1.exp_avg", lambda: tenon.zeros(2, 3)), ValueError, "-1.exp_avg"),
    "a key has no place": (change_state("exp_avg", lambda: tenon.zeros(6)), ValueError, "exp_avg"),
    "a number is out of its range": (change_number("eps", -1.0), ValueError, "eps"),
    "a number is not there": (lambda saved: saved["hypers"].pop("eps"), ValueError, "eps"),
    "there are groups": (lambda saved: saved.update(hypers=[
        {**saved["hypers"], "params": 1}, {**saved["hypers"], "params": 2}
    ]), ValueError, "one group"),
}  # fmt: skip
# What a file cannot have, or a checkpoint does not look at.
WRONG_IN_PYTHON = {
    "a number is a text": (change_number("eps", "1"), TypeError, "a number"),
    "a number is another optimizer's": (change_number("momentum", 0.5), ValueError, "momentum"),
    "a number is too large": (change_number("eps", 10**400), OverflowError, "eps"),
    "a state is a list": (change_state(LAST, [[0.0] * 3] * 2), TypeError, "a tensor"),
    "there are no states": (lambda saved: saved.pop("state"), TypeError, "state"),
    "there are no numbers": (lambda saved: saved.pop("hypers"), TypeError, "hypers"),
    "states are a list": (lambda saved: saved.update(state=[]), TypeError, "state"),
}


class Refused(Case):
    """After every one of these everything is as it was, to the bit."""

    def broken(self, change, grouped=False):
        saved = saved_state(grouped)
        change(saved)
        return saved

    def test_states_that_do_not_fit(self):
        for words, (change, kind, word) in {**WRONG, **WRONG_IN_PYTHON}.items():
            for into, prepare in INTO.items():
                with self.subTest(words, into=into):
                    run = Run("tenon.adam")
                    prepare(run)
                    before, saved = all_bits(run.optimizer), self.broken(change)
                    load = functools.partial(run.optimizer.load_state_dict, saved)
                    self.refused(kind, load, word)
                    self.assertEqual(all_bits(run.optimizer), before)

    def test_a_checkpoint_refuses_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/run.safetensors"
            for words, (change, *_) in WRONG.items():
                with self.subTest(words):
                    run = adam()
                    before = all_bits(run.optimizer)
                    tenon.save(path, *as_texts(self.broken(change)))
                    self.assertRaises(ValueError, Checkpoint(o=run.optimizer).load, path)
                    self.assertEqual(all_bits(run.optimizer), before)

    def test_groups_that_do_not_fit(self):
        def change_group(place, **numbers):
            return lambda saved: saved["hypers"][place].update(numbers)

        run = adam(grouped=True)
        before = all_bits(run.optimizer)
        for change, kind, word in (
            (change_group(1, eps=-1.0), ValueError, "eps"),
            (change_group(1, momentum=1.0), ValueError, "momentum"),
            (change_group(1, params=3), ValueError, "groups of 1 3 parameters"),
            (lambda saved: saved["hypers"].pop(), ValueError, "groups of 1 parameters"),
            (lambda saved: saved["hypers"].append(7), TypeError, "hypers[2]"),
            (lambda saved: saved["hypers"][1].pop("lr"), ValueError, "lr"),
        ):
            with self.subTest(word):
                saved = self.broken(change, grouped=True)
                load = functools.partial(run.optimizer.load_state_dict, saved)
                self.refused(kind, load, word)
                self.assertEqual(all_bits(run.optimizer), before)

    def test_inside_of_a_captured_step(self):
        run, saved = adam(), saved_state()
        before = all_bits(run.optimizer)

        def step(x):
            run.optimizer.load_state_dict(saved)
            return x + 1

        self.refused(tenon.CaptureError, lambda: tenon.capture(step, tenon.tensor([1.0])))
        self.assertEqual(all_bits(run.optimizer), before)

    def test_hints_say_what_to_do(self):
        run, saved = adam(), saved_state()
        del saved["state"]["1.exp_avg"]
        error = self.refused(tenon.DataError, lambda: run.optimizer.load_state_dict(saved))
        self.assertEqual((error.operand, error.expected), ("1.exp_avg", "float32[2, 3]"))
        self.assertIn("make it as it was when it was saved", error.hint)


# ---- Schedules ----------------------------------------------------------------------------------

# What hyper-parameters without a default are given, and whatever makes states matter.
OPTIONS = {"period": 3, "factor": 0.5, "milestones": [2, 5], "steps": 16, "patience": 1}


def schedules():
    """[(name, hyper-parameters), ...] of the registry."""
    found = []
    for each in tenon.query("schedules"):
        known = {hyper["name"] for hyper in each["hypers"]}
        found.append((each["name"], {key: OPTIONS[key] for key in known & set(OPTIONS)}))
    return found


def values(schedule, first, end):
    """Those of steps [first, end); what is measured gets better until step 4."""
    return [schedule.advance(metric=max(5.0 - number, 1.0)) for number in range(first, end)]


def _schedule_by_file(path, name, one, other):
    tenon.save(path, {}, {key: repr(value) for key, value in one.state_dict().items()})
    _, texts = tenon.load(path, metadata=True)
    other.load_state_dict({key: float(text) for key, text in texts.items()})


SCHEDULE_WAYS = {
    "a dict": lambda path, name, one, other: other.load_state_dict(one.state_dict()),
    "a file": _schedule_by_file,
    "a checkpoint in C": lambda path, name, one, other: (
        Checkpoint(s=one).save(path), Checkpoint(s=other).load(path)),
}  # fmt: skip


class Schedules(Case):
    def test_every_schedule_from_every_moment_in_every_way(self):
        for name, options in schedules():
            for way, go in SCHEDULE_WAYS.items():
                for made, ahead in ((0, 7), (5, 0), (5, 7)):
                    with self.subTest(name, made=made, ahead=ahead, way=way):
                        one = tenon.schedules.Schedule(name, 0.1, **options)
                        values(one, 0, made)
                        other = tenon.schedules.Schedule(name, 0.1, **options)
                        values(other, 0, ahead)
                        with tempfile.TemporaryDirectory() as folder:
                            go(f"{folder}/run.safetensors", name, one, other)
                        rest = [values(each, made, made + 9) for each in (one, other)]
                        self.assertEqual(rest[0], rest[1])

    def test_states_that_do_not_fit(self):
        plateau = tenon.schedules.plateau(0.1, factor=0.5, patience=0)
        saved = plateau.state_dict()
        values(plateau, 0, 7)
        before = plateau.state_dict()
        for change, kind, word in (
            (lambda given: given.pop("cooling"), tenon.DataError, "step value best bad cooling"),
            (lambda given: given.update(speed=1.0), tenon.DataError, "speed"),
            (lambda given: given.clear(), tenon.DataError, "none"),
            (lambda given: given.update(cooling="0"), TypeError, "cooling"),
            (lambda given: given.update(cooling=None), TypeError, "cooling"),
            (lambda given: given.update(cooling=10**400), OverflowError, "cooling"),
        ):
            with self.subTest(word):
                given = dict(saved)
                change(given)
                self.refused(kind, lambda given=given: plateau.load_state_dict(given), word)
                self.assertEqual(plateau.state_dict(), before)
        self.refused(TypeError, lambda: plateau.load_state_dict([]), "saved")
        plateau.load_state_dict(saved)
        self.assertEqual(plateau.state_dict(), saved)


# ---- Copies -------------------------------------------------------------------------------------

COPIES = {
    "deepcopy": copy.deepcopy,
    "pickle": lambda each: pickle.loads(pickle.dumps(each)),
    "old pickle": lambda each: pickle.loads(pickle.dumps(each, 2)),
}


class Copies(Case):
    def expect_apart(self, mine, theirs):
        for one, other in zip(mine, theirs, strict=True):
            self.assertNotEqual(one.storage, other.storage)

    def goes_on_alike(self, run, make):
        again = copy.copy(run)
        again.optimizer = make(run.optimizer)
        again.params = again.optimizer.params
        self.expect_apart(again.params, run.params)
        self.assertEqual(all_bits(again.optimizer), all_bits(run.optimizer))
        trained = [[each.requires_grad for each in of.params] for of in (run, again)]
        self.assertEqual(trained[0], trained[1])
        run.steps(4, 9)
        self.assertNotEqual(all_bits(again.optimizer), all_bits(run.optimizer))
        again.steps(4, 9)
        self.assertEqual(all_bits(again.optimizer), all_bits(run.optimizer))

    def test_every_optimizer_goes_on_alike(self):
        for name in optimizers():
            for words, make in COPIES.items():
                for grouped in (False, True):
                    with self.subTest(name, by=words, grouped=grouped):
                        run = Run(name, grouped, lr=0.05)
                        run.steps(0, 4, skip=[1])
                        self.goes_on_alike(run, make)

    def test_from_every_moment(self):
        for words, make in COPIES.items():
            for moment, prepare in MOMENTS.items():
                with self.subTest(words, moment=moment):
                    run = Run("tenon.nadam")
                    prepare(run)
                    self.goes_on_alike(run, make)

    def test_a_model_and_its_optimizer_stay_together(self):
        class Net(tenon.nn.Module):
            def __init__(self):
                self.body = tenon.nn.linear(inputs=3, outputs=4)
                self.drop = tenon.nn.dropout(p=0.25)
                self.head = tenon.nn.linear(inputs=4, outputs=1)
                self.scale = tenon.tensor([2.0], requires_grad=True)

            def forward(self, x):
                return self.head(self.drop(self.body(x).relu())) * self.scale

        globals()["Net"] = Net
        Net.__qualname__ = "Net"  # where pickle looks for it
        x = tenon.normal(shape=[8, 3])

        def train(model, optimizer, schedule, steps):
            tenon.seed(4)
            for _ in range(steps):
                optimizer.lr = next(schedule)
                (model(x) * model(x)).mean().backward()
                optimizer.step(clear_grad=True)
            return [bits(each) for each in model.parameters()]

        for words, make in COPIES.items():
            with self.subTest(words):
                model = Net()
                optimizer = tenon.optim.adamw(model.parameters(), lr=0.1)
                schedule = tenon.schedules.cosine(0.1, period=7)
                train(model, optimizer, schedule, 3)
                run = {"optimizer": optimizer, "model": model, "schedule": schedule}
                before = tenon.get_rng_state()
                again = make(run)
                self.assertEqual(tenon.get_rng_state(), before)
                params = again["model"].parameters()
                self.assertEqual(
                    [id(each) for each in again["optimizer"].params], [id(each) for each in params]
                )
                self.expect_apart(params, model.parameters())
                ends = [train(each["model"], each["optimizer"], each["schedule"], 5)
                        for each in (run, again)]  # fmt: skip
                self.assertEqual(ends[0], ends[1])
        del globals()["Net"]

    def test_a_part_of_a_model(self):
        class Trained(tenon.nn.Module):
            def __init__(self):
                self.body = tenon.nn.linear(inputs=2, outputs=2)
                self.rule = tenon.optim.sgd(self.body.parameters(), lr=0.5, momentum=0.9)

        model = Trained()
        again = copy.deepcopy(model)
        self.assertIs(again.rule.params[0], again.body.weight)
        self.assertIsNot(again.rule.params[0], model.body.weight)

    def test_every_schedule_goes_on_alike(self):
        for name, options in schedules():
            for words, make in {**COPIES, "copy": copy.copy}.items():
                for made in (0, 1, 5):
                    with self.subTest(name, by=words, made=made):
                        one = tenon.schedules.Schedule(name, 0.1, **options)
                        values(one, 0, made)
                        other = make(one)
                        self.assertEqual(other.state_dict(), one.state_dict())
                        rest = [values(each, made, made + 9) for each in (one, other)]
                        self.assertEqual(rest[0], rest[1])

    def test_a_list_that_changes_later_is_no_part_of_a_schedule(self):
        milestones = [2, 5]
        schedule = tenon.schedules.multi_step(1.0, milestones=milestones, factor=0.5)
        milestones.clear()
        self.assertEqual(values(copy.deepcopy(schedule), 0, 6), values(schedule, 0, 6))

    def test_subclasses_keep_what_they_add(self):
        class Noted(tenon.optim.Optimizer):
            def __init__(self, params):
                super().__init__("tenon.sgd", params, lr=0.5)
                vars(self)["notes"] = ["a"]

        w = tenon.tensor([1.0], requires_grad=True)
        one = Noted([w])
        again = copy.deepcopy(one)
        self.assertIsInstance(again, Noted)
        self.assertEqual((again.notes, again.lr), (["a"], 0.5))
        self.assertIsNot(again.notes, one.notes)

    def test_a_shallow_copy_is_the_same_optimizer(self):
        run = adam()
        again = copy.copy(run.optimizer)
        again.lr = 0.75
        self.assertEqual(run.optimizer.lr, 0.75)
        self.assertIs(again.params[0], run.params[0])

    def test_a_group_alone_is_refused(self):
        group = adam(grouped=True).optimizer.param_groups[0]
        for make in (copy.deepcopy, copy.copy, pickle.dumps):
            error = self.refused(TypeError, lambda make=make: make(group), "group")
            self.assertIn("dict(group)", error.hint)
        again = tenon.optim.adam([copy.deepcopy(dict(group))])
        self.assertEqual(again.lr, 0.03)

    def test_without_parameters(self):
        empty = tenon.optim.adam([], lr=0.5)
        for make in COPIES.values():
            self.assertEqual(make(empty).lr, 0.5)


if __name__ == "__main__":
    unittest.main()
