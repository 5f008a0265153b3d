# SPDX-License-Identifier: Apache-2.0
# tests/outside/written_rules.py: where Tenon reads a file otherwise than its reference does, by
# intention: each with the page that says so, for written_files_test.py.

import pathlib
from typing import NamedTuple

from written import (
    EQUAL, NEITHER, Foreign, Refused, as_reference, as_tenon, difference, is_tensor,
)  # fmt: skip

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"

FOREIGN = "foreign"  # equal, with an entry that Tenon cannot hold
REFUSED = "refused"  # the reference reads the file, Tenon does not
PART = "refused in part"  # the file is read, an entry's bytes are refused
READ = "read"  # by Tenon alone
NAMED = "named otherwise"  # all is equal but names


class Rule(NamedTuple):
    kind: str
    page: str
    phrase: str  # in the page
    words: str = ""  # of Tenon's error
    older: bool = False  # some releases of the reference refuse it, too


FILES, DATA = "files.md", "data.md"
NOT_HELD = "A file may hold what Tenon has no place for"
RULES = {
    "second array": Rule(
        REFUSED, FILES, "bytes after the array, such as of a second `numpy.save` into the file",
        "bytes follow the array",
    ),
    "bytes after a member": Rule(REFUSED, FILES, "bytes after the array", "does not fit its shape"),
    "long header": Rule(
        REFUSED, FILES, "a header above 10,000 bytes, which NumPy, too, wants told to trust",
        "a header that is too long",
    ),
    "no bool": Rule(REFUSED, FILES, "a bool that is neither 0 nor 1", "is not a bool"),
    "same member twice": Rule(
        REFUSED, FILES, "two members of one name, of which NumPy takes the last",
        "two members are named",
    ),
    "overlap": Rule(REFUSED, FILES, "members that overlap", "overlaps the member before", True),
    "not an array": Rule(
        REFUSED, FILES, "a `.npy` member that does not begin as arrays do",
        "does not begin as npy files do",
    ),
    "packed otherwise": Rule(
        PART, FILES, "compressed in another way than by deflate, cannot be had as bytes",
        "expected stored or deflated bytes, found compressed by method",
    ),
    "encrypted": Rule(
        PART, FILES, "members that are encrypted", "stored or deflated bytes, found encrypted"
    ),
    "ending alone": Rule(NAMED, FILES, "a member named `.npy` alone keeps its name"),
    "no such dtype": Rule(READ, FILES, NOT_HELD),
    "mark in a comment": Rule(READ, FILES, "bytes before and after the archive"),
    "name twice": Rule(REFUSED, FILES, "a name or key twice", "twice"),
    "tensor as a list": Rule(
        REFUSED, FILES, "a tensor that is written as a list", "expected an object, found a list"
    ),
    "space in front": Rule(
        REFUSED, FILES, "a header that does not begin with `{`", "does not begin with '{'"
    ),
    "not text": Rule(
        REFUSED, DATA, "Names of columns are text without control characters",
        "the name of a column is not text",
    ),
    "not a number": Rule(
        REFUSED, DATA, "it is not a number: expected a finite number that f32 can hold",
        "it is not a number: expected a finite number that f32 can hold",
    ),
    "label above": Rule(
        REFUSED, DATA, "Labels are exact up to 64 bits", "a whole number that i64 can hold"
    ),
    "quotes end": Rule(
        REFUSED, DATA, "a quoted column ends on its line",
        "a quoted column does not end on its line",
    ),
    "blank line": Rule(
        REFUSED, DATA, "blank ones at the end are skipped, others are rows of the wrong length",
        "the number of columns differs",
    ),
    "another length": Rule(
        REFUSED, DATA, "rows of another length", "the number of columns differs"
    ),
    "other packing": Rule(REFUSED, DATA, "Files are plain or gzip-compressed", "csv file"),
}  # fmt: skip


def is_documented(rule):
    text = (DOCS / rule.page).read_text(encoding="utf-8")
    return " ".join(rule.phrase.split()) in " ".join(text.split())


def refuses(content):
    """A file of which one member cannot be read is not read."""
    return isinstance(content, Refused) or any(isinstance(x, Refused) for x in content.values())


def judge(file):
    """(what became of it: EQUAL, FOREIGN, NEITHER or a rule's kind; what is wrong, in words)."""
    reference, found = as_reference(file), as_tenon(file)
    if file.expected in RULES:
        return by_rule(RULES[file.expected], file, reference, found)
    expected_neither = {EQUAL: False, NEITHER: True}[file.expected]
    if refuses(reference) and isinstance(found, Refused):
        return NEITHER, "" if expected_neither else f"neither reads it: {found.words}"
    if refuses(reference) or isinstance(found, Refused):
        who = "Tenon" if refuses(reference) else "the reference"
        return NEITHER, f"{who} alone reads it, and no rule says so: {reference}, {found}"[:1000]
    words = difference(reference, found)
    if expected_neither:
        words = "both read it"
    foreign = any(isinstance(each, Foreign) for name, each in found.items() if is_tensor(name))
    return FOREIGN if foreign else EQUAL, words


def by_rule(rule, file, reference, found):
    if rule.kind == REFUSED:
        if not isinstance(found, Refused):
            return REFUSED, "Tenon reads it: the rule is out of date"
        if rule.words not in found.words:
            return REFUSED, f"expected the words {rule.words!r}, found {found.words}"
        if refuses(reference) and not rule.older:
            return REFUSED, f"the reference refuses it, too: {reference}"
        return REFUSED, ""
    if isinstance(found, Refused):
        return rule.kind, f"Tenon refuses it: {found.words}"
    if rule.kind == READ:
        if not refuses(reference):
            return READ, "the reference reads it, too: the rule is out of date"
        twin = isinstance(file.content, pathlib.Path)
        content = as_reference(file._replace(path=file.content)) if twin else file.content
        return READ, difference(content, found)
    if rule.kind == NAMED:
        if sorted(reference) == sorted(found):
            return NAMED, "its names are equal: the rule is out of date"
        reference = dict(zip(found, reference.values(), strict=True))
        return NAMED, difference(reference, found)
    return PART, difference(reference, found, rule.words)
