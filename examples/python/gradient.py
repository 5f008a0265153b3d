# SPDX-License-Identifier: Apache-2.0
# examples/python/gradient.py: the README's ten lines: a function and its gradient.

# README: begin
import tenon

x = tenon.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = (x * x).sum()  # ops come from plugins, found when they are first needed
y.backward()
print(x.grad)  # dy/dx = 2 x

layer = tenon.nn.linear(inputs=3, outputs=1)  # so do layers, optimizers, datasets
optimizer = tenon.optim.adam(layer.parameters(), lr=0.1)
for _ in range(200):
    loss = (layer(x.detach()) - 5).square().sum()
    loss.backward()
    optimizer.step(clear_grad=True)
# README: end

assert x.grad is not None and x.grad.tolist() == [2.0, 4.0, 6.0]
assert loss.item() < 0.01, loss
