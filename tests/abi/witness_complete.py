#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# tests/abi/witness_complete.py: every struct of layout.c (which layout_complete.py holds against
# the headers) has a function in the witness library.
# Usage: witness_complete.py <nm> <layout.c> <abi_witness.so>
import pathlib
import re
import subprocess
import sys


def main():
    nm, layout, library = sys.argv[1:]
    structs = set(re.findall(r"^STRUCT\((tenon_\w+),", pathlib.Path(layout).read_text(), re.M))
    command = [nm, "--dynamic", "--defined-only", "--format=posix", library]
    table = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    witnesses = set(re.findall(r"^witness_struct_(tenon_\w+) ", table, re.M))
    missing = sorted(structs - witnesses)
    if missing or not structs:
        print("no witness for:", *(missing or ["any struct: layout.c names none"]), sep="\n  ")
        return 1
    print(f"{len(structs)} structs, each with a witness")
    return 0


sys.exit(main())
