# SPDX-License-Identifier: Apache-2.0
# tests/outside/array_api_test.py: the public suite of the Python array API standard, version
# 2024.12, of which a copy lies in TENON_OUTSIDE. All of it passes but what EXCLUDED lists; a line
# there that is no longer needed fails, too.
"""usage: array_api_test.py [-v]"""

import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "python"))
import support  # noqa: E402

LEAST = 1100  # tests that pass
EXAMPLES = 20  # that hypothesis makes for each test
# (what a test's name has in it, the reason)
EXCLUDED = (
    (r"\[fft|fft-", "complex numbers, and what needs them, are not offered"),
    (r"real\(|imag\(|complex|conj|NaN j|0j|infinity j", "complex numbers are not offered"),
    (r"floor_?div", "an infinity by a number is NaN, as in Python, NumPy and PyTorch; the standard "
     "allows it. A number by an infinity of the other sign is -1"),
    (r"signbit\(x_i is -NaN\)", "the sign of a NaN is not read"),
)  # fmt: skip
DTYPES = "complex64,complex128,uint16,uint32,uint64"  # which there are not

# What has to be changed in the copy so that it loads without complex dtypes and older versions.
PATCHES = {
    "array-api/src/array_api_stubs/__init__.py": (
        ("from . import _2021_12, _2022_12, _2023_12, _2024_12, _draft", "from . import _2024_12"),
    ),
    "array_api_tests/dtype_helpers.py": (
        ("for dt in complex_dtypes], key=lambda x: x[1]\n)[0]",
         "for dt in complex_dtypes], key=lambda x: x[1], default=(None,)\n)[0]"),
    ),
    "array_api_tests/test_signatures.py": (
        ("dh.dtype_to_name[dh.widest_complex_dtype]", '"int32"'),
    ),
}  # fmt: skip


def copy_of(suite, folder):
    """The suite in a folder of its own, patched."""
    copied = folder / "array_api_tests"
    shutil.copytree(suite, copied)
    for path, patches in PATCHES.items():
        text = (copied / path).read_text()
        for old, new in patches:
            if old not in text:
                raise SystemExit(f"FAILED: {path} has changed: no {old!r}")
            text = text.replace(old, new)
        (copied / path).write_text(text)
    return copied


def run(suite):
    """{test: "passed" | "failed" | ...}, and all that was printed."""
    environment = {
        **os.environ,
        "ARRAY_API_TESTS_MODULE": "tenon",
        "ARRAY_API_TESTS_VERSION": "2024.12",
        "ARRAY_API_TESTS_SKIP_DTYPES": DTYPES,
        "PYTHONPATH": str(pathlib.Path(support.tenon.__file__).parents[1]),
    }
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "array_api_tests", "-q", "-rA", "-p", "no:cacheprovider",
         "--max-examples", str(EXAMPLES), "--hypothesis-seed", "1"],
        cwd=suite, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    found = re.findall(
        r"^(PASSED|FAILED|ERROR) (array_api_tests/\S.*?)(?: - .*)?$", done.stdout, re.M
    )
    return {name: verdict for verdict, name in found}, done.stdout + done.stderr


def main():
    with tempfile.TemporaryDirectory() as folder:
        suite = pathlib.Path(os.environ["TENON_OUTSIDE"]) / "array_api_tests"
        verdicts, words = run(copy_of(suite, pathlib.Path(folder)))
    passed = [name for name, verdict in verdicts.items() if verdict == "PASSED"]
    failed = [name for name, verdict in verdicts.items() if verdict != "PASSED"]
    problems, excluded = [], 0
    for pattern, reason in EXCLUDED:
        mine = [name for name in failed if re.search(pattern, name)]
        failed = [name for name in failed if name not in mine]
        excluded += len(mine)
        print(f"{len(mine)} excluded: {reason}")
        if not mine:
            problems.append(f"nothing fails that {pattern!r} excludes")
    problems += failed
    if len(passed) < LEAST:
        problems.append(f"{len(passed)} passed, {LEAST} were to\n{words[-3000:]}")
    print(f"array API 2024.12: {len(passed)} passed, {excluded} excluded, {len(failed)} failed")
    for each in problems:
        print(f"FAILED {each}")
    if failed:
        print(words[-6000:])
    return bool(problems)


if __name__ == "__main__":
    if "TENON_OUTSIDE" not in os.environ:
        print("skipped: TENON_OUTSIDE, the folder that has array_api_tests, is not set")
        sys.exit(77)
    for needed in ("pytest", "hypothesis", "ndindex", "pytest_jsonreport"):
        if not importlib.util.find_spec(needed):
            print(f"skipped: {needed} is not installed")
            sys.exit(77)
    sys.exit(main())
