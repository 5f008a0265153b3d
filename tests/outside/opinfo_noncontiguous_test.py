# SPDX-License-Identifier: Apache-2.0
# tests/outside/opinfo_noncontiguous_test.py: OpInfo, samples with strided operands.

import sys

import opinfo

if __name__ == "__main__":
    sys.exit(opinfo.main(opinfo.noncontiguous, lambda op: "(*" not in op["schema"]))
