# SPDX-License-Identifier: Apache-2.0
# examples/python/data_parallel.py: one training run by several processes, which has the same bits
# for 1, 2, 4 and 8 of them.
"""usage: data_parallel.py [--engine NAME] [--epochs N] [--save FILE] [--same-as FILE]
                           [--data FOLDER]

    python data_parallel.py --save one.safetensors
    mpirun -n 4 python data_parallel.py --engine tenon.mpi --same-as one.safetensors

--save writes what was trained; --same-as asserts that it is equal, bit for bit, to what another run
wrote. FOLDER holds the four idx files of MNIST; without one the small digits of this repository are
taken.
"""

import argparse
import pathlib

import tenon

DIGITS = pathlib.Path(__file__).resolve().parents[1] / "data/digits"
SHARDS, ROWS = 8, 4  # of each batch; samples of each shard


def batches(folder: pathlib.Path, part: str, size: int, **options: object) -> tenon.data.Batches:
    """Pixels [n, height * width] and labels [n]."""
    digits = tenon.data.idx(
        images=str(folder / f"{part}-images-idx3-ubyte"),
        labels=str(folder / f"{part}-labels-idx1-ubyte"),
    )
    scale = 255 if digits.fields[0][1][0] == 28 else 16
    transforms = [tenon.data.normalise(scale=scale), tenon.data.flatten()]
    return tenon.data.batches(digits, size, transforms=transforms, **options)


def new_model(pixels: int) -> tenon.nn.Layer:
    return tenon.nn.sequential(
        tenon.nn.linear(inputs=pixels, outputs=128),
        tenon.nn.batch_norm(features=128),
        tenon.nn.activation(op="tenon.relu"),
        tenon.nn.dropout(p=0.1),
        tenon.nn.linear(inputs=128, outputs=10),
    )


def accuracy_of(model: tenon.nn.Layer, test: tenon.data.Batches) -> float:
    right = count = 0
    model.eval()
    with tenon.no_grad:
        for pixels, labels in test:
            right += int((model(pixels).argmax(axis=1) == labels).sum().item())
            count += len(labels)
    model.train()
    return right / count


def main() -> None:
    parser = argparse.ArgumentParser(description="Several processes train together.")
    parser.add_argument("--engine", default="tenon.self")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--save", type=pathlib.Path)
    parser.add_argument("--same-as", type=pathlib.Path)
    parser.add_argument("--data", type=pathlib.Path, default=DIGITS)
    options = parser.parse_args()

    tenon.seed(5)
    world = tenon.processes.join(options.engine, timeout=60)
    test = batches(options.data, "t10k", 256)
    model = new_model(next(iter(test))[0].shape[1])
    parallel = tenon.processes.DataParallel(
        model.parameters(), world, shards=SHARDS, buffers=model.buffers()
    )
    optimizer = tenon.optim.adam(model.parameters(), lr=0.003)
    train = batches(options.data, "train", ROWS, shuffle=True, seed=5, share=parallel.share)
    for epoch in range(options.epochs):
        for step in parallel.steps(train):
            for shard, (pixels, labels) in step:
                shard.backward(tenon.softmax_cross_entropy(model(pixels), labels))
            optimizer.step()
        if world.rank == 0:
            print(f"epoch {epoch + 1}: accuracy {accuracy_of(model, test):.4f}")

    if options.same_as:
        others = tenon.load(options.same_as)
        for name, tensor in model.state_dict().items():
            assert tensor.tolist() == others[name].tolist(), f"{name} differs"
        print(f"rank {world.rank} of {world.size}: the same bits as in {options.same_as}")
    if world.rank == 0:
        if options.save:
            tenon.save(options.save, model.state_dict())
        assert options.epochs < 3 or accuracy_of(model, test) > 0.9


if __name__ == "__main__":
    main()
