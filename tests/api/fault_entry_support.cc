// SPDX-License-Identifier: Apache-2.0
// tests/api/fault_entry_support.cc: right calls of what says which entries there are.
#include "tests/api/fault_sweep_support.h"

namespace tenon::tests {

FaultRows entry_faults() {
  FaultRows rows;
  for (const char* kind : {"kind", "op", "layers"}) {
    sweep(rows, "tenon_kind_get_names", kind, [kind](FaultWorld& w) {
      return tenon_kind_get_names(w.cx, kind, TENON_NUL, 2, w.outs.strings, &w.outs.index);
    });
  }
  for (const auto& [kind, name] : {std::pair{"op", "tenon.sum"},
                                   {"optimizer", "tenon.adam"},
                                   {"", "tenon.cosine"},
                                   {"layer", "tenon.linear"}}) {
    const auto entry = [&](const char* function, auto call) {
      sweep(rows, function, name,
            [call, of = kind, which = name](FaultWorld& w) { return call(w, of, which); });
    };
    entry("tenon_entry_get_info", [](FaultWorld& w, const char* of, const char* which) {
      return tenon_entry_get_info(w.cx, of, TENON_NUL, which, TENON_NUL, &w.outs.entry_info);
    });
    entry("tenon_entry_get_option", [](FaultWorld& w, const char* of, const char* which) {
      return tenon_entry_get_option(w.cx, of, TENON_NUL, which, TENON_NUL, 0, &w.outs.entry_option);
    });
    entry("tenon_entry_get_part", [](FaultWorld& w, const char* of, const char* which) {
      return tenon_entry_get_part(w.cx, of, TENON_NUL, which, TENON_NUL, 0, &w.outs.entry_part);
    });
  }
  return rows;
}

}  // namespace tenon::tests
