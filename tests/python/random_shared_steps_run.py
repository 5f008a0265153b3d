# SPDX-License-Identifier: Apache-2.0
# tests/python/random_shared_steps_run.py: one process of random_shared_steps.py. Arguments: the
# first seed, how many programs, "eager" or "captured", and 4 or 3: the most processes that share
# the shards. Prints a line of JSON for each program.
"""A program trains a few parameters for some steps. Which of them a shard uses, and whether by
rows or whole, depends on the step and the shard; a parameter may be used late, be frozen for some
steps, or not be used at all. A run may be saved and gone on with, states shared, gradients
clipped, and shards fail. All of it follows from the seed: only the failure is one process's own."""

import dataclasses
import hashlib
import json
import os
import random
import sys

import tenon

OPTIMIZERS = [
    ("sgd", {"lr": 0.05}),
    ("sgd", {"lr": 0.05, "momentum": 0.9}),
    ("adam", {"lr": 0.01}),
    ("adamw", {"lr": 0.01, "weight_decay": 0.1}),
    ("adagrad", {"lr": 0.05}),
]
WIDTH = 3
ROWS = 5  # of a table


class Failure(Exception):
    """What a shard raises."""


def fail(_):
    raise Failure


@dataclasses.dataclass
class Program:
    shards: int
    tables: int
    matrices: int
    steps: int
    bucket_bytes: int
    optimizer: tuple
    uses: list  # [steps][shards] of (parameter, "rows", "whole", "both" or "none of them")
    frozen: dict  # parameter: (first step, end)
    dropout: bool
    shared: bool
    clipped: float
    resumed: int  # before this step; 0: never
    failures: dict  # step: (shard, place)


def draw(seed, captured, most=4):
    """captured  all steps use the same, without what a capture refuses"""
    r = random.Random(seed)
    shards = r.choice([most, 2 * most])
    tables, matrices, steps = r.randint(1, 3), r.randint(1, 3), r.randint(2, 6)
    late = {name: r.choice([0, 0, 1, 2]) for name in range(tables + matrices)}
    never = {name for name in late if r.random() < 0.1}
    often = r.choice([0.3, 0.6, 1.0])

    def use(step):
        found = []
        for name in range(tables + matrices):
            if name in never or (step < late[name] and not captured) or r.random() > often:
                continue
            kinds = ["rows", "rows", "whole", "both", "none"] if name < tables else ["whole"]
            if name < tables and seed % 3 == 0:
                kinds = ["rows"]
            found.append((name, r.choice(kinds)))
        return found

    uses = [[use(step) for _ in range(shards)] for step in range(1 if captured else steps)]
    frozen, failures = {}, {}
    if not captured:
        for name in range(tables + matrices):
            if r.random() < 0.2:
                first = r.randrange(steps)
                frozen[name] = (first, first + r.randint(1, 2))
    for step in range(steps):
        if r.random() < 0.3 and not captured:
            shard = r.randrange(shards)
            # Not after the last shard of a process: its step has ended then.
            last = (shard + 1) % (shards // most) == 0
            ways = ["before", "loss", "backward"] if last else ["between", "backward"]
            failures[step] = (shard, r.choice(ways))
    return Program(
        shards, tables, matrices, steps, r.choice([0, 1, 64]), r.choice(OPTIMIZERS),
        uses * (steps if captured else 1), frozen, r.random() < 0.3,
        not captured and r.random() < 0.3, r.choice([0.0, 0.0, 0.05]) if not captured else 0.0,
        r.randrange(steps) if not captured and r.random() < 0.3 else 0, failures,
    )  # fmt: skip


class Run:
    def __init__(self, program, seed, world):
        self.program, self.seed, self.world = program, seed, world
        tenon.seed(seed)
        self.params = [
            tenon.normal(shape=[ROWS if name < program.tables else WIDTH, WIDTH])
            .requires_grad_()
            for name in range(program.tables + program.matrices)
        ]
        self.params.append(tenon.ones([1]).requires_grad_())  # which every shard uses
        self.begin()

    def begin(self, step=0):
        program = self.program
        name, values = program.optimizer
        self.optimizer = getattr(tenon.optim, name)(self.params, **values)
        self.parallel = tenon.processes.DataParallel(
            self.params, self.world, shards=program.shards, bucket_bytes=program.bucket_bytes
        )
        self.parallel.step = step
        if program.shared:
            self.parallel.share_states(self.optimizer)

    def resume(self, step):
        """What a run that is read from a file begins with."""
        if self.program.shared:
            for root in range(self.world.size if self.world else 1):
                self.parallel.gather_states(root)
                if not self.world or root == self.world.rank:
                    state = self.optimizer.state_dict()
        else:
            state = self.optimizer.state_dict()
        self.params = [param.detach().clone().requires_grad_() for param in self.params]
        self.begin(step)
        self.optimizer.load_state_dict(state)

    def loss(self, step, shard, numbers, x, fails):
        """numbers [4], x [4, WIDTH]"""
        first = x * self.params[-1]
        if fails:  # late in the backward, when gradients are on their way
            first.register_hook(fail)
        total = first.mean()
        for name, way in self.program.uses[step][shard]:
            param = self.params[name]
            if way in ("rows", "both"):
                y = tenon.embedding(param, numbers[:2] if shard % 2 else numbers)
                total = total + (y * x[: y.shape[0]]).sum() * 0.1
            if way in ("whole", "both"):
                y = tenon.tanh(tenon.linear(x, param))
                if self.program.dropout:
                    y = tenon.dropout(y, p=0.3)
                total = total + y.mean()
            if way == "none":  # a gradient of no row
                total = total + tenon.embedding(param, numbers[:0]).sum()
        return total

    def batch(self, step):
        r = random.Random(self.seed * 1000 + step)
        count = 4 * self.program.shards
        numbers = [r.randrange(ROWS) for _ in range(count)]
        values = [[r.uniform(-1, 1) for _ in range(WIDTH)] for _ in range(count)]
        return tenon.tensor(numbers, "int64"), tenon.tensor(values, "float32")

    def shards(self, step, numbers, x, failure=None):
        for shard in self.parallel.shards():
            fails = failure is not None and failure[0] == shard.number
            if fails and failure[1] == "before":
                raise Failure
            in_backward = fails and failure[1] == "backward"
            parts = shard.part(numbers), shard.part(x)
            loss = self.loss(step, shard.number, *parts, in_backward)
            if fails and failure[1] == "loss":
                loss = tenon.stack([loss, loss])  # more than one element
            shard.backward(loss)
            if fails and failure[1] == "between":
                raise Failure

    def update(self):
        if self.program.clipped:
            self.parallel.clip(self.program.clipped)
        self.optimizer.step()

    def train(self):
        """How many steps have failed."""
        failed = 0
        for step in range(self.program.steps):
            if step and step == self.program.resumed:
                self.resume(step)
            for name, (first, end) in self.program.frozen.items():
                self.params[name].requires_grad_(not first <= step < end)
            numbers, x = self.batch(step)
            if step in self.program.failures:
                try:
                    self.shards(step, numbers, x, self.program.failures[step])
                except (Failure, RuntimeError, ValueError):
                    failed += 1
            self.shards(step, numbers, x)
            self.update()
        return failed

    def train_captured(self):
        @tenon.captured
        def step(numbers, x):
            self.shards(0, numbers, x)
            self.optimizer.step()

        for number in range(self.program.steps):
            step(*self.batch(number))
        return 0

    def digest(self):
        hashed = hashlib.sha256()
        for param in self.params:
            hashed.update(bytes(memoryview(param.detach().contiguous()).cast("B")))
        return hashed.hexdigest()


def main(first, count, way, most):
    alone = os.environ.get("TEST_SHM_SIZE", "1") == "1"
    world = None if alone else tenon.processes.join("test.shm", timeout=20)
    for seed in range(first, first + count):
        run = Run(draw(seed, way == "captured", most), seed, world)
        failed = run.train_captured() if way == "captured" else run.train()
        print(json.dumps([seed, failed, run.digest()]), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], int(sys.argv[4]))
