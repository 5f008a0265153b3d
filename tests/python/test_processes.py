# SPDX-License-Identifier: Apache-2.0
# tests/python/test_processes.py: tenon.processes: one process alone, several under mpirun, and what
# is refused.

import functools
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from support import Case, tenon

from tenon import processes

PROGRAM = """
import sys
import tenon

world = tenon.processes.join(sys.argv[1], timeout=60)
tenon.seed(3)
weight = tenon.uniform(shape=[5, 6], low=-1.0, high=1.0).requires_grad_()
bias = tenon.tensor([0.5] * 5).requires_grad_()
optimizer = tenon.optim.adamw([weight, bias], lr=0.05)
parallel = tenon.processes.DataParallel([weight, bias], world, shards=4)
if sys.argv[2] == "shared":
    parallel.share_states(optimizer)
tenon.seed(100)  # all processes have the same samples
samples = tenon.normal(shape=[35, 6])
tenon.seed(7)


def compute(shard, batch):
    y = tenon.dropout(tenon.tanh(tenon.linear(batch, weight, bias)), p=0.2)
    shard.backward((y * y).mean())


if sys.argv[3] == "parts":
    parts = tenon.data.batches(
        tenon.data.tensors(samples), 2, shuffle=True, seed=9, share=parallel.share
    )
    steps = parallel.steps(parts)
else:
    whole = tenon.data.batches(
        tenon.data.tensors(samples), 8, shuffle=True, seed=9, drop_last=True
    )
    steps = (((shard, (shard.part(batch),)) for shard in parallel.shards()) for (batch,) in whole)
for step in steps:
    for shard, (batch,) in step:
        compute(shard, batch)
    norm = parallel.clip(0.01)
    assert norm > 0.01
    optimizer.step()
total = world.all_reduce(tenon.tensor([float(world.rank + 1)]))
pairs = world.split(world.rank % 2)
assert pairs.all_gather(tenon.tensor([world.rank])).flatten().tolist() == [
    rank for rank in range(world.size) if rank % 2 == world.rank % 2
]
if sys.argv[2] == "shared":
    parallel.gather_states()
if world.rank == 0:
    state = optimizer.state_dict()["state"]
    state = {name: value.flatten().tolist() for name, value in state.items()}
    print(world.size, total.item(), weight.flatten().tolist(), bias.tolist(), state, norm)
"""

# Goes back to a state from before the first step, of which each process has no more than a part.
GOES_BACK = """
import sys, copy
import tenon

world = tenon.processes.join(sys.argv[1], timeout=60)
weight = tenon.ones(5, 3).requires_grad_()
optimizer = tenon.optim.adam([weight], lr=0.05)
first = copy.deepcopy(optimizer.state_dict())
parallel = tenon.processes.DataParallel([weight], world, shards=2)
parallel.share_states(optimizer)
ends = []
for _ in range(2):
    optimizer.load_state_dict(first)
    with tenon.no_grad:
        weight[...] = 1.0
    for _ in range(3):
        for shard in parallel.shards():
            shard.backward((weight * weight * (shard.number + 1.0)).sum())
        optimizer.step()
    ends.append(weight.tolist())
assert ends[0] == ends[1], ends
if world.rank == 0:
    print(world.size, 0, "went back")
"""


def run(*launcher, engine, states="", read="", program=PROGRAM):
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(sys.path),
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
        "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
    }
    done = subprocess.run(
        [*launcher, sys.executable, "-c", program, engine, states, read],
        capture_output=True, text=True, check=False, timeout=25, env=environment,
    )  # fmt: skip
    if done.returncode:
        raise AssertionError(done.stderr)
    size, total, numbers = done.stdout.split(maxsplit=2)
    return int(size), float(total), numbers


def has_mpi():
    return "tenon.mpi" in tenon.plugins() and shutil.which("mpirun") is not None


class Several(Case):
    @unittest.skipUnless(has_mpi(), "no mpirun, or tenon.mpi was not built")
    def test_have_the_bits_of_one(self):
        numbers = run(engine="tenon.self", states="whole", read="whole")[2]
        for size, states, read in (
            (2, "whole", "parts"),
            (4, "whole", "whole"),
            (4, "shared", "parts"),
        ):
            launcher = "mpirun", "-n", str(size)
            found = run(*launcher, engine="tenon.mpi", states=states, read=read)
            self.assertEqual(found, (size, size * (size + 1) / 2, numbers))

    @unittest.skipUnless(has_mpi(), "no mpirun, or tenon.mpi was not built")
    def test_load_a_state_that_they_share(self):
        found = run("mpirun", "-n", "2", engine="tenon.mpi", program=GOES_BACK)
        self.assertEqual(found, (2, 0.0, "went back\n"))


class Alone(Case):
    def setUp(self):
        self.group = processes.join("tenon.self")

    def test_is_a_group(self):
        group = self.group
        self.assertEqual((group.rank, group.size), (0, 1))
        x = tenon.tensor([[1.0, 2.0]]).requires_grad_()
        for y in (group.all_reduce(x), group.broadcast(x), group.all_to_all(x)):
            self.assertEqual(y.tolist(), [[1.0, 2.0]])
        self.assertEqual(group.all_reduce(x, "mean").tolist(), group.all_reduce(x, "max").tolist())
        self.assertEqual(tuple(group.all_gather(x).shape), (1, 1, 2))
        self.assertEqual(tuple(group.reduce_scatter(x).shape), (2,))
        group.all_reduce(x).sum().backward()
        self.assertEqual(x.grad.tolist(), [[1.0, 1.0]])
        self.assertNotEqual(group.split(3).number, group.number)
        self.assertIn("rank 0 of 1", repr(group))

    def test_transfers(self):
        x, y = tenon.tensor([1.0, 2.0]), tenon.tensor([[0.0, 0.0]])
        transfer = self.group.begin("all_gather", x, y)
        transfer.end()
        self.assertTrue(transfer.ended)
        self.assertEqual(y.tolist(), [[1.0, 2.0]])
        self.group.barrier(timeout=1)
        self.assertEqual(self.group.info()["transfers"], 2)

    def test_a_step_of_shards_is_the_mean_of_their_losses(self):
        x = tenon.tensor([3.0]).requires_grad_()
        parallel = processes.DataParallel([x], shards=4)
        numbers = tenon.tensor([1.0, 2.0, 3.0, 4.0])
        for shard in parallel.shards():
            shard.backward((x * shard.part(numbers)).mean())
        self.assertEqual(x.grad.tolist(), [2.5])
        self.assertEqual(parallel.step, 1)
        parallel.step = 7
        self.assertEqual(parallel.step, 7)
        self.assertIn("shards 0 to 3 of 4", repr(parallel))

    def refused(self, kind, words, function):
        with self.assertRaises(kind) as caught:
            function()
        self.assertIn(words, str(caught.exception))

    def test_wrong_input(self):
        x, group = tenon.tensor([1.0]).requires_grad_(), self.group
        two = tenon.tensor([1.0, 2.0])
        refused = self.refused
        refused(Exception, "tenon.none", lambda: processes.join("tenon.none"))
        refused(TypeError, "engine", lambda: processes.join(3))
        refused(ValueError, "seconds above 0", lambda: processes.join("tenon.self", timeout=0))
        refused(ValueError, "all_gather", lambda: group.begin("gather", x, x))
        refused(Exception, "another shape", lambda: group.begin("all_reduce", x, two))
        refused(Exception, "no way to reduce", lambda: group.all_reduce(x, "min"))
        refused(TypeError, "group", lambda: processes.DataParallel([x], "tenon.self"))
        refused(Exception, "leaf", lambda: processes.DataParallel([two]))
        shard = next(processes.DataParallel([x], shards=2).shards())
        refused(ValueError, "multiple of 2", lambda: shard.part(tenon.tensor([1.0, 2.0, 3.0])))

    def test_states_of_one_process_are_whole(self):
        x = tenon.tensor([3.0, -4.0]).requires_grad_()
        optimizer = tenon.optim.sgd([x], lr=1.0, momentum=0.5)
        parallel = processes.DataParallel([x], self.group)
        self.refused(Exception, "no states are shared", parallel.gather_states)
        self.refused(TypeError, "an optimizer", lambda: parallel.share_states(x))
        self.refused(TypeError, "max_norm", lambda: parallel.clip("1"))
        self.refused(Exception, "not above 0", lambda: parallel.clip(0))
        lamb = tenon.optim.lamb([x])
        self.refused(Exception, "needs whole parameters", lambda: parallel.share_states(lamb))
        parallel.share_states(optimizer)
        for shard in parallel.shards():
            shard.backward((x * tenon.tensor([3.0, 4.0])).sum())
        self.assertEqual(parallel.clip(10.0), 5.0)
        self.assertEqual(x.grad.tolist(), [3.0, 4.0])
        self.assertEqual(parallel.clip(1.0), 5.0)
        self.assertAlmostEqual(x.grad[0].item(), 0.6, delta=1e-6)
        optimizer.step()
        self.refused(Exception, "rank below 1", lambda: parallel.gather_states(1))
        parallel.gather_states()
        self.assertEqual(sorted(optimizer.state_dict()["state"]), ["0.momentum_buffer", "0.step"])

    def test_read_only_memory_is_not_written(self):
        with tempfile.TemporaryDirectory() as folder:
            tenon.save(f"{folder}/x.safetensors", {"x": tenon.ones(2)})
            output = tenon.load(f"{folder}/x.safetensors")["x"]
            begin = functools.partial(self.group.begin, "all_reduce", tenon.zeros(2), output)
            self.refused(tenon.AliasError, "the output is read-only", begin)
            self.same(output, [1.0, 1.0])
            del output, begin

    def test_steps_of_a_pass(self):
        x = tenon.tensor([0.0]).requires_grad_()
        parallel = processes.DataParallel([x], shards=2)
        numbers = tenon.data.tensors(tenon.tensor([float(i) for i in range(10)]))
        parts = tenon.data.batches(numbers, 2, share=parallel.share)
        found = []
        for step in parallel.steps(parts):
            for shard, (batch,) in step:
                found.append((shard.number, batch.tolist()))
                shard.backward((x * batch).mean())
            found.append(x.grad.tolist())
        first = [(0, [0.0, 1.0]), (1, [2.0, 3.0]), [1.5]]
        self.assertEqual(found, first + [(0, [4.0, 5.0]), (1, [6.0, 7.0]), [5.5]])
        self.assertEqual((parallel.step, parts.epoch), (2, 0))
        whole = tenon.data.batches(numbers, 2)
        self.refused(ValueError, "share=parallel.share", lambda: next(parallel.steps(whole)))
        self.refused(ValueError, "the share", lambda: next(parallel.steps([1, 2])))

    def test_a_shard_that_is_left_out(self):
        x = tenon.tensor([1.0]).requires_grad_()
        shards = processes.DataParallel([x], shards=2).shards()
        next(shards)
        self.refused(ValueError, "shard.backward", lambda: next(shards))


if __name__ == "__main__":
    unittest.main()
