# SPDX-License-Identifier: Apache-2.0
# tests/outside/tables/recurrent.py: recurrent layers are modules of PyTorch, which no OpInfo draws.

from opinfo_table import CALLED_FOR_GRADIENT

MODULE = "no OpInfo: tests/outside/recurrent_test.py compares it with torch.nn.{}"

TABLE = {}

WITHOUT = {
    f"tenon.{name}": MODULE.format(module)
    for kind, module in (("lstm", "LSTM"), ("gru", "GRU"), ("rnn", "RNN"))
    for name, module in (
        (kind, module),
        (f"{kind}_cell", f"{module}Cell"),
        (f"{kind}_steps", module),
    )
} | {f"tenon.{kind}_steps_grad": CALLED_FOR_GRADIENT.format(kind) for kind in ("lstm", "gru", "rnn")}
