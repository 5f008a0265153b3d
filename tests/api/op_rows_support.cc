// SPDX-License-Identifier: Apache-2.0
// tests/api/op_rows_support.cc: wrong calls of ops and plans.
#include <limits>

#include "tests/api/wrong_input_support.h"

namespace tenon::tests {
namespace {

// op_call, op_call_into and op_explain take the same operands.
using Run = std::function<tenon_status(World&, tenon_context*, const tenon_op*, const tenon_value*,
                                       uint32_t, const tenon_value*, uint32_t)>;

void add_operand(Rows& rows, const std::string& function, const Run& run, const std::string& what,
                 tenon_status expected, std::function<tenon_value(World&)> operand) {
  add(rows, function, what, expected, [run, operand](World& w) {
    const tenon_value inputs[] = {value_of(w.t), operand(w)};
    return run(w, w.cx, w.own.add, inputs, 2, nullptr, 0);
  });
}

void add_operands(Rows& rows, const std::string& function, const Run& run) {
  const auto operand = [&](const char* what, tenon_status expected,
                           std::function<tenon_value(World&)> value) {
    add_operand(rows, function, run, what, expected, std::move(value));
  };
  operand("absent operand", TENON_E_ARGUMENT, [](World&) { return tenon_value{}; });
  operand("NULL tensor", TENON_E_HANDLE,
          [](World&) { return value_of(static_cast<tenon_tensor*>(nullptr)); });
  operand("released tensor", TENON_E_HANDLE,
          [](World& w) { return value_of(static_cast<tenon_tensor*>(w.released(Kind::Tensor))); });
  operand("a plan as tensor", TENON_E_HANDLE,
          [](World& w) { return value_of(static_cast<tenon_tensor*>(w.another(Kind::Tensor))); });
  operand("tensor of another runtime", TENON_E_RUNTIME,
          [](World& w) { return value_of(w.other.tensor); });
  operand("shape that does not broadcast", TENON_E_SHAPE,
          [](World& w) { return value_of(w.wide); });
  operand("tensor on another device", TENON_E_DEVICE, [](World& w) { return value_of(w.away); });
  operand("string", TENON_E_ARGUMENT, [](World&) { return value_of(std::string("x")); });
  operand("unknown tag", TENON_E_ARGUMENT, [](World&) { return tenon_value{99, 0, {}}; });
  operand("list where one tensor belongs", TENON_E_ARGUMENT, [](World& w) {
    tenon_value list{TENON_VALUE_TENSOR_LIST, 1, {}};
    list.as.tensors = &w.t;
    return list;
  });
  add(rows, function, "NULL inputs with a count", TENON_E_ARGUMENT,
      [run](World& w) { return run(w, w.cx, w.own.add, nullptr, 2, nullptr, 0); });
  for (const uint32_t count : {0u, 1u, 3u}) {
    add(rows, function, std::to_string(count) + " operands", TENON_E_ARGUMENT,
        [run, count](World& w) {
          const tenon_value inputs[] = {value_of(w.t), value_of(w.t), value_of(w.t)};
          return run(w, w.cx, w.own.add, inputs, count, nullptr, 0);
        });
  }
}

void add_attributes(Rows& rows, const std::string& function, const Run& run) {
  const auto attribute = [&](const char* what, std::function<tenon_value(World&)> axes) {
    add(rows, function, what, TENON_E_ATTRIBUTE, [run, axes](World& w) {
      const tenon_value input = value_of(w.t);
      const tenon_value value = axes(w);
      return run(w, w.cx, w.sum, &input, 1, &value, 1);
    });
  };
  static constexpr int64_t high[] = {2};
  static constexpr int64_t low[] = {std::numeric_limits<int64_t>::min()};
  static constexpr int64_t twice[] = {1, -1};
  attribute("attribute of the wrong type", [](World&) { return value_of(1.5); });
  attribute("string as list", [](World&) { return value_of(std::string("0")); });
  attribute("tensor as attribute", [](World& w) { return value_of(w.t); });
  attribute("unknown tag as attribute", [](World&) { return tenon_value{77, 0, {}}; });
  attribute("NULL list with a count", [](World&) {
    return tenon_value{TENON_VALUE_INT_LIST, 2, {}};
  });
  attribute("axis out of range", [](World&) { return value_of(high); });
  attribute("least axis", [](World&) { return value_of(low); });
  attribute("axis twice", [](World&) { return value_of(twice); });
  add(rows, function, "too many attributes", TENON_E_ATTRIBUTE, [run](World& w) {
    const tenon_value input = value_of(w.t);
    const tenon_value attrs[3] = {};
    return run(w, w.cx, w.sum, &input, 1, attrs, 3);
  });
  add(rows, function, "NULL attributes with a count", TENON_E_ARGUMENT, [run](World& w) {
    const tenon_value input = value_of(w.t);
    return run(w, w.cx, w.sum, &input, 1, nullptr, 1);
  });
}

void add_runs(Rows& rows, const std::string& function, const Run& run) {
  add_contexts(rows, function, [run](World& w, tenon_context* cx) {
    const tenon_value inputs[] = {value_of(w.t), value_of(w.t)};
    return run(w, cx, w.own.add, inputs, 2, nullptr, 0);
  });
  add_handles(rows, function, Kind::Op, [run](World& w, void* handle) {
    const tenon_value inputs[] = {value_of(w.t), value_of(w.t)};
    return run(w, w.cx, static_cast<const tenon_op*>(handle), inputs, 2, nullptr, 0);
  });
  add_operands(rows, function, run);
  add_attributes(rows, function, run);
}

void add_find(Rows& rows) {
  add_contexts(rows, "tenon_op_find", [](World& w, tenon_context* cx) {
    return tenon_op_find(cx, "tenon.add", TENON_NUL, 0, &w.outs.op);
  });
  const auto missing = [&](const char* name, uint64_t length, uint32_t revision) {
    add(rows, "tenon_op_find", std::string("\"") + name + "\"", TENON_E_NOT_FOUND,
        [=](World& w) { return tenon_op_find(w.cx, name, length, revision, &w.outs.op); });
  };
  missing("tenon.nothing", TENON_NUL, 0);
  missing("add", TENON_NUL, 0);
  missing("", 0, 0);
  missing("tenon.add", 6, 0);
  missing("tenon.add", TENON_NUL, 99);
  missing("\xff\xfe\x01", TENON_NUL, 0);
  add(rows, "tenon_op_find", "NULL name", TENON_E_ARGUMENT,
      [](World& w) { return tenon_op_find(w.cx, nullptr, 3, 0, &w.outs.op); });
  add(rows, "tenon_op_find", "NULL out", TENON_E_ARGUMENT,
      [](World& w) { return tenon_op_find(w.cx, "tenon.add", TENON_NUL, 0, nullptr); });

  add_contexts(rows, "tenon_op_get_info", [](World& w, tenon_context* cx) {
    return tenon_op_get_info(cx, w.own.add, &w.outs.op_info);
  });
  add_handles(rows, "tenon_op_get_info", Kind::Op, [](World& w, void* handle) {
    return tenon_op_get_info(w.cx, static_cast<const tenon_op*>(handle), &w.outs.op_info);
  });
  add(rows, "tenon_op_get_info", "NULL out", TENON_E_ARGUMENT,
      [](World& w) { return tenon_op_get_info(w.cx, w.own.add, nullptr); });
  add(rows, "tenon_op_get_info", "struct_size 0", TENON_E_ARGUMENT, [](World& w) {
    tenon_op_info info{};
    return tenon_op_get_info(w.cx, w.own.add, &info);
  });

  add_contexts(rows, "tenon_op_find_attribute", [](World& w, tenon_context* cx) {
    return tenon_op_find_attribute(cx, w.sum, "axes", TENON_NUL, &w.outs.index);
  });
  add_handles(rows, "tenon_op_find_attribute", Kind::Op, [](World& w, void* handle) {
    return tenon_op_find_attribute(w.cx, static_cast<const tenon_op*>(handle), "axes", TENON_NUL,
                                   &w.outs.index);
  });
  add(rows, "tenon_op_find_attribute", "unknown attribute", TENON_E_ATTRIBUTE, [](World& w) {
    return tenon_op_find_attribute(w.cx, w.sum, "axis", TENON_NUL, &w.outs.index);
  });
  add(rows, "tenon_op_find_attribute", "NULL name", TENON_E_ARGUMENT,
      [](World& w) { return tenon_op_find_attribute(w.cx, w.sum, nullptr, 4, &w.outs.index); });
  add(rows, "tenon_op_find_attribute", "NULL out", TENON_E_ARGUMENT,
      [](World& w) { return tenon_op_find_attribute(w.cx, w.sum, "axes", TENON_NUL, nullptr); });
}

void add_calls(Rows& rows) {
  const auto outputs = [&](const char* what, uint32_t count, bool null) {
    add(rows, "tenon_op_call", what, TENON_E_ARGUMENT, [count, null](World& w) {
      const tenon_value inputs[] = {value_of(w.t), value_of(w.t)};
      return tenon_op_call(w.cx, w.own.add, inputs, 2, nullptr, 0, null ? nullptr : w.outs.tensors,
                           count);
    });
  };
  outputs("no outputs", 0, false);
  outputs("two outputs of one", 2, false);
  outputs("NULL outputs", 1, true);
  const auto target = [&](const char* what, tenon_status expected,
                          std::function<tenon_tensor*(World&)> which) {
    add(rows, "tenon_op_call_into", what, expected, [which](World& w) {
      const tenon_value inputs[] = {value_of(w.t), value_of(w.t)};
      tenon_tensor* output = which(w);
      return tenon_op_call_into(w.cx, w.own.add, inputs, 2, nullptr, 0, &output, 1);
    });
  };
  target("NULL output", TENON_E_HANDLE, [](World&) { return nullptr; });
  target("released output", TENON_E_HANDLE,
         [](World& w) { return static_cast<tenon_tensor*>(w.released(Kind::Tensor)); });
  target("output of another runtime", TENON_E_RUNTIME, [](World& w) { return w.other.tensor; });
  target("output of another shape", TENON_E_SHAPE, [](World& w) { return w.wide; });
  target("output of another dtype", TENON_E_DTYPE, [](World& w) { return w.integers; });
  target("output on another device", TENON_E_DEVICE, [](World& w) { return w.away; });
  target("read-only output", TENON_E_ALIAS, [](World& w) { return w.constant; });
  target("output that overlaps itself", TENON_E_ALIAS, [](World& w) { return w.spread; });
  target("a leaf that requires a gradient", TENON_E_GRAD, [](World& w) { return w.own.parameter; });
  add(rows, "tenon_op_call_into", "output beside a recorded input", TENON_E_GRAD, [](World& w) {
    const tenon_value inputs[] = {value_of(w.own.parameter), value_of(1.0)};
    return tenon_op_call_into(w.cx, w.own.add, inputs, 2, nullptr, 0, &w.t, 1);
  });
  for (const uint32_t count : {0u, 2u}) {
    add(rows, "tenon_op_call_into", std::to_string(count) + " outputs", TENON_E_ARGUMENT,
        [count](World& w) {
          const tenon_value inputs[] = {value_of(w.t), value_of(w.t)};
          tenon_tensor* both[] = {w.t, w.t};
          return tenon_op_call_into(w.cx, w.own.add, inputs, 2, nullptr, 0, both, count);
        });
  }
  add(rows, "tenon_op_call_into", "NULL outputs", TENON_E_ARGUMENT, [](World& w) {
    const tenon_value inputs[] = {value_of(w.t), value_of(w.t)};
    return tenon_op_call_into(w.cx, w.own.add, inputs, 2, nullptr, 0, nullptr, 1);
  });
  add(rows, "tenon_op_explain", "NULL out", TENON_E_ARGUMENT, [](World& w) {
    const tenon_value inputs[] = {value_of(w.t), value_of(w.t)};
    return tenon_op_explain(w.cx, w.own.add, inputs, 2, nullptr, 0, nullptr);
  });
  add(rows, "tenon_op_call", "device without kernels", TENON_E_NO_KERNEL, [](World& w) {
    const tenon_value inputs[] = {value_of(w.away), value_of(w.away)};
    return tenon_op_call(w.cx, w.own.add, inputs, 2, nullptr, 0, w.outs.tensors, 1);
  });
}

// `body` between begin and end; what it returns.
tenon_status captured(World& w, const std::function<tenon_status()>& body) {
  EXPECT_EQ(tenon_capture_begin(w.cx, nullptr, 0), TENON_OK);
  const tenon_status status = body();
  tenon_plan* plan = nullptr;
  EXPECT_EQ(tenon_capture_end(w.cx, &plan), TENON_OK);
  tenon_plan_release(plan);
  return status;
}

void add_capture(Rows& rows) {
  add_contexts(rows, "tenon_capture_begin",
               [](World&, tenon_context* cx) { return tenon_capture_begin(cx, nullptr, 0); });
  add_handles(rows, "tenon_capture_begin", Kind::Tensor, [](World& w, void* handle) {
    tenon_tensor* input = static_cast<tenon_tensor*>(handle);
    return tenon_capture_begin(w.cx, &input, 1);
  });
  add(rows, "tenon_capture_begin", "NULL inputs with a count", TENON_E_ARGUMENT,
      [](World& w) { return tenon_capture_begin(w.cx, nullptr, 2); });
  add_contexts(rows, "tenon_capture_end",
               [](World& w, tenon_context* cx) { return tenon_capture_end(cx, &w.outs.plan); });
  add(rows, "tenon_capture_end", "without begin", TENON_E_STATE,
      [](World& w) { return tenon_capture_end(w.cx, &w.outs.plan); });
  const auto during = [&](const std::string& function, tenon_status expected,
                          std::function<tenon_status(World&)> body) {
    add(rows, function, "while capturing", expected,
        [body](World& w) { return captured(w, [&] { return body(w); }); });
  };
  during("tenon_capture_begin", TENON_E_STATE,
         [](World& w) { return tenon_capture_begin(w.cx, nullptr, 0); });
  during("tenon_capture_end", TENON_E_ARGUMENT,
         [](World& w) { return tenon_capture_end(w.cx, nullptr); });
  during("tenon_tensor_get_data", TENON_E_CAPTURE,
         [](World& w) { return tenon_tensor_get_data(w.cx, w.t, w.outs.data, 24); });
  during("tenon_tensor_set_data", TENON_E_CAPTURE,
         [](World& w) { return tenon_tensor_set_data(w.cx, w.t, w.memory, 24); });
  during("tenon_tensor_get_item", TENON_E_CAPTURE,
         [](World& w) { return tenon_tensor_get_item(w.cx, w.t, &w.outs.value); });
  during("tenon_tensor_get_text", TENON_E_CAPTURE,
         [](World& w) { return tenon_tensor_get_text(w.cx, w.t, 0, &w.outs.text); });
  during("tenon_context_set_seed", TENON_E_CAPTURE,
         [](World& w) { return tenon_context_set_seed(w.cx, 1, 1); });
  during("tenon_context_set_counter", TENON_E_CAPTURE,
         [](World& w) { return tenon_context_set_counter(w.cx, 1); });
  during("tenon_plan_run", TENON_E_CAPTURE,
         [](World& w) { return tenon_plan_run(w.cx, w.own.plan); });
}

void add_plans(Rows& rows) {
  add_contexts(rows, "tenon_plan_run",
               [](World& w, tenon_context* cx) { return tenon_plan_run(cx, w.own.plan); });
  add_handles(rows, "tenon_plan_run", Kind::Plan, [](World& w, void* handle) {
    return tenon_plan_run(w.cx, static_cast<tenon_plan*>(handle));
  });
  add_contexts(rows, "tenon_plan_get_text", [](World& w, tenon_context* cx) {
    return tenon_plan_get_text(cx, w.own.plan, &w.outs.text);
  });
  add_handles(rows, "tenon_plan_get_text", Kind::Plan, [](World& w, void* handle) {
    return tenon_plan_get_text(w.cx, static_cast<tenon_plan*>(handle), &w.outs.text);
  });
  add(rows, "tenon_plan_get_text", "NULL out", TENON_E_ARGUMENT,
      [](World& w) { return tenon_plan_get_text(w.cx, w.own.plan, nullptr); });
  add_contexts(rows, "tenon_plan_set",
               [](World& w, tenon_context* cx) { return tenon_plan_set(cx, w.own.plan, 0, w.t); });
  add_handles(rows, "tenon_plan_set", Kind::Plan, [](World& w, void* handle) {
    return tenon_plan_set(w.cx, static_cast<tenon_plan*>(handle), 0, w.t);
  });
  add_handles(rows, "tenon_plan_set", Kind::Tensor, [](World& w, void* handle) {
    return tenon_plan_set(w.cx, w.own.plan, 0, static_cast<tenon_tensor*>(handle));
  });
  for (const uint32_t index : {1u, UINT32_MAX}) {
    add(rows, "tenon_plan_set", "input " + std::to_string(index), TENON_E_ARGUMENT,
        [index](World& w) { return tenon_plan_set(w.cx, w.own.plan, index, w.t); });
  }
  const auto other = [&](const char* what, std::function<tenon_tensor*(World&)> which) {
    add(rows, "tenon_plan_set", what, TENON_E_PLAN_SHAPE,
        [which](World& w) { return tenon_plan_set(w.cx, w.own.plan, 0, which(w)); });
  };
  other("another shape", [](World& w) { return w.wide; });
  other("another dtype", [](World& w) { return w.integers; });
  other("other strides", [](World& w) { return w.spread; });
  other("another device", [](World& w) { return w.away; });
}

}  // namespace

void add_op_rows(Rows& rows) {
  add_find(rows);
  add_runs(rows, "tenon_op_call",
           [](World& w, tenon_context* cx, const tenon_op* op, const tenon_value* inputs,
              uint32_t n_inputs, const tenon_value* attrs, uint32_t n_attrs) {
             return tenon_op_call(cx, op, inputs, n_inputs, attrs, n_attrs, w.outs.tensors, 1);
           });
  add_runs(rows, "tenon_op_call_into",
           [](World& w, tenon_context* cx, const tenon_op* op, const tenon_value* inputs,
              uint32_t n_inputs, const tenon_value* attrs, uint32_t n_attrs) {
             return tenon_op_call_into(cx, op, inputs, n_inputs, attrs, n_attrs, &w.t, 1);
           });
  add_runs(rows, "tenon_op_explain",
           [](World& w, tenon_context* cx, const tenon_op* op, const tenon_value* inputs,
              uint32_t n_inputs, const tenon_value* attrs, uint32_t n_attrs) {
             return tenon_op_explain(cx, op, inputs, n_inputs, attrs, n_attrs, &w.outs.text);
           });
  add_calls(rows);
  add_capture(rows);
  add_plans(rows);
}

}  // namespace tenon::tests
