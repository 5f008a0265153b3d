// SPDX-License-Identifier: Apache-2.0
// tests/api/gradient_rows_support.cc: wrong calls of gradients.
#include "tests/api/wrong_input_support.h"

namespace tenon::tests {
namespace {

void add_leaves(Rows& rows) {
  add_contexts(rows, "tenon_tensor_set_requires_grad", [](World& w, tenon_context* cx) {
    return tenon_tensor_set_requires_grad(cx, w.t, 1);
  });
  add_handles(rows, "tenon_tensor_set_requires_grad", Kind::Tensor, [](World& w, void* handle) {
    return tenon_tensor_set_requires_grad(w.cx, static_cast<tenon_tensor*>(handle), 1);
  });
  add(rows, "tenon_tensor_set_requires_grad", "integers", TENON_E_DTYPE,
      [](World& w) { return tenon_tensor_set_requires_grad(w.cx, w.integers, 1); });
  add(rows, "tenon_tensor_set_requires_grad", "no leaf", TENON_E_GRAD,
      [](World& w) { return tenon_tensor_set_requires_grad(w.cx, w.computed, 1); });

  add_contexts(rows, "tenon_tensor_get_grad", [](World& w, tenon_context* cx) {
    return tenon_tensor_get_grad(cx, w.own.parameter, &w.outs.tensors[0]);
  });
  add_handles(rows, "tenon_tensor_get_grad", Kind::Tensor, [](World& w, void* handle) {
    return tenon_tensor_get_grad(w.cx, static_cast<tenon_tensor*>(handle), &w.outs.tensors[0]);
  });
  add(rows, "tenon_tensor_get_grad", "no leaf", TENON_E_GRAD,
      [](World& w) { return tenon_tensor_get_grad(w.cx, w.computed, &w.outs.tensors[0]); });
  add(rows, "tenon_tensor_get_grad", "NULL out", TENON_E_ARGUMENT,
      [](World& w) { return tenon_tensor_get_grad(w.cx, w.own.parameter, nullptr); });

  add_contexts(rows, "tenon_tensor_get_grad_rows", [](World& w, tenon_context* cx) {
    return tenon_tensor_get_grad_rows(cx, w.own.parameter, &w.outs.tensors[0], &w.outs.tensors[1]);
  });
  add_handles(rows, "tenon_tensor_get_grad_rows", Kind::Tensor, [](World& w, void* handle) {
    return tenon_tensor_get_grad_rows(w.cx, static_cast<tenon_tensor*>(handle), &w.outs.tensors[0],
                                      &w.outs.tensors[1]);
  });
  add(rows, "tenon_tensor_get_grad_rows", "NULL outs", TENON_E_ARGUMENT, [](World& w) {
    EXPECT_EQ(tenon_tensor_get_grad_rows(w.cx, w.own.parameter, nullptr, &w.outs.tensors[1]),
              TENON_E_ARGUMENT);
    return tenon_tensor_get_grad_rows(w.cx, w.own.parameter, &w.outs.tensors[0], nullptr);
  });
  add(rows, "tenon_tensor_get_grad_rows", "dense gradient", TENON_E_ROWS, [](World& w) {
    EXPECT_EQ(tenon_tensor_set_grad(w.cx, w.own.parameter, w.t), TENON_OK);
    const tenon_status status =
        tenon_tensor_get_grad_rows(w.cx, w.own.parameter, &w.outs.tensors[0], &w.outs.tensors[1]);
    EXPECT_EQ(tenon_tensor_set_grad(w.cx, w.own.parameter, nullptr), TENON_OK);
    return status;
  });
}

void add_set_grad(Rows& rows) {
  add_contexts(rows, "tenon_tensor_set_grad", [](World& w, tenon_context* cx) {
    return tenon_tensor_set_grad(cx, w.own.parameter, nullptr);
  });
  add_handles(rows, "tenon_tensor_set_grad", Kind::Tensor, [](World& w, void* handle) {
    return tenon_tensor_set_grad(w.cx, static_cast<tenon_tensor*>(handle), nullptr);
  });
  const auto wrong = [&](const char* what, tenon_status expected,
                         std::function<tenon_tensor*(World&)> grad) {
    add(rows, "tenon_tensor_set_grad", what, expected,
        [grad](World& w) { return tenon_tensor_set_grad(w.cx, w.own.parameter, grad(w)); });
  };
  wrong("released gradient", TENON_E_HANDLE,
        [](World& w) { return static_cast<tenon_tensor*>(w.released(Kind::Tensor)); });
  wrong("gradient of another runtime", TENON_E_RUNTIME, [](World& w) { return w.other.tensor; });
  wrong("gradient of another shape", TENON_E_SHAPE, [](World& w) { return w.wide; });
  wrong("gradient of another dtype", TENON_E_DTYPE, [](World& w) { return w.integers; });
  wrong("its own gradient", TENON_E_ARGUMENT, [](World& w) { return w.own.parameter; });
  wrong("gradient on another device", TENON_E_DEVICE, [](World& w) { return w.away; });
  add(rows, "tenon_tensor_set_grad", "no gradient wanted", TENON_E_GRAD,
      [](World& w) { return tenon_tensor_set_grad(w.cx, w.t, w.own.parameter); });
  add(rows, "tenon_tensor_set_grad", "no leaf", TENON_E_GRAD,
      [](World& w) { return tenon_tensor_set_grad(w.cx, w.computed, w.t); });
}

using Walk = std::function<tenon_status(World&, tenon_context*, tenon_tensor* const*,
                                        tenon_tensor* const*, uint32_t, uint32_t)>;

// What both walks refuse.
void add_walk(Rows& rows, const std::string& function, Walk walk) {
  add_contexts(rows, function, [walk](World& w, tenon_context* cx) {
    return walk(w, cx, &w.computed, &w.t, 1, 0);
  });
  add_handles(rows, function, Kind::Tensor, [walk](World& w, void* handle) {
    tenon_tensor* root = static_cast<tenon_tensor*>(handle);
    return walk(w, w.cx, &root, nullptr, 1, 0);
  });
  add(rows, function, "NULL roots", TENON_E_ARGUMENT,
      [walk](World& w) { return walk(w, w.cx, nullptr, nullptr, 1, 0); });
  add(rows, function, "root without a graph", TENON_E_GRAD,
      [walk](World& w) { return walk(w, w.cx, &w.t, &w.t, 1, 0); });
  add(rows, function, "no seed for six elements", TENON_E_GRAD,
      [walk](World& w) { return walk(w, w.cx, &w.computed, nullptr, 1, 0); });
  add(rows, function, "seed of another shape", TENON_E_SHAPE,
      [walk](World& w) { return walk(w, w.cx, &w.computed, &w.wide, 1, 0); });
  add(rows, function, "seed of another dtype", TENON_E_SHAPE,
      [walk](World& w) { return walk(w, w.cx, &w.computed, &w.integers, 1, 0); });
  add(rows, function, "seed on another device", TENON_E_SHAPE,
      [walk](World& w) { return walk(w, w.cx, &w.computed, &w.away, 1, 0); });
  add(rows, function, "seed of another runtime", TENON_E_RUNTIME,
      [walk](World& w) { return walk(w, w.cx, &w.computed, &w.other.tensor, 1, 0); });
  add(rows, function, "released seed", TENON_E_HANDLE, [walk](World& w) {
    tenon_tensor* seed = static_cast<tenon_tensor*>(w.released(Kind::Tensor));
    return walk(w, w.cx, &w.computed, &seed, 1, 0);
  });
  add_unknown_flags(
      rows, function, TENON_BACKWARD_RETAIN | TENON_BACKWARD_CREATE_GRAPH,
      [walk](World& w, uint32_t flags) { return walk(w, w.cx, &w.computed, &w.t, 1, flags); });
}

void add_walks(Rows& rows) {
  add_walk(
      rows, "tenon_backward_run",
      [](World&, tenon_context* cx, tenon_tensor* const* roots, tenon_tensor* const* seeds,
         uint32_t n, uint32_t flags) { return tenon_backward_run(cx, roots, seeds, n, flags); });
  add_walk(rows, "tenon_gradient_call",
           [](World& w, tenon_context* cx, tenon_tensor* const* roots, tenon_tensor* const* seeds,
              uint32_t n, uint32_t flags) {
             return tenon_gradient_call(cx, roots, seeds, n, &w.own.parameter, 1, flags,
                                        w.outs.tensors);
           });
  const auto inputs = [&](const char* what, tenon_status expected,
                          std::function<tenon_tensor*(World&)> input) {
    add(rows, "tenon_gradient_call", what, expected, [input](World& w) {
      tenon_tensor* wanted = input(w);
      return tenon_gradient_call(w.cx, &w.computed, &w.t, 1, &wanted, 1, TENON_BACKWARD_RETAIN,
                                 w.outs.tensors);
    });
  };
  inputs("NULL input", TENON_E_HANDLE, [](World&) { return nullptr; });
  inputs("input of another runtime", TENON_E_RUNTIME, [](World& w) { return w.other.parameter; });
  inputs("input without a gradient", TENON_E_GRAD, [](World& w) { return w.t; });
  add(rows, "tenon_gradient_call", "NULL inputs", TENON_E_ARGUMENT, [](World& w) {
    return tenon_gradient_call(w.cx, &w.computed, &w.t, 1, nullptr, 1, TENON_BACKWARD_RETAIN,
                               w.outs.tensors);
  });
  add(rows, "tenon_gradient_call", "NULL out", TENON_E_ARGUMENT, [](World& w) {
    return tenon_gradient_call(w.cx, &w.computed, &w.t, 1, &w.own.parameter, 1,
                               TENON_BACKWARD_RETAIN, nullptr);
  });
}

tenon_status first_input(tenon_context*, tenon_tensor* const* inputs, uint32_t, tenon_tensor** out,
                         uint32_t, void*) {
  *out = inputs[0];
  return tenon_tensor_retain(inputs[0]);
}

tenon_status call_function(World& w, tenon_context* cx, tenon_tensor* input, uint32_t flags) {
  return tenon_function_call(cx, first_input, nullptr, &input, 1, &w.t, 1, flags,
                             &w.outs.tensors[0], &w.outs.tensors[1]);
}

void add_functions(Rows& rows) {
  const char* const name = "tenon_function_call";
  add_contexts(rows, name,
               [](World& w, tenon_context* cx) { return call_function(w, cx, w.t, 0); });
  add_handles(rows, name, Kind::Tensor, [](World& w, void* handle) {
    return call_function(w, w.cx, static_cast<tenon_tensor*>(handle), 0);
  });
  add_unknown_flags(rows, name, TENON_BACKWARD_CREATE_GRAPH,
                    [](World& w, uint32_t flags) { return call_function(w, w.cx, w.t, flags); });
  const auto pointers = [&](const char* what, tenon_function_fn function, bool inputs,
                            bool outputs) {
    add(rows, name, what, TENON_E_ARGUMENT, [=](World& w) {
      return tenon_function_call(w.cx, function, nullptr, inputs ? &w.t : nullptr, 1, &w.t, 1, 0,
                                 outputs ? &w.outs.tensors[0] : nullptr, &w.outs.tensors[1]);
    });
  };
  pointers("NULL function", nullptr, true, true);
  pointers("NULL inputs", first_input, false, true);
  pointers("NULL outputs", first_input, true, false);
  add(rows, name, "seed of another shape", TENON_E_SHAPE, [](World& w) {
    return tenon_function_call(w.cx, first_input, nullptr, &w.t, 1, &w.wide, 1, 0,
                               &w.outs.tensors[0], &w.outs.tensors[1]);
  });
}

tenon_status do_nothing(tenon_context*, tenon_tensor*, tenon_tensor**, void*) { return TENON_OK; }

tenon_status begin_hook(World& w, tenon_context* cx, tenon_tensor* tensor) {
  return tenon_hook_begin(cx, tensor, do_nothing, nullptr, nullptr, &w.outs.numbers[0]);
}

void add_hooks(Rows& rows) {
  add_contexts(rows, "tenon_hook_begin",
               [](World& w, tenon_context* cx) { return begin_hook(w, cx, w.own.parameter); });
  add_handles(rows, "tenon_hook_begin", Kind::Tensor, [](World& w, void* handle) {
    return begin_hook(w, w.cx, static_cast<tenon_tensor*>(handle));
  });
  add(rows, "tenon_hook_begin", "no gradient", TENON_E_GRAD,
      [](World& w) { return begin_hook(w, w.cx, w.t); });
  add(rows, "tenon_hook_begin", "NULL hook", TENON_E_ARGUMENT, [](World& w) {
    return tenon_hook_begin(w.cx, w.own.parameter, nullptr, nullptr, nullptr, &w.outs.numbers[0]);
  });
  add(rows, "tenon_hook_begin", "NULL out", TENON_E_ARGUMENT, [](World& w) {
    return tenon_hook_begin(w.cx, w.own.parameter, do_nothing, nullptr, nullptr, nullptr);
  });
  add_contexts(rows, "tenon_hook_end",
               [](World& w, tenon_context* cx) { return tenon_hook_end(cx, w.own.parameter, 1); });
  add_handles(rows, "tenon_hook_end", Kind::Tensor, [](World& w, void* handle) {
    return tenon_hook_end(w.cx, static_cast<tenon_tensor*>(handle), 1);
  });
  add(rows, "tenon_hook_end", "no such hook", TENON_E_NOT_FOUND,
      [](World& w) { return tenon_hook_end(w.cx, w.own.parameter, 12345); });
  add_contexts(rows, "tenon_tensor_set_retain_grad", [](World& w, tenon_context* cx) {
    return tenon_tensor_set_retain_grad(cx, w.computed, 1);
  });
  add_handles(rows, "tenon_tensor_set_retain_grad", Kind::Tensor, [](World& w, void* handle) {
    return tenon_tensor_set_retain_grad(w.cx, static_cast<tenon_tensor*>(handle), 1);
  });
  add(rows, "tenon_tensor_set_retain_grad", "no gradient", TENON_E_GRAD,
      [](World& w) { return tenon_tensor_set_retain_grad(w.cx, w.t, 1); });
}

tenon_status query_graph(World& w, tenon_context* cx, tenon_tensor* root, const char* topic) {
  return tenon_graph_query(cx, &root, 1, topic, TENON_NUL, &w.outs.text);
}

void add_graphs(Rows& rows) {
  add_contexts(rows, "tenon_graph_query",
               [](World& w, tenon_context* cx) { return query_graph(w, cx, w.computed, "json"); });
  add_handles(rows, "tenon_graph_query", Kind::Tensor, [](World& w, void* handle) {
    return query_graph(w, w.cx, static_cast<tenon_tensor*>(handle), "json");
  });
  for (const char* topic : {"png", "dot/UP"}) {
    add(rows, "tenon_graph_query", "unknown topic " + std::string(topic), TENON_E_NOT_FOUND,
        [topic](World& w) { return query_graph(w, w.cx, w.computed, topic); });
  }
  add(rows, "tenon_graph_query", "NULL topic", TENON_E_ARGUMENT,
      [](World& w) { return query_graph(w, w.cx, w.computed, nullptr); });
  add(rows, "tenon_graph_query", "NULL roots", TENON_E_ARGUMENT, [](World& w) {
    return tenon_graph_query(w.cx, nullptr, 1, "json", TENON_NUL, &w.outs.text);
  });
  add(rows, "tenon_graph_query", "NULL out", TENON_E_ARGUMENT,
      [](World& w) { return tenon_graph_query(w.cx, &w.computed, 1, "json", TENON_NUL, nullptr); });
}

}  // namespace

void add_gradient_rows(Rows& rows) {
  add_leaves(rows);
  add_set_grad(rows);
  add_walks(rows);
  add_functions(rows);
  add_hooks(rows);
  add_graphs(rows);
}

}  // namespace tenon::tests
