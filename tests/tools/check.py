#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# tests/tools/check.py: what `./dev check` looks at beside the compiler. Standard library only.
"""Usage: check.py [--format] [--all] [--no-tidy]

--format   rewrite C and C++ files with clang-format and stop
--all      run clang-tidy on every file, not only on changed ones
--no-tidy  leave clang-tidy out

"Changed" is against the merge base with origin/main, or else the commit before this one;
TENON_CHECK_BASE names another. Prints findings as file:line: text. Exit status: 0 none (warnings
allowed), 1 findings, 2 wrong usage.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
CODE = {".c", ".cc", ".h", ".hpp", ".cu", ".cuh"}
HEADERS = {".h", ".hpp", ".cuh"}
# Files that open with the licence and their path.
MARKED = CODE | {".py", ".cmake", ".sh", ".rs", ".go", ".java", ".lua", ".rb", ".in"}
MARKED_NAMES = {"CMakeLists.txt", "dev", "run", ".clang-format", ".clang-tidy"}
COLUMNS, HEADER_LINES, SOURCE_LINES, FUNCTION_LINES = 100, 400, 500, 60

# Which rooms a room may include, beside itself.
SEES = {
    "c_api": set(),
    "core": {"c_api"},
    "sdk": {"c_api"},
    "bindings": {"c_api", "sdk"},
    "backends": {"c_api", "sdk"},
    "plugins": {"c_api", "sdk"},
    "examples": {"c_api", "sdk", "bindings"},
    "tests": {"c_api", "core", "sdk", "bindings", "backends", "plugins", "examples"},
}
SEPARATE = {"backends", "plugins", "examples"}  # each folder below is a room of its own
COMMON = {"backends/common", "examples/common"}  # but for these, which their neighbours share

# Op names that are also everyday words of a runtime (roles, views, the C++ library): in core only
# "tenon.<name>" spelt out is a finding. Every other op name is a finding wherever code says it.
EVERYDAY = """
    add sub mul div neg exp log sqrt abs max min sum mean where equal less copy fill cast select
    gather scatter sort any all slice reshape expand squeeze transpose permute concat split clone
    flatten to eq ne lt le gt ge isfinite uniform normal maximum minimum pow floor ceil round sign
    clamp full rows_add sum_to view chunk std index take trace unique isnan isinf runs outer
    remainder fma linear dot log10 pad
    sample
    broadcast all_gather all_to_all reduce_scatter all_reduce
"""
# Beside the folders of backends/. "cpu" alone means a processor: affinity, container limits.
DEVICES = "cuda hip rocm vulkan metal opencl sycl sim nvidia"
NOT_DEVICES = {"common", "cpu", "ref"}


def run(*command):
    return subprocess.run(
        [str(each) for each in command], cwd=ROOT, capture_output=True, text=True, check=False
    )


def git(*arguments):
    done = run("git", *arguments)
    return done.stdout.strip() if done.returncode == 0 else ""


def base_commit():
    empty_tree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
    wanted = os.environ.get("TENON_CHECK_BASE")
    if wanted:
        return wanted
    head = git("rev-parse", "HEAD")
    base = git("merge-base", "HEAD", "origin/main")
    if base and base != head:
        return base
    return git("rev-parse", "--verify", "HEAD~1") or empty_tree


def listed(*arguments):
    return [ROOT / name for name in git(*arguments).splitlines() if (ROOT / name).is_file()]


def without_comments(text):
    """The same text, line for line, with comments blanked; string literals stay."""

    def blank(match):
        piece = match.group(0)
        return piece if piece[0] in "\"'" else re.sub(r"[^\n]", " ", piece)

    return re.sub(
        r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'',
        blank,
        text,
        flags=re.DOTALL,
    )


class Report:
    def __init__(self):
        self.findings = []
        self.warnings = []

    def finding(self, path, line, text):
        self.findings.append(f"{path.relative_to(ROOT)}:{line}: {text}")

    def warning(self, path, line, text):
        self.warnings.append(f"{path.relative_to(ROOT)}:{line}: {text}")


# --- one file at a time --------------------------------------------------------------------------


def check_opening(report, path, lines):
    """Licence first, then the file's own path and what it is for."""
    if path.name.endswith(".json.in"):  # JSON has no comments
        return
    if path.suffix not in MARKED and path.name not in MARKED_NAMES:
        return
    start = 1 if lines and lines[0].startswith("#!") else 0
    if len(lines) <= start or "SPDX-License-Identifier: Apache-2.0" not in lines[start]:
        report.finding(
            path, start + 1, "the first line must say 'SPDX-License-Identifier: Apache-2.0'"
        )
        return
    own = str(path.relative_to(ROOT))
    second = lines[start + 1] if len(lines) > start + 1 else ""
    public = own.split("/include/")[-1]  # a public header is known by the name programs include
    if path.suffix in CODE and f"{own}:" not in second and f" {public}:" not in second:
        report.finding(path, start + 2, f"the second line must say '{own}: what this file is for'")


def check_widths(report, path, lines):
    for number, line in enumerate(lines, 1):
        if len(line) > COLUMNS and "://" not in line:
            report.finding(path, number, f"{len(line)} columns, the limit is {COLUMNS}")


def banned_words():
    """The last column of the glossary in docs/architecture.md, as one pattern."""
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    table = text.split("<!-- words:")[1].split("<!-- end of words -->")[0]
    rows = [line.split("|") for line in table.splitlines() if line.startswith("| ")][1:]
    words = [word for row in rows for word in re.findall(r"`([^`]+)`", row[3])]
    gap = r"\s+(?:(?://+|#+)\s*)?"  # a phrase may go on in the next line of a comment
    patterns = [re.escape(word).replace(r"\*", r"\w*").replace(r"\ ", gap) for word in words]
    return re.compile(r"(?<!here )\b(?:" + "|".join(patterns) + r")\b")


# What quotes the words: the glossary, its check's test, what was written before it.
QUOTES = re.compile(
    r"docs/architecture\.md|tests/tools/words\.py|CHANGELOG\.md|docs/proofs\.md|docs/benchmarks\.md"
    r"|tests/abi/(baseline|museum)/.*"
)


def check_words(report, path, lines, banned):
    if QUOTES.fullmatch(path.relative_to(ROOT).as_posix()):
        return
    text = "\n".join(lines)
    for found in banned.finditer(text):
        words = re.sub(r"\s+(?://+|#+)?\s*", " ", found[0])
        number = text.count("\n", 0, found.start()) + 1
        report.finding(path, number, f"'{words}': docs/architecture.md has another word")


def check_length(report, path, lines):
    limit = HEADER_LINES if path.suffix in HEADERS else SOURCE_LINES
    if len(lines) > limit:
        report.warning(
            path, 1, f"{len(lines)} lines, the budget is {limit}: two things in one file?"
        )


def check_prose(report, path, lines):
    """A public header is a page to read: no longer than HEADER_LINES, a third of it words."""
    if not path.relative_to(ROOT).as_posix().startswith("c_api/include/"):
        return
    if len(lines) > HEADER_LINES:
        report.finding(path, 1, f"{len(lines)} lines; a public header has at most {HEADER_LINES}")
    parts = [line.partition("//") for line in lines]
    words = sum(len(re.sub(r"[\s/-]", "", comment)) for _, _, comment in parts)
    code = sum(len("".join(before.split())) for before, _, _ in parts)
    if words * 3 < words + code:
        share = 100 * words // (words + code)
        report.finding(path, 1, f"{share} % of it is prose; a public header is a third, at least")


def check_functions(report, path, lines, code):
    """Length of functions, by braces: a line that opens one holds a ')' and no control word."""
    control = (
        r"(if|for|while|switch|else|do|catch|namespace|class|struct|enum|union|extern|return|\})\b"
    )
    bare = re.sub(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', '""', code)
    depth, opened = 0, None  # opened: (line, depth) of the outermost function in progress
    for number, line in enumerate(bare.splitlines(), 1):
        text = line.strip()
        opens = text.endswith("{") and ")" in line and not re.match(control, text)
        if opens and opened is None:
            opened = (number, depth)
        depth += line.count("{") - line.count("}")
        if opened and depth <= opened[1] and "}" in line:
            length = number - opened[0] + 1
            around = lines[max(0, opened[0] - 4) : number]
            if length > FUNCTION_LINES and not any("// long:" in each for each in around):
                report.warning(
                    path,
                    opened[0],
                    f"a function of {length} lines, budget {FUNCTION_LINES} or '// long: why'",
                )
            opened = None


def room_of(path):
    parts = path.relative_to(ROOT).parts
    if parts[0] in SEPARATE and len(parts) > 2:
        return parts[0], "/".join(parts[:2])
    return parts[0], parts[0]


def resolve(path, name, quoted):
    """The file of this tree that an #include means, or None."""
    kind, own = room_of(path)
    folders = [path.parent] if quoted else []
    folders += [
        ROOT,
        ROOT / "c_api/include",
        ROOT / "sdk/include",
        ROOT / "bindings/cpp/include",
        ROOT / own,
        ROOT / kind,
        ROOT / kind / "include",
        ROOT / "sdk/common",
        ROOT / "sdk/tools",
        ROOT / "sdk/verify",
        ROOT / "tests/mutants/project",
    ]
    for folder in folders:
        candidate = (folder / name).resolve()
        if candidate.is_file() and candidate.is_relative_to(ROOT):
            return candidate
    return None


def check_includes(report, path, code):
    kind, own = room_of(path)
    if kind not in SEES:
        return
    for number, line in enumerate(code.splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        if not match:
            continue
        quoted, name = match.group(1) == '"', match.group(2)
        target = resolve(path, name, quoted)
        if target is None:
            if quoted:
                report.finding(path, number, f'#include "{name}": no such file in this tree')
            elif kind == "c_api" and name not in ("stdint.h", "stddef.h"):
                report.finding(
                    path,
                    number,
                    f"#include <{name}>: public headers include only stdint.h and stddef.h",
                )
            continue
        seen_kind, seen = room_of(target)
        shared = seen in COMMON and seen_kind == kind
        if seen != own and not shared and seen_kind not in SEES[kind]:
            allowed = ", ".join(sorted(SEES[kind])) or "nothing"
            report.finding(
                path,
                number,
                f"{own} may not include {seen} ({name}); it sees itself and: {allowed}",
            )


def floors():
    """The folders of each tree with floors, from the ground up, as docs/architecture.md says."""
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    listed = re.findall(r"<!-- floors of (\S+):.*?```\n(.*?)```", text, flags=re.DOTALL)
    # The topmost comes first. A line's first word is a folder, the rest says what is in it.
    return {tree: [row.split()[0] for row in reversed(rows.splitlines())] for tree, rows in listed}


def floor_of(path, trees):
    """The tree that a file lies in a folder of, and this folder; or None twice."""
    name = path.relative_to(ROOT).as_posix()
    for tree in trees:
        if name.startswith(tree + "/") and "/" in name[len(tree) + 1 :]:
            return tree, name[len(tree) + 1 :].split("/")[0]
    return None, None


def check_floors(report, path, code, trees):
    """What a folder of such a tree includes of it lies below."""
    tree, room = floor_of(path, trees)
    if tree is None:
        return
    order = trees[tree]
    if room not in order:
        report.finding(path, 1, f"{tree}/{room} has no floor in docs/architecture.md")
        return
    for number, line in enumerate(code.splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*"([^"]+)"', line)
        target = resolve(path, match.group(1), True) if match else None
        if target is None:
            continue
        # What lies in no folder of the tree is above all of them.
        seen_tree, seen = floor_of(target, trees)
        if seen_tree is None and target.parent == ROOT / tree:
            seen_tree, seen = tree, target.name
        if seen_tree != tree:
            continue
        if seen not in order or order.index(seen) > order.index(room):
            report.finding(
                path,
                number,
                f"{tree}/{room} may not include {tree}/{seen}, which lies above it: "
                "docs/architecture.md",
            )


def check_circles(report, files):
    """A module of core is x.h and x.cc; modules that need each other are one."""
    needs = {}
    for path in files:
        if path.relative_to(ROOT).parts[0] == "core" and path.suffix in (".h", ".cc"):
            module = str(path.relative_to(ROOT).with_suffix(""))
            named = re.findall(r'^#include "(core/[^"]+)\.h"', path.read_text(), flags=re.MULTILINE)
            needs.setdefault(module, {})
            needs[module].update({each: path for each in named if each != module})
    done, way = set(), []

    def walk(module):
        if module in way:
            circle = [*way[way.index(module) :], module]
            report.finding(needs[circle[0]][circle[1]], 1, "a circle: " + " -> ".join(circle))
            return
        if module in done:
            return
        done.add(module)
        way.append(module)
        for each in sorted(needs.get(module, {})):
            walk(each)
        way.pop()

    for module in sorted(needs):
        walk(module)


def check_process_death(report, path, code):
    room = path.relative_to(ROOT).parts
    library = room[0] in ("core", "backends", "plugins") or room[:2] == ("sdk", "include")
    # What fails there ends a small program, as it says.
    library = library and "client" not in (path.stem, path.parent.name)
    if not library:
        return
    forbidden = (
        r"\b(abort|exit|_Exit|quick_exit|printf|puts|terminate)\s*\("
        r"|\bstd::c(out|err)\b|\bthread_local\b"
    )
    for number, line in enumerate(code.splitlines(), 1):
        match = re.search(forbidden, line)
        if match:
            report.finding(path, number, f"a library may not use '{match.group(0).strip()}'")


def check_unfinished(report, path, lines):
    for number, line in enumerate(lines, 1):
        if (
            re.search(r"\b(TODO|FIXME|XXX|HACK)\b|^\s*#\s*if 0\b", line)
            and path != pathlib.Path(__file__).resolve()
        ):
            report.finding(path, number, "unfinished: finish it or take it out")


def known_ops():
    """Names of ops and optimizers, as the plugins that define them spell them."""
    names = set()
    for folder in ("ops", "optim"):
        for path in (ROOT / "plugins" / folder).rglob("*.cc"):
            text = path.read_text(encoding="utf-8")
            names.update(re.findall(r'"tenon\.([a-z0-9_]+)"', text))
            if folder == "optim":  # plugins/optim/rule.hpp makes the names of a rule's ops
                rules = re.findall(r'\.name = "tenon\.([a-z0-9_]+)"', text)
                names.update(rule + end for rule in rules for end in ("_step", "_rows"))
    return names - {each.name for each in (ROOT / "plugins").iterdir()}


def check_core_names(report, path, code, ops):
    if path.relative_to(ROOT).parts[0] != "core":
        return
    folders = {each.name for each in (ROOT / "backends").iterdir() if each.is_dir()}
    devices = (set(DEVICES.split()) | folders) - NOT_DEVICES
    distinctive = ops - set(EVERYDAY.split())
    for number, line in enumerate(code.splitlines(), 1):
        for literal in re.findall(r'"((?:\\.|[^"\\])*)"', line):
            name = literal.removeprefix("tenon.")
            if (literal != name and name in ops) or name in distinctive or name in devices:
                report.finding(path, number, f'core names an op or a device: "{literal}"')
        bare = re.sub(r'"(?:\\.|[^"\\])*"', '""', line)
        for word in re.findall(r"[A-Za-z_][A-Za-z0-9_]*", bare):
            if word.lower() in distinctive | devices:
                report.finding(path, number, f"core names an op or a device: {word}")


# --- other people's tools ------------------------------------------------------------------------


def check_format(report, files):
    program = shutil.which("clang-format")
    if not program:
        report.findings.append("clang-format is missing")
        return
    done = run(program, "--dry-run", "-Werror", *files)
    if done.returncode:
        where = sorted(set(re.findall(r"^(\S+):\d+:\d+: error", done.stderr, flags=re.MULTILINE)))
        report.findings += [
            f"{pathlib.Path(each).relative_to(ROOT)}: not formatted: ./dev format" for each in where
        ]
        if not where:
            report.findings.append(f"clang-format: {done.stderr.strip()}")


def compile_commands():
    """How each file is compiled alone, as clang understands it: a folder and the files."""
    source = ROOT / "build/alone/compile_commands.json"
    if not source.is_file():
        return None, set()
    entries = json.loads(source.read_text(encoding="utf-8"))
    # nvcc's options mean nothing to clang; tests/cuda compiles the kernels as C++.
    entries = [entry for entry in entries if "/nvcc " not in entry["command"]]
    for entry in entries:
        entry["command"] = re.sub(r"^.*?/ccache ", "", entry["command"]).replace(
            " -fno-gnu-unique", ""
        )
    folder = ROOT / "build/check"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "compile_commands.json").write_text(json.dumps(entries), encoding="utf-8")
    return folder, {pathlib.Path(entry["file"]) for entry in entries}


def check_tidy(report, files):
    folder, known = compile_commands()
    program = shutil.which("clang-tidy")
    if not program or not folder:
        report.findings.append(
            "clang-tidy needs the program and build/alone/compile_commands.json: ./dev check"
        )
        return
    chosen = sorted(set(files) & known)

    # The build's flags are GCC's; clang does not know all of them.
    foreign = ("-Wno-unknown-warning-option", "-Wno-ignored-optimization-argument")
    extra = [f"--extra-arg={flag}" for flag in foreign]

    def tidy(path):
        return run(program, "--quiet", "-p", folder, *extra, path)

    workers = len(os.sched_getaffinity(0))
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        for path, done in zip(chosen, pool.map(tidy, chosen), strict=True):
            if done.returncode:
                report.findings.append(
                    f"clang-tidy, {path.relative_to(ROOT)}:\n{(done.stdout or done.stderr).strip()}"
                )
    print(f"clang-tidy: {len(chosen)} files")


def check_ruff(report, files):
    program = shutil.which("ruff")
    if not program or run(program, "--version").returncode:
        print("ruff is not installed; Python files were not linted")
        return
    if files:
        done = run(program, "check", "--select", "E,F,W,B", "--line-length", COLUMNS, *files)
        if done.returncode:
            report.findings.append(done.stdout.strip())


def print_size_change(base):
    print(f"size change since {base[:12]}:")
    added = {}
    for row in git("diff", "--numstat", base).splitlines():
        plus, minus, name = row.split("\t", 2)
        if plus != "-":
            room = name.split("/")[0] if "/" in name else "."
            counts = added.setdefault(room, [0, 0])
            counts[0] += int(plus)
            counts[1] += int(minus)
    for room in sorted(added):
        print(f"  {room:<10} +{added[room][0]} -{added[room][1]}")


def main():
    options = set(sys.argv[1:])
    if options - {"--format", "--all", "--no-tidy"}:
        print(__doc__, file=sys.stderr)
        return 2
    files = listed("ls-files", "--cached", "--others", "--exclude-standard")
    code_files = [path for path in files if path.suffix in CODE]
    if not code_files:
        print("check: git lists no files here; is this a git checkout of yours?", file=sys.stderr)
        return 2
    if "--format" in options:
        return run("clang-format", "-i", *code_files).returncode

    report = Report()
    base = base_commit()
    ops = known_ops()
    trees = floors()
    banned = banned_words()
    for path in files:
        marked = path.suffix in MARKED or path.name in MARKED_NAMES
        if not marked and path.suffix != ".md":
            continue
        text = path.read_text(encoding="utf-8")
        lines = text.splitlines()
        check_words(report, path, lines, banned)
        if not marked:
            continue
        check_opening(report, path, lines)
        check_widths(report, path, lines)
        check_unfinished(report, path, lines)
        if path.suffix in CODE:
            code = without_comments(text)
            check_length(report, path, lines)
            check_prose(report, path, lines)
            check_functions(report, path, lines, code)
            check_includes(report, path, code)
            check_floors(report, path, code, trees)
            check_process_death(report, path, code)
            check_core_names(report, path, code, ops)
    check_circles(report, code_files)
    check_format(report, code_files)
    check_ruff(report, [path for path in files if path.suffix == ".py"])
    if "--no-tidy" not in options:
        changed = listed("diff", "--name-only", base) + listed(
            "ls-files", "--others", "--exclude-standard"
        )
        sources = [path for path in code_files if path.suffix not in HEADERS]
        check_tidy(
            report,
            sources if "--all" in options else [path for path in sources if path in set(changed)],
        )
    print_size_change(base)

    for each in report.warnings:
        print(f"warning: {each}")
    for each in report.findings:
        print(each)
    found, warned = len(report.findings), len(report.warnings)
    print(f"check: {found} findings, {warned} warnings in {len(files)} files")
    return 1 if report.findings else 0


if __name__ == "__main__":
    sys.exit(main())
