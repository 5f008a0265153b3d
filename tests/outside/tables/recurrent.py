# SPDX-License-Identifier: Apache-2.0
# tests/outside/tables/recurrent.py: recurrent layers are modules of PyTorch, which no OpInfo draws.

from opinfo_table import CALLED_FOR_GRADIENT

MODULE = "no OpInfo: tests/outside/recurrent_test.py compares it with torch.nn.{}"

TABLE = {}

KINDS = {"lstm": "LSTM", "gru": "GRU", "rnn": "RNN"}

WITHOUT = {}
for kind, module in KINDS.items():
    WITHOUT |= {
        f"tenon.{kind}": MODULE.format(module),
        f"tenon.{kind}_cell": MODULE.format(f"{module}Cell"),
        f"tenon.{kind}_steps": MODULE.format(module),
        f"tenon.{kind}_steps_grad": CALLED_FOR_GRADIENT.format(kind),
    }
