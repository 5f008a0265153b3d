# SPDX-License-Identifier: Apache-2.0
# tests/outside/resnet18_test.py: PyTorch's state dictionary of a ResNet-18 with random weights
# loads by name, and gives PyTorch's logits and gradients.

import os
import pathlib
import sys
import tempfile
import unittest

try:
    import torch
    from safetensors.torch import save_file
except ImportError as missing:
    print(f"skipped: {missing.name} is not installed")
    sys.exit(77)
sys.path[:0] = [
    str(pathlib.Path(os.environ["TENON_LIBRARY"]).parents[1] / "python"),
    str(pathlib.Path(__file__).resolve().parents[1] / "support"),
]
import tenon
from torch_blocks import TorchBlock

STAGES = [(64, 64, 1), (64, 128, 2), (128, 256, 2), (256, 512, 2)]
# Largest difference over largest value; sums have another order in each of 20 layers, one for each
# instruction set of PyTorch's (seen: 5e-6 and 4e-14). Gradients are compared in f64: in f32 an
# activation that is nearly 0 may be kept by one and dropped by the other.
CLOSE = {tenon.float32: 5e-5, tenon.float64: 1e-11}


def torch_resnet18():
    parts = {
        "conv1": torch.nn.Conv2d(3, 64, 7, 2, 3, bias=False),
        "bn1": torch.nn.BatchNorm2d(64),
        "relu": torch.nn.ReLU(),
        "maxpool": torch.nn.MaxPool2d(3, 2, 1),
    }
    for number, (inputs, outputs, stride) in enumerate(STAGES):
        parts[f"layer{number + 1}"] = torch.nn.Sequential(
            TorchBlock(inputs, outputs, stride), TorchBlock(outputs, outputs, 1)
        )
    parts["avgpool"] = torch.nn.AdaptiveAvgPool2d(1)
    parts["flatten"] = torch.nn.Flatten()
    parts["fc"] = torch.nn.Linear(512, 1000)
    model = torch.nn.Sequential()
    for name, part in parts.items():
        model.add_module(name, part)
    return model


def conv(inputs, outputs, kernel, stride, dtype):
    return tenon.nn.conv(
        in_channels=inputs,
        out_channels=outputs,
        kernel_size=[kernel, kernel],
        stride=[stride],
        padding=[kernel // 2],
        bias=False,
        dtype=dtype,
    )


def tenon_block(inputs, outputs, stride, dtype):
    changes = stride != 1 or inputs != outputs
    block = tenon.nn.residual(shortcut=changes, activation="relu")
    block.append(conv(inputs, outputs, 3, stride, dtype), "conv1")
    block.append(tenon.nn.batch_norm(features=outputs, dtype=dtype), "bn1")
    block.append(tenon.nn.activation(op="relu"), "relu")
    block.append(conv(outputs, outputs, 3, 1, dtype), "conv2")
    block.append(tenon.nn.batch_norm(features=outputs, dtype=dtype), "bn2")
    if changes:
        shortcut = tenon.nn.sequential(
            conv(inputs, outputs, 1, stride, dtype),
            tenon.nn.batch_norm(features=outputs, dtype=dtype),
        )
        block.append(shortcut, "downsample")
    return block


def tenon_resnet18(dtype):
    model = tenon.nn.sequential()
    model.append(conv(3, 64, 7, 2, dtype), "conv1")
    model.append(tenon.nn.batch_norm(features=64, dtype=dtype), "bn1")
    model.append(tenon.nn.activation(op="relu"), "relu")
    model.append(tenon.nn.max_pool(kernel_size=[3], stride=[2], padding=[1]), "maxpool")
    for number, (inputs, outputs, stride) in enumerate(STAGES):
        stage = tenon.nn.sequential(
            tenon_block(inputs, outputs, stride, dtype), tenon_block(outputs, outputs, 1, dtype)
        )
        model.append(stage, f"layer{number + 1}")
    model.append(tenon.nn.adaptive_avg_pool(output_size=[1]), "avgpool")
    model.append(tenon.nn.flatten(), "flatten")
    model.append(tenon.nn.linear(inputs=512, outputs=1000, dtype=dtype), "fc")
    return model


class ResNet18(unittest.TestCase):
    def close(self, found, expected, what):
        difference = (torch.from_dlpack(found) - expected).abs().max().item()
        close = CLOSE[found.dtype]
        self.assertLessEqual(difference, close * expected.abs().max().item(), what)

    def both(self, dtype):
        """PyTorch's model, and ours with its state dictionary, through a file."""
        torch.manual_seed(20261126)
        theirs = torch_resnet18().to(torch.float64 if dtype == tenon.float64 else torch.float32)
        ours = tenon_resnet18(dtype)
        state = {k: v for k, v in theirs.state_dict().items() if "num_batches" not in k}
        with tempfile.TemporaryDirectory() as folder:
            file = str(pathlib.Path(folder) / "resnet18.safetensors")
            save_file(state, file)
            ours.load_state_dict(tenon.load(file, in_memory=True))
        return theirs, ours

    def test_logits(self):
        theirs, ours = self.both(tenon.float32)
        images = torch.randn(4, 3, 64, 64)
        with torch.no_grad(), tenon.no_grad:
            self.close(ours(tenon.from_dlpack(images)), theirs(images), "in training")
            theirs.eval()
            ours.eval()
            self.close(ours(tenon.from_dlpack(images)), theirs(images), "in evaluation")
        state = ours.state_dict()
        for name, buffer in theirs.named_buffers():
            if "num_batches" not in name:
                self.close(state[name], buffer, name)

    def test_gradients(self):
        theirs, ours = self.both(tenon.float64)
        images, labels = torch.randn(4, 3, 64, 64).double(), torch.tensor([3, 1, 999, 0])
        torch.nn.functional.cross_entropy(theirs(images), labels).backward()
        logits = ours(tenon.from_dlpack(images))
        tenon.softmax_cross_entropy(logits, tenon.from_dlpack(labels)).backward()
        gradients = dict(theirs.named_parameters())
        found = dict(ours.named_parameters())
        self.assertEqual(list(found), list(gradients))
        for name, parameter in found.items():
            self.close(parameter.grad, gradients[name].grad, name)


if __name__ == "__main__":
    unittest.main()
