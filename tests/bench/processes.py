#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# tests/bench/processes.py: a data-parallel step of two processes, beside PyTorch's.
"""Usage: processes.py [--steps N] [--rounds N] <build folder>

Times one training step (forward, backward, sums over processes, SGD with momentum) of two processes
with one thread each: Tenon over MPI, by `mpirun`, and PyTorch's DistributedDataParallel over gloo
($TENON_PEERS: a Python with PyTorch), in turn; and of Tenon in one process with two threads. Prints
the least and the median of the rounds' means, in microseconds."""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys

NETWORKS = {
    "784-128-32-10, 64 samples": ([784, 128, 32, 10], 64),
    "1024-1024-1024-10, 128 samples": ([1024, 1024, 1024, 10], 128),
}

TENON = """
import sys, time
import tenon
engine, threads, steps, rows, *sizes = sys.argv[1], *map(int, sys.argv[2:])
tenon.configure(threads=threads)
world = tenon.processes.join(engine)
tenon.seed(1)
layers = []
for before, after in zip(sizes, sizes[1:]):
    layers += [tenon.nn.linear(inputs=before, outputs=after), tenon.nn.activation(op="tenon.relu")]
model = tenon.nn.sequential(*layers[:-1])
optimizer = tenon.optim.sgd(model.parameters(), lr=0.01, momentum=0.9)
parallel = tenon.processes.DataParallel(model.parameters(), world)
rows //= world.size
x = tenon.normal(shape=[rows, sizes[0]])
y = tenon.tensor([i % sizes[-1] for i in range(rows)])
def step():
    for shard in parallel.shards():
        shard.backward(tenon.softmax_cross_entropy(model(x), y))
    optimizer.step()
for _ in range(20):
    step()
world.barrier()
start = time.perf_counter()
for _ in range(steps):
    step()
if world.rank == 0:
    print((time.perf_counter() - start) / steps * 1e6)
"""

PYTORCH = """
import os, sys, time
import torch
import torch.distributed as dist
rank, threads, steps, rows, *sizes = map(int, sys.argv[1:])
torch.set_num_threads(threads)
dist.init_process_group("gloo", rank=rank, world_size=2)
torch.manual_seed(1)
layers = []
for before, after in zip(sizes, sizes[1:]):
    layers += [torch.nn.Linear(before, after), torch.nn.ReLU()]
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(*layers[:-1]))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
rows //= 2
x = torch.randn(rows, sizes[0])
y = torch.arange(rows) % sizes[-1]
def step():
    optimizer.zero_grad()
    torch.nn.functional.cross_entropy(model(x), y).backward()
    optimizer.step()
for _ in range(20):
    step()
dist.barrier()
start = time.perf_counter()
for _ in range(steps):
    step()
if rank == 0:
    print((time.perf_counter() - start) / steps * 1e6, flush=True)
dist.barrier()
os._exit(0)  # gloo's threads end the process otherwise, now and then
"""


def environment(build):
    return {
        **os.environ,
        "PYTHONPATH": str(build / "python"),
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": "29517",
    }


def tenon_step(build, processes, threads, numbers):
    command = [sys.executable, "-c", TENON, "tenon.mpi" if processes > 1 else "tenon.self"]
    command += [str(threads), *numbers]
    if processes > 1:
        command = ["mpirun", "--bind-to", "none", "-n", str(processes), *command]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, env=environment(build))
    return float(done.stdout)


def pytorch_step(build, numbers):
    python = os.environ.get("TENON_PEERS", sys.executable)
    running = [
        subprocess.Popen(
            [python, "-c", PYTORCH, str(rank), "1", *numbers],
            stdout=subprocess.PIPE,
            env=environment(build),
        )
        for rank in range(2)
    ]
    texts = [each.communicate()[0] for each in running]
    if any(each.returncode for each in running):
        sys.exit("PyTorch's processes have failed")
    return float(texts[0])


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("build", type=pathlib.Path)
    options = parser.parse_args()
    build = options.build.resolve()
    for name, (sizes, rows) in NETWORKS.items():
        numbers = [str(each) for each in (options.steps, rows, *sizes)]
        ways = {
            "Tenon, 2 processes of 1 thread": lambda n=numbers: tenon_step(build, 2, 1, n),
            "PyTorch, 2 processes of 1 thread": lambda n=numbers: pytorch_step(build, n),
            "Tenon, 1 process of 2 threads": lambda n=numbers: tenon_step(build, 1, 2, n),
        }
        found = {way: [] for way in ways}
        for _ in range(options.rounds):
            for way, run in ways.items():
                found[way].append(run())
        print(name)
        for way, times in found.items():
            print(f"  {way:34} {min(times):9.1f} {statistics.median(times):9.1f} us", flush=True)


if __name__ == "__main__":
    main()
