# SPDX-License-Identifier: Apache-2.0
"""tests/support/torch_blocks.py: PyTorch's residual block as torchvision names it, for tests and
benchmarks that compare with PyTorch; torchvision is not needed."""

import torch


class TorchBlock(torch.nn.Module):
    """torchvision's BasicBlock: two convolutions of 3x3 with batch norms, and what lies beside
    them, which is a convolution of 1x1 if the size or the number of channels changes."""

    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1 = torch.nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.bn1 = torch.nn.BatchNorm2d(outputs)
        self.conv2 = torch.nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.bn2 = torch.nn.BatchNorm2d(outputs)
        self.downsample = None
        if stride != 1 or inputs != outputs:
            self.downsample = torch.nn.Sequential(
                torch.nn.Conv2d(inputs, outputs, 1, stride, bias=False),
                torch.nn.BatchNorm2d(outputs),
            )

    def forward(self, x):
        beside = x if self.downsample is None else self.downsample(x)
        y = torch.relu_(self.bn1(self.conv1(x)))
        return torch.relu_(self.bn2(self.conv2(y)) + beside)
