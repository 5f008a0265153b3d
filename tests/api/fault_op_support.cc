// SPDX-License-Identifier: Apache-2.0
// tests/api/fault_op_support.cc: right calls of ops, plans, optimizers, schedules and datasets.
#include <tenon/ext/draft/groups.h>
#include <tenon/ext/draft/op_log.h>
#include <tenon/ext/draft/training.h>

#include <memory>
#include <utility>

#include "tests/api/fault_sweep_support.h"
#include "tests/support/paths.h"

namespace tenon::tests {
namespace {

using Values = std::vector<tenon_value>;
using Operands = std::function<Values(FaultWorld&)>;

tenon_value list_of(tenon_tensor* const* tensors, uint32_t count) {
  tenon_value value{TENON_VALUE_TENSOR_LIST, count, {}};
  value.as.tensors = tensors;
  return value;
}

tenon_value int_of(int64_t number) {
  tenon_value value{TENON_VALUE_I64, 0, {}};
  value.as.i64 = number;
  return value;
}

// Operands and op are looked up beforehand: the call alone has failing memory.
void add_call(
    FaultRows& rows, const std::string& what, const char* name, const Operands& operands,
    const Operands& attributes = [](FaultWorld&) { return Values(); }) {
  struct Prepared {
    const tenon_op* op = nullptr;
    Values inputs;
    Values attrs;
  };
  const auto state = std::make_shared<Prepared>();
  const auto look_up = [=](FaultWorld& w) {
    state->op = w.op(name);
    state->inputs = operands(w);
    state->attrs = attributes(w);
  };
  const auto count = [](const Values& values) { return static_cast<uint32_t>(values.size()); };
  sweep(
      rows, "tenon_op_call", what,
      [=](FaultWorld& w) {
        return tenon_op_call(w.cx, state->op, state->inputs.data(), count(state->inputs),
                             state->attrs.data(), count(state->attrs), w.outs.tensors, 1);
      },
      {}, look_up);
  sweep(
      rows, "tenon_op_explain", what,
      [=](FaultWorld& w) {
        return tenon_op_explain(w.cx, state->op, state->inputs.data(), count(state->inputs),
                                state->attrs.data(), count(state->attrs), &w.outs.text);
      },
      {}, look_up);
}

void add_calls(FaultRows& rows) {
  static constexpr int64_t shape[] = {2, 3};
  static constexpr int64_t axes[] = {0};
  add_call(rows, "recorded", "tenon.mul", [](FaultWorld& w) {
    return Values{value_of(w.own.parameter), value_of(w.second)};
  });
  add_call(rows, "promoted", "tenon.add", [](FaultWorld& w) {
    return Values{value_of(w.own.parameter), value_of(w.integers)};
  });
  add_call(rows, "a number", "tenon.div", [](FaultWorld& w) {
    return Values{value_of(w.across), value_of(2.5)};
  });
  add_call(rows, "a view", "tenon.transpose",
           [](FaultWorld& w) { return Values{value_of(w.both)}; });
  add_call(
      rows, "a reduction", "tenon.sum", [](FaultWorld& w) { return Values{value_of(w.across)}; },
      [](FaultWorld&) { return Values{value_of(std::span(axes))}; });
  add_call(rows, "matrices", "tenon.matmul", [](FaultWorld& w) {
    return Values{value_of(w.t), value_of(w.across)};
  });
  add_call(rows, "a list", "tenon.concat", [](FaultWorld& w) {
    static tenon_tensor* list[2];
    list[0] = w.own.parameter;
    list[1] = w.second;
    return Values{list_of(list, 2)};
  });
  add_call(
      rows, "random", "tenon.normal", [](FaultWorld&) { return Values(); },
      [](FaultWorld&) { return Values{value_of(std::span(shape))}; });
  add_call(rows, "softmax", "tenon.softmax",
           [](FaultWorld& w) { return Values{value_of(w.own.parameter)}; });
  add_call(rows, "rows of a table", "tenon.embedding", [](FaultWorld& w) {
    return Values{value_of(w.table), value_of(w.rows)};
  });
  add_call(rows, "on a device", "tenon.mul", [](FaultWorld& w) {
    return Values{value_of(w.remote_leaf), value_of(w.remote)};
  });
  add_call(
      rows, "to a device", "tenon.to", [](FaultWorld& w) { return Values{value_of(w.t)}; },
      [](FaultWorld& w) {
        return Values{int_of(w.device.kind), int_of(w.device.index)};
      });
}

void add_applies(FaultRows& rows) {
  sweep(
      rows, "tenon_op_call_into", "into strides",
      [](FaultWorld& w) {
        const tenon_value inputs[] = {value_of(w.across), value_of(w.across)};
        return tenon_op_call_into(w.cx, w.own.add, inputs, 2, nullptr, 0, &w.spare, 1);
      },
      {},
      [](FaultWorld& w) {
        const int64_t shape[] = {3, 2};
        const int64_t strides[] = {4, 2};
        tenon_tensor* base = nullptr;
        const int64_t elements = 16;
        EXPECT_EQ(tenon_tensor_create(w.cx, TENON_DTYPE_F32, nullptr, 1, &elements, &base),
                  TENON_OK);
        EXPECT_EQ(tenon_tensor_create_view(w.cx, base, 2, shape, strides, 1, &w.spare), TENON_OK);
        tenon_tensor_release(base);
      });
  // In place and recorded: where it fails the tensor has its values and its history.
  sweep(
      rows, "tenon_op_call_into", "in place",
      [](FaultWorld& w) {
        const tenon_value inputs[] = {value_of(w.spare), value_of(w.second)};
        return tenon_op_call_into(w.cx, w.own.add, inputs, 2, nullptr, 0, &w.spare, 1);
      },
      {},
      [](FaultWorld& w) {
        const tenon_value inputs[] = {value_of(w.own.parameter), value_of(w.second)};
        EXPECT_EQ(tenon_op_call(w.cx, w.own.add, inputs, 2, nullptr, 0, &w.spare, 1), TENON_OK);
      });
  rows.back().check = [](FaultWorld& w, tenon_status status) {
    float numbers[6] = {};
    EXPECT_EQ(tenon_tensor_get_data(w.cx, w.spare, numbers, sizeof numbers), TENON_OK);
    EXPECT_EQ(numbers[5], status == TENON_OK ? 18 : 12);
    tenon_tensor* grad = nullptr;
    EXPECT_EQ(tenon_gradient_call(w.cx, &w.spare, &w.t, 1, &w.second, 1, 0, &grad), TENON_OK);
    EXPECT_EQ(tenon_tensor_get_data(w.cx, grad, numbers, sizeof numbers), TENON_OK);
    EXPECT_EQ(numbers[5], status == TENON_OK ? 12 : 6);
    tenon_tensor_release(grad);
  };
}

void add_finding(FaultRows& rows) {
  sweep(rows, "tenon_op_find", "an op",
        [](FaultWorld& w) { return tenon_op_find(w.cx, "tenon.add", TENON_NUL, 0, &w.outs.op); });
  sweep(rows, "tenon_op_get_info", "an op",
        [](FaultWorld& w) { return tenon_op_get_info(w.cx, w.own.add, &w.outs.op_info); });
  sweep(rows, "tenon_op_find_attribute", "axes", [](FaultWorld& w) {
    return tenon_op_find_attribute(w.cx, w.sum, "axes", TENON_NUL, &w.outs.index);
  });
}

void end_capture(FaultWorld& w) {
  tenon_plan* plan = nullptr;
  tenon_capture_end(w.cx, &plan);
  tenon_plan_release(plan);
}

void begin_capture(FaultWorld& w) {
  const tenon_status begun = tenon_capture_begin(w.cx, &w.t, 1);
  EXPECT_TRUE(begun == TENON_OK || begun == TENON_E_STATE);  // a failed end goes on
}

tenon_status add_to_itself(FaultWorld& w, tenon_tensor** out) {
  const tenon_value inputs[] = {value_of(w.across), value_of(w.across)};
  return tenon_op_call(w.cx, w.own.add, inputs, 2, nullptr, 0, out, 1);
}

void add_plans(FaultRows& rows) {
  sweep(
      rows, "tenon_capture_begin", "one input",
      [](FaultWorld& w) { return tenon_capture_begin(w.cx, &w.t, 1); }, end_capture);
  sweep(
      rows, "tenon_capture_end", "a step",
      [](FaultWorld& w) { return tenon_capture_end(w.cx, &w.outs.plan); }, {},
      [](FaultWorld& w) {
        begin_capture(w);
        EXPECT_EQ(add_to_itself(w, &w.spare), TENON_OK);
      });
  rows.back().check = [](FaultWorld& w, tenon_status status) {
    if (status != TENON_OK) end_capture(w);  // goes on until an end succeeds
  };
  // A call that failed has left nothing in the plan: it runs.
  sweep(
      rows, "tenon_op_call", "captured",
      [](FaultWorld& w) { return add_to_itself(w, w.outs.tensors); }, {}, begin_capture);
  rows.back().check = [](FaultWorld& w, tenon_status) {
    tenon_plan* plan = nullptr;
    EXPECT_EQ(tenon_capture_end(w.cx, &plan), TENON_OK);
    EXPECT_EQ(tenon_plan_run(w.cx, plan), TENON_OK);
    tenon_plan_release(plan);
  };
  sweep(rows, "tenon_plan_run", "a step",
        [](FaultWorld& w) { return tenon_plan_run(w.cx, w.own.plan); });
  sweep(rows, "tenon_plan_set", "an input",
        [](FaultWorld& w) { return tenon_plan_set(w.cx, w.own.plan, 0, w.t); });
  sweep(rows, "tenon_plan_get_text", "a step",
        [](FaultWorld& w) { return tenon_plan_get_text(w.cx, w.own.plan, &w.outs.text); });
  sweep(
      rows, "tenon_plan_release", "a step",
      [](FaultWorld& w) {
        tenon_plan_release(w.outs.plan);
        return TENON_OK;
      },
      [](FaultWorld& w) { w.reset_outs(); },
      [](FaultWorld& w) {
        begin_capture(w);
        EXPECT_EQ(tenon_capture_end(w.cx, &w.outs.plan), TENON_OK);
      });
}

tenon_status create_optimizer(FaultWorld& w, const char* name, tenon_optimizer** out) {
  tenon_tensor* params[] = {w.own.parameter, w.second};
  return tenon_optimizer_create(w.cx, name, TENON_NUL, params, 2, nullptr, nullptr, 0, out);
}

tenon_status create_groups(FaultWorld& w, tenon_optimizer** out) {
  static constexpr tenon_string names[] = {{"lr", TENON_NUL}};
  const tenon_value rate = value_of(0.5);
  const tenon_optimizer_group first = {sizeof first, 0, &w.own.parameter, names, &rate, 1, 1};
  const tenon_optimizer_group second = {sizeof second, 0, &w.second, nullptr, nullptr, 1, 0};
  const tenon_optimizer_group* const groups[] = {&first, &second};
  return tenon_optimizer_create_groups(w.cx, "tenon.adam", TENON_NUL, groups, 2, nullptr, nullptr,
                                       0, out);
}

void add_groups(FaultRows& rows) {
  static tenon_optimizer* optimizer = nullptr;
  static const auto numbers = [](FaultWorld& w) {
    std::vector<double> found;
    for (uint32_t group = 0; group < 2; ++group) {
      tenon_value value{};
      EXPECT_EQ(tenon_optimizer_get_group(w.cx, optimizer, group, "lr", TENON_NUL, &value),
                TENON_OK);
      found.push_back(value.as.f64);
    }
    return found;
  };
  const auto made = [](FaultWorld& w) {
    EXPECT_EQ(create_groups(w, &optimizer), TENON_OK);
    for (tenon_tensor* param : {w.own.parameter, w.second}) {
      EXPECT_EQ(tenon_tensor_set_grad(w.cx, param, w.t), TENON_OK);
    }
  };
  const auto ended = [](FaultWorld& w) {
    tenon_optimizer_release(optimizer);
    for (tenon_tensor* param : {w.own.parameter, w.second}) {
      EXPECT_EQ(tenon_tensor_set_grad(w.cx, param, nullptr), TENON_OK);
    }
  };
  sweep(rows, "tenon_optimizer_create_groups", "two",
        [](FaultWorld& w) { return create_groups(w, &w.outs.optimizer); });
  sweep(
      rows, "tenon_optimizer_run", "first step of two groups",
      [](FaultWorld& w) { return tenon_optimizer_run(w.cx, optimizer, 0); }, {}, made);
  rows.back().check = [ended](FaultWorld& w, tenon_status) { ended(w); };
  sweep(
      rows, "tenon_optimizer_set_group", "after a step",
      [](FaultWorld& w) {
        const tenon_value value = value_of(0.25);
        return tenon_optimizer_set_group(w.cx, optimizer, 1, "lr", TENON_NUL, &value);
      },
      {},
      [made](FaultWorld& w) {
        made(w);
        EXPECT_EQ(tenon_optimizer_run(w.cx, optimizer, 0), TENON_OK);
      });
  rows.back().check = [ended](FaultWorld& w, tenon_status status) {
    EXPECT_EQ(numbers(w), (std::vector<double>{0.5, status == TENON_OK ? 0.25 : 0.001}));
    ended(w);
  };
  sweep(
      rows, "tenon_optimizer_get_group", "lr",
      [](FaultWorld& w) {
        return tenon_optimizer_get_group(w.cx, optimizer, 1, "lr", TENON_NUL, &w.outs.value);
      },
      {}, made);
  rows.back().check = [ended](FaultWorld& w, tenon_status) { ended(w); };
}

void add_optimizers(FaultRows& rows) {
  sweep(rows, "tenon_optimizer_create", "two parameters",
        [](FaultWorld& w) { return create_optimizer(w, "tenon.adam", &w.outs.optimizer); });
  sweep(
      rows, "tenon_optimizer_release", "with its state",
      [](FaultWorld& w) {
        tenon_optimizer_release(w.outs.optimizer);
        return TENON_OK;
      },
      [](FaultWorld& w) { w.reset_outs(); },
      [](FaultWorld& w) {
        EXPECT_EQ(create_optimizer(w, "tenon.adam", &w.outs.optimizer), TENON_OK);
      });
  for (const char* name : {"tenon.sgd", "tenon.adam", "tenon.adamw"}) {
    static tenon_optimizer* optimizer = nullptr;
    sweep(
        rows, "tenon_optimizer_run", std::string("first step of ") + name,
        [](FaultWorld& w) { return tenon_optimizer_run(w.cx, optimizer, 0); }, {},
        [name](FaultWorld& w) {
          EXPECT_EQ(create_optimizer(w, name, &optimizer), TENON_OK);
          for (tenon_tensor* param : {w.own.parameter, w.second}) {
            EXPECT_EQ(tenon_tensor_set_grad(w.cx, param, w.t), TENON_OK);
          }
        });
    rows.back().check = [](FaultWorld& w, tenon_status) {
      tenon_optimizer_release(optimizer);
      for (tenon_tensor* param : {w.own.parameter, w.second}) {
        EXPECT_EQ(tenon_tensor_set_grad(w.cx, param, nullptr), TENON_OK);
      }
    };
  }
  sweep(rows, "tenon_optimizer_set", "a dynamic one", [](FaultWorld& w) {
    const tenon_value value = value_of(0.25);
    return tenon_optimizer_set(w.cx, w.own.optimizer, "lr", TENON_NUL, &value);
  });
  sweep(rows, "tenon_optimizer_get", "lr", [](FaultWorld& w) {
    return tenon_optimizer_get(w.cx, w.own.optimizer, "lr", TENON_NUL, &w.outs.value);
  });
  sweep(
      rows, "tenon_optimizer_get_state", "step",
      [](FaultWorld& w) {
        return tenon_optimizer_get_state(w.cx, w.own.optimizer, 0, "step", TENON_NUL,
                                         &w.outs.tensors[0]);
      },
      [](FaultWorld& w) { w.reset_outs(); });
  static tenon_optimizer* fresh = nullptr;
  sweep(
      rows, "tenon_optimizer_set_state", "before the first step",
      [](FaultWorld& w) {
        return tenon_optimizer_set_state(w.cx, fresh, 1, "exp_avg", TENON_NUL, w.t);
      },
      {}, [](FaultWorld& w) { EXPECT_EQ(create_optimizer(w, "tenon.adam", &fresh), TENON_OK); });
  rows.back().check = [](FaultWorld& w, tenon_status status) {
    tenon_tensor* state = nullptr;
    EXPECT_EQ(tenon_optimizer_get_state(w.cx, fresh, 1, "step", TENON_NUL, &state), TENON_OK);
    EXPECT_EQ(state != nullptr, status == TENON_OK);
    tenon_optimizer_release(fresh);
  };
}

tenon_status create_schedule(FaultWorld& w) {
  static constexpr int64_t milestones[] = {3, 5};
  static constexpr tenon_string name = {"milestones", TENON_NUL};
  const tenon_value value = value_of(std::span(milestones));
  return tenon_schedule_create(w.cx, "tenon.multi_step", TENON_NUL, 1, &name, &value, 1,
                               &w.outs.schedule);
}

void add_schedules(FaultRows& rows) {
  sweep(rows, "tenon_schedule_create", "with a list", create_schedule);
  static tenon_schedule* schedule = nullptr;
  const auto with = [&](const char* function, std::function<tenon_status(FaultWorld&)> call) {
    sweep(rows, function, "with a list", std::move(call), {}, [](FaultWorld& w) {
      EXPECT_EQ(create_schedule(w), TENON_OK);
      schedule = w.outs.schedule;
      w.reset_outs();
    });
    rows.back().check = [](FaultWorld&, tenon_status) {
      tenon_schedule_release(schedule);
      schedule = nullptr;
    };
  };
  with("tenon_schedule_run",
       [](FaultWorld& w) { return tenon_schedule_run(w.cx, schedule, nullptr, &w.outs.number); });
  with("tenon_schedule_get_state", [](FaultWorld& w) {
    return tenon_schedule_get_state(w.cx, schedule, "step", TENON_NUL, &w.outs.number);
  });
  with("tenon_schedule_set_state", [](FaultWorld& w) {
    return tenon_schedule_set_state(w.cx, schedule, "step", TENON_NUL, 3);
  });
  with("tenon_schedule_release", [](FaultWorld&) {
    tenon_schedule_release(std::exchange(schedule, nullptr));
    return TENON_OK;
  });
}

tenon_status open_digits(FaultWorld& w) {
  static const std::string images = std::string(data_dir()) + "/digits/t10k-images-idx3-ubyte";
  static constexpr tenon_string name = {"images", TENON_NUL};
  const tenon_value value = value_of(images);
  return tenon_dataset_create(w.cx, "tenon.idx", TENON_NUL, &name, &value, 1, &w.outs.dataset);
}

void add_datasets(FaultRows& rows) {
  sweep(rows, "tenon_dataset_create", "a file", open_digits);
  sweep(
      rows, "tenon_dataset_release", "a file",
      [](FaultWorld& w) {
        tenon_dataset_release(w.outs.dataset);
        return TENON_OK;
      },
      [](FaultWorld& w) { w.reset_outs(); },
      [](FaultWorld& w) { EXPECT_EQ(open_digits(w), TENON_OK); });
  sweep(rows, "tenon_dataset_get_length", "a file", [](FaultWorld& w) {
    return tenon_dataset_get_length(w.cx, w.own.dataset, &w.outs.length);
  });
  sweep(rows, "tenon_dataset_get_field", "the first", [](FaultWorld& w) {
    return tenon_dataset_get_field(w.cx, w.own.dataset, 0, &w.outs.meta, &w.outs.name);
  });
  sweep(rows, "tenon_dataset_call", "two samples", [](FaultWorld& w) {
    const int64_t indices[] = {3, 1};
    return tenon_dataset_call(w.cx, w.own.dataset, indices, 2, w.outs.tensors, 1);
  });
}

void print_nothing(void*, const char*, uint64_t) {}
void begin_log(FaultWorld& w) { tenon_op_log_begin(w.cx, print_nothing, nullptr); }
void end_log(FaultWorld& w) { tenon_op_log_end(w.cx); }

void add_log(FaultRows& rows) {
  sweep(
      rows, "tenon_op_log_begin", "into nothing",
      [](FaultWorld& w) { return tenon_op_log_begin(w.cx, print_nothing, nullptr); }, end_log);
  sweep(
      rows, "tenon_op_log_end", "into nothing",
      [](FaultWorld& w) { return tenon_op_log_end(w.cx); }, {}, begin_log);
  sweep(
      rows, "tenon_op_call", "with lines in the log",
      [](FaultWorld& w) { return add_to_itself(w, w.outs.tensors); }, {}, begin_log);
  rows.back().check = [](FaultWorld& w, tenon_status) { end_log(w); };
}

}  // namespace

FaultRows op_faults() {
  FaultRows rows;
  add_finding(rows);
  add_calls(rows);
  add_applies(rows);
  add_plans(rows);
  add_log(rows);
  return rows;
}

FaultRows training_faults() {
  FaultRows rows;
  add_optimizers(rows);
  add_groups(rows);
  add_schedules(rows);
  add_datasets(rows);
  return rows;
}

}  // namespace tenon::tests
