# SPDX-License-Identifier: Apache-2.0
# tests/outside/opinfo_values_test.py: OpInfo, the samples as they come, in every dtype.

import sys

import opinfo

if __name__ == "__main__":
    sys.exit(opinfo.main(opinfo.values, complete=True))
