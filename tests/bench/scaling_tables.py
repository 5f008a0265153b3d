# SPDX-License-Identifier: Apache-2.0
# tests/bench/scaling_tables.py: the tables of docs/scaling.md, from the figures that scaling.py has
# measured, and what is assumed of networks and of a device.

import dataclasses

from scaling_model import (
    MIB,
    TOLD,
    Way,
    Wires,
    Work,
    adding,
    agreement,
    all_reduce,
    buckets,
    end_of,
    exchange,
    fit,
    memory,
    sent,
    simulate,
    step,
    tail,
)

# Assumed: 90 % of the line's rate; latency and the time that a message takes from its sender are
# of the size that MPI benchmarks show for such networks.
ETHERNET = Wires("25 Gbit/s Ethernet", 20e-6, 2e-6, 0.9 * 25e9 / 8)
INFINIBAND = Wires("200 Gbit/s InfiniBand", 2e-6, 0.3e-6, 0.9 * 200e9 / 8)
NETWORKS = (ETHERNET, INFINIBAND)
COUNTS = (8, 16, 64, 256, 1024)
NEXT = Way(agree="tree", sums="levels")

# Assumed of one device of the 7 B decoder: 989 TFLOP/s in bf16 at 40 %, 3 TB/s of memory.
DEVICE_FLOPS, UTILISATION, DEVICE_BYTES = 989e12, 0.4, 3e12
TOKENS, SHARDS = 16384, 4  # of a process in a step; in micro-steps
H4_TABLE = 1024 * 256  # numbers of H4's embedding
LAYERS, WIDTH, HIDDEN, VOCABULARY = 32, 4096, 11008, 32000
WAYS = ("alone", "apart", "together")


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" + "---:|" * (len(head) - 1)]
    lines += ["| " + " | ".join(map(str, row)) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def milliseconds(seconds):
    return f"{1e3 * seconds:,.3g}" if seconds < 1 else f"{1e3 * seconds:,.0f}"


def amount(size):
    for unit, name in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if size >= unit:
            return f"{size / unit:.3g} {name}"
    return f"{size:.0f} B"


def percent(share, signed=False):
    return f"{100 * share:{'+' if signed else ''}.0f} %"


# ---- Workloads ----------------------------------------------------------------------------------


def work_of(figures, name, way="alone", which="median"):
    """A network as it was measured on one thread."""
    parts, shape = figures["steps"][name][way][which], figures["gradients"][name]
    added = figures["transfers"]["2"]["added"]
    return Work(
        name,
        parts["forward"],
        parts["backward"],
        parts["update"],
        tuple((4 * numbers, share) for numbers, share in shape["dense"]),
        tuple((128 * shape["accumulated"], 4 * width) for _, width in shape["rows"]),
        tuple(4 * numbers for numbers in shape["buffers"]),
        added,
        shape["accumulated"],
    )


def seven(width=4, shards=SHARDS):
    """A decoder of 7 B parameters as Llama 2's, on the assumed device; gradients of so many bytes
    each."""
    layer = [WIDTH * HIDDEN] * 3 + [WIDTH * WIDTH] * 4 + [2 * WIDTH]
    numbers = [VOCABULARY * WIDTH, *layer * LAYERS, VOCABULARY * WIDTH]
    total = sum(numbers)
    compute = 6 * total * TOKENS / SHARDS * shards / (DEVICE_FLOPS * UTILISATION)
    dense, done = [], 0
    for each in numbers:
        done += each
        dense.append((width * each, done / total))
    return Work(
        "7 B",
        compute / 3,
        2 * compute / 3,
        28 * total / DEVICE_BYTES,  # AdamW reads four f32 of a parameter and writes three
        tuple(dense),
        added=DEVICE_BYTES / 3,
        shards=shards,
    )


# ---- Tables -------------------------------------------------------------------------------------


def wire_bytes(collective, size, n):
    return (2 if collective.startswith("all_reduce") else 1) * size * (n - 1) / n


def fit_of(figures, collective, n):
    found = figures["transfers"][str(n)][collective]
    return fit([(wire_bytes(collective, int(size), n), found[size]) for size in found])


def measured(figures):
    rows = []
    for n in (2, 4):
        for collective in ("all_to_all", "all_gather", "all_reduce", "all_reduce, fast"):
            a, b, rms, worst = fit_of(figures, collective, n)
            found = figures["transfers"][str(n)][collective]
            points = [milliseconds(found[str(size)]) for size in (1024, MIB, 64 * MIB)]
            name = f"{collective}, {n} processes"
            rows.append(
                [name, f"{1e6 * a:.0f}", f"{b / 1e9:.2f}", percent(rms), percent(worst, True)]
                + points
            )
    head = ["transfer", "a, us", "b, GB/s", "residual, rms", "the largest"]
    text = table([*head, "1 KiB, ms", "1 MiB, ms", "64 MiB, ms"], rows)
    told = [f"{1e6 * figures['transfers'][str(n)]['agreement']:.0f} us" for n in (2, 4)]
    added = figures["transfers"]["2"]["added"]
    return (
        f"{text}\nAgreement alone (a transfer of nothing): {told[0]} for 2 processes, {told[1]} "
        f"for 4. One thread adds {added / 1e9:.0f} GB/s.\n\n{figures['machine']}; medians of "
        f"{figures['rounds']} rounds; load {figures['load before']:.1f} before, "
        f"{figures['load after']:.1f} after.\n"
    )


def two_processes(figures, name, which):
    """(seconds if buckets travel beside backward, if they travel after it) by the fits."""
    work = work_of(figures, name, "apart", which)
    a, b = fit_of(figures, "all_reduce", 2)[:2]
    gather = fit_of(figures, "all_gather", 2)[:2]
    full = buckets(work)
    sums = [a + size / b for size, _ in full]
    rest = sum(a + size / b for size in work.buffers)
    for count, width in work.rows:
        rest += sum(gather[0] + size / gather[1] for size in (8, 8 * count, width * count))
    computed = work.forward + work.backward
    beside = max(computed, end_of([ready for _, ready in full], sums))
    return beside + rest + work.update, computed + sum(sums) + rest + work.update


def checked(figures):
    rows = []
    for name, ways in figures["steps"].items():
        for which in ("least", "median"):
            alone, apart, together = (ways[way][which]["step"] for way in WAYS)
            beside, after = two_processes(figures, name, which)
            rows.append(
                [
                    f"{name}, {which}",
                    *map(milliseconds, (alone, apart, together)),
                    f"{milliseconds(beside)} ({percent(beside / together - 1, True)})",
                    f"{milliseconds(after)} ({percent(after / together - 1, True)})",
                ]
            )
    head = ["network", "one alone, ms", "two apart, ms", "two together, ms"]
    return table([*head, "predicted: beside backward, ms", "after it, ms"], rows)


def counted(figures):
    rows = []
    for name, ways in figures["steps"].items():
        found = ways["together"]
        data = sent(2, work_of(figures, name))[0]
        sizes = found["bytes"], data, ways["alone"]["peak"], found["peak"]
        rows.append([name, found["transfers"], *map(amount, sizes)])
    head = ["network", "transfers", "bytes sent", "by the model", "peak of memory, alone"]
    return table([*head, "together"], rows)


def predictions(figures):
    parts = []
    for work in (*(work_of(figures, name) for name in ("H2", "H4", "H5")), seven()):
        rows = []
        for n in COUNTS:
            data, told = sent(n, work)
            row = [n, amount(data), amount(told)]
            for wires in NETWORKS:
                for way in (Way(), NEXT):
                    seconds = step(n, wires, work, way)
                    row.append(f"{milliseconds(seconds)} ({percent(work.seconds / seconds)})")
            rows.append(row)
        head = ["processes", "sent", "to agree"]
        for wires in NETWORKS:
            head += [f"{wires.name}: step, ms", "by trees, ms"]
        rows_ = "".join(f", and {count} rows of {width} B" for count, width in work.rows)
        parts.append(
            f"**{work.name}**: {milliseconds(work.seconds)} ms alone, of which backward "
            f"{milliseconds(work.backward)} in {work.shards}; "
            f"gradients {amount(work.gradient_bytes)}{rows_}; {len(buckets(work))} buckets, "
            f"{len(work.buffers)} buffers.\n\n"
            + table(head, rows)
        )
    return "\n".join(parts)


def costs(figures):
    """Of one bucket of 1 MiB."""
    work = work_of(figures, "H5")
    rows = []
    for wires in NETWORKS:
        for n in (8, 64, 1024):
            bandwidth = 2 * (n - 1) / n * MIB / wires.bandwidth
            rows.append(
                [
                    f"{wires.name}, {n}",
                    f"{3 * (n - 1):,}",
                    amount((n - 1) * TOLD),
                    milliseconds(agreement(n, wires)),
                    milliseconds(agreement(n, wires, "tree")),
                    milliseconds(2 * exchange(MIB / n, n, wires)),
                    milliseconds(bandwidth),
                    milliseconds(adding(MIB, n, work)),
                    milliseconds(all_reduce(MIB, n, wires, work)),
                    milliseconds(all_reduce(MIB, n, wires, work, NEXT)),
                ]
            )
    head = ["network, processes", "messages of a process", "told", "agreement, ms", "by tree, ms"]
    head += ["two exchanges, ms", "of which bytes, ms", "adding, ms", "1 MiB in all, ms"]
    head += ["both by trees, ms"]
    return table(head, rows)


def after_backward(figures):
    """What does not travel beside backward: rows and buffers."""
    rows = []
    for name in ("H2", "H4"):
        work = work_of(figures, name)
        for n in (8, 64, 1024):
            times = [milliseconds(tail(n, wires, work)) for wires in NETWORKS]
            other = [milliseconds(tail(n, wires, packed(work))) for wires in NETWORKS]
            rows.append([f"{name}, {n}", *times, *other])
    names = [f"{wires.name}, ms" for wires in NETWORKS]
    return table(["workload, processes", *names, *(f"{each}, as said" for each in names)], rows)


def packed(work):
    """Buffers in one transfer; gradients of rows as dense ones."""
    dense = tuple((4 * H4_TABLE, 1.0) for _ in work.rows)
    buffers = (sum(work.buffers) + sum(size for size, _ in dense),)
    return dataclasses.replace(work, rows=(), buffers=buffers)


def held(figures):
    rows = []
    for work in (work_of(figures, "H5"), seven()):
        name, numbers = work.name, work.gradient_bytes // 4
        for n in (8, 64, 1024):
            rows.append([f"{name}, {n}", *map(amount, memory(numbers, n)), amount(8 * numbers)])
    head = ["parameters, processes", "all whole", "optimizer state 1/n", "all 1/n"]
    return table([*head, "more at the end of backward"], rows)


def faster(figures):
    """H5 on processors that are faster than this one; less to send for the 7 B decoder."""
    works = []
    for factor in (1, 10, 100):
        slow = work_of(figures, "H5")
        parts = {name: getattr(slow, name) / factor for name in ("forward", "backward", "update")}
        work = dataclasses.replace(slow, added=slow.added * factor, **parts)
        works.append((f"H5, compute {factor} x as fast", work))
    works.append(("7 B, as above", seven()))
    works.append(("7 B, gradients of bf16", seven(width=2)))
    works.append(("7 B, gradients of bf16, 65,536 tokens in 16", seven(width=2, shards=16)))
    rows = []
    for name, work in works:
        row = [name, milliseconds(work.seconds)]
        for wires in NETWORKS:
            seconds = step(64, wires, work)
            row.append(f"{milliseconds(seconds)} ({percent(work.seconds / seconds)})")
        rows.append(row)
    return table(["64 processes", "alone, ms", *(f"{wires.name}, ms" for wires in NETWORKS)], rows)


def simulated(figures):
    rows = []
    for work in (*(work_of(figures, name) for name in ("H2", "H4", "H5")), seven()):
        for wires in NETWORKS:
            n = 8 if work.name == "7 B" else 32
            rows.append([f"{work.name}, {wires.name}, {n}", *both(n, wires, work)])
    return table(
        ["workload, network, processes", "exchanges: form, ms", "simulated", "uneven"]
        + ["ring: form, ms", "simulated"],
        rows,
    )


def both(n, wires, work):
    cells = []
    for way in (Way(), Way(sums="ring")):
        form = step(n, wires, work, way)
        cells.append(milliseconds(form))
        for uneven in (0.0, 0.05) if way.sums == "exchange" else (0.0,):
            found = simulate(n, wires, work, way, uneven)
            cells.append(f"{milliseconds(found)} ({percent(found / form - 1, True)})")
    return cells


def all_tables(figures):
    """By the names of their places in the page."""
    made = (measured, checked, counted, predictions, faster, costs, after_backward, held, simulated)
    return {each.__name__: each(figures) for each in made}
