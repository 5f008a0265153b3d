// SPDX-License-Identifier: Apache-2.0
// tests/api/fault_entry_support.cc: right calls of what says which entries there are.
#include <utility>

#include "tests/api/fault_sweep_support.h"

namespace tenon::tests {
namespace {

// A container with one layer in it, made anew for each call.
tenon_layer* container = nullptr;

void make_container(FaultWorld& w) {
  tenon_layer* child = nullptr;
  EXPECT_EQ(tenon_layer_create(w.cx, "tenon.sequential", TENON_NUL, nullptr, nullptr, nullptr, 0,
                               &container),
            TENON_OK);
  EXPECT_EQ(
      tenon_layer_create(w.cx, "tenon.dropout", TENON_NUL, nullptr, nullptr, nullptr, 0, &child),
      TENON_OK);
  EXPECT_EQ(tenon_layer_set_child(w.cx, container, "a_child_with_a_name_that_is_not_short",
                                  TENON_NUL, child),
            TENON_OK);
  tenon_layer_release(child);
}

void add_children(FaultRows& rows) {
  sweep(
      rows, "tenon_layer_get_child", "the first",
      [](FaultWorld& w) {
        return tenon_layer_get_child(w.cx, container, 0, &w.outs.name, w.outs.strings);
      },
      {}, make_container);
  rows.back().check = [](FaultWorld&, tenon_status) {
    tenon_layer_release(std::exchange(container, nullptr));
  };
}

}  // namespace

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
  add_children(rows);
  return rows;
}

}  // namespace tenon::tests
