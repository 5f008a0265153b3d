// SPDX-License-Identifier: Apache-2.0
// tests/api/fault_layer_support.cc: right calls of layers.
#include "tests/api/fault_sweep_support.h"

namespace tenon::tests {
namespace {

tenon_status make_norm(FaultWorld& w) {
  static constexpr tenon_string name = {"features", TENON_NUL};
  tenon_value three{TENON_VALUE_I64, 0, {}};
  three.as.i64 = 3;
  return tenon_layer_create(w.cx, "tenon.batch_norm", TENON_NUL, nullptr, &name, &three, 1,
                            &w.outs.layer);
}

tenon_status make_attention(FaultWorld& w) {
  static constexpr tenon_string names[] = {{"width", TENON_NUL}, {"heads", TENON_NUL}};
  tenon_value sizes[2] = {{TENON_VALUE_I64, 0, {}}, {TENON_VALUE_I64, 0, {}}};
  sizes[0].as.i64 = 2;
  sizes[1].as.i64 = 1;
  return tenon_layer_create(w.cx, "tenon.multi_head_attention", TENON_NUL, nullptr, names, sizes, 2,
                            &w.outs.layer);
}

tenon_status make_container(FaultWorld& w) {
  return tenon_layer_create(w.cx, "tenon.sequential", TENON_NUL, nullptr, nullptr, nullptr, 0,
                            &w.outs.layer);
}

// The layer is what the calls must leave as it was: made anew each time.
void add_caches(FaultRows& rows) {
  static tenon_layer* attention = nullptr;
  const auto add = [&](const char* function, auto&& call, bool cached) {
    rows.push_back({function,
                    "attention",
                    call,
                    {},
                    [cached](FaultWorld& w) {
                      EXPECT_EQ(make_attention(w), TENON_OK);
                      attention = w.outs.layer;
                      w.reset_outs();
                      if (cached) {
                        EXPECT_EQ(tenon_layer_set_cache(w.cx, attention, 1, 2), TENON_OK);
                      }
                    },
                    false,
                    [](FaultWorld&, tenon_status) { tenon_layer_release(attention); }});
  };
  add(
      "tenon_layer_set_cache",
      [](FaultWorld& w) { return tenon_layer_set_cache(w.cx, attention, 1, 2); }, false);
  add(
      "tenon_layer_crop_cache",
      [](FaultWorld& w) { return tenon_layer_crop_cache(w.cx, attention, 0); }, true);
}

}  // namespace

FaultRows layer_faults() {
  FaultRows rows;
  sweep(rows, "tenon_layer_create", "parameters and buffers", make_norm);
  sweep(
      rows, "tenon_layer_release", "parameters and buffers",
      [](FaultWorld& w) {
        tenon_layer_release(w.outs.layer);
        return TENON_OK;
      },
      [](FaultWorld& w) { w.reset_outs(); },
      [](FaultWorld& w) { EXPECT_EQ(make_norm(w), TENON_OK); });
  // The container is what the call must leave as it was: made anew each time.
  static tenon_layer* container = nullptr;
  rows.push_back(
      {"tenon_layer_set_child",
       "to a container",
       [](FaultWorld& w) { return tenon_layer_set_child(w.cx, container, "", 0, w.own.layer); },
       {},
       [](FaultWorld& w) {
         EXPECT_EQ(make_container(w), TENON_OK);
         container = w.outs.layer;
         w.reset_outs();
       },
       false,
       [](FaultWorld&, tenon_status) { tenon_layer_release(container); }});
  sweep(rows, "tenon_layer_set_training", "evaluation",
        [](FaultWorld& w) { return tenon_layer_set_training(w.cx, w.own.layer, 0); });
  sweep(
      rows, "tenon_layer_set_device", "linear, there",
      [](FaultWorld& w) { return tenon_layer_set_device(w.cx, w.own.layer, &w.device); },
      [](FaultWorld& w) {
        EXPECT_EQ(tenon_layer_set_device(w.cx, w.own.layer, nullptr), TENON_OK);
      });
  add_caches(rows);
  sweep(rows, "tenon_layer_call", "linear", [](FaultWorld& w) {
    const tenon_value x = value_of(w.t);
    return tenon_layer_call(w.cx, w.own.layer, &x, 1, w.outs.tensors, 1);
  });
  sweep(
      rows, "tenon_layer_get_tensor", "the first",
      [](FaultWorld& w) {
        return tenon_layer_get_tensor(w.cx, w.own.layer, 0, &w.outs.name, &w.outs.index,
                                      &w.outs.tensors[0]);
      },
      [](FaultWorld& w) { w.reset_outs(); });
  sweep(
      rows, "tenon_layer_get_parameter", "the first",
      [](FaultWorld& w) {
        return tenon_layer_get_parameter(w.cx, w.own.layer, 0, &w.outs.name, &w.outs.tensors[0]);
      },
      [](FaultWorld& w) { w.reset_outs(); });
  sweep(
      rows, "tenon_layer_find_tensor", "the bias",
      [](FaultWorld& w) {
        return tenon_layer_find_tensor(w.cx, w.own.layer, "bias", TENON_NUL, &w.outs.tensors[0]);
      },
      [](FaultWorld& w) { w.reset_outs(); });
  sweep(rows, "tenon_layer_set_tensor", "the weight", [](FaultWorld& w) {
    return tenon_layer_set_tensor(w.cx, w.own.layer, "weight", TENON_NUL, w.t);
  });
  sweep(rows, "tenon_layer_share_tensor", "a weight that would not be trained", [](FaultWorld& w) {
    const tenon_status status =
        tenon_layer_share_tensor(w.cx, w.own.layer, "weight", TENON_NUL, w.t);
    return status == TENON_E_GRAD ? TENON_OK : status;
  });
  return rows;
}

}  // namespace tenon::tests
