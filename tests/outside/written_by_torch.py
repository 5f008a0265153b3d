# SPDX-License-Identifier: Apache-2.0
# tests/outside/written_by_torch.py: safetensors files as PyTorch's tensors and the package
# safetensors give them, and the archives of torch.save, for written_files_test.py.

import ml_dtypes
import numpy
import safetensors
import safetensors.numpy
import safetensors.torch
import torch

HELD = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32",
        "float64"]  # fmt: skip
FOREIGN = ["uint16", "uint32", "uint64", "complex64", "float8_e4m3fn", "float8_e5m2",
           "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu", "float4_e2m1fn_x2"]  # fmt: skip
NAMES = ["model.0.weight", "", " ", "ä", "数/π", "a\0b", "\0", "a\nb\t", 'say "a"', "back\\slash",
         "\x7f\x1b", "😀", "__metadata", "x" * 3000, "dtype", "shape"]  # fmt: skip


def tensor(make, name, shape=(4, 6)):
    dtype = getattr(torch, name)
    if dtype == torch.bool:
        return torch.from_numpy(make.values("?", shape))
    *front, last = shape
    data = make.values("u1", (*front, last * dtype.itemsize)).copy()
    return torch.from_numpy(data).view(dtype)


def write_torch(make):
    save = safetensors.torch.save_file
    for name in HELD + FOREIGN:
        save({"a": tensor(make, name)}, make(f"{name}.safetensors"))
        save({"a": tensor(make, name), "b": torch.ones(3)}, make(f"{name}_and_f4.safetensors"))
        empty = tensor(make, name)[:0]
        save({"a": empty, "b": torch.ones(2)}, make(f"{name}_empty.safetensors"))
    everything = {name: tensor(make, name) for name in HELD + FOREIGN}
    save(everything, make("everything.safetensors"), {"format": "pt"})
    save({"scalar": torch.tensor(2.5), "long": torch.tensor(7)}, make("scalars.safetensors"))
    layer = torch.nn.TransformerEncoderLayer(16, 2, 32)
    save(layer.state_dict(), make("layer.safetensors"))
    safetensors.torch.save_model(torch.nn.LSTM(4, 8), make("model.safetensors"))
    nine = torch.ones((2,) + (1,) * 8)
    save({"flat": nine, "b": torch.ones(2)}, make("rank9.safetensors"))
    write_zips(make)


def write_zips(make):
    """torch.save writes a zip archive, of which every member is a file that is not an array."""
    torch.save(torch.ones(3, 4), make("tensor.npz"))
    torch.save({name: tensor(make, name) for name in HELD}, make("held.npz"))
    torch.save(torch.nn.Linear(3, 4).state_dict(), make("state.npz"))
    torch.save({"epoch": 3, "loss": [0.5, 0.25], "none": None}, make("values.npz"))
    adam = torch.optim.Adam(torch.nn.Linear(3, 4).parameters())
    torch.save(adam.state_dict(), make("optimizer.npz"))
    torch.save(torch.empty(0), make("empty.npz"))


def write_package(make):
    save = safetensors.numpy.save_file
    for code in ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8"]:
        array = make.values(code, (3, 5))
        save({"a": array}, make(f"numpy_{code.replace('?', 'b1')}.safetensors"))
    for name in ["bfloat16", "float8_e4m3fn", "float8_e5m2"]:
        array = numpy.arange(6).reshape(2, 3).astype(getattr(ml_dtypes, name))
        save({"a": array}, make(f"numpy_{name}.safetensors"))
    swapped = numpy.arange(6, dtype=">i4").reshape(2, 3)
    save({"a": swapped}, make("numpy_big.safetensors"))
    names = {name: make.values("f4", 2) for name in NAMES}
    save(names, make("names.safetensors"))
    texts = {"": "", "a\0b": "\0", "ä": "数\n", "json": '{"x": [1, 2]}', "long": "x" * 100_000}
    save({"a": make.values("f4", 3)}, make("metadata.safetensors"), texts)
    save({}, make("nothing.safetensors"))
    save({}, make("metadata_alone.safetensors"), {"k": "v"})
    save({"a": numpy.zeros((0, 3), "f4"), "b": numpy.array(1.5)}, make("shapes.safetensors"))
    many = {f"layers.{i}.weight": make.values("i2", (i % 4, 2)) for i in range(500)}
    save(many, make("many.safetensors"))
    write_specified(make)


def write_specified(make):
    """By the functions below those, which believe what they are told of the bytes."""
    for name in HELD + FOREIGN:
        bits = make.values("?" if name == "bool" else "u1", 96)
        last = 48 // getattr(torch, name).itemsize
        spec = safetensors.TensorSpec(
            dtype=name, shape=[2, last], data_ptr=bits.ctypes.data, data_len=96
        )
        safetensors.serialize_file({"a": spec}, make(f"specified_{name}.safetensors"))
