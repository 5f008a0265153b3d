#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# tests/tools/links.py: the links of the pages lead to something, and all pages are installed.
"""Usage: links.py <source folder> [<prefix>]

Without a prefix the pages of the sources are looked at, with it those that are installed there. A
link leads to a file or a folder within the same tree, and after '#' to a heading that is there."""

import pathlib
import re
import sys
import urllib.parse

LINK = re.compile(r"\[[^\]]*\]\(([^()\s]+)\)")


def prose(text):
    """A page without its code."""
    text = re.sub(r"(?ms)^( *)```.*?^\1```", "", text)
    text = re.sub(r"(?m)^    .*$", "", text)
    return re.sub(r"`[^`]*`", "", text)


def anchors(path):
    """What may follow '#', as GitHub makes it of headings."""
    text = re.sub(r"(?ms)^```.*?^```", "", path.read_text(encoding="utf-8"))
    found = re.findall(r"(?m)^#+ +(.*?) *$", text)
    return {re.sub(r"[^\w\- ]", "", each.lower()).replace(" ", "-") for each in found}


def wrong_links(root, page):
    for link in LINK.findall(prose(page.read_text(encoding="utf-8"))):
        parts = urllib.parse.urlsplit(link)
        if parts.scheme:
            continue
        target = (page.parent / parts.path).resolve() if parts.path else page
        if not target.is_relative_to(root) or not target.exists():
            yield f"{page.relative_to(root)}: {link}: there is no such file"
        elif parts.fragment and parts.fragment not in anchors(target):
            yield f"{page.relative_to(root)}: {link}: there is no such heading"


def pages_of(root):
    found = [*root.glob("*.md"), *root.glob("docs/**/*.md"), *root.glob("examples/**/*.md")]
    return sorted(each.relative_to(root) for each in found)


def main():
    source = root = pathlib.Path(sys.argv[1]).resolve()
    wrong = []
    if len(sys.argv) > 2:
        root = pathlib.Path(sys.argv[2]).resolve() / "share/doc/tenon"
        wanted = [*pages_of(source), pathlib.Path("LICENSE")]
        for name in wanted:
            if not (root / name).exists():
                wrong.append(f"{name} is not installed")
            elif (root / name).read_bytes() != (source / name).read_bytes():
                wrong.append(f"{name} is installed as it was once")
    pages = pages_of(root)
    for page in pages:
        wrong += wrong_links(root, root / page)
    if wrong or len(pages) < 20:
        sys.exit("\n".join(wrong) or f"{root}: {len(pages)} pages alone")
    print(f"{len(pages)} pages, and all links between them hold")


if __name__ == "__main__":
    main()
