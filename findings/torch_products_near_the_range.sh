#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# findings/torch_products_near_the_range.sh: PyTorch 2.13.0 on a processor, f32: products and
# cosines whose result is an ordinary number, of numbers whose partial products are not.
#
# Seen: prod of 1e30, 1e30, 1e-30, 1e-30 is inf with gradients of inf (1, and 1e-30 to 1e30); the
# last gradient of cumprod is NaN where it is 1e-30; cosine_similarity of (1e30, 2e30) and (2, 1) is
# 0 and cosine_embedding_loss 1, where the cosine is 0.8; the gradient of norm is 0 if the norm
# leaves the range.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
pip=("$folder/venv/bin/python" -m pip --disable-pip-version-check install --quiet)
"${pip[@]}" torch==2.13.0+cpu 2>/dev/null ||
  "${pip[@]}" torch==2.13.0 --index-url https://download.pytorch.org/whl/cpu ||
  "${pip[@]}" torch==2.13.0
"$folder/venv/bin/python" - <<'PYTHON'
import torch
import torch.nn.functional as F

print("torch", torch.__version__)


def leaf(*numbers):
    return torch.tensor(numbers, requires_grad=True)


x = leaf(1e30, 1e30, 1e-30, 1e-30)
x.prod().backward()
print("prod", x.prod().item(), x.grad.tolist())
assert x.prod().isinf() and x.grad.isinf().all()
x = leaf(1e30, 1e30, 1e-30, 1e-30)
x.cumprod(0)[-1].backward()
print("cumprod", x.grad.tolist())
assert x.grad[:2].isnan().all()
a, b = torch.tensor([[1e30, 2e30]]), torch.tensor([[2.0, 1.0]])
cosine = F.cosine_similarity(a, b).item()
loss = F.cosine_embedding_loss(a, b, torch.tensor([1])).item()
print("cosine", cosine, "loss", loss)
assert (cosine, loss) == (0.0, 1.0)
x = leaf(3e38, 3e38)
x.norm().backward()
print("norm", x.norm().item(), x.grad.tolist())
assert x.norm().isinf() and x.grad.tolist() == [0.0, 0.0]
PYTHON
