# SPDX-License-Identifier: Apache-2.0
# tests/bench/programs/mlp_torch.py: the training step of mlp.c by PyTorch's Python.

import argparse
import json
import time

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--batch", type=int, default=64)
parser.add_argument("--optimizer", choices=("sgd", "adam", "adamw"), default="sgd")
parser.add_argument("--variant", choices=("foreach", "fused", "single"), default="fused")
parser.add_argument("--threads", type=int, default=1)
parser.add_argument("--steps", type=int, default=1000)
args = parser.parse_args()

torch.set_num_threads(args.threads)
torch.manual_seed(20261121)
net = nn.Sequential(
    nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 32), nn.ReLU(), nn.Linear(32, 10)
)
kind = {"sgd": torch.optim.SGD, "adam": torch.optim.Adam, "adamw": torch.optim.AdamW}
variant = {} if args.variant == "single" else {args.variant: True}
optimizer = kind[args.optimizer](net.parameters(), lr=1e-3, **variant)
images = [torch.rand(args.batch, 784) * 2 - 1 for _ in range(8)]
labels = [torch.randint(0, 10, (args.batch,)) for _ in range(8)]
cross_entropy = nn.functional.cross_entropy


def run(steps):
    loss = None
    for i in range(steps):
        loss = cross_entropy(net(images[i % 8]), labels[i % 8])
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
    return loss.item()


run(args.steps // 10 + 1)
start = time.perf_counter()
loss = run(args.steps)
seconds = (time.perf_counter() - start) / args.steps
print(json.dumps({"seconds": seconds, "loss": loss, "version": torch.__version__}))
