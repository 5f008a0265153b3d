#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# tests/tools/added_op.py: an added op shows only new files. Copies the tree, writes one op with its
# gradient and one kernel file, and proves that git sees nothing but those two, that both build, and
# that the op is found, documented, and has a kernel and a rule.
# Usage: added_op.py <source folder> <cmake> <generator> <make program>
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

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


def run(*command, **options):
    return subprocess.run(command, check=True, text=True, capture_output=True, **options).stdout


def copy_tree(source, tree):
    listed = run("git", "-C", source, "ls-files", "-co", "--exclude-standard").splitlines()
    for name in listed:
        origin = pathlib.Path(source, name)
        if origin.is_file():
            target = tree / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(origin, target)
    git = ("git", "-C", str(tree), "-c", "user.name=test", "-c", "user.email=test@example.invalid")
    run(*git, "init", "-q")
    run(*git, "add", "-A")
    run(*git, "commit", "-qm", "before")


def main():
    source, cmake, generator, make = sys.argv[1:5]
    with tempfile.TemporaryDirectory() as folder:
        tree, build = pathlib.Path(folder, "tree"), pathlib.Path(folder, "build")
        copy_tree(source, tree)
        (tree / OP).write_text(OP_TEXT)
        (tree / KERNEL).write_text(KERNEL_TEXT)
        changed = run("git", "-C", str(tree), "status", "--porcelain", "-uall").splitlines()
        if sorted(changed) != sorted([f"?? {OP}", f"?? {KERNEL}"]):
            return f"more than two new files: {changed}"
        run(cmake, "-S", str(tree), "-B", str(build), "-G", generator,
            f"-DCMAKE_MAKE_PROGRAM={make}", "-DCMAKE_BUILD_TYPE=Release",
            "-DCMAKE_CXX_FLAGS_RELEASE=-O2 -g1 -DNDEBUG",
            "-DCMAKE_C_FLAGS_RELEASE=-O2 -g1 -DNDEBUG",
            "-DTENON_BUILD_TESTS=OFF", "-DTENON_BUILD_EXAMPLES=OFF")
        run(cmake, "--build", str(build), "--target", "tenon.ops", "tenon.ref", "tenon_command")
        told = run(str(build / "bin/tenon"), "op", "explain", "tenon.thrice", "f32[3]", "--json")
        answer = json.loads(told)
        if (answer.get("chosen") or {}).get("plugin") != "tenon.ref":
            return f"no kernel was chosen: {told}"
        if (answer.get("backward") or {}).get("plugin") != "tenon.ops":
            return f"no backward rule: {told}"
        if run("git", "-C", str(tree), "diff", "--stat"):
            return "the build changed a file of the tree"
    print("two new files, no other change: op, gradient and kernel are found")
    return 0


try:
    sys.exit(main())
except subprocess.CalledProcessError as error:
    sys.exit(f"{' '.join(map(str, error.cmd))}\n{error.stdout}\n{error.stderr}")
