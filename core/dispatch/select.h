// SPDX-License-Identifier: Apache-2.0
// core/dispatch/select.h: which kernels may run (op, device kind, dtype row), in which order, and
// why others may not.
//
// The order: a pin; then, on a host-memory device in canonical arithmetic, CANONICAL kernels before
// the kernels of the plugin that owns the device, others not at all; then priority, then plugin id.
// The best kernel's plugin is the provider; its other kernels for the same key are layout variants.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/dispatch/invocation.h"

namespace tenon::dispatch {

// Does the kernel take the call's operands that are yet to be widened?
bool takes_narrow(const Invocation& call, const registry::Kernel& kernel);

// What of a schema that has grown a call makes use of. Operands past `inputs` are absent,
// attributes past `attrs` have their defaults, outputs past `outputs` are not requested.
struct Usage {
  uint32_t inputs = 0;
  uint32_t attrs = 0;
  uint32_t outputs = 0;
  bool operator==(const Usage&) const = default;
};

using Candidates = std::vector<const registry::Kernel*>;  // best provider first

struct KernelKey {
  uint32_t op = 0;
  uint32_t kind = 0;
  uint32_t arithmetic = 0;
  bool wide = false;
  Usage used;
  std::array<tenon_dtype, 4> types{};
  bool operator==(const KernelKey&) const = default;
};

struct KernelKeyHash {
  size_t operator()(const KernelKey& key) const noexcept;
};

// Of one context; emptied when the registry's epoch moves.
struct KernelCache final : Kept {
  uint64_t epoch = 0;
  std::unordered_map<KernelKey, Candidates, KernelKeyHash> map;
};

// Candidates for the call; opens the plugins first that one may come from. May be empty.
const Candidates& candidates(const Invocation& call);

// A kernel of the op, and why it cannot run: "" if it can.
struct Judged {
  const registry::Kernel* kernel;
  std::string reason;
  int rank;  // the best is 0
};
// Those of any plugin, best first.
std::vector<Judged> judge(const Invocation& call);

// In place of a plugin's id, which has a dot: no kernel, if the op has a composition.
inline constexpr std::string_view kCompositionPin = "composition";

// The plugin pinned for the call's op, or for all; "" if none is.
std::string pinned_plugin(const Invocation& call);

// TENON_E_NO_KERNEL with every candidate and why it lost.
[[noreturn, gnu::cold]] void fail_no_kernel(const Invocation& call, const std::string& declined);

// `begin` as Invocation::begin, `attrs` complete.
Usage usage_of(const registry::Schema& schema, std::span<const uint32_t> begin,
               std::span<const tenon_value> attrs, uint64_t wanted);
// "" if a kernel or rule that was built with the counts `known` serves the call; else what it
// was built before.
std::string built_before(const registry::Schema& schema, const Usage& known, const Usage& used);

}  // namespace tenon::dispatch
