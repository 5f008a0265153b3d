// SPDX-License-Identifier: Apache-2.0
// plugins/ops/processes/group.hpp: what ops over groups of processes share.
#pragma once

#include <tenon/ext/draft/processes.h>

#include "rules.hpp"

namespace tenon::processes {

namespace rules = tenon::rules;

// The attribute that all of them begin with.
inline constexpr uint32_t kGroup = 0;

inline tenon_members members_of(tenon_call* call, int64_t group) {
  const auto* const host = static_cast<const tenon_host_processes*>(
      call->host->get_interface(call->host, TENON_HOST_PROCESSES, TENON_NUL));
  if (!host) {
    throw sdk::Failure{TENON_E_UNSUPPORTED, "this host knows no groups of processes", "group"};
  }
  tenon_members members{};
  sdk::check(host->members(call, group, &members));
  return members;
}

// The output's shape for the input's and the group's size.
template <void (*Rule)(std::span<const int64_t> shape, int64_t n, tenon_meta& out)>
tenon_status infer_fn(tenon_call* call, const tenon_launch* launch, tenon_meta* out, uint32_t) {
  return sdk::guarded(call, [&] {
    const sdk::Args args(launch);
    Rule(args.shape(0), members_of(call, args.attrs.integer(kGroup)).size, *out);
  });
}

// [n, ...]: a row for each process.
inline void need_rows(std::span<const int64_t> shape, int64_t n) {
  if (!shape.empty() && shape[0] == n) return;
  throw sdk::Failure{TENON_E_SHAPE, "x needs a row for each process of the group", "x",
                     "[" + std::to_string(n) + ", ...]", sdk::shape_text(shape)};
}

inline sdk::Value group_of(sdk::Vjp& v) { return sdk::Value(v.attr(kGroup).as.i64); }

}  // namespace tenon::processes
