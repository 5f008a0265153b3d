#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# tests/goldens/make.py: makes the golden files, or with --check compares them; README.md says what
# they are.

import argparse
import copy
import functools
import itertools
import json
import math
import pathlib
import sys

import mpmath

import draw
import exact
import ops
from exact_array import Array
from registry import Registry
from sample_text import Dtype, TensorText, default_range, parse, tensors_of
from schema_text import Refused, Schema
from update_rules import FACTORED, RULES, SCALARS, WHOLE, factored_shape, part, whole_rule

FOLDER = pathlib.Path(__file__).parent
TRACE_TOLERANCES = [
    {
        "dtype": "f32",
        "ulp": 4,
        "relative": 2e-6,
        "reason": "Each step rounds about ten times in f32, and a kernel carries the rounded "
        "states on; the trace carries them unrounded.",
    },
    {
        "dtype": "f64",
        "ulp": 4,
        "relative": 1e-13,
        "reason": "Each step rounds about ten times in f64, and while t is small 1 - beta^t keeps "
        "few of its digits.",
    },
]


def number_text(dtype, value):
    """A value as JSON: the shortest decimal that reads back as the same bits."""
    if isinstance(value, bool) or not isinstance(value, float):
        return json.dumps(value)
    if not math.isfinite(value):
        return json.dumps(str(value))
    for digits in range(1, 18):
        text = f"{value:.{digits}g}"
        back = exact.rounded(dtype, float(text))
        if back == value:
            return repr(float(text))
    raise ValueError(f"{value!r} has no decimal")


def array_text(array):
    values = ", ".join(number_text(array.dtype, value) for value in array.elements())
    shape = json.dumps(list(array.shape), separators=(",", ":"))
    return f'{{"dtype": "{array.dtype}", "shape": {shape}, "values": [{values}]}}'


def kind_of(dtype):
    return "float" if exact.is_float(dtype) else "integer" if exact.is_integer(dtype) else "bool"


def limits(dtype):
    """The least and the greatest number of an integer dtype."""
    bits = exact.BITS[dtype]
    least = 0 if dtype == "u8" else -(1 << (bits - 1))
    return least, least + (1 << bits) - 1


def retyped(tensor, dtype):
    """Gives a tensor another dtype; False if given floats do not fit an integer. README.md."""
    before, after = kind_of(tensor.dtype), kind_of(dtype)
    tensor.dtype = dtype
    if before == after:
        return True
    least, greatest = limits(dtype) if after == "integer" else (-math.inf, math.inf)
    if tensor.given is not None:
        reals = [value for value in tensor.given if isinstance(value, float)]
        return after != "integer" or all(least <= value <= greatest for value in reals)
    fits = least <= tensor.low and tensor.high - 1 <= greatest and tensor.high - tensor.low >= 2
    if before == "bool" or (after == "integer" and not fits):
        tensor.low, tensor.high = default_range(dtype)
    return True


def replacements(inputs, attrs, pairs):
    """The sample as written, and each dtype of it replaced by each other; with `pairs` also its
    first two dtypes at once. "=f32" is a dtype that an attribute states."""
    yield "", ""
    named = [tensor.dtype for tensor in tensors_of(inputs)]
    named += ["=" + value.name for value in attrs.values() if isinstance(value, Dtype)]
    named = list(dict.fromkeys(named))
    for one in named:
        yield from ((one, other) for other in others(one))
    if pairs and len(named) > 1:
        both = itertools.product(others(named[0]), others(named[1]))
        yield from ((f"{named[0]}+{named[1]}", f"{one}+{two}") for one, two in both)


def others(name):
    sign = "=" if name.startswith("=") else ""
    return [sign + other for other in exact.ALL if sign + other != name]


def replaced(inputs, attrs, source, target):
    """Inputs and attributes in the new dtypes, or None if given values do not fit them."""
    inputs = copy.deepcopy(inputs)
    new = dict(zip(source.split("+"), target.split("+"), strict=True))
    attrs = {
        name: Dtype(new.get("=" + value.name, "=" + value.name)[1:])
        if isinstance(value, Dtype)
        else value
        for name, value in attrs.items()
    }
    fitting = [
        retyped(tensor, new[tensor.dtype])
        for tensor in list(tensors_of(inputs))
        if tensor.dtype in new
    ]
    return (inputs, attrs) if all(fitting) else None


def operand(schema_input, given, dtypes, numbered):
    """The Array of one operand in the dtype of the call, and the Arrays as they were drawn."""
    dtype = dtypes.get(schema_input.type, schema_input.type)
    if given is None:
        return None, []
    if isinstance(given, list):
        drawn = [draw.array_of(text, next(numbered), text.dtype) for text in given]
        return [array.to(dtype) for array in drawn], drawn
    if isinstance(given, TensorText):
        drawn = draw.array_of(given, next(numbered), given.dtype)
        return drawn.to(dtype), [drawn]
    return Array.of(dtype, (), [exact.converted(dtype, given)]), []


def case_text(function, schema, sample, source, target):
    """One case as a line of JSON, or None if given values do not fit the dtypes."""
    call = parse(sample)
    if source:
        call = replaced(*call, source, target)
    if call is None:
        return None
    inputs, attrs = call[0], schema.attrs(call[1])
    dtypes = schema.bind(inputs, attrs)
    numbered = iter(range(1 << 30))
    arrays, drawn = [], []
    for slot, given in zip(schema.inputs, inputs, strict=False):
        array, own = operand(slot, given, dtypes, numbered)
        arrays.append(array)
        drawn += own
    inputs_hash = draw.fnv1a(drawn)
    results = function(ops.Call(arrays, attrs, dtypes, draw.SEED))
    for slot, array in zip(schema.inputs, arrays, strict=False):
        if slot.mutated:
            results += array if isinstance(array, list) else [array]
    listed = ",\n    ".join(array_text(result) for result in results)
    return (
        f'  {{"sample": {json.dumps(sample)}, "from": "{source}", "to": "{target}", '
        f'"inputs": "{inputs_hash}", "results": [{listed}]}}'
    )


def op_text(op, samples, function):
    schema = Schema(op["schema"])
    cases = []
    for sample in samples:
        for source, target in replacements(*parse(sample), pairs=sample is samples[0]):
            try:
                text = case_text(function, schema, sample, source, target)
            except Exception as error:
                if source and isinstance(error, Refused):
                    continue
                error.add_note(f"{op['name']}: {sample}, {source} to {target}")
                raise
            if text:
                cases.append(text)
    head = f'"op": "{op["name"]}", "revision": {op["revision"]}, "seed": {draw.SEED}'
    return "{" + head + ', "cases": [\n' + ",\n".join(cases) + "\n]}\n"


# ---- Optimizers ---------------------------------------------------------------------------------


def trace_case(rule, state_names, optimizer, sample):
    texts, chosen = parse(sample["text"])
    # Booleans are booleans in samples and numbers in what the registry says of defaults.
    hypers = {hyper["name"]: hyper["default"] for hyper in optimizer["hypers"]} | chosen
    params = [draw.array_of(text, i, text.dtype) for i, text in enumerate(texts)]
    hashed = list(params)
    now = [[mpmath.mpf(value) for value in param.elements()] for param in params]
    initial = {state["name"]: mpmath.mpf(state["initial"]) for state in optimizer["states"]}
    states = [[[initial[name] for name in state_names] for _ in values] for values in now]
    entries = []
    for step in range(sample["steps"]):
        for i, param in enumerate(params):
            number = len(params) * (step + 1) + i
            wanted = TensorText(param.dtype, param.shape, -1.0, 1.0, None)
            grad = draw.array_of(wanted, number, param.dtype)
            hashed.append(grad)
            given = [mpmath.mpf(g) for g in grad.elements()]
            now[i], states[i] = rule(
                hypers, hypers["lr"], step + 1, param, now[i], given, states[i]
            )
        entries.append(entry_text(params, now, states, state_names, step + 1))
    listed = ",\n    ".join(entries)
    return (
        f'  {{"sample": {json.dumps(sample["text"])}, "steps": {sample["steps"]}, '
        f'"inputs": "{draw.fnv1a(hashed)}", "trace": [\n    {listed}]}}'
    )


def entry_text(params, now, states, state_names, t):
    """What there is after step t."""

    def texts(values_of, shape_of=lambda shape: shape):
        lines = []
        for i, param in enumerate(params):
            own = shape_of(param.shape)
            elements = part(values_of(i), param.shape, own) if own != param.shape else values_of(i)
            values = (exact.rounded(param.dtype, value) for value in elements)
            lines.append(array_text(Array.of(param.dtype, own, values)))
        return "[" + ", ".join(lines) + "]"

    parts = [f'"params": {texts(lambda i: now[i])}']
    def state_texts(k, name):
        if name in FACTORED:
            own = functools.partial(factored_shape, name)
            return texts(lambda i: [state[k] for state in states[i]], own)
        if name not in SCALARS:
            return texts(lambda i: [state[k] for state in states[i]])
        shared = [Array.of("f64", (), [exact.rounded("f64", state[0][k])]) for state in states]
        return "[" + ", ".join(array_text(each) for each in shared) + "]"

    named = [f'"{name}": {state_texts(k, name)}' for k, name in enumerate(state_names)]
    count = array_text(Array.of("i64", (), [t]))
    named.append(f'"step": [{", ".join([count] * len(params))}]')
    parts.append(f'"states": {{{", ".join(named)}}}')
    return "{" + ", ".join(parts) + "}"


def optimizer_text(optimizer, samples):
    name = optimizer["name"]
    rule, state_names = whole_rule(name)
    cases = [trace_case(rule, state_names, optimizer, sample) for sample in samples]
    head = f'"optimizer": "{name}", "seed": {draw.SEED},\n "tolerances": '
    tolerances = json.dumps(TRACE_TOLERANCES)
    return "{" + head + tolerances + ', "cases": [\n' + ",\n".join(cases) + "\n]}\n"


# ---- All files ----------------------------------------------------------------------------------


def made(only):
    """Path to text, for everything that is registered."""
    registry = Registry()
    functions = ops.load()
    missing = sorted(set(registry.ops) - set(functions))
    missing += sorted(set(registry.optimizers) - set(RULES) - set(WHOLE))
    missing += sorted(name for name in registry.ops if not registry.samples.get(name))
    missing += sorted(n for n in registry.optimizers if not registry.optimizer_samples.get(n))
    unknown = sorted(set(functions) - set(registry.ops))
    if missing or unknown:
        sys.exit(f"without a function or a sample: {missing}; functions of no op: {unknown}")
    texts = {}
    for name, op in registry.ops.items():
        if not only or name in only:
            path = FOLDER / f"{name}.json"
            texts[path] = op_text(op, registry.samples[name], functions[name])
    for name, optimizer in registry.optimizers.items():
        if not only or name in only:
            path = FOLDER / "optimizers" / f"{name}.json"
            texts[path] = optimizer_text(optimizer, registry.optimizer_samples[name])
    return texts


def check(texts):
    """The files that are not as they would be made."""
    found = {*FOLDER.glob("*.json"), *FOLDER.glob("optimizers/*.json")}
    wrong = [f"{path.name}: no such op or optimizer" for path in sorted(found - set(texts))]
    for path, text in texts.items():
        if not path.exists():
            wrong.append(f"{path.name} is missing")
            continue
        lines = path.read_text().splitlines()
        wanted = text.splitlines()
        if lines != wanted:
            at = next((i for i, (a, b) in enumerate(zip(lines, wanted, strict=False)) if a != b), 0)
            wrong.append(f"{path.name}:{at + 1} differs from what make.py makes")
    return wrong


def main():
    parser = argparse.ArgumentParser(description="Makes tests/goldens/*.json.")
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    parser.add_argument("only", nargs="*", help="ops and optimizers; all without")
    arguments = parser.parse_args()
    if arguments.check and arguments.only:
        parser.error("--check is about all files")
    texts = made(arguments.only)
    if arguments.check:
        wrong = check(texts)
        if wrong:
            sys.exit("\n".join([*wrong, "run tests/goldens/make.py and look at the difference"]))
        return
    for path, text in texts.items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    size = sum(len(text) for text in texts.values())
    print(f"{len(texts)} files, {size} bytes")


if __name__ == "__main__":
    main()
