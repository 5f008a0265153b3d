#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# tests/bench/scaling.py: measures what a data-parallel step is made of, predicts steps of many
# processes, and writes the tables of docs/scaling.md.
"""usage    scaling.py [--measure BUILD [--rounds N]] [--check]

With --measure first times transfers and steps on this machine with the build in BUILD, by `mpirun`,
which takes about ten minutes and 8 GB, and keeps the figures in tests/bench/scaling.json. Without
it the tables are made of the figures that are there. --check writes nothing, and fails if the
page's tables are others. Everything but measuring needs nothing but Python."""

import argparse
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys

import scaling_tables as tables

HERE = pathlib.Path(__file__).resolve().parent
FIGURES = HERE / "scaling.json"
PAGE = HERE.parents[1] / "docs/scaling.md"
STEPS = {"mlp": 40, "H2": 15, "H4": 20, "H5": 3}


# ---- Measuring ----------------------------------------------------------------------------------


def run(build, processes, *task):
    """What rank 0 of so many processes of scaling_programs.py prints."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(build / "python"),
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
    }
    command = [sys.executable, str(HERE / "scaling_programs.py"), *map(str, task)]
    if processes > 1:
        command = ["mpirun", "--bind-to", "none", "-n", str(processes), *command]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, env=environment)
    return json.loads(done.stdout)


def median_transfers(runs):
    """The median of the rounds, for each collective and size."""
    found = {}
    for key, first in runs[0].items():
        if isinstance(first, dict):
            found[key] = {
                size: statistics.median(each[key][size] for each in runs) for size in first
            }
        else:
            found[key] = statistics.median(each[key] for each in runs)
    return found


def steps_of(runs):
    """Of all rounds' steps the medians, whole and in parts, and the parts of the least; what was
    sent."""
    times = [step for each in runs for step in each["times"]]
    medians = [statistics.median(column) for column in zip(*times)]
    parts = ("forward", "backward", "update")
    found = {key: runs[-1][key] for key in ("transfers", "bytes")}
    found["median"] = dict(zip(parts, medians)) | {"step": statistics.median(map(sum, times))}
    least = min(times, key=sum)
    found["least"] = dict(zip(parts, least)) | {"step": sum(least)}
    found["peak"] = statistics.median(each["peak"] for each in runs)
    return found


def measure(build, rounds):
    build = build.resolve()
    found = {"load before": os.getloadavg()[0], "rounds": rounds, "machine": machine()}
    found["transfers"] = {}
    for size in (2, 4):
        runs = [run(build, size, "transfers", "tenon.mpi") for _ in range(3 * rounds)]
        found["transfers"][str(size)] = median_transfers(runs)
        print(f"transfers of {size} processes: done", flush=True)
    found["gradients"] = {name: run(build, 1, "gradients", name) for name in STEPS}
    found["steps"] = {}
    ways = {
        "alone": (1, "tenon.self", "alone"),
        "apart": (2, "tenon.mpi", "alone"),
        "together": (2, "tenon.mpi", "together"),
    }
    for name, steps in STEPS.items():
        runs = {way: [] for way in ways}
        for _ in range(rounds):
            for way, (size, engine, mode) in ways.items():
                runs[way].append(run(build, size, "step", engine, name, mode, steps))
        found["steps"][name] = {way: steps_of(each) for way, each in runs.items()}
        print(f"steps of {name}: done", flush=True)
    found["load after"] = os.getloadavg()[0]
    return found


def machine():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return f"{line.split(':')[1].strip()}, {os.cpu_count()} cores"
    return f"{platform.machine()}, {os.cpu_count()} cores"


# ---- The page -----------------------------------------------------------------------------------


def filled(page, made):
    """The page with each table between its marks."""
    for name, text in made.items():
        begin, end = f"<!-- {name}: made by scaling.py -->\n", f"<!-- end of {name} -->"
        if page.count(begin) != 1 or page.count(end) != 1:
            raise SystemExit(f"{PAGE.name} has no place for {name}: {begin.strip()} ... {end}")
        head, _, rest = page.partition(begin)
        page = head + begin + "\n" + text.rstrip() + "\n\n" + end + rest.partition(end)[2]
    return page


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--measure", type=pathlib.Path, metavar="BUILD")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if options.measure:
        if options.check:
            parser.error("--check measures nothing")
        found = measure(options.measure, options.rounds)
        lines = (f"{json.dumps(key)}: {json.dumps(each)}" for key, each in found.items())
        FIGURES.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    made = tables.all_tables(json.loads(FIGURES.read_text()))
    page = PAGE.read_text()
    new = filled(page, made)
    if options.check and new != page:
        sys.exit("the tables of docs/scaling.md are not what tests/bench/scaling.py makes: run it")
    if not options.check:
        PAGE.write_text(new)


if __name__ == "__main__":
    main()
