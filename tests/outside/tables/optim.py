# SPDX-License-Identifier: Apache-2.0
# tests/outside/tables/optim.py: steps of optimizers.

OPTIMIZER = "no OpInfo: a step of an optimizer; optimizer_info_test.py compares it"
ROWS = "no OpInfo, and no sparse optimizer of PyTorch's with the same rule"
NOT_TORCH = "no OpInfo, and no optimizer of PyTorch's; the goldens have its trace"

WITHOUT = {
    "tenon.adadelta_rows": ROWS,
    "tenon.adadelta_step": OPTIMIZER,
    "tenon.adafactor_step": OPTIMIZER,
    "tenon.adagrad_rows": ROWS,
    "tenon.adagrad_step": OPTIMIZER,
    "tenon.adam_rows": OPTIMIZER,
    "tenon.adam_step": OPTIMIZER,
    "tenon.adamw_rows": ROWS,
    "tenon.adamw_step": OPTIMIZER,
    "tenon.clip_grad_norm": "no OpInfo: a function of torch.nn.utils; the goldens have its values",
    "tenon.lamb_step": NOT_TORCH,
    "tenon.lion_rows": NOT_TORCH,
    "tenon.lion_step": NOT_TORCH,
    "tenon.muon_step": "no OpInfo: PyTorch's rounds to bf16; the goldens have its trace",
    "tenon.nadam_rows": ROWS,
    "tenon.nadam_step": OPTIMIZER,
    "tenon.rmsprop_rows": ROWS,
    "tenon.rmsprop_step": OPTIMIZER,
    "tenon.sgd_rows": ROWS,
    "tenon.sgd_step": OPTIMIZER,
}
