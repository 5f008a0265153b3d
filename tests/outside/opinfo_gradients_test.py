# SPDX-License-Identifier: Apache-2.0
# tests/outside/opinfo_gradients_test.py: OpInfo, gradients against torch.autograd, in float64.

import sys

import opinfo

if __name__ == "__main__":
    sys.exit(
        opinfo.main(
            opinfo.gradients,
            lambda op: op["vjp"] is not None,
            dtypes={opinfo.torch.float64},
            requires_grad=True,
        )
    )
