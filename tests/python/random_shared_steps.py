# SPDX-License-Identifier: Apache-2.0
# tests/python/random_shared_steps.py: random programs whose steps several processes share have the
# bits of one process, eager and captured.
"""TENON_TEST_SEED, TENON_TEST_PROGRAMS: the first program, and how many. A program is drawn and run
by random_shared_steps_run.py, over the engine of tests/processes/plugins/test.shm."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from support import SHM, Case, shm_place, skip

PROGRAM = pathlib.Path(__file__).with_name("random_shared_steps_run.py")
SEED = int(os.environ.get("TENON_TEST_SEED", "1"))
PROGRAMS = int(os.environ.get("TENON_TEST_PROGRAMS", "20"))
TOGETHER = 500  # programs of one run

if not (SHM / "test.shm").is_dir():
    skip("test.shm was not built")


def run(size, first, count, way, most):
    """Per rank: what each program has printed."""
    ranks = []
    with tempfile.TemporaryDirectory() as folder:
        name = f"/tenon-random-{os.getpid()}-{size}-{first}-{way}-{most}"
        for rank in range(size):
            place = {**shm_place(name, rank, size), "TENON_PLUGIN_PATH": str(SHM)}
            written = pathlib.Path(folder, str(rank))
            with written.open("w") as out, written.with_suffix(".error").open("w") as error:
                ranks.append(
                    subprocess.Popen(
                        [sys.executable, PROGRAM, str(first), str(count), way, str(most)],
                        env=place, stdout=out, stderr=error,
                    )  # fmt: skip
                )
        codes = [each.wait(3600) for each in ranks]
        texts = [pathlib.Path(folder, str(rank)).read_text() for rank in range(size)]
        errors = [pathlib.Path(folder, f"{rank}.error").read_text() for rank in range(size)]
    if any(codes):
        done = min(text.count("\n") for text in texts)
        raise AssertionError(f"program {first + done} of {size}: {codes}\n" + "\n".join(errors))
    return [[json.loads(line) for line in text.splitlines()] for text in texts]


class RandomSharedSteps(Case):
    def compare(self, way):
        for first in range(SEED, SEED + PROGRAMS, TOGETHER):
            count = min(TOGETHER, SEED + PROGRAMS - first)
            for sizes in ((1, 2, 4), (1, 3)):
                most = sizes[-1]
                (one,) = run(1, first, count, way, most)
                self.assertEqual(len(one), count)
                for size in sizes[1:]:
                    for rank, several in enumerate(run(size, first, count, way, most)):
                        different = [a for a, b in zip(one, several) if a != b]
                        self.assertEqual(different, [], f"rank {rank} of {size}")

    def test_eager(self):
        self.compare("eager")

    def test_captured(self):
        self.compare("captured")


if __name__ == "__main__":
    unittest.main()
