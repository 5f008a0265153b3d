#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# tests/mutants/case.py: `tenon verify` finds one planted fault, names its cause, repeats it with
# the command it prints, and has nothing to say against the same plugin without the fault.
#
# Usage: case.py <build folder> <case file>
#        case.py --list                 a table of all cases, from their first lines
#        case.py --counts <causes.h>    are there enough of them, and one for every cause?
#        case.py --stale                is what is older than the build, or its case, refused?
import filecmp
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent / "cases"
TAGS = ("cause", "op", "backward-only", "level")
TAG = re.compile(rf"({'|'.join(TAGS)}|goldens|timeout): ")
LEAST, LEAST_BACKWARD = 30, 12
TRIES = 16  # of a fault that shows by chance
# Causes without a case, and why.
WITHOUT_CASE = {
    "huge": "needs operands of gigabytes",
    "no-witness": "no fault of a plugin's, and with --strict alone: tests/witness",
    "wrong-length": "of datasets: tests/witness",
    "not-read-back": "of formats: tests/witness",
    "special-from-text": "of tokenizers: tests/witness",
    "late": "of engines: tests/processes",
    "wrong-members": "of engines: tests/processes",
}


class Fault(Exception):
    """What is wrong, in words."""


class Case:
    """A case file's name and what its first lines say."""

    def __init__(self, path):
        self.name = path.stem
        head = []
        for line in path.read_text(encoding="utf-8").splitlines():
            if not line.startswith("//"):
                break
            head.append(line[2:].strip())
        words = " ".join(line for line in head[1:] if not TAG.match(line))
        self.what = words.partition(": ")[2]
        tags = dict(line.split(": ", 1) for line in head if TAG.match(line))
        missing = [tag for tag in TAGS if tag not in tags]
        if missing:
            raise Fault(f"{path} has no line '// {missing[0]}: ...'")
        self.cause = tags["cause"]
        self.ops = tags["op"].split()
        self.backward_only = {"yes": True, "no": False}[tags["backward-only"]]
        self.options = ["--level", tags["level"]]
        if "timeout" in tags:
            self.options += ["--timeout", tags["timeout"]]

    def ops_of(self, plugin):
        return [op.replace("TENON_CASE_ID", plugin) for op in self.ops]


class Report:
    """What `tenon verify` answered about one plugin."""

    def __init__(self, tenon, plugin, options):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "report.json"
            command = [tenon, "verify", plugin, *options, "--json", file]
            print("+", *command, flush=True)
            done = run([str(each) for each in command])
            self.exit, self.text = done.returncode, done.stdout + done.stderr
            if not file.exists():
                raise Fault(f"no report was written; exit status {self.exit}:\n{self.text}")
            self.json = json.loads(file.read_text(encoding="utf-8"))
        (self.plugin,) = self.json["plugins"]
        self.failures = self.plugin["failures"]

    def causes(self):
        return [f"{each['op']}: {each['cause']}, {each['count']}" for each in self.plugin["counts"]]


def run(command):
    return subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False
    )


def need(holds, words, report):
    if not holds:
        raise Fault(f"{words}\nfailures: {report.causes()}\n{report.text}")


def check_twin(case, report):
    need(report.exit == 0, f"the twin should pass; exit status {report.exit}", report)
    need(report.json["failed"] == 0 and not report.failures, "the twin has failures", report)
    need(report.json["passed"] > 0, "nothing was tried on the twin", report)
    # Of the cases' layers there are no golden files: their faults show without.
    layers = {row["entry"] for row in report.plugin["matrix"] if row["topic"] == "layers"}
    skipped = [each for each in report.plugin["uncovered"]
               if "values" in each["what"] and each["op"] not in layers]
    need(report.json["skipped"] == 0 and not skipped, f"the twin's values: {skipped}", report)


def check_mutant(case, plugin, tenon, report):
    need(report.exit == 1, f"exit status 1 was expected, not {report.exit}", report)
    need(report.json["failed"] > 0, "the fault was not found", report)
    for failure in report.failures:
        own = case.ops_of(plugin.name) + [plugin.name]
        need(not failure["op"] or failure["op"].startswith(tuple(own)),
             f"{failure['op']} has nothing to do with it", report)
    for op in case.ops_of(plugin.name):
        # What the report says of the whole plugin names no op.
        name = "" if op == plugin.name else op
        counts = {each["cause"]: each["count"]
                  for each in report.plugin["counts"] if each["op"] == name}
        need(counts.get(case.cause, 0) == max(counts.values(), default=-1),
             f"{case.cause} is not the cause that is named most often for {op}", report)
        need(f"{op}: {case.cause}, " in report.text, "the text does not name the cause", report)
        # One of each form first: what fails in one by chance may fail in another by itself.
        told = [each for each in report.failures
                if (each["op"], each["cause"]) == (name, case.cause)]
        by_form = {each["form"]: each["repro"] for each in reversed(told)}
        commands = [*by_form.values(), *(each["repro"] for each in told)]
        check_repeats(commands[:TRIES], case, tenon, report)


def check_repeats(commands, case, tenon, report):
    """A printed command, run by itself, has the same outcome. A fault that depends on chance may be
    lucky once, so one of the commands must do it."""
    said = []
    for printed in commands:
        command = shlex.split(printed)
        need(command[0] == "tenon", f"no command: {printed}", report)
        if "--timeout" in case.options and "--timeout" not in command:
            command += case.options[-2:]
        print("+", printed, flush=True)
        again = run([str(tenon), *command[1:]])
        said.append(f"{printed}\nexit status {again.returncode}, not 1 with {case.cause}:\n"
                    f"{again.stdout}{again.stderr}")
        if again.returncode == 1 and case.cause in said[-1].split("\n", 2)[2]:
            return
    need(False, "".join(said), report)


def check_fresh(build, path):
    """What judges is what was built last, and what is judged is newer than its source: CTest sees
    to both, whoever calls this by hand may not."""
    installed, plugins = build / "installed", build / "mutants"
    for pattern in ("bin/tenon", "bin/tenon-verify", "lib/libtenon.so", "plugins/*/*.so"):
        for built in build.glob(pattern):
            there = installed / built.relative_to(build)
            if not there.exists() or not filecmp.cmp(built, there):
                raise Fault(f"{there} is not what was built last: ctest -R example.install")
    for kind in ("twin", "mutant"):
        library = plugins / kind / f"{kind}.{path.stem}" / f"{kind}.{path.stem}.so"
        if not library.exists() or library.stat().st_mtime < path.stat().st_mtime:
            raise Fault(f"{library} is older than its case: ctest -R mutant.build")


def check(build, path):
    case = Case(path)
    check_fresh(build, path)
    tenon, plugins = build / "installed/bin/tenon", build / "mutants"
    twin, mutant = (plugins / kind / f"{kind}.{case.name}" for kind in ("twin", "mutant"))
    check_twin(case, Report(tenon, twin, case.options))
    check_mutant(case, mutant, tenon, Report(tenon, mutant, case.options))


def all_cases():
    return [Case(path) for path in sorted(FOLDER.glob("*.cc"))]


def check_counts(causes_header):
    cases = all_cases()
    backward = sum(case.backward_only for case in cases)
    if len(cases) < LEAST or backward < LEAST_BACKWARD:
        raise Fault(f"{len(cases)} cases, {backward} in backward alone; "
                    f"{LEAST} and {LEAST_BACKWARD} are needed")
    header = causes_header.read_text(encoding="utf-8")
    known = set(re.findall(r'X\(k\w+, "([a-z0-9-]+)",', header))
    shown = {case.cause for case in cases}
    if shown - known:
        raise Fault(f"no causes of {causes_header.name}: {sorted(shown - known)}")
    if known - shown != set(WITHOUT_CASE):
        raise Fault(f"causes without a case: {sorted(known - shown)}; "
                    f"WITHOUT_CASE names {sorted(WITHOUT_CASE)}")


def check_stale():
    with tempfile.TemporaryDirectory() as folder:
        build, case = pathlib.Path(folder), pathlib.Path(folder) / "one.cc"
        library = "mutants/{0}/{0}.one/{0}.one.so"
        own = [build / library.format(kind) for kind in ("twin", "mutant")]
        for path in (case, build / "bin/tenon", build / "installed/bin/tenon", *own):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("1")
        os.utime(case, (1, 1))
        check_fresh(build, case)
        for path, text, when in (
            (build / "bin/tenon", "2", None), (case, "1", (2**33, 2**33)), (own[1], None, None)
        ):
            before, times = path.read_text(), path.stat()
            path.unlink() if text is None else path.write_text(text)
            if when:
                os.utime(path, when)
            try:
                check_fresh(build, case)
            except Fault as fault:
                print(fault)
            else:
                raise Fault(f"{path.name}: stale, and judged all the same")
            path.write_text(before)
            os.utime(path, (times.st_atime, times.st_mtime))


def show_list():
    cases = all_cases()
    for case in cases:
        side = "backward" if case.backward_only else "forward"
        print(f"{case.name:26}{case.cause:26}{side:10}{' '.join(case.ops)}\n    {case.what}")
    backward = sum(case.backward_only for case in cases)
    print(f"{len(cases)} cases, {backward} of them differ in backward alone")


try:
    if sys.argv[1:] == ["--list"]:
        show_list()
    elif sys.argv[1:] == ["--stale"]:
        check_stale()
    elif sys.argv[1:2] == ["--counts"]:
        check_counts(pathlib.Path(sys.argv[2]))
    else:
        check(*(pathlib.Path(each).resolve() for each in sys.argv[1:3]))
except Fault as fault:
    sys.exit(str(fault))
