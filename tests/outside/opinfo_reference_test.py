# SPDX-License-Identifier: Apache-2.0
# tests/outside/opinfo_reference_test.py: OpInfo, its reference_inputs: extreme values,
# infinities and NaNs, odd layouts, numbers in place of tensors.

import sys

import opinfo

if __name__ == "__main__":
    sys.exit(opinfo.main(opinfo.values, name="reference", source="reference_inputs"))
