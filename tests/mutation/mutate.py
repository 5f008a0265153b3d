#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# tests/mutation/mutate.py: plants faults, one at a time, and says which tests find them.
"""usage: mutate.py [NAME|ROOM...] [--list] [--nearest-only] [--workers N]

Faults are the files tests/mutation/<room>/<name>.fault (README.md there says what is in one). Each
is planted in a copy of the work tree, built, and judged by the tests nearest to it; where these
pass, by all quick tests, then by the full ones. NAME is <name> or <room>/<name>; none: all.

--list          the faults chosen, what is wrong in each, and what found it last
--nearest-only  the nearest tests and no others
--workers N     copies that are judged side by side; half the processors unless given
--check         every fault still applies to the tree; nothing is built

Work goes on where it was left: build/mutate/results.json holds what is known of this tree and
these faults. Exit status: 0 where at least 97 % were found, 1 where fewer, 2 for wrong usage and a
catalogue that does not fit the tree.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import queue
import re
import shutil
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "tests/mutation"
OUTPUT = ROOT / "build/mutate"
ENOUGH = 0.97

sys.path.insert(0, str(ROOT / "cmake"))
import progress  # noqa: E402 - the line on a terminal is that of builds


class Wrong(Exception):
    """The catalogue, or how this was called, is wrong."""


# ---- faults -------------------------------------------------------------------------------------


def pattern_of(text):
    """Matches `text` however it is broken into lines: faults outlive a change of format."""
    tokens = re.findall(r"\w+|[^\w\s]", text)
    parts = [re.escape(tokens[0])] if tokens else []
    for before, token in zip(tokens, tokens[1:], strict=False):
        apart = re.match(r"\w", before[-1]) and re.match(r"\w", token[0])
        parts += [r"\s+" if apart else r"\s*", re.escape(token)]
    return re.compile("".join(parts))


class Edit:
    """One hunk: the text that is looked for in a file, and what it becomes."""

    def __init__(self, fault, file):
        self.fault, self.file, self.old, self.new = fault, file, [], []

    def add(self, line):
        if line[0] in " -":
            self.old.append(line[1:])
        if line[0] in " +":
            self.new.append(line[1:])

    def apply(self, text):
        found = list(pattern_of("\n".join(self.old)).finditer(text))
        if len(found) != 1:
            raise Wrong(
                f"{self.fault}: {self.file} has its text {len(found)} times, not once:\n"
                + "\n".join(self.old)
            )
        begin, end = found[0].span()
        return text[:begin] + "\n".join(self.new).strip() + text[end:]


class Fault:
    def __init__(self, path):
        self.room, self.name = path.parent.name, path.stem
        self.id = f"{self.room}/{self.name}"
        self.edits, self.tests, why = [], "", []
        text = path.read_text(encoding="utf-8")
        self.hash = hashlib.sha256(text.encode()).hexdigest()[:16]
        for line in text.splitlines()[1:]:
            if line.startswith("#"):
                why.append(line[1:].strip())
            elif line.startswith("tests: "):
                self.tests = line[7:].strip()
            elif line.startswith("file: "):
                self.edits.append(Edit(self.id, line[6:].strip()))
            elif line and line[0] in " +-" and self.edits:
                self.edits[-1].add(line)
            elif line:
                raise Wrong(f"{path}: no such line: {line}")
        start = f"tests/mutation/{self.id}.fault: "
        self.why = " ".join(why)
        if not self.why.startswith(start) or not self.tests or not self.edits:
            raise Wrong(f"{path}: it has to begin with its path and what is wrong, as '# {start}"
                        "...', then name tests and at least one file")
        self.why = self.why[len(start):]

    def changed(self, root):
        """{path: its text with the fault}"""
        texts = {}
        for edit in self.edits:
            path = root / edit.file
            if path not in texts:
                if not path.is_file():
                    raise Wrong(f"{self.id}: there is no {edit.file}")
                texts[path] = path.read_text(encoding="utf-8")
            before = texts[path]
            texts[path] = edit.apply(before)
            if texts[path] == before:
                raise Wrong(f"{self.id}: it changes nothing in {edit.file}")
        return texts


def all_faults():
    return [Fault(path) for path in sorted(FOLDER.glob("*/*.fault"))]


def chosen_faults(words):
    faults = all_faults()
    if not words:
        return faults
    chosen = []
    for word in words:
        some = [each for each in faults if word in (each.room, each.name, each.id)]
        if not some:
            rooms = ", ".join(sorted({each.room for each in faults}))
            raise Wrong(f"there is no fault and no room '{word}'; rooms are {rooms}")
        chosen += [each for each in some if each not in chosen]
    return chosen


# ---- the trees that faults are planted in -------------------------------------------------------


def run(command, cwd, **more):
    return subprocess.run(
        [str(each) for each in command], cwd=cwd, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, errors="replace", check=False, **more,
    )  # fmt: skip


def must_run(command, cwd, **more):
    done = run(command, cwd, **more)
    if done.returncode != 0:
        raise Wrong(f"{' '.join(map(str, command))} failed:\n{done.stdout}")
    return done.stdout


def tree_of_work():
    """Git's name of the work tree as it is, what is not committed included, without the catalogue:
    a new fault changes nothing that is known of the others."""
    index = OUTPUT / "index"
    own = ROOT / must_run(["git", "rev-parse", "--git-path", "index"], ROOT).strip()
    shutil.copyfile(own, index)
    environment = dict(os.environ, GIT_INDEX_FILE=str(index))
    must_run(["git", "add", "--all"], ROOT, env=environment)
    remove = ["git", "rm", "-r", "-q", "--cached", "--ignore-unmatch", "tests/mutation"]
    must_run(remove, ROOT, env=environment)
    return must_run(["git", "write-tree"], ROOT, env=environment).strip()


class Tree:
    """A copy of the work tree with a build of its own, which has objects of the release preset as
    far as one file alone is compiled there."""

    OPTIONS = ("-DTENON_UNITY=OFF", "-DCMAKE_DISABLE_PRECOMPILE_HEADERS=OFF",
               "-DCMAKE_LINK_DEPENDS_NO_SHARED=ON")

    def __init__(self, number, jobs, options):
        self.source = OUTPUT / str(number)
        self.build = self.source / "build/release"
        self.jobs, self.options = jobs, options
        self.outputs = set()

    def prepare(self, tree):
        if not (self.source / ".git").exists():
            must_run(["git", "clone", "-q", "--shared", "--no-checkout", ROOT, self.source], ROOT)
        must_run(["git", "read-tree", "--reset", "-u", tree], self.source)
        must_run(["git", "clean", "-q", "-d", "-f"], self.source)
        must_run(["cmake", "--preset", "release", *self.OPTIONS, *self.options], self.source)
        listed = must_run(["ninja", "-C", self.build, "-t", "targets", "all"], self.source)
        self.outputs = {line.split(":")[0] for line in listed.splitlines()}

    def make(self, targets):
        """What the build said where it failed, else nothing."""
        done = run(["ninja", "-C", self.build, f"-j{self.jobs}", *targets], self.source)
        return "" if done.returncode == 0 else done.stdout

    def tests(self):
        """{name: (labels, [target])} of all tests; empty if they cannot be listed."""
        done = run(["ctest", "--test-dir", self.build, "--show-only=json-v1"], self.source)
        if done.returncode != 0:
            return {}
        tests = {}
        for test in json.loads(done.stdout[done.stdout.index("{"):])["tests"]:
            labels = [each["value"] for each in test.get("properties", ())
                      if each["name"] == "LABELS"]
            words = [word.removeprefix(f"{self.build}/") for word in test.get("command", ())]
            tests[test["name"]] = (labels[0] if labels else [],
                                   [word for word in words if word in self.outputs])
        return tests

    def test(self, *options):
        """[(test, how it failed)]"""
        done = run(["ctest", "--test-dir", self.build, f"-j{self.jobs}", *options], self.source)
        if done.returncode == 0:
            return []
        found = re.findall(r"^\s*\d+ - (\S+) \(([^)]*)\)", done.stdout, re.M)
        found = [each for each in found if each[1] not in ("Not Run", "Skipped", "Disabled")]
        if "No tests were found" in done.stdout:
            return []
        return found or [("the list of tests", done.stdout.strip().splitlines()[-1])]

    def plant(self, fault):
        changed = fault.changed(self.source)
        before = {path: path.read_text(encoding="utf-8") for path in changed}
        for path, text in changed.items():
            path.write_text(text, encoding="utf-8")
        return before

    @staticmethod
    def take_back(before):
        # Written anew, and so newer than what was made of the fault.
        for path, text in before.items():
            path.write_text(text, encoding="utf-8")


# ---- judging ------------------------------------------------------------------------------------


class Results:
    """What is known, in a file."""

    def __init__(self, tree):
        self.file, self.tree = OUTPUT / "results.json", tree
        self.lock = threading.Lock()
        self.all, self.sound = {}, {}  # by fault; by test: does it pass without any fault?
        if self.file.exists():
            kept = json.loads(self.file.read_text())
            self.all = kept["faults"]
            self.sound = kept["sound"].get(tree, {})

    def known(self, fault, nearest_only=False):
        found = self.all.get(fault.id)
        same = found and (found["tree"], found["hash"]) == (self.tree, fault.hash)
        if not same or (found["verdict"] == "passed" and not nearest_only):
            return None
        return found

    def put(self, name, **entry):
        with self.lock:
            self.all[name] = {"tree": self.tree, **entry}
            self.write()

    def put_sound(self, test, passes):
        with self.lock:
            self.sound[test] = passes
            self.write()

    def broken(self):
        """What matches tests that fail without any fault."""
        names = [re.escape(test) for test, passes in sorted(self.sound.items()) if not passes]
        return f"^({'|'.join(names)})$" if names else "^$"

    def write(self):
        new = self.file.with_suffix(".new")
        kept = {"faults": self.all, "sound": {self.tree: self.sound}}
        new.write_text(json.dumps(kept, indent=1, sort_keys=True))
        new.replace(self.file)


class Judge:
    def __init__(self, tree, results, nearest_only):
        self.tree, self.results, self.nearest_only = tree, results, nearest_only
        self.tests = {}

    def begin(self, faults):
        """Builds everything without a fault, and looks for each fault's nearest tests."""
        words = self.tree.make(["all"])
        if words:
            raise Wrong(f"the tree does not build without a fault:\n{words}")
        self.tests = self.tree.tests()
        for fault in faults:
            if not self.nearest(fault):
                raise Wrong(f"{fault.id}: no quick or full test is named like {fault.tests}")

    def nearest(self, fault):
        wanted = re.compile(fault.tests)
        return [name for name, (labels, _) in self.tests.items()
                if wanted.search(name) and {"quick", "full"} & set(labels)]

    def stages(self, fault):
        """(kind, what CTest is told, targets to build)"""
        targets = {target for name in self.nearest(fault) for target in self.tests[name][1]}
        yield "nearest", ("-R", fault.tests, "-L", "^(quick|full)$"), ["programs", *targets]
        if not self.nearest_only:
            yield "others", ("-L", "^quick$"), ["all"]
            yield "others", ("-L", "^full$"), ["all"]

    def find(self, fault, selection, targets):
        """(test, how it failed) with the fault; None if all pass. Words if it does not
        compile."""
        before = self.tree.plant(fault)
        try:
            words = self.tree.make(targets)
            if words:
                return "", words
            found = self.tree.test(
                *selection, "-E", self.results.broken(), "--stop-on-failure"
            )
        finally:
            self.tree.take_back(before)
        return found[0] if found else None

    def is_sound(self, test, targets):
        """Does the test pass in the tree as it is, each time?"""
        if test in self.tests and test not in self.results.sound:
            words = self.tree.make(targets)
            found = self.tree.test("-R", f"^{re.escape(test)}$", "--repeat", "until-fail:2")
            self.results.put_sound(test, not words and not found)
        return self.results.sound.get(test, True)

    def judge(self, fault, say):
        start = time.monotonic()
        verdict, by, how = "passed" if self.nearest_only else "survived", "", ""
        for kind, selection, targets in self.stages(fault):
            say(kind)
            found = self.find(fault, selection, targets)
            while found and found[0] and not self.is_sound(found[0], targets):
                found = self.find(fault, selection, targets)
            if found:
                by, how = found
                verdict = kind if by else "unfit"
                break
        self.results.put(
            fault.id, hash=fault.hash, verdict=verdict, by=by, how=how,
            seconds=round(time.monotonic() - start, 1),
        )  # fmt: skip


# ---- telling ------------------------------------------------------------------------------------


def table_of(faults, results):
    """The table of rooms, and a line for records."""
    rows, total = [], [0, 0, 0, 0]
    for room in sorted({fault.room for fault in faults}):
        known = [results.known(fault, True) for fault in faults if fault.room == room]
        verdicts = [each["verdict"] for each in known if each]
        row = [len(verdicts), verdicts.count("nearest"), verdicts.count("others"),
               len(verdicts) - verdicts.count("nearest") - verdicts.count("others")]
        rows.append((room, row))
        total = [a + b for a, b in zip(total, row, strict=True)]
    text = f"{'room':12}{'faults':>8}{'nearest':>9}{'others':>8}{'not found':>11}\n"
    for room, row in [*rows, ("all", total)]:
        text += f"{room:12}{row[0]:8}{row[1]:9}{row[2]:8}{row[3]:11}\n"
    share = (total[1] + total[2]) / total[0] if total[0] else 0
    line = (f"{total[0]} faults: {total[1]} found by the tests nearest to them, {total[2]} by "
            f"others, {total[3]} not found: {100 * share:.1f} %")
    return text + line, line, share


def show_list(faults, results):
    for fault in faults:
        known = results.known(fault, True)
        last = "not judged" if not known else known["verdict"]
        by = f" by {known['by']} ({known['how']})" if known and known["by"] else ""
        print(f"{fault.id}: {fault.why}\n    {last}{by}")
    print(f"{len(faults)} faults")


def judge_all(faults, results, options):
    todo = queue.Queue()
    for fault in faults:
        if not results.known(fault, options.nearest_only):
            todo.put(fault)
    total, line = todo.qsize(), progress.Line()
    if not total:
        return
    processors = os.cpu_count() or 2
    workers = min(options.workers or max(1, processors // 2), total)
    jobs = max(1, processors // workers)
    done, start, lock = [0], time.monotonic(), threading.Lock()
    stop = threading.Event()

    def say(what):
        line.write(progress.progress(done[0], total, time.monotonic() - start, what))

    def work(number):
        tree = Tree(number, jobs, options.cmake)
        say("building the copy without a fault")
        tree.prepare(results.tree)
        judge = Judge(tree, results, options.nearest_only)
        judge.begin(faults)
        while not stop.is_set():
            try:
                fault = todo.get_nowait()
            except queue.Empty:
                return
            judge.judge(fault, lambda what, fault=fault: say(f"{fault.id}: {what}"))
            known = results.all[fault.id]
            with lock:
                done[0] += 1
                line.clear()
                how = known["how"].strip().splitlines()[-1] if known["how"] else ""
                print(f"{fault.id}: {known['verdict']}, {known['by']} {how}, {known['seconds']} s",
                      flush=True)

    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        futures = [pool.submit(work, number) for number in range(workers)]
        try:
            for future in concurrent.futures.as_completed(futures):
                future.result()
        finally:
            stop.set()
            line.clear()


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n", 1)[0][7:], add_help=True)
    parser.add_argument("words", nargs="*")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--nearest-only", action="store_true")
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--cmake", action="append", default=[], help="an option of CMake's")
    options = parser.parse_args()
    faults = chosen_faults(options.words)
    if options.check:
        for fault in faults:
            fault.changed(ROOT)
        print(f"{len(faults)} faults apply")
        return 0
    OUTPUT.mkdir(parents=True, exist_ok=True)
    results = Results(tree_of_work())
    if options.list:
        show_list(faults, results)
        return 0
    judge_all(faults, results, options)
    text, line, share = table_of(faults, results)
    print(text)
    unfit = False
    for fault in faults:
        known = results.known(fault, True)
        if known["verdict"] == "unfit":
            unfit = True
            print(f"{fault.id} does not compile:\n{known['how']}")
        elif known["verdict"] in ("survived", "passed"):
            print(f"not found: {fault.id}: {fault.why}")
    if unfit:
        return 2
    if not options.words and not options.nearest_only:
        (OUTPUT / "summary").write_text(line)
    return 0 if share >= ENOUGH else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Wrong as wrong:
        print(f"mutate: {wrong}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
