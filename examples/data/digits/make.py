#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# examples/data/digits/make.py: writes this folder's four idx files from scikit-learn's package.
"""Usage: make.py WHEEL [FOLDER]

WHEEL is a scikit-learn package file: pip download --no-deps scikit-learn
FOLDER is where the idx files go; this folder by default. Needs nothing but Python.
"""

import csv
import gzip
import hashlib
import io
import pathlib
import struct
import sys
import zipfile

MEMBER = "sklearn/datasets/data/digits.csv.gz"
SIDE = 8
U8_IMAGES = 0x00000803  # idx magic: unsigned bytes, three dimensions
U8_LABELS = 0x00000801  # idx magic: unsigned bytes, one dimension


def read_rows(wheel):
    """Rows of 64 pixels (0 to 16) and one label (0 to 9), in load_digits order."""
    with zipfile.ZipFile(wheel) as archive:
        text = gzip.decompress(archive.read(MEMBER)).decode("ascii")
    rows = [[int(float(cell)) for cell in row] for row in csv.reader(io.StringIO(text))]
    if len(rows) != 1797 or any(len(row) != SIDE * SIDE + 1 for row in rows):
        raise SystemExit(
            f"{wheel}: {MEMBER} is not the table of 1,797 rows of 65 numbers expected here"
        )
    return rows


def write_idx(folder, prefix, rows):
    """One file of images and one of labels, big-endian sizes as idx demands."""
    images = struct.pack(">IIII", U8_IMAGES, len(rows), SIDE, SIDE)
    images += b"".join(bytes(row[:-1]) for row in rows)
    labels = struct.pack(">II", U8_LABELS, len(rows)) + bytes(row[-1] for row in rows)
    for name, content in (
        (f"{prefix}-images-idx3-ubyte", images),
        (f"{prefix}-labels-idx1-ubyte", labels),
    ):
        (folder / name).write_bytes(content)
        print(hashlib.sha256(content).hexdigest(), name)


def main():
    if len(sys.argv) not in (2, 3):
        raise SystemExit(__doc__)
    folder = (
        pathlib.Path(sys.argv[2]) if len(sys.argv) == 3 else pathlib.Path(__file__).resolve().parent
    )
    rows = read_rows(sys.argv[1])
    write_idx(folder, "train", [row for index, row in enumerate(rows) if index % 5 != 4])
    write_idx(folder, "t10k", [row for index, row in enumerate(rows) if index % 5 == 4])


if __name__ == "__main__":
    main()
