// SPDX-License-Identifier: Apache-2.0
// core/registry/checks_entries.cc: checks of backends and of what plugins test themselves with.
#include "core/registry/checks_entries.h"

#include <cmath>

#include "core/registry/kinds/parts.h"
#include "core/tensor/dtype.h"

namespace tenon::registry {

void check_backend(const tenon_backend_table& table) {
  const std::string kind(text_of(table.kind, "table tenon.backend/1"));
  if (!is_plain_name(kind)) {
    refuse("table tenon.backend/1: the device kind '" + shown(kind) + "' is not one of [a-z0-9_]");
  }
  const std::string words = "device " + kind;
  const What what(words);
  check_flags_zero(table.flags & ~TENON_BACKEND_HOST_MEMORY, what);
  check_callbacks(what, {
                            {"device_count", table.device_count == nullptr},
                            {"alloc", table.alloc == nullptr},
                            {"free", table.free == nullptr},
                            {"copy", table.copy == nullptr},
                            {"stream_create", table.stream_create == nullptr},
                            {"stream_release", table.stream_release == nullptr},
                            {"stream_wait", table.stream_wait == nullptr},
                            {"event_create", table.event_create == nullptr},
                            {"event_release", table.event_release == nullptr},
                            {"event_record", table.event_record == nullptr},
                            {"event_wait", table.event_wait == nullptr},
                            {"event_query", table.event_query == nullptr},
                        });
}

void check_tolerance(const tenon_tolerance& desc, const What& what) {
  check_flags_zero(desc.flags, what);
  text_of(desc.op, what);
  if (text_of(desc.reason, what).empty()) {
    refuse(what + ": `reason` is empty; say in a sentence why the bits may differ");
  }
  if (!tensor::is_float(desc.dtype)) {
    refuse(what + " has dtype " + std::to_string(desc.dtype) +
           "; TENON_DTYPE_F16, BF16, F32 or F64 is needed");
  }
  const auto check = [&](const char* member, double value) {
    if (std::isfinite(value) && value >= 0) return;
    refuse(what + ": `" + member + "` is " + std::to_string(value) +
           "; a finite number of 0 or more is needed");
  };
  check("ulp", desc.ulp);
  check("relative", desc.relative);
}

void check_optimizer_sample(const tenon_optimizer_sample& desc, const What& what) {
  check_flags_zero(desc.flags, what);
  text_of(desc.optimizer, what);
  text_of(desc.text, what);
  text_of(desc.fragment, what);
  if (desc.expect == TENON_OK && desc.steps == 0) refuse(what + ": `steps` is 0; 1 or more");
}

}  // namespace tenon::registry
