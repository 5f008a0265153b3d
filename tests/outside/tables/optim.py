# SPDX-License-Identifier: Apache-2.0
# tests/outside/tables/optim.py: steps of optimizers.

from opinfo_table import OPTIMIZER, ROWS

NOT_TORCH = "no OpInfo, and no optimizer of PyTorch's; the goldens have its trace"

WITHOUT = {
    "tenon.adadelta_rows": ROWS,
    "tenon.adadelta_step": OPTIMIZER,
    "tenon.adafactor_step": OPTIMIZER,
    "tenon.adagrad_rows": ROWS,
    "tenon.adagrad_step": OPTIMIZER,
    "tenon.clip_grad_norm": "no OpInfo: a function of torch.nn.utils; the goldens have its values",
    "tenon.lamb_step": NOT_TORCH,
    "tenon.lion_rows": NOT_TORCH,
    "tenon.lion_step": NOT_TORCH,
    "tenon.muon_step": "no OpInfo: PyTorch's rounds to bf16; the goldens have its trace",
    "tenon.nadam_rows": ROWS,
    "tenon.nadam_step": OPTIMIZER,
    "tenon.rmsprop_rows": ROWS,
    "tenon.rmsprop_step": OPTIMIZER,
}
