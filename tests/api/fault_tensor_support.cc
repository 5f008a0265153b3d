// SPDX-License-Identifier: Apache-2.0
// tests/api/fault_tensor_support.cc: right calls of tensors and gradients.
#include <tenon/ext/draft/ownership.h>

#include "core/exchange/dlpack.h"
#include "tests/api/fault_sweep_support.h"

namespace tenon::tests {
namespace {

namespace dlpack = exchange::dlpack;

constexpr int64_t kShape[] = {2, 3};
constexpr int64_t kStrides[] = {1, 2};
constexpr float kNumbers[] = {1, 2, 3, 4, 5, 6};

// A producer's tensor; `deleted` counts.
struct Producer {
  dlpack::Managed managed{};
  int64_t shape[2] = {2, 3};
  float numbers[6] = {};
  int deleted = 0;
};

Producer& producer() {
  static Producer one;
  one.managed = {};
  one.managed.version = {dlpack::kMajor, 0};
  one.managed.manager = &one;
  one.managed.deleter = [](dlpack::Managed* managed) {
    ++static_cast<Producer*>(managed->manager)->deleted;
  };
  one.managed.array.data = one.numbers;
  one.managed.array.device = {dlpack::kHostMemory, 0};
  one.managed.array.rank = 2;
  one.managed.array.dtype = {2, 32, 1};
  one.managed.array.shape = one.shape;
  one.deleted = 0;
  return one;
}

void keep_borrowed(FaultWorld& w) { w.reset_outs(); }

void add_clones(FaultRows& rows) {
  const auto clone = [&rows](const char* what, uint32_t layout, auto which) {
    sweep(rows, "tenon_tensor_create_clone", what, [layout, which](FaultWorld& w) {
      return tenon_tensor_create_clone(w.cx, which(w), layout, &w.outs.tensors[0]);
    });
  };
  clone("row-major", TENON_CLONE_ROW_MAJOR, [](FaultWorld& w) { return w.across; });
  clone("transposed", TENON_CLONE_PRESERVE, [](FaultWorld& w) { return w.across; });
  clone("with zero strides", TENON_CLONE_PRESERVE, [](FaultWorld& w) { return w.spread; });
  clone("recorded", TENON_CLONE_PRESERVE, [](FaultWorld& w) { return w.own.parameter; });
  clone("on a device", TENON_CLONE_PRESERVE, [](FaultWorld& w) { return w.remote; });
}

// long: a table of calls
void add_creation(FaultRows& rows) {
  sweep(rows, "tenon_tensor_create", "on the host", [](FaultWorld& w) {
    return tenon_tensor_create(w.cx, TENON_DTYPE_F32, nullptr, 2, kShape, &w.outs.tensors[0]);
  });
  sweep(rows, "tenon_tensor_create", "on a device", [](FaultWorld& w) {
    return tenon_tensor_create(w.cx, TENON_DTYPE_F32, &w.device, 2, kShape, &w.outs.tensors[0]);
  });
  sweep(rows, "tenon_tensor_create_from", "on the host", [](FaultWorld& w) {
    return tenon_tensor_create_from(w.cx, TENON_DTYPE_F32, nullptr, 2, kShape, kNumbers,
                                    sizeof kNumbers, &w.outs.tensors[0]);
  });
  sweep(rows, "tenon_tensor_create_from", "on a device", [](FaultWorld& w) {
    return tenon_tensor_create_from(w.cx, TENON_DTYPE_F32, &w.device, 2, kShape, kNumbers,
                                    sizeof kNumbers, &w.outs.tensors[0]);
  });
  sweep(rows, "tenon_tensor_create_external", "with strides", [](FaultWorld& w) {
    return tenon_tensor_create_external(w.cx, TENON_DTYPE_F32, 2, kShape, kStrides, w.memory, 0,
                                        nullptr, nullptr, &w.outs.tensors[0]);
  });
  sweep(rows, "tenon_tensor_create_view", "a window", [](FaultWorld& w) {
    return tenon_tensor_create_view(w.cx, w.t, 2, kShape, kStrides, 0, &w.outs.tensors[0]);
  });
  sweep(rows, "tenon_tensor_create_detached", "a recorded one", [](FaultWorld& w) {
    return tenon_tensor_create_detached(w.cx, w.computed, &w.outs.tensors[0]);
  });
  sweep(rows, "tenon_tensor_create_copy", "to a device", [](FaultWorld& w) {
    return tenon_tensor_create_copy(w.cx, w.across, &w.device, &w.outs.tensors[0]);
  });
  sweep(rows, "tenon_tensor_create_copy", "from a device", [](FaultWorld& w) {
    return tenon_tensor_create_copy(w.cx, w.remote, nullptr, &w.outs.tensors[0]);
  });
  sweep(rows, "tenon_tensor_create_copy", "between devices", [](FaultWorld& w) {
    return tenon_tensor_create_copy(w.cx, w.away, &w.device, &w.outs.tensors[0]);
  });
  add_clones(rows);
  sweep(rows, "tenon_tensor_create_dlpack", "a producer's", [](FaultWorld& w) {
    Producer& from = producer();
    const tenon_status status = tenon_tensor_create_dlpack(w.cx, &from.managed, &w.outs.tensors[0]);
    EXPECT_EQ(from.deleted, 0) << "it is still the producer's, or the tensor's";
    return status;
  });
  sweep(rows, "tenon_tensor_create_dlpack", "of another major", [](FaultWorld& w) {
    Producer& from = producer();
    from.managed.version.major = 2;
    const tenon_status status = tenon_tensor_create_dlpack(w.cx, &from.managed, &w.outs.tensors[0]);
    EXPECT_EQ(from.deleted, status == TENON_E_UNSUPPORTED ? 1 : 0);
    return status == TENON_E_UNSUPPORTED ? TENON_OK : status;
  });
  sweep(
      rows, "tenon_tensor_get_dlpack", "a tensor",
      [](FaultWorld& w) { return tenon_tensor_get_dlpack(w.cx, w.t, &w.outs.managed); },
      [](FaultWorld& w) {
        dlpack::Managed* managed = static_cast<dlpack::Managed*>(w.outs.managed);
        managed->deleter(managed);
      });
  sweep(
      rows, "tenon_tensor_retain", "a tensor",
      [](FaultWorld& w) { return tenon_tensor_retain(w.t); },
      [](FaultWorld& w) { tenon_tensor_release(w.t); });
  sweep(
      rows, "tenon_tensor_release", "a recorded one",
      [](FaultWorld& w) {
        tenon_tensor_release(w.spare);
        return TENON_OK;
      },
      {},
      [](FaultWorld& w) {
        const tenon_value inputs[] = {value_of(w.both), value_of(w.both)};
        EXPECT_EQ(tenon_op_call(w.cx, w.own.add, inputs, 2, nullptr, 0, &w.spare, 1), TENON_OK);
      });
}

void add_reading(FaultRows& rows) {
  sweep(rows, "tenon_tensor_is_alone", "a tensor", [](FaultWorld& w) {
    return tenon_tensor_is_alone(w.t) <= 1 ? TENON_OK : TENON_E_INTERNAL;
  });
  sweep(rows, "tenon_tensor_is_held_by", "a tensor", [](FaultWorld& w) {
    return tenon_tensor_is_held_by(w.t, 1) <= 1 ? TENON_OK : TENON_E_INTERNAL;
  });
  sweep(rows, "tenon_dtype_get_info", "a dtype", [](FaultWorld& w) {
    return tenon_dtype_get_info(w.cx, TENON_DTYPE_BF16, &w.outs.dtype_info);
  });
  sweep(rows, "tenon_tensor_get_view", "a tensor",
        [](FaultWorld& w) { return tenon_tensor_get_view(w.cx, w.t, &w.outs.view); });
  sweep(rows, "tenon_tensor_get_info", "a recorded one",
        [](FaultWorld& w) { return tenon_tensor_get_info(w.cx, w.computed, &w.outs.tensor_info); });
  sweep(rows, "tenon_tensor_set_data", "of a device", [](FaultWorld& w) {
    return tenon_tensor_set_data(w.cx, w.remote, kNumbers, sizeof kNumbers);
  });
  sweep(rows, "tenon_tensor_set_data", "transposed", [](FaultWorld& w) {
    return tenon_tensor_set_data(w.cx, w.across, kNumbers, sizeof kNumbers);
  });
  sweep(rows, "tenon_tensor_get_data", "of a device", [](FaultWorld& w) {
    return tenon_tensor_get_data(w.cx, w.remote, w.outs.data, sizeof w.outs.data);
  });
  sweep(rows, "tenon_tensor_get_data", "transposed", [](FaultWorld& w) {
    return tenon_tensor_get_data(w.cx, w.across, w.outs.data, sizeof w.outs.data);
  });
  sweep(
      rows, "tenon_tensor_get_item", "of a device",
      [](FaultWorld& w) { return tenon_tensor_get_item(w.cx, w.spare, &w.outs.value); }, {},
      [](FaultWorld& w) {
        const float one = 1;
        EXPECT_EQ(tenon_tensor_create_from(w.cx, TENON_DTYPE_F32, &w.device, 0, nullptr, &one,
                                           sizeof one, &w.spare),
                  TENON_OK);
      });
  for (const uint32_t flags : {0u, TENON_TEXT_INFO}) {
    sweep(rows, "tenon_tensor_get_text", "flags " + std::to_string(flags), [flags](FaultWorld& w) {
      return tenon_tensor_get_text(w.cx, w.across, flags, &w.outs.text);
    });
    sweep(rows, "tenon_tensor_get_text", "of a device, flags " + std::to_string(flags),
          [flags](FaultWorld& w) {
            return tenon_tensor_get_text(w.cx, w.remote, flags, &w.outs.text);
          });
  }
}

void drop_gradients(FaultWorld& w) {
  for (tenon_tensor* tensor : {w.own.parameter, w.second, w.table, w.remote_leaf}) {
    EXPECT_EQ(tenon_tensor_set_grad(w.cx, tensor, nullptr), TENON_OK);
  }
}

tenon_status backward(FaultWorld& w, tenon_tensor* root, tenon_tensor* seed, uint32_t flags) {
  return tenon_backward_run(w.cx, &root, &seed, 1, flags);
}

// Element 1 of a leaf's gradient.
float gradient_of(FaultWorld& w, tenon_tensor* leaf) {
  tenon_tensor* grad = nullptr;
  EXPECT_EQ(tenon_tensor_get_grad(w.cx, leaf, &grad), TENON_OK);
  float numbers[6] = {};
  EXPECT_EQ(tenon_tensor_get_data(w.cx, grad, numbers, sizeof numbers), TENON_OK);
  return numbers[1];
}

void add_leaves(FaultRows& rows) {
  sweep(
      rows, "tenon_tensor_set_requires_grad", "on",
      [](FaultWorld& w) { return tenon_tensor_set_requires_grad(w.cx, w.t, 1); },
      [](FaultWorld& w) { tenon_tensor_set_requires_grad(w.cx, w.t, 0); });
  sweep(
      rows, "tenon_tensor_get_grad", "dense",
      [](FaultWorld& w) {
        return tenon_tensor_get_grad(w.cx, w.own.parameter, &w.outs.tensors[0]);
      },
      keep_borrowed);
  sweep(
      rows, "tenon_tensor_get_grad_rows", "rows",
      [](FaultWorld& w) {
        return tenon_tensor_get_grad_rows(w.cx, w.table, &w.outs.tensors[0], &w.outs.tensors[1]);
      },
      [](FaultWorld& w) {
        w.reset_outs();
        drop_gradients(w);
      },
      [](FaultWorld& w) {
        EXPECT_EQ(backward(w, w.looked_up, w.t, TENON_BACKWARD_RETAIN), TENON_OK);
      });
  sweep(
      rows, "tenon_tensor_set_grad", "a gradient",
      [](FaultWorld& w) { return tenon_tensor_set_grad(w.cx, w.own.parameter, w.t); },
      drop_gradients);
}

// The gradients of two leaves, which are there already, change together or not at all.
void add_sums(FaultRows& rows) {
  static float before[2];
  sweep(
      rows, "tenon_backward_run", "adds to two leaves",
      [](FaultWorld& w) { return backward(w, w.both, w.t, TENON_BACKWARD_RETAIN); }, drop_gradients,
      [](FaultWorld& w) {
        drop_gradients(w);
        EXPECT_EQ(backward(w, w.both, w.t, TENON_BACKWARD_RETAIN), TENON_OK);
        before[0] = gradient_of(w, w.own.parameter);
        before[1] = gradient_of(w, w.second);
        EXPECT_NE(before[0] * before[1], 0);
      });
  rows.back().check = [](FaultWorld& w, tenon_status status) {
    const float times = status == TENON_OK ? 2.0f : 1.0f;
    EXPECT_EQ(gradient_of(w, w.own.parameter), before[0] * times);
    EXPECT_EQ(gradient_of(w, w.second), before[1] * times);
    drop_gradients(w);
  };
}

void add_walks(FaultRows& rows) {
  sweep(
      rows, "tenon_backward_run", "two new gradients",
      [](FaultWorld& w) { return backward(w, w.both, w.t, TENON_BACKWARD_RETAIN); },
      drop_gradients);
  sweep(
      rows, "tenon_backward_run", "rows",
      [](FaultWorld& w) { return backward(w, w.looked_up, w.t, TENON_BACKWARD_RETAIN); },
      drop_gradients);
  sweep(
      rows, "tenon_backward_run", "keeps its graph",
      [](FaultWorld& w) { return backward(w, w.both, w.t, TENON_BACKWARD_CREATE_GRAPH); },
      drop_gradients);
  // Without TENON_BACKWARD_RETAIN saved values go while it walks, also where it then fails.
  sweep(
      rows, "tenon_backward_run", "on a device",
      [](FaultWorld& w) { return backward(w, w.spare, w.remote, 0); }, drop_gradients,
      [](FaultWorld& w) {
        const tenon_value inputs[] = {value_of(w.remote_leaf), value_of(w.remote)};
        EXPECT_EQ(tenon_op_call(w.cx, w.op("tenon.mul"), inputs, 2, nullptr, 0, &w.spare, 1),
                  TENON_OK);
      });
  rows.back().uses_up = true;
  sweep(rows, "tenon_gradient_call", "two inputs", [](FaultWorld& w) {
    tenon_tensor* inputs[] = {w.own.parameter, w.second};
    return tenon_gradient_call(w.cx, &w.both, &w.t, 1, inputs, 2, TENON_BACKWARD_RETAIN,
                               w.outs.tensors);
  });
  sweep(rows, "tenon_gradient_call", "of rows", [](FaultWorld& w) {
    return tenon_gradient_call(w.cx, &w.looked_up, &w.t, 1, &w.table, 1, TENON_BACKWARD_RETAIN,
                               w.outs.tensors);
  });
}

tenon_status doubled(tenon_context* cx, tenon_tensor* gradient, tenon_tensor** out, void*) {
  const tenon_op* add = nullptr;
  const tenon_status status = tenon_op_find(cx, "tenon.add", TENON_NUL, 0, &add);
  if (status != TENON_OK) return status;
  const tenon_value both[] = {value_of(gradient), value_of(gradient)};
  return tenon_op_call(cx, add, both, 2, nullptr, 0, out, 1);
}

tenon_status square(tenon_context* cx, tenon_tensor* const* inputs, uint32_t, tenon_tensor** out,
                    uint32_t, void*) {
  const tenon_op* mul = nullptr;
  const tenon_status status = tenon_op_find(cx, "tenon.mul", TENON_NUL, 0, &mul);
  if (status != TENON_OK) return status;
  const tenon_value both[] = {value_of(inputs[0]), value_of(inputs[0])};
  return tenon_op_call(cx, mul, both, 2, nullptr, 0, out, 1);
}

void add_functions(FaultRows& rows) {
  const auto call = [](FaultWorld& w, uint32_t flags) {
    return tenon_function_call(w.cx, square, nullptr, &w.own.parameter, 1, &w.t, 1, flags,
                               &w.outs.tensors[0], &w.outs.tensors[1]);
  };
  sweep(rows, "tenon_function_call", "a square", [call](FaultWorld& w) { return call(w, 0); });
  sweep(rows, "tenon_function_call", "keeps its graph",
        [call](FaultWorld& w) { return call(w, TENON_BACKWARD_CREATE_GRAPH); });
  for (const char* topic : {"json", "dot", "svg", "svg/LR"}) {
    sweep(rows, "tenon_graph_query", topic, [topic](FaultWorld& w) {
      return tenon_graph_query(w.cx, &w.both, 1, topic, TENON_NUL, &w.outs.text);
    });
  }
}

void add_hooks(FaultRows& rows) {
  static uint64_t hook;
  const auto begin = [](FaultWorld& w) {
    EXPECT_EQ(tenon_hook_begin(w.cx, w.second, doubled, nullptr, nullptr, &hook), TENON_OK);
  };
  sweep(
      rows, "tenon_hook_begin", "of a leaf",
      [](FaultWorld& w) {
        return tenon_hook_begin(w.cx, w.second, doubled, nullptr, nullptr, &w.outs.numbers[0]);
      },
      [](FaultWorld& w) {
        EXPECT_EQ(tenon_hook_end(w.cx, w.second, w.outs.numbers[0]), TENON_OK);
      });
  sweep(
      rows, "tenon_hook_end", "of a leaf",
      [](FaultWorld& w) { return tenon_hook_end(w.cx, w.second, hook); }, {}, begin);
  sweep(
      rows, "tenon_backward_run", "calls a hook",
      [](FaultWorld& w) { return backward(w, w.both, w.t, TENON_BACKWARD_RETAIN); }, drop_gradients,
      begin);
  rows.back().check = [](FaultWorld& w, tenon_status) {
    EXPECT_EQ(tenon_hook_end(w.cx, w.second, hook), TENON_OK);
  };
  sweep(
      rows, "tenon_tensor_set_retain_grad", "of what an op made",
      [](FaultWorld& w) { return tenon_tensor_set_retain_grad(w.cx, w.both, 1); },
      [](FaultWorld& w) { EXPECT_EQ(tenon_tensor_set_retain_grad(w.cx, w.both, 0), TENON_OK); });
}

}  // namespace

FaultRows tensor_faults() {
  FaultRows rows;
  add_creation(rows);
  add_reading(rows);
  return rows;
}

FaultRows gradient_faults() {
  FaultRows rows;
  add_leaves(rows);
  add_sums(rows);
  add_walks(rows);
  add_functions(rows);
  add_hooks(rows);
  return rows;
}

}  // namespace tenon::tests
