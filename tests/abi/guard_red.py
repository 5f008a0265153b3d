#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# tests/abi/guard_red.py: the ABI guard must notice. Changes one thing in a copy of the public
# headers, makes the witness library of it, and compares that with the checked-in baseline.
# Usage: guard_red.py <case> <C compiler> <folder of the public headers> <baseline.abi> <layout.c>
# Passes where the guard says what the case expects; cases ending in "_added" must stay green.
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import baseline
import witness


def swap(struct, first, second):
    """The declarations of two neighbouring members change places; their comments stay behind."""

    def change(text):
        start = re.search(rf"\bstruct {struct} \{{", text).end()
        end = text.index("\n}", start)
        body = re.sub(r"//[^\n]*", "", text[start:end])
        statements = body.split(";")
        at = [next(i for i, s in enumerate(statements) if re.search(rf"\b{name}\b\)?(\(|\s*$)", s))
              for name in (first, second)]  # fmt: skip
        statements[at[0]], statements[at[1]] = statements[at[1]], statements[at[0]]
        return text[:start] + ";".join(statements) + text[end:]

    return change


def replace(before, after):
    def change(text):
        assert text.count(before) == 1, f"{before!r} stands there {text.count(before)} times"
        return text.replace(before, after)

    return change


LAST = "#ifdef __cplusplus\n}\n#endif"
NEW_FUNCTION = "TENON_EXPORT tenon_status tenon_surely_not_there_yet(tenon_context* context);\n"

# case: (header, change, words of abidiff, words of layout.c's compiler; "" where it says nothing)
CASES = {
    "kernel_desc": ("plugin/kernels.h", swap("tenon_kernel_desc", "n_slots", "n_attrs"),
                    "'uint32_t n_slots' offset changed from 512 to 544",
                    "tenon_kernel_desc.n_slots moved"),
    "host_table": ("plugin/host.h", swap("tenon_host_vjp", "get_input", "get_output"),
                   "get_input", "tenon_host_vjp.get_input moved"),
    "member_removed": ("plugin/vjps.h", replace("  uint64_t non_differentiable;", "  "),
                       "non_differentiable", "has another size"),
    "callback_type": ("plugin/backend.h",
                      replace("void* destination, const void* source, uint64_t bytes)",
                              "void* destination, const void* source, uint32_t bytes)"),
                      "parameter 7 of type", ""),
    "constant": ("types.h", replace("TENON_E_IO ((tenon_status)25)",
                                    "TENON_E_IO ((tenon_status)26)"),
                 "witness_TENON_E_IO' from value '25' to '26'", ""),
    "signature": ("ops.h", replace("void tenon_plan_release(tenon_plan* plan)",
                                   "tenon_status tenon_plan_release(tenon_plan* plan)"),
                  "tenon_plan_release", ""),
    "function_removed": ("ops.h",
                         replace("TENON_EXPORT void tenon_plan_release(tenon_plan* plan);", ""),
                         "tenon_plan_release", ""),
    "function_added": ("ops.h", replace(LAST, NEW_FUNCTION + LAST),
                       "tenon_surely_not_there_yet", ""),
}  # fmt: skip


def compiled(compiler, headers, source, *options):
    command = [*compiler.split(";"), "-std=gnu11", f"-I{headers}", *options, source]
    return subprocess.run(command, capture_output=True, text=True)


def layout_words(compiler, headers, layout):
    return compiled(compiler, headers, layout, "-fsyntax-only").stderr


def witness_of(compiler, headers, folder):
    source, library = folder / "witness.c", folder / "abi_witness.so"
    source.write_text(witness.source(headers))
    done = compiled(compiler, headers, source, "-shared", "-fPIC", "-g",
                    f"-Wl,-soname,{library.name}", "-o", library)  # fmt: skip
    if done.returncode:
        sys.exit(done.stderr)
    return library


def main():
    case, compiler = sys.argv[1:3]
    public, expected, layout = map(pathlib.Path, sys.argv[3:])
    header, change, diff_words, moved_words = CASES[case]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        headers = folder / "include"
        shutil.copytree(public, headers)
        before = layout_words(compiler, headers, layout)
        target = headers / "tenon" / header
        target.write_text(change(target.read_text()))
        library = witness_of(compiler, headers, folder)
        red, words = baseline.differences(expected, library, "--no-added-syms")
        after = layout_words(compiler, headers, layout)
        all_words = baseline.differences(expected, library)[1]
    assert before == "", f"layout.c does not fit the headers as they are:\n{before}"
    assert red != case.endswith("_added"), f"the guard is {'red' if red else 'green'}:\n{words}"
    assert diff_words in all_words, f"abidiff does not say {diff_words!r}:\n{all_words}"
    assert moved_words in after, f"layout.c does not say {moved_words!r}:\n{after}"
    assert moved_words or not after, after
    print(all_words)


main()
