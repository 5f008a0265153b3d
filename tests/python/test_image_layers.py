# SPDX-License-Identifier: Apache-2.0
# tests/python/test_image_layers.py: a convolution network of layers, whose names are PyTorch's.
import unittest

from support import Case, run_python, tenon

nn = tenon.nn


def conv(inputs, outputs, kernel, stride=1):
    return nn.conv(
        in_channels=inputs, out_channels=outputs, kernel_size=[kernel, kernel], stride=[stride],
        padding=[kernel // 2], bias=False,
    )  # fmt: skip


def bytes_of(tensor):
    return bytes(memoryview(tensor.contiguous()).cast("B"))


def block(inputs, outputs, stride):
    """A BasicBlock of torchvision whose shape changes."""
    made = nn.residual(shortcut=True, activation="relu")
    made.append(conv(inputs, outputs, 3, stride), "conv1")
    made.append(nn.batch_norm(features=outputs), "bn1").append(nn.activation(op="relu"), "relu")
    made.append(conv(outputs, outputs, 3), "conv2").append(nn.batch_norm(features=outputs), "bn2")
    shortcut = nn.sequential(conv(inputs, outputs, 1, stride), nn.batch_norm(features=outputs))
    return made.append(shortcut, "downsample")


class ImageLayers(Case):
    def test_lenet(self):
        """The names and shapes of torch.nn.Sequential of the same layers."""
        model = nn.sequential(
            nn.conv(in_channels=1, out_channels=6, kernel_size=[5, 5], padding=[2]),
            nn.activation(op="relu"),
            nn.max_pool(kernel_size=[2]),
            nn.conv(in_channels=6, out_channels=16, kernel_size=[5, 5]),
            nn.group_norm(groups=4, channels=16),
            nn.dropout_channels(p=0.25),
            nn.avg_pool(kernel_size=[2]),
            nn.flatten(),
            nn.linear(inputs=400, outputs=10),
        )
        shapes = {name: tensor.shape for name, tensor in model.state_dict().items()}
        expected = {"0.weight": (6, 1, 5, 5), "0.bias": (6,), "3.weight": (16, 6, 5, 5)}
        expected |= {"3.bias": (16,), "4.weight": (16,), "4.bias": (16,)}
        expected |= {"8.weight": (10, 400), "8.bias": (10,)}
        self.assertEqual(shapes, expected)
        y = model(tenon.normal(shape=[2, 1, 28, 28]))
        self.assertEqual(y.shape, (2, 10))
        y.sum().backward()
        for name, tensor in model.named_parameters():
            self.assertEqual(tensor.grad.shape, tensor.shape, name)

    def test_a_convolution_has_the_bits_of_columns_and_a_product(self):
        """All taps within an image, or values that are finite: a product with 0 changes no sum."""
        cases = ((3, 7, 9, 11, 3, 1, 1), (2, 16, 32, 14, 3, 2, 1), (17, 8, 8, 6, 1, 1, 0))
        for images, inputs, outputs, size, kernel, stride, padding in cases:
            for dtype in (tenon.float32, tenon.float64):
                x = tenon.normal(shape=[images, inputs, size, size], dtype=dtype)
                weight = tenon.normal(shape=[outputs, inputs, kernel, kernel], dtype=dtype)
                windows = {"stride": [stride], "padding": [padding]}
                y = tenon.conv(x, weight, **windows)
                columns = tenon.im2col(x, kernel=[kernel] * 2, **windows)
                flat = weight.reshape(outputs, inputs * kernel * kernel)
                product = tenon.matmul(flat, columns)
                self.assertEqual(bytes_of(y), bytes_of(product), (images, size, kernel, dtype))
                dy = tenon.normal(shape=[1, *y.shape[1:]], dtype=dtype)
                found = tenon.conv_weight_grad(dy, x[:1], kernel=[kernel] * 2, **windows)
                rows = tenon.matmul(dy.reshape(outputs, -1), columns[0].T)
                self.assertEqual(bytes_of(found), bytes_of(rows), (images, size, kernel, dtype))

    def test_residual_block(self):
        made = block(2, 4, 2)
        norms = ["weight", "bias", "running_mean", "running_var"]
        expected = ["conv1.weight", *[f"bn1.{name}" for name in norms]]
        expected += ["conv2.weight", *[f"bn2.{name}" for name in norms]]
        expected += ["downsample.0.weight", *[f"downsample.1.{name}" for name in norms]]
        self.assertEqual(list(made.state_dict()), expected)
        x = tenon.normal(shape=[2, 2, 6, 6])
        made.eval()
        y = made(x)
        conv1, bn1, relu, conv2, bn2, downsample = made
        branch = bn2(conv2(relu(bn1(conv1(x)))))
        self.same(y, (branch + downsample(x)).relu().tolist())
        other = block(2, 4, 2).eval()
        other.load_state_dict(made.state_dict())
        self.same(other(x), y.tolist())


# A step that runs out of memory leaves parameters, gradients and buffers as they were, and then the
# model can be used. Prints where it ended.
SHORT_OF_MEMORY = """
import sys
import tenon
tenon.configure(memory_limit=int(sys.argv[1]), threads=1)
from test_image_layers import block, bytes_of
model = block(64, 128, 1)
x = tenon.normal(shape=[4, 64, 6, 6])
tensors = dict(model.state_dict())
def bits():
    return {name: bytes_of(tensor) for name, tensor in tensors.items()}
def gradients():
    return [parameter.grad is not None for parameter in model.parameters()]
place = "forward"
before = bits()
try:
    loss = (model(x) ** 2).mean()
    place, before = "backward", bits()
    loss.backward()
    place = "end"
except tenon.OutOfMemoryError:
    loss = None
    after = bits()
    running = [name for name in before if place == "forward" and "running" in name]
    for name in before.keys() - running:
        assert after[name] == before[name], name
    assert not any(gradients())
    with tenon.no_grad:
        model(x[:1])
print(place, all(gradients()))
"""


class Memory(Case):
    def test_running_out(self):
        found = []
        for kib in range(1300, 5100, 400):
            done = run_python(SHORT_OF_MEMORY, str(kib << 10))
            self.assertEqual(done.returncode, 0, done.stderr)
            found.append(done.stdout.split())
        self.assertEqual(found[0], ["forward", "False"])
        self.assertGreaterEqual(found.count(["backward", "False"]), 3)
        self.assertEqual(found[-1], ["end", "True"])

    def test_sizes_that_nothing_can_hold(self):
        x, weight = tenon.ones([1, 1, 4, 4]), tenon.ones([1, 1, 3, 3])
        for windows in ({"padding": [2**62]}, {"dilation": [2**62]}):
            with self.subTest(windows), self.assertRaisesRegex(ValueError, "conv"):
                tenon.conv(x, weight, **windows)
        with self.assertRaises((MemoryError, ValueError)):
            tenon.conv(x, weight, padding=[2**30])
        self.assertEqual(tenon.conv(x, weight).tolist(), [[[[9.0, 9.0], [9.0, 9.0]]]])


if __name__ == "__main__":
    unittest.main()
