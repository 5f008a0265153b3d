#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# tests/stranger/plugin.py: a plugin with every kind of part in it, in one language: an op with two
# outputs as docs/plugin-authors.md says, the others as `tenon new` writes them. `tenon verify
# --strict --level 2` passes it, and finds every fault of faults.py that is planted in it.
# Usage: plugin.py <installed prefix> <work folder> <language> <cmake> <generator> <make program>
#                  [<configure option>...]
import json
import pathlib
import shutil
import subprocess
import sys

import faults
import goldens

HERE = pathlib.Path(__file__).resolve().parent
ID = "acme.kinds"
# One new file each, from the template of its kind.
FROM_TEMPLATES = {
    "optimizer": "acme.descent",
    "dataset": "acme.points",
    "layer": "acme.scale",
    "schedule": "acme.halving",
    "format": "acme.single",
    "transform": "acme.jitter",
    "tokenizer": "acme.letters",
}
WITHOUT_GOLDENS = {"format", "transform", "tokenizer"}
PARTS = ("ops", "kernels", "vjps", *(f"{kind}s" for kind in FROM_TEMPLATES))


class Wrong(Exception):
    """What is wrong, in words."""


def run(*command, check=True):
    done = subprocess.run(
        [str(each) for each in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, check=False,
    )  # fmt: skip
    if check and done.returncode:
        raise Wrong(f"{' '.join(map(str, command))}\nexit status {done.returncode}\n{done.stdout}")
    return done


class Project:
    def __init__(self, arguments):
        prefix, work, self.language, self.cmake, generator, make, *options = arguments
        self.prefix, self.work = pathlib.Path(prefix), pathlib.Path(work)
        self.tenon = self.prefix / "bin/tenon"
        self.folder, self.build = self.work / ID, self.work / "build"
        self.plugin = self.build / "plugins" / ID
        self.configure = [
            "-G", generator, f"-DCMAKE_MAKE_PROGRAM={make}", f"-DCMAKE_PREFIX_PATH={prefix}",
            *options,
        ]  # fmt: skip

    def sources(self):
        return {path.stem: path for path in (self.folder / "src").rglob("*.*")}

    def write(self):
        # A path that stays the same lets a compiler cache help.
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(parents=True)
        run(self.tenon, "new", "op", ID, "--lang", self.language, "--into", self.work)
        place = self.sources()["kinds"].parent
        for kind, name in FROM_TEMPLATES.items():
            run(self.tenon, "new", kind, name, "--lang", self.language, "--into", self.work)
            (source,) = (self.work / name / "src").rglob(f"{name.partition('.')[2]}.*")
            shutil.copy(source, place)
        for source in (HERE / self.language).iterdir():
            shutil.copy(source, place)

    def make(self):
        run(self.cmake, "-S", self.folder, "-B", self.build, *self.configure)
        run(self.cmake, "--build", self.build)
        listed = json.loads((self.plugin / "plugin.json").read_text(encoding="utf-8"))
        missing = [part for part in PARTS if not listed.get(part)]
        if missing:
            raise Wrong(f"the manifest lists no {missing}")

    def write_goldens(self):
        into = self.plugin / "goldens"
        others = [FROM_TEMPLATES[kind] for kind in FROM_TEMPLATES.keys() - WITHOUT_GOLDENS]
        for name in (*goldens.OPS, *others):
            run(self.tenon, "--plugin-path", self.plugin, "golden", "new", name, "--into", into,
                "--force")  # fmt: skip
        for file in into.rglob("*.json"):
            goldens.fill(file)

    def verify(self, *options):
        """The report and what was printed."""
        report = self.work / "report.json"
        report.unlink(missing_ok=True)
        done = run(self.tenon, "verify", self.plugin, "--strict", "--json", report, *options,
                   check=False)  # fmt: skip
        if not report.exists():
            raise Wrong(f"no report, exit status {done.returncode}:\n{done.stdout}")
        return done, json.loads(report.read_text(encoding="utf-8"))["plugins"][0]

    def judge(self):
        done, report = self.verify("--level", "2")
        if done.returncode or report["failed"] or report["skipped"] or not report["passed"]:
            raise Wrong(f"the plugin without a fault: {done.returncode}\n{done.stdout}")
        print(done.stdout, flush=True)

    # ---- Faults

    def plant(self, fault):
        source = self.sources()[fault.file]
        right = source.read_text(encoding="utf-8")
        if fault.right not in right:
            raise Wrong(f"{source} does not say {fault.right!r}")
        kept = (self.plugin / "plugin.json").read_bytes()
        source.write_text(right.replace(fault.right, fault.wrong), encoding="utf-8")
        try:
            self.make_faulty(source, kept)
            self.must_find(fault)
        finally:
            source.write_text(right, encoding="utf-8")
            (self.plugin / "plugin.json").write_bytes(kept)

    def make_faulty(self, source, manifest):
        done = run(self.cmake, "--build", self.build, check=False)
        library = self.plugin / f"{ID}.so"
        if library.stat().st_mtime_ns < source.stat().st_mtime_ns:
            raise Wrong(f"it was not built:\n{done.stdout}")
        if done.returncode:  # `tenon manifest` has refused it, which is found before it is shipped
            (self.plugin / "plugin.json").write_bytes(manifest)

    def must_find(self, fault):
        only = ("--ops", fault.judged) if fault.judged else ()
        done, report = self.verify("--level", "1", "--timeout", "10", *only)
        found = {each["cause"] for each in report["counts"]}
        if done.returncode != 1 or not report["failed"] or not found.intersection(fault.causes):
            raise Wrong(f"exit status {done.returncode}, expected one of {fault.causes}, found "
                        f"{found}:\n{done.stdout}")  # fmt: skip
        print(f"found: {fault.name} ({', '.join(sorted(found))})", flush=True)


def main():
    project = Project(sys.argv[1:])
    project.write()
    project.make()
    project.write_goldens()
    project.judge()
    missed = []
    for fault in faults.ALL[project.language]:
        try:
            project.plant(fault)
        except Wrong as wrong:
            missed.append(f"{fault.name}: {wrong}")
    if missed:
        raise Wrong("\n\n".join(missed))


try:
    main()
except Wrong as wrong:
    sys.exit(str(wrong))
