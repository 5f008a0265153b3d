// SPDX-License-Identifier: Apache-2.0
// tests/cuda/emulator/faults.cc: what tests ask of the emulated driver, as ops: emulator.inject,
// emulator.live, emulator.set and emulator.reset.
//
// They run on the CPU, so that a context of the CPU reaches the devices' driver whatever state the
// devices are in.
#include <tenon/sdk/plugin/kernel.hpp>
#include <tenon/sdk/plugin/op.hpp>
#include <tenon/sdk/plugin/plugin.hpp>

#include <algorithm>

#include "control.h"

namespace {

namespace sdk = tenon::sdk;
namespace emulated = tenon::cuda::emulated;

std::string all_calls() {
  std::string names;
  for (const std::string_view name : emulated::kCalls) {
    if (!names.empty()) names += ", ";
    names += name;
  }
  return names;
}

// ---- emulator.inject ----------------------------------------------------------------------------

void check_inject(const sdk::Args& args, std::span<tenon_meta>) {
  const std::string_view call = args.attrs.text(0);
  if (std::find(std::begin(emulated::kCalls), std::end(emulated::kCalls), call) ==
      std::end(emulated::kCalls)) {
    throw sdk::Failure{TENON_E_ATTRIBUTE, "the driver has no such function", "call", all_calls(),
                       std::string(call)};
  }
  static constexpr const char* names[] = {"", "code", "after", "count"};
  for (uint32_t i = 1; i <= 3; ++i) {
    const int64_t value = args.attrs.integer(i);
    if (value >= 0 && value <= INT32_MAX) continue;
    throw sdk::Failure{TENON_E_ATTRIBUTE, std::string(names[i]) + " is out of range", names[i],
                       "a number from 0 to 2147483647", std::to_string(value)};
  }
}

void inject(const sdk::Launch& l) {
  emulated::inject(l.attrs.text(0), static_cast<tenon::cuda::Code>(l.attrs.integer(1)),
                   l.attrs.integer(2), l.attrs.integer(3));
}

// ---- emulator.live ------------------------------------------------------------------------------

void check_live(const sdk::Args& args, std::span<tenon_meta>) {
  if (emulated::live(args.attrs.text(0))) return;
  throw sdk::Failure{TENON_E_ATTRIBUTE, "there is no such count", "what",
                     "blocks, bytes, pinned, streams, events, graphs, blas, waits, " + all_calls(),
                     std::string(args.attrs.text(0))};
}

void live(const sdk::Launch& l) { *l.out_data<int64_t>() = *emulated::live(l.attrs.text(0)); }

// ---- emulator.set -------------------------------------------------------------------------------

void check_set(const sdk::Args& args, std::span<tenon_meta>) {
  const std::string_view what = args.attrs.text(0);
  if (what != "memory" && what != "defer") {
    throw sdk::Failure{TENON_E_ATTRIBUTE, "there is no such setting", "what", "memory or defer",
                       std::string(what)};
  }
  if (args.attrs.integer(1) >= 0) return;
  throw sdk::Failure{TENON_E_ATTRIBUTE, "value is below 0", "value", "0 or more",
                     std::to_string(args.attrs.integer(1))};
}

void set(const sdk::Launch& l) {
  if (l.attrs.text(0) == "memory") {
    emulated::limit_memory(static_cast<uint64_t>(l.attrs.integer(1)));
  } else {
    emulated::defer(l.attrs.integer(1) != 0);
  }
}

// ---- emulator.reset -----------------------------------------------------------------------------

void infer_reset(const sdk::Args&, std::span<tenon_meta>) {}

void reset(const sdk::Launch&) { emulated::reset(); }

// ---- Descriptors --------------------------------------------------------------------------------

constexpr tenon_op_desc ops[] = {
    sdk::op(
        {.name = "emulator.inject",
         .schema = "inject(*, call: str, code: int, after: int=0, count: int=1) -> ()",
         .doc = R"(Makes the emulated CUDA driver fail: lets `after` calls of its function `call`,
or of cuBLASLt's, pass, then answers `count` of them with `code`. What frees or releases does so all
the same. A new call for the same function replaces the old one; `count=0` takes it back.

Source: none; for tests.)",
         .flags = TENON_OP_EFFECT,
         .infer = sdk::infer_fn<check_inject>}),
    sdk::op({.name = "emulator.live",
             .schema = "live(*, what: str) -> i64[]",
             .doc = R"(How many `blocks`, `bytes` of them, `pinned` blocks, `streams`, `events`,
`graphs` or objects of cuBLASLt (`blas`) of emulated CUDA devices are alive in this process; how
many pieces of work wait in streams (`waits`); or how often the driver's or cuBLASLt's function of
that name was called.

Source: none; for tests.)",
             .flags = TENON_OP_EFFECT,
             .infer = sdk::infer_fn<check_live>}),
    sdk::op({.name = "emulator.set",
             .schema = "set(*, what: str, value: int) -> ()",
             .doc = R"(Sets how many bytes of `memory` each emulated CUDA device has, or whether its
work is to `defer`: 1 lets it wait in its stream until somebody waits for it.

Source: none; for tests.)",
             .flags = TENON_OP_EFFECT,
             .infer = sdk::infer_fn<check_set>}),
    sdk::op({.name = "emulator.reset",
             .schema = "reset() -> ()",
             .doc = R"(Takes back all failures of emulated CUDA devices, asked for or not, and the
limit of their memory, and counts calls from 0 again.

Source: none; for tests.)",
             .flags = TENON_OP_EFFECT,
             .infer = sdk::infer_fn<infer_reset>}),
};

constexpr tenon_slot_rule one_output[] = {sdk::contiguous_out()};

constexpr tenon_kernel_desc kernel(std::string_view op, uint32_t n_attrs,
                                   std::span<const tenon_slot_rule> slots,
                                   tenon_status (*launch)(tenon_call*, const tenon_launch*)) {
  return sdk::kernel({.op = op,
                      .device = "cpu",
                      .slots = slots,
                      .rows = {},
                      .n_variables = 0,
                      .n_attrs = n_attrs,
                      .flags = TENON_KERNEL_CANONICAL,
                      .launch = launch});
}

constexpr tenon_kernel_desc kernels[] = {
    kernel("emulator.inject", 4, {}, sdk::launch_fn<inject>),
    kernel("emulator.live", 1, one_output, sdk::launch_fn<live>),
    kernel("emulator.set", 2, {}, sdk::launch_fn<set>),
    kernel("emulator.reset", 0, {}, sdk::launch_fn<reset>),
};

// Samples change nothing.
constexpr tenon_sample samples[] = {
    sdk::sample("emulator.inject", "| call=\"copy\", code=1, count=0"),
    sdk::refused("emulator.inject", "| call=\"dragons\", code=1", TENON_E_ATTRIBUTE,
                 "the driver has no such function"),
    sdk::refused("emulator.inject", "| call=\"copy\", code=-1", TENON_E_ATTRIBUTE,
                 "code is out of range"),
    sdk::sample("emulator.live", "| what=\"graphs\""),
    sdk::refused("emulator.live", "| what=\"dragons\"", TENON_E_ATTRIBUTE,
                 "there is no such count"),
    sdk::sample("emulator.set", "| what=\"memory\", value=268435456"),
    sdk::refused("emulator.set", "| what=\"dragons\", value=1", TENON_E_ATTRIBUTE,
                 "there is no such setting"),
    sdk::refused("emulator.set", "| what=\"defer\", value=-1", TENON_E_ATTRIBUTE,
                 "value is below 0"),
    sdk::sample("emulator.reset", ""),
    sdk::refused("emulator.reset", "f32[2]", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(faults) = {.ops = ops, .kernels = kernels, .samples = samples};
