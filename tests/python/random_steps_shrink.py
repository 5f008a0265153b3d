# SPDX-License-Identifier: Apache-2.0
# tests/python/random_steps_shrink.py: makes a random step that fails small, and prints it.
import dataclasses
import random
import re

from random_graphs_run import numbers
from random_graphs_shrink import shrink_by
from random_steps import ROUNDS
from random_steps_run import HELPERS, step_text
from random_steps_samples import values_of

TERM = re.compile(r"\(\{(\d+)\} \* ([-+.\de]+)\)\.sum\(\)")


# ---- Making a failure small ---------------------------------------------------------------------


def with_roots(node, keep):
    """A backward of some of its roots alone, or None."""
    terms = [(int(place), weight) for place, weight in TERM.findall(node.ours)]
    kept = [(place, weight) for place, weight in terms if place in keep]
    if not kept or len(terms) + (node.op == "gradient_alone") != len(node.args):
        return None
    text = " + ".join(f"({{{k}}} * {weight}).sum()" for k, (_, weight) in enumerate(kept))
    args = [node.args[place] for place, _ in kept]
    if node.op == "gradient_alone":
        text, args = f"{text}, {{{len(kept)}}}", [*args, node.args[-1]]
    call = "pending.append" if node.op == "pending" else node.op
    return dataclasses.replace(node, args=args, ours=f"{call}({text})")


def consistent(step):
    """Without statements whose operands are not there, and what nobody uses."""
    known = {*step.leaves, *step.inputs, *step.indices, *step.buffers}
    kept = []
    for node in step.statements:
        missing = [k for k, arg in enumerate(node.args) if arg not in known]
        if missing and node.op in ("backward", "twice", "gradient_alone", "pending"):
            node = with_roots(node, {*range(len(node.args))} - {*missing})
            missing = node is None or any(arg not in known for arg in node.args)
        if missing:
            continue
        kept.append(node)
        known |= {name for name in node.name.split(", ") if name}
        if node.op == "drop":
            known -= {*node.args}
    used = {arg for node in kept for arg in node.args}
    views = [each for each in step.buffers.values() if isinstance(each, str)]
    used |= {each.partition("[")[0] for each in views}
    keep = lambda names: {name: each for name, each in names.items() if name in used}  # noqa: E731
    return dataclasses.replace(
        step, statements=kept, leaves=keep(step.leaves), inputs=keep(step.inputs),
        indices=keep(step.indices), buffers=keep(step.buffers),
        optimizer=step.optimizer if any("optimizer." in node.ours for node in kept) else None,
    )  # fmt: skip


def smaller(step):
    """Steps with less, the much smaller ones first."""
    replace, statements = dataclasses.replace, step.statements
    size = len(statements) // 2
    while size:
        for at in range(len(statements) - size, -1, -size):
            yield replace(step, statements=statements[:at] + statements[at + size :])
        size //= 2
    for number, node in enumerate(statements):
        if node.op in ("backward", "twice", "gradient_alone", "pending"):
            count = len(TERM.findall(node.ours))
            for out in range(count) if count > 1 else ():
                less = with_roots(node, {*range(count)} - {out})
                rest = [*statements[:number], less, *statements[number + 1 :]]
                yield replace(step, statements=rest)
    if step.held:
        yield replace(step, held=False)
    if step.threads > 1:
        yield replace(step, threads=1)
    for turn, events in enumerate(step.events):
        for event in events:
            rest = list(step.events)
            rest[turn] = [each for each in events if each != event]
            yield replace(step, events=rest)
    for name, each in step.inputs.items():
        if each.layout:
            plain = replace(each, layout="")
            yield replace(step, inputs={**step.inputs, name: plain})


def shrink(step, fails, tries=800):
    """The smallest step found for which fails(step) is true."""
    return shrink_by(smaller, consistent, step, fails, tries)


# ---- As a program ------------------------------------------------------------------------------


def input_text(step, name, wanted, turn):
    """As random_steps_run.Side.input makes it."""
    rng = random.Random(f"{step.seed}/{name}/{turn}")
    made = f"tenon.tensor({values_of(wanted, rng)}, '{wanted.dtype}').reshape({list(wanted.shape)})"
    if wanted.layout == "transposed":
        made += ".mT.clone().mT"
    elif wanted.layout == "offset":
        made = f"offset({made}, {rng.randint(0, 3)})"
    elif wanted.layout == "reversed":
        made += "[::-1].clone()[::-1]"
    elif wanted.layout == "expanded":
        made = f"tenon.expand({made}, shape={[2, *wanted.shape]})[0]"
    return made


def event_lines(step, turn):
    lines = []
    for kind, *what in step.events[turn] if turn < len(step.events) else ():
        if kind == "clear" and what[0] in step.leaves:
            lines.append(f"{what[0]}.grad = None")
        elif kind == "lr" and step.optimizer:
            lines.append(f"optimizer.lr = {what[0]}")
        elif kind == "draw":
            lines.append(f"tenon.uniform([{what[0]}])")
        elif kind == "drop kept":
            lines.append("kept.clear()")
        elif kind == "captured again":
            lines.append("plan = None")
        elif kind in ("fewer", "same", "refused", "profile", "thread"):
            lines.append(f"pass  # in this round, before: {kind} {what}")
    return lines


def program(step, rounds=ROUNDS):
    """A program of Tenon's package alone that runs the step eagerly and captured."""
    lines = [f"# seed {step.seed}, {step.threads} threads", "import tenon", HELPERS]
    if any(each.layout == "offset" for each in step.inputs.values()):
        lines += ["def offset(x, at):", "    whole = tenon.zeros([x.size + 4], dtype=x.dtype)",
                  "    whole[at : at + x.size] = x.reshape(-1)",
                  "    return whole[at : at + x.size].reshape(x.shape)", ""]  # fmt: skip
    lines += ["kept, pending = [], []", ""]
    lines += ["for captured in (False, True):", f"    tenon.seed({rounds})"]
    made = lambda name, shape, turn, kind, limit=None: (  # noqa: E731
        f"tenon.tensor({numbers(step, name, shape, turn, limit)}, '{kind}').reshape({list(shape)})"
    )
    for name, shape in step.leaves.items():
        lines.append(f"    {name} = {made(name, shape, 'start', step.dtype)}")
        lines.append(f"    {name}.requires_grad = True")
    for name, shape in step.buffers.items():
        text = shape if isinstance(shape, str) else made(name, shape, "start", step.dtype)
        lines.append(f"    {name} = {text}")
    if step.optimizer:
        name, hypers, leaves = step.optimizer
        given = "".join(f", {key}={each}" for key, each in hypers.items())
        lines.append(f"    optimizer = tenon.optim.{name}([{', '.join(leaves)}]{given})")
    lines += ["", *("    " + line for line in step_text(step).splitlines()), ""]
    for turn in ["before"] * step.held + [*range(rounds)]:
        lines.append("    operands = [")
        for name, each in step.inputs.items():
            lines.append(f"        {input_text(step, name, each, turn)},  # {name}")
        for name, (shape, limit) in step.indices.items():
            lines.append(f"        {made(name, shape, turn, 'int64', limit)},  # {name}")
        lines.append("    ]")
        if turn == "before":
            lines.append("    step(*operands)")
            continue
        if turn == 0 or ("captured again",) in (step.events[turn - 1 : turn] or [[]])[0]:
            lines.append("    plan = tenon.capture(step, *operands) if captured else None")
            lines.append("    results = plan.results if captured else step(*operands)")
        else:
            lines.append("    results = (plan if captured else step)(*operands)")
        if turn == 0 and any(node.op == "pending" for node in step.statements):
            lines.append("    for loss in pending:")
            calls = [f"tenon.grad(loss, {name}, retain_graph=True)" for name in step.leaves]
            grads = ", ".join(calls)
            lines.append(f"        print('   late', {grads})")
        lines.append(f"    print(captured, {turn}, [x.tolist() for x in [*results, *kept]])")
        seen = [*(f"{name}, {name}.has_grad_rows or {name}.grad" for name in step.leaves)]
        seen += step.buffers
        if seen:
            lines.append(f"    print('  ', {', '.join(seen)})")
        lines += ["    " + line for line in event_lines(step, turn)]
    return "\n".join(lines) + "\n"
