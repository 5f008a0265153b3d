#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# findings/torch_norms_of_large_means.sh: PyTorch 2.13.0 on a processor, f32: norms and the
# gradient of std take off a mean that is rounded to f32, although the inputs and their differences
# are exact.
#
# Seen: of 1e7, 1e7 + 1, 1e7 + 2, 1e7 + 4 layer_norm gives -1.3333 where f64 gives -1.1832, and
# batch_norm and instance_norm give another wrong number, -1.5358, for the same channel; the
# gradient of std is exactly symmetric. From 1e20 on layer_norm is NaN, and rms_norm is 0 without a
# word.
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
x = torch.tensor([1e7, 1e7 + 1, 1e7 + 2, 1e7 + 4], requires_grad=True)
right = F.layer_norm(x.double(), [4]).detach()
layer = F.layer_norm(x, [4]).detach()
channel = F.instance_norm(x.detach().reshape(1, 1, 4)).flatten()
x.std(correction=0).backward()
print("f64", right.tolist())
print("layer_norm", layer.tolist())
print("instance_norm", channel.tolist())
print("gradient of std", x.grad.tolist())
assert abs(right[0] + 1.1832) < 1e-4
assert abs(layer[0] + 1.3333) < 1e-4
assert abs(channel[0] + 1.5358) < 1e-4
assert x.grad[0] == -x.grad[3], "the exact one is -0.2958 and 0.3803"
large = torch.tensor([[1e20, -1e20, 2e20, 0.5e20]])
print("1e20", F.layer_norm(large, [4]).tolist(), F.rms_norm(large, [4]).tolist())
assert F.layer_norm(large, [4]).isnan().all() and (F.rms_norm(large, [4]) == 0).all()
PYTHON
