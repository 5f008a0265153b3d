#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# tests/tools/added_files.py: additions show only new files. Copies the tree and adds an op (a file
# with its gradient, and one with a kernel), an optimizer (one file), a dataset (one file) and a
# device (one folder), the last three as `tenon new` writes them. Proves that git sees nothing but
# those, that all of it builds, and that everything is found.
# Usage: added_files.py <source folder> <cmake> <generator> <make program> <command tenon>
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from planted import configure, copy_tree, run

OP = "plugins/ops/unary/thrice.cc"
OP_TEXT = """// SPDX-License-Identifier: Apache-2.0
// plugins/ops/unary/thrice.cc: y = 3 x; dx = 3 dy.
#include "rules.hpp"

namespace {

namespace sdk = tenon::sdk;
constexpr std::string_view name = "tenon.thrice";

void vjp(sdk::Vjp& v) { v.grad(0, v.call("tenon.mul", {v.dy(), 3.0})); }

constexpr tenon_op_desc ops[] = {sdk::op({.name = name,
                                          .schema = "thrice(x: T[...]) -> T[...] where T: float",
                                          .doc = "Three times: `y = 3 x`.",
                                          .shape = TENON_SHAPE_SAME_AS_0,
                                          .flags = TENON_OP_ELEMENTWISE})};
constexpr tenon_vjp_need needs[] = {sdk::need({})};
constexpr tenon_vjp_desc vjps[] = {sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>})};
constexpr tenon_sample samples[] = {sdk::sample(name, "f64[2,3]")};

}  // namespace

TENON_UNIT(thrice) = {.ops = ops, .vjps = vjps, .samples = samples};
"""
KERNEL = "backends/ref/kernels/thrice.cc"
KERNEL_TEXT = """// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/thrice.cc: three times, element by element.
#include "kernels/ref.h"

namespace tenon::ref {
namespace {

void thrice(const sdk::Launch& l) {
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() {
    sdk::elementwise<T, T>(l, [](T x) { return sdk::narrow<T>(3.0 * static_cast<double>(x)); });
  });
}

constexpr tenon_kernel_desc kernels[] = {sdk::kernel({.op = "tenon.thrice",
                                                      .device = kDevice,
                                                      .slots = kUnarySlots,
                                                      .rows = sdk::kFloats,
                                                      .flags = kCanonical,
                                                      .priority = kPriority,
                                                      .launch = sdk::launch_fn<thrice>})};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(thrice) = {.kernels = tenon::ref::kernels};
"""


def add_from_templates(command, tree, scratch):
    """Adds what `tenon new` writes; returns the new files."""
    files = {"optimizer": "plugins/optim/heavy.cc", "dataset": "plugins/data/moons.cc"}
    for kind, file in files.items():
        source = pathlib.Path(file)
        name = f"acme.{source.stem}"
        run(command, "new", kind, name, "--into", str(scratch))
        shutil.copy(scratch / name / "src" / source.name, tree / file)
        yield file
    run(command, "new", "backend", "acme.toy", "--lang", "c", "--into", str(tree / "backends"))
    for path in (tree / "backends/acme.toy").rglob("*"):
        if path.is_file():
            yield str(path.relative_to(tree))


def what_is_missing(build):
    """What the build's own command does not find of the additions, in words."""
    tenon = str(build / "bin/tenon")
    call = json.loads(run(tenon, "explain", "tenon.thrice", "f32[3]", "--json"))
    if (call.get("chosen") or {}).get("plugin") != "tenon.ref":
        return f"no kernel was chosen: {call}"
    if (call.get("backward") or {}).get("plugin") != "tenon.ops":
        return f"no backward rule: {call}"
    # Findings are no failure here: the new device lacks the roles that are not for gradients.
    done = subprocess.run([tenon, "doctor", "--json"], text=True, capture_output=True, check=False)
    answer = json.loads(done.stdout)
    plugins = {plugin["id"]: plugin for plugin in answer["plugins"]}
    states = {name: plugin["state"] for name, plugin in plugins.items()}
    if set(states.values()) != {"open"}:
        return f"not every plugin opens: {done.stdout}"
    if "acme.heavy" not in plugins["tenon.optim"]["optimizers"]:
        return f"the optimizer is not found: {plugins['tenon.optim']}"
    if "acme.moons" not in plugins["tenon.data"]["datasets"]:
        return f"the dataset is not found: {plugins['tenon.data']}"
    devices = {device["kind"]: device for device in answer["devices"]}
    if not devices.get("toy", {}).get("autograd"):
        return f"the device is not found, or cannot do autograd: {answer['devices']}"
    return ""


def main():
    source, cmake, generator, make, command = sys.argv[1:6]
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder, "tree")
        # Where the presets build: to a compiler cache it is all the same as any other clone.
        build = tree / "build/release"
        copy_tree(source, tree)
        (tree / OP).write_text(OP_TEXT)
        (tree / KERNEL).write_text(KERNEL_TEXT)
        added = [OP, KERNEL, *add_from_templates(command, tree, pathlib.Path(folder))]
        changed = run("git", "-C", str(tree), "status", "--porcelain", "-uall").splitlines()
        if sorted(changed) != sorted(f"?? {name}" for name in added):
            return f"more than the new files: {changed}"
        configure(cmake, generator, make, tree, build)
        run(cmake, "--build", str(build), "--target", "tenon.ops", "tenon.ref", "tenon.optim",
            "tenon.data", "acme.toy", "tenon_command")
        missing = what_is_missing(build)
        if missing:
            return missing
        if run("git", "-C", str(tree), "diff", "--stat"):
            return "the build changed a file of the tree"
    print(f"{len(added)} new files, no other change: op, gradient, kernel, optimizer, dataset and "
          "device are found")
    return 0


try:
    sys.exit(main())
except subprocess.CalledProcessError as error:
    sys.exit(f"{' '.join(map(str, error.cmd))}\n{error.stdout}\n{error.stderr}")
