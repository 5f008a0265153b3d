# SPDX-License-Identifier: Apache-2.0
"""tests/bench/compare.py: Tenon beside its peers, in one run; writes docs/benchmarks.md.

usage    compare.py [--rounds N] [--rows P6,P11] [--output FILE] BUILD

Programs are run in turn (A B A B), five rounds, and the median of each counts. What the machine
can do at most (FMA, triad) is measured first and last. A peer is PyTorch's CPU build, in Python and
in C++, where the Python in TENON_PEERS has it (`TENON_PEERS=venv/bin/python ./dev bench`); without
it the column says so. Nothing here is a test: machines differ and are busy.
"""

import argparse
import contextlib
import dataclasses
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
WIDTHS = 784, 128, 32, 10


@dataclasses.dataclass
class Row:
    """`ours` and `peers` are commands that print JSON with `key`, in seconds or bytes; `flops` of
    one call tell the share of the FMA peak; `goal` was set for a quiet machine of 4 GHz. `busy`: a
    neighbour keeps one processor to itself while they run."""

    id: str
    work: str
    ours: list
    peers: dict
    threads: int = 1
    flops: float = 0
    goal: str = ""
    key: str = "seconds"
    busy: bool = False


def mlp_flops(batch):
    """Forward, and both gradients of each product but the images'."""
    products = sum(a * b for a, b in zip(WIDTHS, WIDTHS[1:], strict=False))
    return 2 * batch * (3 * products - WIDTHS[0] * WIDTHS[1])


class Programs:
    """Finds ours, and builds the peers' that are written in C++."""

    def __init__(self, build):
        self.bin = pathlib.Path(build).resolve() / "bin"
        self.folder = tempfile.TemporaryDirectory()
        self.python = os.environ.get("TENON_PEERS", "")
        self.torch = self.ask_torch() if self.python else None

    def ask_torch(self):
        ask = (
            "import json, torch; from torch.utils import cpp_extension as c; "
            "print(json.dumps({'version': torch.__version__, 'config': torch.__config__.show(), "
            "'include': c.include_paths(), 'lib': c.library_paths(), "
            "'abi': int(torch._C._GLIBCXX_USE_CXX11_ABI)}))"
        )
        done = subprocess.run([self.python, "-c", ask], capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"compare.py: {self.python} has no PyTorch: {done.stderr.strip()}")
        return json.loads(done.stdout)

    def torch_program(self, name):
        """The command of programs/<name>.cc, built against PyTorch's C++ library."""
        if not self.torch:
            return None
        program = pathlib.Path(self.folder.name) / name
        if not program.exists():
            lib = self.torch["lib"][0]
            command = [
                *("c++", "-O3", "-std=c++20", f"-D_GLIBCXX_USE_CXX11_ABI={self.torch['abi']}"),
                *(f"-isystem{path}" for path in self.torch["include"]),
                *(str(HERE / "programs" / f"{name}.cc"), "-o", str(program), f"-L{lib}"),
                *("-ltorch", "-ltorch_cpu", "-lc10", f"-Wl,-rpath,{lib}"),
            ]
            subprocess.run(command, check=True)
        return [str(program)]

    def torch_script(self, name):
        return [self.python, str(HERE / "programs" / f"{name}.py")] if self.torch else None


def rows_of(programs):
    def mlp(row, work, batch, optimizer, mode="eager", threads=1, steps=1000, goal=""):
        given = ["--batch", batch, "--optimizer", optimizer, "--threads", threads]
        given = [str(each) for each in [*given, "--steps", steps]]
        ours = [str(programs.bin / "bench_mlp"), *given, "--mode", mode]
        peers = {}
        if programs.torch:
            peers["PyTorch C++"] = [*programs.torch_program("mlp_torch"), *given]
            for variant in ("fused", "foreach"):
                peers[f"PyTorch {variant}"] = [
                    *programs.torch_script("mlp_torch"), *given, "--variant", variant
                ]  # fmt: skip
        return Row(row, work, ours, peers, threads, mlp_flops(batch), goal)

    def eager(row, what, name, goal):
        ours = [str(programs.bin / "tenon_bench"), f"--benchmark_filter=^{name}$"]
        peers = {}
        if programs.torch:
            peers["PyTorch C++"] = [*programs.torch_program("eager_torch"), what]
        return Row(row, f"add of 64, {what}", ours, peers, goal=goal)

    def start(row, work, key, goal):
        ours = [str(programs.bin / "bench_start")]
        peers = {"PyTorch": programs.torch_script("start_torch")} if programs.torch else {}
        return Row(row, work, ours, peers, goal=goal, key=key)

    def beside_a_neighbour(mode):
        alone, both = (
            mlp("P13", f"MLP, batch 64, SGD, {mode}, one core busy", 64, "sgd", mode, threads)
            for threads in (1, 2)
        )
        both.peers = {"Tenon on one thread": alone.ours}
        both.busy = True
        both.goal = "ratio 0.91"
        return both

    def resident(mode):
        row = mlp("P24", f"resident while training, batch 64, SGD, {mode}", 64, "sgd", mode)
        row.peers, row.key, row.flops, row.goal = {}, "resident_bytes", 0, "6 MB"
        return row

    backward = eager("P7", "backward", "mul_sum_backward_64", "400 ns")
    backward.work = "mul, sum, backward of 64"
    return [
        start("P23", "runtime, nothing opened (PyTorch: import)", "runtime_seconds", "500 us"),
        start("P23", "runtime and first add", "seconds", "1 ms"),
        start("P24", "resident after a first add", "resident_bytes", "6 MB"),
        resident("eager"),
        resident("captured"),
        eager("P6", "out", "add_64_out", "20 ns"),
        eager("P6", "returned", "add_64_returned", "45 ns"),
        eager("P6", "recorded", "add_64_recorded", "70 ns"),
        backward,
        mlp("P10", "MLP, batch 1, SGD", 1, "sgd", "captured", goal="6.5 us", steps=5000),
        mlp("P11", "MLP, batch 64, SGD, eager", 64, "sgd", goal="140 us"),
        mlp("P11", "MLP, batch 64, Adam, eager", 64, "adam", goal="160 us"),
        mlp("P11", "MLP, batch 64, SGD, captured", 64, "sgd", "captured", goal="118 us"),
        mlp("P11", "MLP, batch 64, Adam, captured", 64, "adam", "captured", goal="130 us"),
        mlp("P12", "MLP, batch 64, SGD, eager", 64, "sgd", threads=2, goal="82 us"),
        mlp("P12", "MLP, batch 64, Adam, eager", 64, "adam", threads=2, goal="90 us"),
        mlp("P12", "MLP, batch 64, SGD, captured", 64, "sgd", "captured", threads=2),
        mlp("P12", "MLP, batch 64, Adam, captured", 64, "adam", "captured", threads=2),
        beside_a_neighbour("eager"),
        beside_a_neighbour("captured"),
        mlp("P14", "MLP, batch 256, SGD, eager", 256, "sgd", goal="460 us"),
    ]


def number_of(command, key):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("OPENBLAS_")}
    gbench = command[0].endswith("tenon_bench")
    if gbench:
        command = [*command, "--benchmark_format=json"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode:
        sys.exit(f"compare.py: {' '.join(command)} failed: {done.stderr.strip()}")
    answer = json.loads(done.stdout)
    if not gbench:
        return answer[key]
    (only,) = answer["benchmarks"]
    return only["real_time"] * {"ns": 1e-9, "us": 1e-6, "ms": 1e-3}[only["time_unit"]]


@contextlib.contextmanager
def neighbour():
    """Keeps the last processor this process may use busy."""
    last = max(os.sched_getaffinity(0))
    spin = f"import os\nos.sched_setaffinity(0, {{{last}}})\nprint(flush=True)\nwhile True: pass"
    with subprocess.Popen([sys.executable, "-c", spin], stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        try:
            yield
        finally:
            process.kill()


def measure(row, rounds):
    """Medians: of ours, and of each peer."""
    commands = {"Tenon": row.ours, **row.peers}
    times = {name: [] for name in commands}
    with neighbour() if row.busy else contextlib.nullcontext():
        for _ in range(rounds):
            for name, command in commands.items():
                times[name].append(number_of(command, row.key))
    return {name: statistics.median(each) for name, each in times.items()}


def shown(number, key):
    if key.endswith("bytes"):
        return f"{number / 1e6:.3g} MB"
    seconds = number
    for unit, scale in (("s", 1), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def line_of(row, medians, limits):
    ours = medians.pop("Tenon")
    peer = min(medians, key=medians.get) if medians else None
    beside = f"{shown(medians[peer], row.key)} ({peer})" if peer else "not there"
    ratio = f"{medians[peer] / ours:.2f}" if peer else ""
    peak = limits.get("fma_all" if row.threads > 1 else "fma_1")
    share = f"{100 * row.flops / ours / peak:.0f} %" if row.flops and peak else ""
    cells = row.id, row.work, row.threads, shown(ours, row.key), beside, ratio, share, row.goal
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def limits_of(programs):
    program = programs.bin / "bench_limits"
    if not program.exists():
        return {}
    done = subprocess.run([str(program), "2"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def limit_lines(name, limits):
    if not limits:
        return [f"- limits, {name}: not measured on this architecture"]
    rate = {key: value / 1e9 for key, value in limits.items() if isinstance(value, float)}
    lines = [
        f"- limits, {name}: FMA f32 {rate['fma_1']:.0f} GFLOP/s on one thread, "
        f"{rate['fma_all']:.0f} on two; "
        f"triad L1 {rate['triad_l1']:.0f}, L2 {rate['triad_l2']:.0f}, "
        f"memory {rate['triad_memory_1']:.0f} and {rate['triad_memory_all']:.0f} GB/s"
    ]
    if limits["fma_all"] < 1.85 * limits["fma_1"]:
        lines.append(
            "- two threads had less than 1.85 times the FMA peak of one: somebody else was at "
            "work, and rows of two threads say little"
        )
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--rows", default="", help="ids, P6,P11; all unless given")
    parser.add_argument("--output", default="-")
    args = parser.parse_args()
    programs = Programs(args.build)
    wanted = set(filter(None, args.rows.split(",")))
    rows = [row for row in rows_of(programs) if not wanted or row.id in wanted]
    if not rows:
        sys.exit(f"compare.py: no row is named {args.rows}")
    before = limits_of(programs)
    table = []
    for number, row in enumerate(rows):
        if sys.stderr.isatty():
            print(f"{number + 1} of {len(rows)}: {row.work}", file=sys.stderr)
        table.append(line_of(row, measure(row, args.rounds), before))
    after = limits_of(programs)
    torch = programs.torch["version"] if programs.torch else "not there (TENON_PEERS is not set)"
    lines = [
        f"- machine: {processor()}, {os.cpu_count()} threads, Linux {platform.release()}",
        f"- PyTorch: {torch}",
        *limit_lines("before", before),
        *limit_lines("after", after),
        f"- medians of {args.rounds} rounds, all programs in turn",
        "",
        "| row | work | threads | Tenon | best peer | peer / Tenon | of FMA peak | target |",
        "|---|---|---|---|---|---|---|---|",
        *table,
    ]
    text = "\n".join(lines) + "\n"
    if args.output == "-":
        sys.stdout.write(text)
    else:
        pathlib.Path(args.output).write_text(text)


if __name__ == "__main__":
    main()
