# SPDX-License-Identifier: Apache-2.0
# tests/bench/padding.py: how much of the batches of a text's lines is padding, with buckets and
# without: the table of docs/data.md.
#
# Usage: padding.py <text> [lines of a batch]
"""A sample is a line with its line feed, a character a token; batches are cut to their longest."""

import pathlib
import sys
import tempfile

import tenon


def padding(lines, size, pool, epochs=3):
    """The share of the cells of cut batches that hold no token."""
    cells = tokens = 0
    for epoch in range(epochs):
        batches = tenon.data.batches(lines, size, seed=1, buckets=pool).begin(epoch)
        for _, _, length in batches:
            found = length.tolist()
            cells += len(found) * max(found)
            tokens += sum(found)
    return (cells - tokens) / cells


def main():
    text = pathlib.Path(sys.argv[1]).read_bytes()
    size = int(sys.argv[2]) if len(sys.argv) > 2 else 32
    window = max(map(len, text.split(b"\n")))
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "text.bin"
        path.write_bytes(b"".join(bytes([each, 0]) for each in text))
        lines = tenon.data.tokens(
            paths=str(path), dtype="u16", window=window, separator=10, pad=0, vocabulary=256
        )
        found = lines.lengths().tolist()
        print(f"{len(found)} lines of {min(found)} to {max(found)} characters, "
              f"{sum(found) / len(found):.1f} at the mean")  # fmt: skip
        print("| pool, in batches | padding |\n|---|---|")
        for pool in (0, 2, 5, 10, 50, 200):
            print(f"| {pool or 'none'} | {100 * padding(lines, size, pool):.1f} % |")


if __name__ == "__main__":
    main()
