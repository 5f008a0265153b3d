# SPDX-License-Identifier: Apache-2.0
# tests/python/random_graphs_shrink.py: makes a random graph that fails small, and prints it.
import contextlib
import dataclasses

from random_graphs import ROUNDS
from random_graphs_run import OURS, numbers, step_text

# ---- Making a failure small ---------------------------------------------------------------------


def without_unused(graph):
    """Only what roots need, and only operands that are used."""
    parts = []
    for nodes, roots in zip(graph.parts, graph.roots, strict=True):
        needed, kept = set(roots), []
        for node in reversed(nodes):
            if node.name in needed:
                kept.append(node)
                needed.update(node.args)
        parts.append(kept[::-1])
    used = {arg for nodes in parts for node in nodes for arg in node.args}
    used |= {name for roots in graph.roots for name in roots}
    kinds = ("leaves", "inputs", "indices", "buffers")
    kept = {kind: {k: v for k, v in getattr(graph, kind).items() if k in used} for kind in kinds}
    leaves = set(kept["leaves"])
    return dataclasses.replace(
        graph, parts=parts, **kept,
        updates=[name for name in graph.updates if name in leaves],
        cleared=[[name for name in names if name in leaves] for names in graph.cleared],
    )  # fmt: skip


def renamed(graph, part, at, other):
    """The graph with node `at` of a part left out, and `other` in its place."""
    nodes, gone = graph.parts[part], graph.parts[part][at].name
    swap = lambda name: other if name == gone else name  # noqa: E731
    kept = [
        dataclasses.replace(node, args=[swap(arg) for arg in node.args])
        for node in nodes[:at] + nodes[at + 1 :]
    ]
    parts = [kept if k == part else each for k, each in enumerate(graph.parts)]
    roots = [{swap(name): weight for name, weight in each.items()} for each in graph.roots]
    return dataclasses.replace(graph, parts=parts, roots=roots)


def smaller(graph):
    """Graphs with one thing less."""
    replace = dataclasses.replace
    for part in range(len(graph.parts)):
        if len(graph.parts) > 1:
            rest = [k for k in range(len(graph.parts)) if k != part]
            yield replace(
                graph, parts=[graph.parts[k] for k in rest], roots=[graph.roots[k] for k in rest]
            )
        for name in graph.roots[part] if len(graph.roots[part]) > 1 else ():
            roots = list(graph.roots)
            roots[part] = {k: v for k, v in roots[part].items() if k != name}
            yield replace(graph, roots=roots)
    if graph.held:
        yield replace(graph, held=False)
    if graph.updates:
        yield replace(graph, updates=[])
    if any(graph.cleared):
        yield replace(graph, cleared=[])
    sizes = {name: shape for name, (shape, _) in graph.inputs.items()}
    sizes |= graph.leaves | {node.name: node.shape for nodes in graph.parts for node in nodes}
    for part, nodes in enumerate(graph.parts):
        for at, node in enumerate(nodes):
            for arg in node.args:
                if sizes.get(arg) == node.shape:
                    yield renamed(graph, part, at, arg)
            fresh = f"x{node.name}"
            inputs = {**graph.inputs, fresh: (node.shape, False)}
            yield replace(renamed(graph, part, at, fresh), inputs=inputs)


def shrink_by(smaller, tidied, graph, fails, tries):
    """The smallest graph found, by steps of `smaller` that `tidied` makes whole, for which
    fails(graph) is true."""
    found = True
    while found and tries > 0:
        found = False
        for each in smaller(graph):
            each, tries = tidied(each), tries - 1
            still = False
            with contextlib.suppress(Exception):  # one that cannot run fails otherwise
                still = bool(fails(each))
            if still:
                graph, found = each, True
                break
            if tries <= 0:
                break
    return graph


def shrink(graph, fails, tries=600):
    """The smallest graph found for which fails(graph) is true."""
    return shrink_by(smaller, without_unused, graph, fails, tries)


# ---- As a program ------------------------------------------------------------------------------


def program(graph, rounds=ROUNDS):
    """A program of Tenon's package alone that runs the graph eagerly and captured."""
    def made(name, shape, turn, limit=None):
        dtype = graph.dtype if limit is None else "int64"
        values = numbers(graph, name, shape, turn, limit)
        return f"tenon.tensor({values}, '{dtype}').reshape({list(shape)})"

    lines = [f"# seed {graph.seed}", "import tenon", OURS, "def operands(turn):", "    return {"]
    for turn in ["before", *range(rounds)]:
        lines.append(f"        {turn!r}: [")
        for name, (shape, transposed) in graph.inputs.items():
            text = made(name, shape, turn)
            if transposed:
                text = f"{text}.mT.clone().mT"
            lines.append(f"            {text},")
        for name, (shape, limit) in graph.indices.items():
            lines.append(f"            {made(name, shape, turn, limit)},")
        lines.append("        ],")
    lines += ["    }[turn]", "", "for captured in (False, True):"]
    for name, shape in graph.leaves.items():
        lines.append(f"    {name} = {made(name, shape, 'start')}")
        lines.append(f"    {name}.requires_grad = True")
    for name, shape in graph.buffers.items():
        lines.append(f"    {name} = {made(name, shape, 'start')}")
    lines += ["    " + line for line in step_text(graph, "ours").splitlines()]
    if graph.held:
        lines.append("    step(*operands('before'))")
    leaves = ", ".join(f"'{name}': {name}" for name in graph.leaves)
    lines += [
        f"    for turn in range({rounds}):",
        "        if captured and turn == 0:",
        "            plan = tenon.capture(step, *operands(0))",
        "            results = plan.results",
        "        else:",
        "            results = (plan if captured else step)(*operands(turn))",
        "        print('captured' if captured else 'eager', turn, *(x.tolist() for x in results))",
        f"        for name, leaf in {{{leaves}}}.items():",
        "            rows = leaf.has_grad_rows and [x.tolist() for x in leaf.grad_rows()]",
        "            grad = None if rows else leaf.grad",
        "            grad = grad if grad is None else grad.tolist()",
        "            print('  gradient of', name, rows or grad)",
        f"            if name in {graph.cleared or [[]] * rounds}[turn]:",
        "                leaf.grad = None",
    ]
    return "\n".join(lines) + "\n"
