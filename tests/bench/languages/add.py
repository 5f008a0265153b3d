# SPDX-License-Identifier: Apache-2.0
# tests/bench/languages/add.py: add of 64 from Python; see languages.py.
import timeit

import tenon

NUMBER, TIMES = 20_000, 50

tenon.configure(threads=1)
a, b = tenon.full([64], 0.0), tenon.full([64], 0.0)
print("-", min(timeit.repeat(lambda: a + b, number=NUMBER, repeat=TIMES)) / NUMBER * 1e9)
