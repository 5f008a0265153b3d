# SPDX-License-Identifier: Apache-2.0
# tests/outside/opinfo.py: runs the samples of PyTorch's OpInfos through Tenon and compares.
"""Four forms: values, non-contiguous operands, out=, gradients. Each opinfo_*_test.py runs one, on
OpInfo's sample_inputs or on its reference_inputs, which are many more."""

import ctypes
import os
import re
import sys

import suite
import tenon_ctypes as tenon

try:
    import torch
    from torch.testing._internal.common_methods_invocations import op_db
except ImportError as missing:
    print(f"skipped: {missing.name} is not installed")
    sys.exit(77)
from opinfo_table import HOST
from tables import TABLE, WITHOUT

SEED = int(os.environ.get("TENON_TEST_SEED", "20261121"))
CODES = {
    getattr(torch, name): code
    for name, code in {**tenon.DTYPES, "bfloat16": tenon.BFLOAT16}.items()
}
SETS = {
    "any": set(CODES),
    "bool": {torch.bool},
    "uint": {torch.uint8},
    "int": {torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64},
    "float": {torch.float16, torch.bfloat16, torch.float32, torch.float64},
}
SETS["number"] = SETS["int"] | SETS["float"]
VERSIONS = {"torch": torch.__version__.split("+")[0], "seed": SEED}
MAX_RANK = 8
NOWHERE = (ctypes.c_char * 8)()  # the address of tensors without elements
GAP = 77  # what lies between the elements of a strided output


def declared_dtypes(schema):
    """The dtypes a caller may give for the schema's first type variable."""
    variable = re.search(r":\s*([A-Z]\w*)", schema).group(1)
    clause = re.search(rf"(?:where|;)\s*{variable}:\s*([^;]*)", schema)
    words = clause.group(1).replace("|", " ").split() if clause else ["any"]
    names = {"f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64"}
    names |= {"i32": "int32", "i64": "int64"}
    dtypes = set()
    for word in words:
        if word != "promote":
            dtypes |= SETS[word] if word in SETS else {getattr(torch, names[word])}
    # "Where the set has floats and no integers, integers and bools become f32. Where i64 is its
    # only integer, they become i64."
    weak = "promote" in words and torch.float32 in dtypes and torch.int32 not in dtypes
    return set(CODES) if weak else dtypes


def flat(values):
    for value in values:
        yield from flat(value) if isinstance(value, (list, tuple)) else [value]


def tensors_in(values):
    return [value for value in flat(values) if isinstance(value, torch.Tensor)]


def described(sample):
    def words(value):
        if isinstance(value, torch.Tensor):
            return f"{value.dtype}{list(value.shape)}".replace("torch.", "")
        if isinstance(value, (list, tuple)):
            return "[" + ", ".join(words(each) for each in value) + "]"
        return str(value)

    given = [words(value) for value in (sample.input, *sample.args)]
    return ", ".join(given + [f"{name}={words(value)}" for name, value in sample.kwargs.items()])


def difference(found, expected, slack, scale=None):
    """Words where found is not expected; equal bits wanted where slack is None, else `slack` units
    in the last place of each expected value, or of `scale` where that is larger."""
    if found.dtype != expected.dtype or found.shape != expected.shape:
        return (
            f"found {found.dtype}{list(found.shape)}, expected "
            f"{expected.dtype}{list(expected.shape)}"
        )
    if torch.equal(found, expected):
        return ""
    if not found.dtype.is_floating_point:
        wrong = found != expected
    else:
        a, b = found.double(), expected.double()
        wrong = (a != b) & ~(a.isnan() & b.isnan())
        if slack is not None:
            info = torch.finfo(expected.dtype)
            size = b.abs() if scale is None else b.abs().clamp(min=scale)
            near = (a - b).abs() <= slack * (info.eps * size).clamp(
                min=info.smallest_normal * info.eps
            )
            wrong &= ~(near & b.isfinite())
    if not wrong.any():
        return ""
    index = tuple(wrong.nonzero()[0].tolist())
    return (
        f"{int(wrong.sum())} of {wrong.numel()} elements differ, first {list(index)}: "
        f"found {found[index].item()!r}, expected {expected[index].item()!r}"
    )


def largest(tensors):
    """The largest finite magnitude, 0 without one."""
    found = 0.0
    for tensor in tensors:
        finite = tensor.detach().double().abs()
        finite = finite[finite.isfinite()]
        found = max([found, *finite.max().reshape(-1).tolist()] if finite.numel() else [found])
    return found


def address_of(tensor):
    return tensor.data_ptr() or ctypes.addressof(NOWHERE)


class Bridge:
    """Tenon's tensors on the memory of PyTorch's, for the length of a `with`."""

    def __init__(self, runtime):
        self.runtime = runtime
        self.held = []
        self.memory = []
        self.host = runtime.host_kind()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for tensor in self.held:
            tensor.release()
        self.held, self.memory = [], []

    def hold(self, tensors):
        self.held += [tensor for tensor in tensors if tensor]
        return tensors

    def wrap(self, given):
        memory = given.detach()
        self.memory.append(memory)
        code, address = CODES[memory.dtype], address_of(memory)
        tensor = self.runtime.wrap(code, memory.shape, memory.stride(), address)
        return self.hold([tensor])[0]

    def inputs(self, given):
        wrapped = []
        for value in given:
            if isinstance(value, (list, tuple)):
                wrapped.append(self.inputs(value))
            else:
                wrapped.append(self.wrap(value) if isinstance(value, torch.Tensor) else value)
        return wrapped

    def attributes(self, given):
        def translated(value):
            if value is HOST:
                return self.host
            return tenon.Dtype(CODES[value]) if isinstance(value, torch.dtype) else value

        return {name: translated(value) for name, value in given.items()}

    @staticmethod
    def read(tensor):
        view = tensor.view()
        dtype = next(dtype for dtype, code in CODES.items() if code == view.dtype)
        shape = tuple(view.shape[: view.rank])
        out = torch.empty(shape, dtype=dtype)
        bytes_of_out = ctypes.c_uint64(out.numel() * out.itemsize)
        tensor.owner.call(
            "tenon_tensor_get_data", tensor.handle, ctypes.c_void_p(address_of(out)), bytes_of_out
        )
        return out


def same_window(tensor):
    """A copy with the same strides in memory of its own."""
    copy = torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype)
    return copy.copy_(tensor.detach())


def strided_window(expected):
    """Memory full of GAP, and a window of it with gaps on all sides and its axes reversed."""
    memory = torch.full([2 * size + 1 for size in reversed(expected.shape)], GAP).to(expected.dtype)
    window = memory[(*[slice(1, None, 2)] * expected.dim(), ...)]
    return memory, window.permute(*reversed(range(expected.dim()))) if expected.dim() else window


class Comparison:
    """One op of Tenon against the rows of its entry."""

    def __init__(self, bridge, name, entry):
        self.bridge = bridge
        self.op = tenon.Op(bridge.runtime, name)
        self.entry = entry
        self.declared = declared_dtypes(self.op.info.schema.decode())
        self.tally = suite.Tally()

    def run(self, form, dtypes=None, source="sample_inputs", **options):
        """`source`: the method of OpInfo that makes the samples."""
        start = self.bridge.runtime.live()
        for row in self.entry.rows:
            infos = [info for info in op_db if info.full_name == row.opinfo]
            if len(infos) != 1:
                self.tally.fail(f"PyTorch has {len(infos)} OpInfos named {row.opinfo}")
            for info in infos:
                for dtype in sorted(info.supported_dtypes("cpu"), key=str):
                    if dtypes is None or dtype in dtypes:
                        samples = getattr(info, source)
                        self.run_samples(form, row, info, dtype, samples, **options)
        if self.bridge.runtime.live() != start:
            self.tally.fail(f"still held: {self.bridge.runtime.live()}, before it was {start}")
        return self.tally

    def run_samples(self, form, row, info, dtype, samples, **options):
        torch.manual_seed(SEED)
        for sample in samples("cpu", dtype, set_seed=False, **options):
            if dtype not in CODES:
                self.tally.uncovered[f"dtype {dtype}".replace("torch.", "")] += 1
                continue
            try:
                words = form(self, row, info, dtype, sample)
            except tenon.TenonError as error:
                words = self.refusal(error, dtype)
            except Exception as error:  # a sample nobody thought of fails alone
                words = f"raised {error!r}"
            if words is None:
                self.tally.passed += 1
            elif isinstance(words, Uncovered):
                self.tally.uncovered[words.reason] += 1
            else:
                self.tally.fail(f"{info.full_name}({described(sample)}) {dtype}: {words}")

    def refusal(self, error, dtype):
        if error.status == tenon.E_DTYPE and dtype not in self.declared:
            return Uncovered(f"dtype {dtype}".replace("torch.", ""))
        return f"refused: {error}"

    def translate(self, row, sample):
        """The call, or why Tenon does not offer it."""
        call = row.translate(sample.input, *sample.args, **sample.kwargs)
        given = list(flat(call.inputs))
        missing = {
            "rank above 8": any(tensor.dim() > MAX_RANK for tensor in tensors_in(given)),
            "complex number": any(isinstance(value, complex) for value in given),
        }
        for tensor in tensors_in(given):  # operands of a dtype of their own
            missing[f"dtype {tensor.dtype}".replace("torch.", "")] = tensor.dtype not in CODES
        for reason, asked in {**call.lacks, **missing}.items():
            if asked:
                return Uncovered(reason)
        return call

    def expected(self, row, info, call, sample):
        function = row.reference or info.op
        return call.finish(function(sample.input, *sample.args, **sample.kwargs))

    def judge(self, found, expected, call, dtype):
        if dtype not in self.declared:
            return f"took {dtype}, which its schema does not declare"
        slack = self.entry.slack
        scale = largest([*tensors_in(call.inputs), expected]) if self.entry.sums else None
        return difference(found, expected.detach(), slack, scale) or None

    def compute(self, row, call):
        """The op's result as a tensor of PyTorch's."""
        with self.bridge as bridge:
            given, attributes = list(call.inputs), bridge.attributes(call.attributes)
            if not row.writes:
                outputs = self.op.call(bridge.inputs(given), attributes, row.outputs)
                return bridge.read(bridge.hold(outputs)[row.output])
            given[0] = same_window(given[0])
            self.op.call(bridge.inputs(given), attributes, outputs=0)
            return given[0]


class Uncovered:
    def __init__(self, reason):
        self.reason = reason


# ---- the forms: None if the sample passed, Uncovered, or words -------------------------------


def values(comparison, row, info, dtype, sample):
    call = comparison.translate(row, sample)
    if isinstance(call, Uncovered):
        return call
    found = comparison.compute(row, call)
    return comparison.judge(found, comparison.expected(row, info, call, sample), call, dtype)


def noncontiguous(comparison, row, info, dtype, sample):
    strided = sample.noncontiguous()
    call = comparison.translate(row, strided)
    if isinstance(call, Uncovered):
        return call
    if all(tensor.is_contiguous() for tensor in tensors_in(call.inputs)):
        return Uncovered("one element or none: no other layout")
    found = comparison.compute(row, call)
    # From the plain sample: PyTorch's view() does not take every layout.
    plain = comparison.translate(row, sample)
    return comparison.judge(found, comparison.expected(row, info, plain, sample), call, dtype)


def out(comparison, row, info, dtype, sample):
    call = comparison.translate(row, sample)
    if isinstance(call, Uncovered):
        return call
    expected = comparison.expected(row, info, call, sample).detach()
    memory, window = strided_window(expected)
    with comparison.bridge as bridge:
        attributes = bridge.attributes(call.attributes)
        inputs = bridge.inputs(call.inputs)
        outputs = [None]
        if row.outputs > 1:  # the others are given back their own
            outputs = bridge.hold(comparison.op.call(inputs, attributes, row.outputs))[:]
        outputs[row.output] = bridge.wrap(window)
        comparison.op.apply(inputs, attributes, outputs)
    words = comparison.judge(window, expected, call, dtype)
    window.fill_(GAP)
    if not words and not bool((memory == torch.tensor(GAP).to(memory.dtype)).all()):
        words = "memory between the elements of the output was written"
    return words


def gradients(comparison, row, info, dtype, sample):
    words = compare_gradients(comparison, row, info, sample, sample, lambda seed: seed)
    if words is not None:
        return words
    strided = sample.noncontiguous()
    words = compare_gradients(comparison, row, info, sample, strided, torch_noncontiguous)
    return words and f"non-contiguous operands and incoming gradient: {words}"


def torch_noncontiguous(tensor):
    return torch.testing._internal.common_utils.noncontiguous_like(tensor)


def compare_gradients(comparison, row, info, sample, given, layout):
    plain, call = comparison.translate(row, sample), comparison.translate(row, given)
    if isinstance(call, Uncovered):
        return call
    result = comparison.expected(row, info, plain, sample)
    wanted = [tensor for tensor in tensors_in(plain.inputs) if tensor.requires_grad]
    if not result.requires_grad or not wanted:
        return Uncovered("PyTorch gives no gradient for it")
    seed = torch.randn(result.shape, dtype=result.dtype)
    expected = torch.autograd.grad(result, wanted, seed, allow_unused=True, retain_graph=True)
    with comparison.bridge as bridge:
        attributes = bridge.attributes(call.attributes)
        inputs = bridge.inputs(call.inputs)
        pairs = zip(tensors_in(call.inputs), tenon_tensors(inputs), strict=True)
        leaves = [tensor for theirs, tensor in pairs if theirs.requires_grad]
        for leaf in leaves:
            leaf.require_grad()
        root = bridge.hold(comparison.op.call(inputs, attributes, row.outputs))[row.output]
        grads = bridge.runtime.gradients(root, bridge.wrap(layout(seed)), leaves)
        found = [grad and bridge.read(grad) for grad in bridge.hold(grads)]
    for number, (ours, theirs, operand) in enumerate(zip(found, expected, wanted, strict=True)):
        ours = torch.zeros_like(operand) if ours is None else ours
        theirs = torch.zeros_like(operand) if theirs is None else theirs.to_dense()
        scale = largest([seed, theirs, *wanted])
        words = difference(ours, theirs, comparison.entry.gradient_slack, scale)
        if words:
            return f"gradient {number}: {words}"
    return None


def tenon_tensors(values):
    return [value for value in flat(values) if isinstance(value, tenon.Tensor)]


# ---- running a form -----------------------------------------------------------------------------


def every_op(names):
    """Each registered op is in the table, or stands apart with a reason."""
    tally = suite.Tally()
    for name in sorted(names):
        places = (name in TABLE) + (name in WITHOUT)
        if places == 1:
            tally.passed += 1
        else:
            tally.fail(
                f"{name} stands in {places} of TABLE and WITHOUT of tests/outside/tables, expected "
                "1: map it to an OpInfo, or say why there is none"
            )
    return tally


def main(form, applies=lambda op: True, complete=False, name=None, **options):
    """Runs one form. `applies` chooses from the registry's ops, by what the registry says of them;
    `complete`: every op must have its place; `name`: of the suite, where it is not the form's."""
    torch.set_num_threads(1)
    print(f"TENON_TEST_SEED={SEED}")
    runtime = tenon.Runtime()
    bridge = Bridge(runtime)
    ops = {op["name"]: op for op in runtime.query("ops")}
    cases = {
        name: lambda name=name: Comparison(bridge, name, TABLE[name]).run(form, **options)
        for name in ops
        if name in TABLE and applies(ops[name])
    }
    if complete:
        cases["every op"] = lambda: every_op(ops)
    status = suite.main(f"opinfo_{name or form.__name__}", VERSIONS, cases)
    runtime.close()
    return status
