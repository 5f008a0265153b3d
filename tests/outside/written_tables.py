# SPDX-License-Identifier: Apache-2.0
# tests/outside/written_tables.py: tables as text, as pandas and NumPy write them and by hand, for
# written_files_test.py.

import bz2
import csv
import gzip

import numpy
import pandas

NOT_A_NUMBER = "not a number"


def frame_of(make, rows=12):
    """Numbers of every kind; `kind` is for labels, `price` for targets."""
    random = make.random
    return pandas.DataFrame({
        "width": random.standard_normal(rows),
        "kind": random.integers(0, 10, rows),
        "height": random.standard_normal(rows).astype("float32") * 1e-6,
        "count": random.integers(-(2**20), 2**20, rows),
        "price": random.standard_normal(rows) * 1e12,
    })  # fmt: skip


def write_options(make, frame):
    """Every way to end lines, to quote, and to have or not to have names and numbers of rows."""
    ends = {"lf": "\n", "crlf": "\r\n", "cr": "\r"}
    quotings = {"": csv.QUOTE_MINIMAL, "_quoted": csv.QUOTE_ALL, "_texts": csv.QUOTE_NONNUMERIC}
    for end, text in ends.items():
        for quoting, how in quotings.items():
            name = f"{end}{quoting}"
            common = {"lineterminator": text, "quoting": how}
            named = make(f"{name}.csv", label="kind", target="price")
            frame.to_csv(named, index=False, **common)
            frame.to_csv(make(f"{name}_index.csv", label="kind"), **common)
            bare = make(f"{name}_bare.csv", header=False, label="1", target="-1")
            frame.to_csv(bare, index=False, header=False, **common)
            bare = make(f"{name}_bare_index.csv", header=False)
            frame.to_csv(bare, header=False, **common)
    for name, delimiter in {
        "semicolon": ";", "tab": "\t", "bar": "|", "colon": ":", "space": " ",
    }.items():  # fmt: skip
        path = make(f"{name}.csv", delimiter=delimiter, label="kind")
        frame.to_csv(path, index=False, sep=delimiter)
    for name, form in {
        "3f": "%.3f", "17g": "%.17g", "e": "%e", "g": "%g", "signed": "%+.2f", "wide": "%14.6f",
        "whole": "%.0f", "f9": "%.9g", "capital": "%.8E",
    }.items():  # fmt: skip
        path = make(f"format_{name}.csv", target="price")
        frame.to_csv(path, index=False, float_format=form)


def write_labels(make):
    """Whole numbers that neither f32 nor f64 holds."""
    for name, labels in {
        "above_2_24": [2**24 + 1, -(2**24) - 3, 2**31 + 7, 5],
        "above_2_53": [2**53 + 1, -(2**53) - 1, 2**60 + 3, 0],
        "ends": [2**63 - 1, -(2**63), 2**63 - 2, -(2**63) + 1],
    }.items():
        frame = pandas.DataFrame({"x": [0.5, 1.5, 2.5, 3.5], "id": labels})
        frame.to_csv(make(f"labels_{name}.csv", label="id"), index=False)
        frame.to_csv(make(f"labels_{name}_bare.csv", label="-1", header=False), index=False,
                     header=False)  # fmt: skip
        frame.set_index("id").to_csv(make(f"labels_{name}_index.csv", label="0"))
        quoted = make(f"labels_{name}_quoted.csv", label="id")
        frame.to_csv(quoted, index=False, quoting=csv.QUOTE_ALL)
        frame.to_csv(make(f"labels_{name}_as_features.csv"), index=False)
    floats = pandas.DataFrame({"x": [0.5, 1.5], "id": [3.0, 1e6]})
    floats.to_csv(make("labels_with_point.csv", label="id"), index=False)
    wide = pandas.DataFrame({"x": [0.5, 1.5], "id": numpy.array([2**64 - 1, 1], "u8")})
    wide.to_csv(make("labels_of_64_bits.csv", "label above", label="id"), index=False)


def write_cells(make):
    """What pandas has and a table of numbers has not."""
    for name, column in {
        "missing": [1.0, None, 3.0],
        "infinite": [1.0, numpy.inf, -numpy.inf],
        "texts": ["red", "green", "blue"],
        "truth": [True, False, True],
        "dates": pandas.to_datetime(["2026-11-27", "2026-11-28", "2026-11-29"]),
        "complex": [1 + 2j, 3j, 4],
        "too_large": [1e300, -1e39, 1.0],
    }.items():
        frame = pandas.DataFrame({"a": [1, 2, 3], "b": column})
        frame.to_csv(make(f"{name}.csv", NOT_A_NUMBER), index=False)
    tiny = pandas.DataFrame({"a": [1e-60, -1e-300, 1e-45, 1.2e-38, 3.4028234e38]})
    tiny.to_csv(make("tiny.csv"), index=False)
    comma = pandas.DataFrame({"a": [1.5, 2.5], "b": [3, 4]})
    path = make("decimal_comma.csv", NOT_A_NUMBER, delimiter=";", reader={"decimal": ","})
    comma.to_csv(path, index=False, sep=";", decimal=",")
    wide = pandas.DataFrame([[1, 2], [3, 4]], columns=[["a", "a"], ["b", "c"]])
    path = make(
        "two_lines_of_names.csv", NOT_A_NUMBER, reader={"header": [0, 1], "index_col": None}
    )
    wide.to_csv(path, index=False)


def write_names(make):
    names = ["a,b", 'say "a"', "größe", " space ", "數", "", "7", "'"]
    frame = pandas.DataFrame([list(range(8)), list(range(8, 16))], columns=names)
    for label in ["a,b", 'say "a"', "größe", "數"]:
        frame.to_csv(make(f"name_{names.index(label)}.csv", label=label), index=False)
    frame.to_csv(make("name_marked.csv", label="größe"), index=False, encoding="utf-8-sig")
    frame = frame.rename(columns={"a,b": "two\nlines"})
    frame.to_csv(make("name_of_two_lines.csv", "quotes end"), index=False)
    plain = pandas.DataFrame({"a": [1, 2], "b": [0.5, 1.5]})
    utf16 = make("utf16.csv", "not text", reader={"encoding": "utf-16"})
    plain.to_csv(utf16, index=False, encoding="utf-16")


def write_pandas(make):
    frame = frame_of(make)
    write_options(make, frame)
    write_labels(make)
    write_cells(make)
    write_names(make)
    frame.to_csv(make("packed.csv.gz", label="kind"), index=False)
    frame.to_csv(make("packed_1.csv.gz"), index=False, compression={"method": "gzip",
                 "compresslevel": 1})  # fmt: skip
    packed = {"compression": "bz2"}
    frame.to_csv(make("packed.csv.bz2", "other packing", reader=packed), index=False)
    frame.iloc[:0].to_csv(make("no_rows.csv"), index=False)
    frame[["width"]].to_csv(make("one_column.csv"), index=False)
    frame_of(make, 3000).to_csv(make("long.csv", label="kind"), index=False)
    wide = pandas.DataFrame(make.random.standard_normal((3, 800)).astype("f4"))
    wide.to_csv(make("wide.csv", target="-1"), index=False)
    twice = make("appended.csv", label="kind")
    frame.to_csv(twice, index=False)
    frame.to_csv(twice, index=False, header=False, mode="a")


def write_savetxt(make):
    """numpy.savetxt, whose first line, if there is one, is a comment unless told."""
    values = make.random.standard_normal((7, 4))
    bare = {"header": False}
    numpy.savetxt(make("plain.csv", **bare), values, delimiter=",")
    numpy.savetxt(make("spaces.csv", delimiter=" ", **bare), values)
    numpy.savetxt(make("tabs.csv", delimiter="\t", target="0", **bare), values, delimiter="\t")
    numpy.savetxt(make("short.csv", **bare), values, "%.3g", ",")
    numpy.savetxt(make("padded.csv", **bare), values, "%12.5f", ",")
    numpy.savetxt(make("crlf.csv", **bare), values, "%f", ",", "\r\n")
    numpy.savetxt(make("cr.csv", **bare), values, "%f", ",", "\r")
    numpy.savetxt(make("comma_and_space.csv", **bare), values, "%f", ", ")
    whole = make.random.integers(-99, 99, (5, 3))
    numpy.savetxt(make("whole.csv", label="1", **bare), whole, "%d", ",")
    numpy.savetxt(make("named.csv", label="c"), whole, "%d", ",", header="a,b,c", comments="")
    numpy.savetxt(make("commented.csv"), whole, "%d", ",", header="a,b,c")
    noted = make("footer.csv", "another length", reader={"comment": "#"}, **bare)
    numpy.savetxt(noted, whole, "%d", ",", footer="end")
    numpy.savetxt(make("packed.csv.gz", **bare), values, delimiter=",")


# Lines as a person writes them: what is read, and what is not.
BY_HAND = {
    "cr": ("a,b\r1,2\r3,4\r", {}),
    "cr_and_no_end": ("a,b\r1,2\r3,4", {}),
    "mixed_ends": ("a,b\n1,2\r\n3,4\r5,6\n", {}),
    "no_end": ("a,b\n1,2\n3,4", {}),
    "blank_at_the_end": ("a,b\n1,2\n3,4\n\n\n\n", {}),
    "blank_at_the_end_crlf": ("a,b\r\n1,2\r\n\r\n\r\n", {}),
    "blank_at_the_end_cr": ("a,b\r1,2\r\r\r", {}),
    "blank_line_in_the_middle": ("a,b\n1,2\n\n3,4\n", {"expected": "blank line"}),
    "blank_first_line": ("\na,b\n1,2\n", {"expected": "blank line"}),
    "mark": ("\ufeffa,b\n1,2\n", {"label": "a"}),
    "mark_and_quotes": ('\ufeff"a","b"\n"1","2"\n', {"label": "a"}),
    "quoted": ('"a","b"\n"1.5","2"\n"-3","4e2"\n', {}),
    "spaces": ("a,b\n 1 , 2\n3 ,  4  \n", {}),
    "names_with_spaces": ("a, b\n1,2\n", {"label": " b"}),
    "signs": ("a,b\n+1,-2\n+0,-0\n", {}),
    "points": ("a,b\n.5,5.\n-.5,+5.\n", {}),
    "exponents": ("a,b\n1e3,1E-3\n1.5e+03,-2e0\n", {}),
    "zeros_before": ("a,b\n007,0000.5\n-01,00\n", {"label": "0"}),
    "many_digits": ("a,b\n0.1000000000000000055511151231257827,12345678901234567890.5\n", {}),
    "empty_cell": ("a,b\n1,\n3,4\n", {"expected": NOT_A_NUMBER}),
    "words_for_missing": ("a,b\n1,NA\n3,4\n", {"expected": NOT_A_NUMBER}),
    "nan": ("a,b\n1,nan\n3,4\n", {"expected": NOT_A_NUMBER}),
    "infinity": ("a,b\n1,inf\n3,-Infinity\n", {"expected": NOT_A_NUMBER}),
    "hexadecimal": ("a,b\n1,0x10\n", {"expected": NOT_A_NUMBER}),
    "thousands": ('a,b\n1,"1,000"\n', {"expected": NOT_A_NUMBER, "reader": {"thousands": ","}}),
    "too_few_cells": ("a,b\n1,2\n3\n", {"expected": "another length"}),
    "too_many_cells": ("a,b\n1,2\n3,4,5\n", {"expected": "neither"}),
    "comment": ("# made by hand\na,b\n1,2\n",
                {"expected": "another length", "reader": {"comment": "#"}}),
    "quote_never_ends": ('a,b\n1,"2\n3,4\n', {"expected": "neither"}),
    "one_cell_of_two_lines": ('a,b\n1,"2\n"\n', {"expected": "quotes end"}),
    "empty": ("", {"expected": "neither"}),
    "names_alone": ("a,b\n", {}),
    "label_by_number": ("a,b,c\n1,2,3\n4,5,6\n", {"label": "-2"}),
    "label_of_halves": ("a,b\n1,2.5\n", {"label": "b", "expected": "neither"}),
    "label_below": ("a,b\n1,-9223372036854775808\n", {"label": "b"}),
    "label_signed": ("a,b\n1,+16777217\n2, 16777219\n", {"label": "b"}),
    "same_name_twice": ("a,a\n1,2\n", {}),
}  # fmt: skip


def write_by_hand(make):
    for name, (text, options) in BY_HAND.items():
        options = dict(options)
        path = make(f"{name}.csv", options.pop("expected", "equal"), **options)
        path.write_bytes(text.encode())
    table = b"a,b\n1,2\n3,4\n"
    make("two_members.csv.gz").write_bytes(gzip.compress(table) + gzip.compress(b"5,6\n"))
    make("cut.csv.gz", "neither").write_bytes(gzip.compress(table)[:-9])
    make("wrong_sum.csv.gz", "neither").write_bytes(gzip.compress(table)[:-8] + bytes(8))
    packed = {"compression": "bz2"}
    make("by_hand.csv.bz2", "other packing", reader=packed).write_bytes(bz2.compress(table))
