# SPDX-License-Identifier: Apache-2.0
# tests/stranger/faults.py: faults as authors of plugins make them, each one text for another in one
# file of the plugin acme.kinds.
import dataclasses


@dataclasses.dataclass
class Fault:
    name: str
    file: str  # without its ending
    right: str
    wrong: str
    judged: str  # what `tenon verify --ops` is asked about; a plugin that is refused has no parts
    causes: tuple  # one of them is named


REFUSED = ("unusable", "no-cases")
VALUES = ("wrong-value", "wrong-dtype-row", "composition-differs", "not-canonical")

C = [
    # What the host refuses.
    Fault("a kernel without launch", "kinds", "    .launch = launch,\n", "", "", REFUSED),
    Fault("too few slots", "kinds", ".n_slots = TN_COUNT(slots)", ".n_slots = 1", "", REFUSED),
    Fault("an op without revision", "kinds", "    .revision = 1,\n    .shape_rule",
          "    .shape_rule", "", REFUSED),
    Fault("no struct_size", "moments", "    .struct_size = sizeof(tenon_op_desc),\n", "", "",
          REFUSED),
    Fault("a schedule without advance", "halving", "    .advance = advance,\n", "", "", REFUSED),
    Fault("a format that cannot read", "single", "    .read = read_file,\n", "", "", REFUSED),
    Fault("a layer without forward", "scale", "    .forward = forward,\n", "", "", REFUSED),
    # An op.
    Fault("the sign is lost", "kinds", "x * (x < 0 ? -x : x)", "x * x", "acme.kinds", VALUES),
    Fault("output strides ignored", "kinds", "tn_cursor_next(&y, w->y);",
          "y.at += tn_element_size(w->y->dtype);", "acme.kinds",
          ("output-strides-ignored", "overrun", "lost-output")),
    Fault("an undeclared read", "kinds", "{{.inputs = 1u << 0}}", "{{.outputs = 1u << 0}}",
          "acme.kinds", ("undeclared-read", "gradient-refused")),
    Fault("half a gradient", "kinds", "tn_float(2 * tn_number(scale))",
          "tn_float(tn_number(scale))", "acme.kinds", ("wrong-gradient", "wrong-second-order")),
    # An op with two outputs.
    Fault("a rank forgotten", "moments", "    outputs[i].rank = 1;\n", "", "acme.moments",
          ("refused",)),
    Fault("outputs exchanged", "moments", "store(mean, row, sum /", "store(square, row, sum /",
          "acme.moments", (*VALUES, "unwritten-output")),
    Fault("the gradient of one output", "moments", "slope, mean);", "slope, slope);",
          "acme.moments", ("wrong-gradient", "gradient-layout")),
    # An optimizer.
    Fault("uphill", "descent", "p = p - lr * v;", "p = p + lr * v;", "acme.descent*",
          (*VALUES, "optimizer-trace")),
    Fault("velocity is not kept", "descent", "    memcpy(at_v.at, &v, sizeof v);\n", "",
          "acme.descent*", (*VALUES, "optimizer-trace", "unwritten-output")),
    # A dataset.
    Fault("a sample depends on its batch", "points", "coordinate(object, indices[i], 0)",
          "coordinate(object, i, 0)", "acme.points", ("nondeterministic", "wrong-value")),
    Fault("one field unwritten", "points", "    point[2 * i + 1] = y;\n", "", "acme.points",
          ("unwritten-output", "nondeterministic", "wrong-value")),
    # A schedule and a format.
    Fault("steps are not counted", "halving", "  state[STEP] += 1;\n", "", "acme.halving",
          ("wrong-value",)),
    Fault("a length that is believed", "single", "if (out->bytes == room)", "if (out->bytes)",
          "acme.single", ("not-refused", "error-status", "crash")),
    # A transform.
    Fault("a shift by the place in the batch", "jitter", "uniform(batch, batch->samples[i])",
          "uniform(batch, i)", "acme.jitter", ("wrong-value",)),
    Fault("a transform without run", "jitter", "    .run = run,\n", "", "", REFUSED),
    # A tokenizer.
    Fault("another letter comes back", "letters", "self->spellings[tokens[i]];",
          "self->spellings[0];", "acme.letters", ("not-read-back",)),
    Fault("a tokenizer without find", "letters", "    .find = find,\n", "", "", REFUSED),
    Fault("another dtype is written", "single", "made->head + 8, &meta->dtype",
          "made->head + 8, &rank", "acme.single",
          ("refused", "not-read-back")),
]  # fmt: skip

CPP = [
    Fault("computed in f32", "kinds", "static_cast<double>(x);",
          "static_cast<double>(static_cast<float>(x));", "acme.kinds", VALUES),
    Fault("the mean of another axis", "moments", "sum / static_cast<double>(columns)",
          "sum / static_cast<double>(x.shape[0])", "acme.moments", VALUES),
    Fault("momentum is not used", "descent", "keep * static_cast<C>(sdk::load<T>(velocity)) + g",
          "g", "acme.descent*", (*VALUES, "optimizer-trace")),
    Fault("samples by order of reading", "points", "    const float x = coordinate(points, indices",
          "    static int64_t made = 0;\n    const float x = coordinate(points, made++ + indices",
          "acme.points", ("nondeterministic", "wrong-value")),
    Fault("a layer with a memory", "scale", "void forward(sdk::Forward& f) {",
          "void forward(sdk::Forward& f) {\n  static double calls = 1;\n"
          "  return f.set(0, f.call(\"tenon.mul\", {f.in(0), calls += 1}));", "acme.scale",
          ("nondeterministic", "layer-state", "replay-differs", "wrong-gradient")),
    Fault("the last number is left out", "jitter", "at < (i + 1) * size;",
          "at < (i + 1) * size - 1;", "acme.jitter", ("nondeterministic", "unwritten-output")),
    Fault("tokens from one on", "letters", "tokens.push_back(token);",
          "tokens.push_back(token + 1);", "acme.letters",
          ("wrong-value", "not-read-back", "refused")),
    Fault("a hyper-parameter not looked at", "halving", "states[kStep] / every",
          "states[kStep] / 10", "acme.halving", ("wrong-value",)),
]  # fmt: skip

RUST = [
    Fault("a wrong slope", "kinds", "(2.0 * scale)", "(3.0 * scale)", "acme.kinds",
          ("wrong-gradient", "wrong-second-order")),
    Fault("ends the process", "kinds", "        let scale = l.attrs.real(SCALE);\n",
          "        let scale = l.attrs.real(SCALE);\n        std::process::exit(0);\n"
          "        #[allow(unreachable_code)]\n", "acme.kinds", ("exit",)),
    Fault("one column too many", "moments", "for column in 0..columns",
          "for column in 0..columns + 1", "acme.moments", ("refused",)),
    Fault("the gradient as velocity", "descent", "*p -= lr * *v;", "*p -= lr * *g;",
          "acme.descent*", (*VALUES, "optimizer-trace")),
    Fault("a field of another size", "points", "shape: vec![2]", "shape: vec![3]", "acme.points",
          ("refused", "wrong-shape")),
    Fault("any dtype is taken", "jitter", "sample.dtype == TENON_DTYPE_F32", "sample.rank >= 0",
          "acme.jitter", ("error-status", "not-refused")),
    Fault("another letter comes back", "letters", "|&token: &i32| self.alphabet[token as usize]",
          "|_: &i32| self.alphabet[0]", "acme.letters", ("not-read-back",)),
    Fault("a layer that forgets its weight", "scale", "f.tensor(\"weight\")?", "2.0.into()",
          "acme.scale", (*VALUES, "no-gradient", "layer-state", "wrong-gradient")),
    Fault("the rank one less", "single", "meta.rank.to_ne_bytes()",
          "(meta.rank - 1).max(0).to_ne_bytes()", "acme.single",
          ("refused", "not-read-back", "not-refused")),
]  # fmt: skip

ALL = {"c": C, "cpp": CPP, "rust": RUST}
