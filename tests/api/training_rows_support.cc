// SPDX-License-Identifier: Apache-2.0
// tests/api/training_rows_support.cc: wrong calls of optimizers, schedules and datasets.
#include <tenon/ext/draft/groups.h>
#include <tenon/ext/draft/schedules.h>
#include <tenon/ext/draft/training.h>

#include <cmath>
#include <limits>

#include "tests/api/wrong_input_support.h"

namespace tenon::tests {
namespace {

constexpr tenon_string kLr = {"lr", TENON_NUL};

tenon_status create(World& w, const char* name, tenon_tensor* param, const tenon_string* names,
                    const tenon_value* values, uint32_t n_values) {
  return tenon_optimizer_create(w.cx, name, TENON_NUL, &param, 1, names, values, n_values,
                                &w.outs.optimizer);
}

void add_creation(Rows& rows) {
  add_contexts(rows, "tenon_optimizer_create", [](World& w, tenon_context* cx) {
    return tenon_optimizer_create(cx, "tenon.sgd", TENON_NUL, &w.own.parameter, 1, nullptr, nullptr,
                                  0, &w.outs.optimizer);
  });
  add_handles(rows, "tenon_optimizer_create", Kind::Tensor, [](World& w, void* handle) {
    return create(w, "tenon.sgd", static_cast<tenon_tensor*>(handle), nullptr, nullptr, 0);
  });
  add(rows, "tenon_optimizer_create", "unknown optimizer", TENON_E_NOT_FOUND, [](World& w) {
    return create(w, "tenon.gradient_ascent", w.own.parameter, nullptr, nullptr, 0);
  });
  add(rows, "tenon_optimizer_create", "NULL name", TENON_E_ARGUMENT, [](World& w) {
    return tenon_optimizer_create(w.cx, nullptr, 3, &w.own.parameter, 1, nullptr, nullptr, 0,
                                  &w.outs.optimizer);
  });
  add(rows, "tenon_optimizer_create", "NULL params with a count", TENON_E_ARGUMENT, [](World& w) {
    return tenon_optimizer_create(w.cx, "tenon.sgd", TENON_NUL, nullptr, 1, nullptr, nullptr, 0,
                                  &w.outs.optimizer);
  });
  add(rows, "tenon_optimizer_create", "NULL names with a count", TENON_E_ARGUMENT, [](World& w) {
    const tenon_value value = value_of(0.1);
    return create(w, "tenon.sgd", w.own.parameter, nullptr, &value, 1);
  });
  add(rows, "tenon_optimizer_create", "NULL values with a count", TENON_E_ARGUMENT,
      [](World& w) { return create(w, "tenon.sgd", w.own.parameter, &kLr, nullptr, 1); });
  add(rows, "tenon_optimizer_create", "NULL out", TENON_E_ARGUMENT, [](World& w) {
    return tenon_optimizer_create(w.cx, "tenon.sgd", TENON_NUL, &w.own.parameter, 1, nullptr,
                                  nullptr, 0, nullptr);
  });
  add(rows, "tenon_optimizer_create", "a parameter twice", TENON_E_ARGUMENT, [](World& w) {
    tenon_tensor* params[] = {w.own.parameter, w.own.parameter};
    return tenon_optimizer_create(w.cx, "tenon.sgd", TENON_NUL, params, 2, nullptr, nullptr, 0,
                                  &w.outs.optimizer);
  });
  const auto parameter = [&](const char* what, std::function<tenon_tensor*(World&)> which) {
    add(rows, "tenon_optimizer_create", what, TENON_E_GRAD,
        [which](World& w) { return create(w, "tenon.sgd", which(w), nullptr, nullptr, 0); });
  };
  parameter("no gradient wanted", [](World& w) { return w.t; });
  parameter("no leaf", [](World& w) { return w.computed; });
}

void add_hypers(Rows& rows) {
  const auto wrong = [&](const std::string& what, const char* name, tenon_value value) {
    add(rows, "tenon_optimizer_create", what, TENON_E_ATTRIBUTE, [name, value](World& w) {
      const tenon_string hyper = {name, TENON_NUL};
      return create(w, "tenon.sgd", w.own.parameter, &hyper, &value, 1);
    });
    add(rows, "tenon_optimizer_set", what, TENON_E_ATTRIBUTE, [name, value](World& w) {
      return tenon_optimizer_set(w.cx, w.own.optimizer, name, TENON_NUL, &value);
    });
  };
  wrong("unknown hyper-parameter", "speed", value_of(0.1));
  wrong("below its range", "lr", value_of(-0.1));
  wrong("infinite", "lr", value_of(std::numeric_limits<double>::infinity()));
  wrong("NaN", "lr", value_of(std::numeric_limits<double>::quiet_NaN()));
  wrong("a list as number", "lr", tenon_value{TENON_VALUE_INT_LIST, 0, {}});
  wrong("no value", "lr", tenon_value{});
  wrong("a number as flag", "nesterov", value_of(0.5));
}

// long: a table of calls
void add_optimizers(Rows& rows) {
  add_contexts(rows, "tenon_optimizer_run", [](World& w, tenon_context* cx) {
    return tenon_optimizer_run(cx, w.own.optimizer, 0);
  });
  add_handles(rows, "tenon_optimizer_run", Kind::Optimizer, [](World& w, void* handle) {
    return tenon_optimizer_run(w.cx, static_cast<tenon_optimizer*>(handle), 0);
  });
  add_unknown_flags(
      rows, "tenon_optimizer_run", TENON_OPTIMIZER_CLEAR_GRAD,
      [](World& w, uint32_t flags) { return tenon_optimizer_run(w.cx, w.own.optimizer, flags); });
  add(rows, "tenon_optimizer_run", "no gradients", TENON_E_GRAD,
      [](World& w) { return tenon_optimizer_run(w.cx, w.own.optimizer, 0); });

  add_contexts(rows, "tenon_optimizer_set", [](World& w, tenon_context* cx) {
    const tenon_value value = value_of(0.5);
    return tenon_optimizer_set(cx, w.own.optimizer, "lr", TENON_NUL, &value);
  });
  add_handles(rows, "tenon_optimizer_set", Kind::Optimizer, [](World& w, void* handle) {
    const tenon_value value = value_of(0.5);
    return tenon_optimizer_set(w.cx, static_cast<tenon_optimizer*>(handle), "lr", TENON_NUL,
                               &value);
  });
  add(rows, "tenon_optimizer_set", "NULL value", TENON_E_ARGUMENT, [](World& w) {
    return tenon_optimizer_set(w.cx, w.own.optimizer, "lr", TENON_NUL, nullptr);
  });
  add(rows, "tenon_optimizer_set", "NULL name", TENON_E_ARGUMENT, [](World& w) {
    const tenon_value value = value_of(0.5);
    return tenon_optimizer_set(w.cx, w.own.optimizer, nullptr, 2, &value);
  });

  add_contexts(rows, "tenon_optimizer_get", [](World& w, tenon_context* cx) {
    return tenon_optimizer_get(cx, w.own.optimizer, "lr", TENON_NUL, &w.outs.value);
  });
  add_handles(rows, "tenon_optimizer_get", Kind::Optimizer, [](World& w, void* handle) {
    return tenon_optimizer_get(w.cx, static_cast<tenon_optimizer*>(handle), "lr", TENON_NUL,
                               &w.outs.value);
  });
  add(rows, "tenon_optimizer_get", "unknown name", TENON_E_ATTRIBUTE, [](World& w) {
    return tenon_optimizer_get(w.cx, w.own.optimizer, "speed", TENON_NUL, &w.outs.value);
  });
  add(rows, "tenon_optimizer_get", "NULL out", TENON_E_ARGUMENT, [](World& w) {
    return tenon_optimizer_get(w.cx, w.own.optimizer, "lr", TENON_NUL, nullptr);
  });
  add(rows, "tenon_optimizer_get", "NULL name", TENON_E_ARGUMENT, [](World& w) {
    return tenon_optimizer_get(w.cx, w.own.optimizer, nullptr, 2, &w.outs.value);
  });

  add_contexts(rows, "tenon_optimizer_get_state", [](World& w, tenon_context* cx) {
    return tenon_optimizer_get_state(cx, w.own.optimizer, 0, "step", TENON_NUL, &w.outs.tensors[0]);
  });
  add_handles(rows, "tenon_optimizer_get_state", Kind::Optimizer, [](World& w, void* handle) {
    return tenon_optimizer_get_state(w.cx, static_cast<tenon_optimizer*>(handle), 0, "step",
                                     TENON_NUL, &w.outs.tensors[0]);
  });
  for (const auto& [what, index, name] : {std::tuple{"unknown state", 0u, "mood"},
                                          {"parameter 1 of 1", 1u, "step"},
                                          {"greatest parameter", UINT32_MAX, "step"}}) {
    add(rows, "tenon_optimizer_get_state", what, TENON_E_NOT_FOUND,
        [at = index, given = name](World& w) {
          return tenon_optimizer_get_state(w.cx, w.own.optimizer, at, given, TENON_NUL,
                                           &w.outs.tensors[0]);
        });
  }
  add(rows, "tenon_optimizer_get_state", "NULL out", TENON_E_ARGUMENT, [](World& w) {
    return tenon_optimizer_get_state(w.cx, w.own.optimizer, 0, "step", TENON_NUL, nullptr);
  });
  add(rows, "tenon_optimizer_get_state", "NULL name", TENON_E_ARGUMENT, [](World& w) {
    return tenon_optimizer_get_state(w.cx, w.own.optimizer, 0, nullptr, 4, &w.outs.tensors[0]);
  });
}

void add_groups(Rows& rows) {
  const char* function = "tenon_optimizer_create_groups";
  const auto create = [](World& w, tenon_context* cx, tenon_tensor* param,
                         const std::function<void(tenon_optimizer_group&)>& change) {
    tenon_optimizer_group group = {sizeof group, 0, &param, nullptr, nullptr, 1, 0};
    change(group);
    const tenon_optimizer_group* const groups[] = {&group};
    return tenon_optimizer_create_groups(cx, "tenon.sgd", TENON_NUL, groups, 1, nullptr, nullptr, 0,
                                         &w.outs.optimizer);
  };
  const auto as_it_is = [](tenon_optimizer_group&) {};
  add_contexts(rows, function, [=](World& w, tenon_context* cx) {
    return create(w, cx, w.own.parameter, as_it_is);
  });
  add_handles(rows, function, Kind::Tensor, [=](World& w, void* handle) {
    return create(w, w.cx, static_cast<tenon_tensor*>(handle), as_it_is);
  });
  for (const uint32_t flag : unknown_flags(0)) {
    add(rows, function, "unknown flag " + std::to_string(flag), TENON_E_ARGUMENT, [=](World& w) {
      return create(w, w.cx, w.own.parameter, [=](auto& group) { group.flags = flag; });
    });
  }
  const auto wrong = [&](const char* what, tenon_status expected,
                         const std::function<void(tenon_optimizer_group&)>& change) {
    add(rows, function, what, expected,
        [=](World& w) { return create(w, w.cx, w.own.parameter, change); });
  };
  static const tenon_value rate = value_of(-1.0);
  wrong("no size", TENON_E_ARGUMENT, [](auto& group) { group.struct_size = 0; });
  wrong("empty", TENON_E_ARGUMENT, [](auto& group) { group.n_params = 0; });
  wrong("NULL params with a count", TENON_E_ARGUMENT, [](auto& group) { group.params = nullptr; });
  wrong("NULL names with a count", TENON_E_ARGUMENT, [](auto& group) { group.n_values = 1; });
  wrong("out of range", TENON_E_ATTRIBUTE, [](auto& group) {
    group.names = &kLr;
    group.values = &rate;
    group.n_values = 1;
  });
  add(rows, function, "not a leaf", TENON_E_GRAD,
      [=](World& w) { return create(w, w.cx, w.computed, as_it_is); });
  add(rows, function, "a dtype without gradients", TENON_E_GRAD,
      [=](World& w) { return create(w, w.cx, w.integers, as_it_is); });
  const auto list = [&](const char* what, const char* name, bool null, uint32_t n_groups,
                        bool out) {
    add(rows, function, what, TENON_E_ARGUMENT, [=](World& w) {
      const tenon_optimizer_group* const groups[] = {nullptr};
      return tenon_optimizer_create_groups(w.cx, name, TENON_NUL, null ? nullptr : groups, n_groups,
                                           nullptr, nullptr, 0, out ? &w.outs.optimizer : nullptr);
    });
  };
  list("NULL group", "tenon.sgd", false, 1, true);
  list("NULL groups with a count", "tenon.sgd", true, 1, true);
  list("no groups", "tenon.sgd", true, 0, true);
  list("NULL name", nullptr, false, 1, true);
  list("NULL out", "tenon.sgd", false, 1, false);
}

void add_group_numbers(Rows& rows) {
  using Call = std::function<tenon_status(World&, tenon_context*, tenon_optimizer*, uint32_t,
                                          const char*, bool null)>;
  const auto both = [&](const char* function, const Call& call) {
    add_contexts(rows, function, [call](World& w, tenon_context* cx) {
      return call(w, cx, w.own.optimizer, 0, "lr", false);
    });
    add_handles(rows, function, Kind::Optimizer, [call](World& w, void* handle) {
      return call(w, w.cx, static_cast<tenon_optimizer*>(handle), 0, "lr", false);
    });
    for (const auto& [what, expected, group, name, null] :
         {std::tuple{"group 1 of 1", TENON_E_NOT_FOUND, 1u, "lr", false},
          {"greatest group", TENON_E_NOT_FOUND, UINT32_MAX, "lr", false},
          {"unknown name", TENON_E_ATTRIBUTE, 0u, "speed", false},
          {"NULL name", TENON_E_ARGUMENT, 0u, static_cast<const char*>(nullptr), false},
          {"NULL value", TENON_E_ARGUMENT, 0u, "lr", true}}) {
      add(rows, function, what, expected,
          [call, at = group, given = name, without = null](World& w) {
            return call(w, w.cx, w.own.optimizer, at, given, without);
          });
    }
  };
  both("tenon_optimizer_set_group", [](World&, tenon_context* cx, tenon_optimizer* optimizer,
                                       uint32_t group, const char* name, bool null) {
    const tenon_value value = value_of(0.5);
    return tenon_optimizer_set_group(cx, optimizer, group, name, TENON_NUL,
                                     null ? nullptr : &value);
  });
  both("tenon_optimizer_get_group", [](World& w, tenon_context* cx, tenon_optimizer* optimizer,
                                       uint32_t group, const char* name, bool null) {
    return tenon_optimizer_get_group(cx, optimizer, group, name, TENON_NUL,
                                     null ? nullptr : &w.outs.value);
  });
}

void add_state_setting(Rows& rows) {
  const char* function = "tenon_optimizer_set_state";
  add_contexts(rows, function, [](World& w, tenon_context* cx) {
    return tenon_optimizer_set_state(cx, w.own.optimizer, 0, "momentum_buffer", TENON_NUL, w.t);
  });
  add_handles(rows, function, Kind::Optimizer, [](World& w, void* handle) {
    return tenon_optimizer_set_state(w.cx, static_cast<tenon_optimizer*>(handle), 0,
                                     "momentum_buffer", TENON_NUL, w.t);
  });
  add_handles(rows, function, Kind::Tensor, [](World& w, void* handle) {
    return tenon_optimizer_set_state(w.cx, w.own.optimizer, 0, "momentum_buffer", TENON_NUL,
                                     static_cast<tenon_tensor*>(handle));
  });
  const auto wrong = [&](const char* what, tenon_status expected, uint32_t index, const char* name,
                         std::function<tenon_tensor*(World&)> which) {
    add(rows, function, what, expected, [=](World& w) {
      return tenon_optimizer_set_state(w.cx, w.own.optimizer, index, name, TENON_NUL, which(w));
    });
  };
  const auto same = [](World& w) { return w.t; };
  wrong("NULL name", TENON_E_ARGUMENT, 0, nullptr, same);
  wrong("unknown state", TENON_E_NOT_FOUND, 0, "mood", same);
  wrong("parameter 1 of 1", TENON_E_NOT_FOUND, 1, "momentum_buffer", same);
  wrong("another shape", TENON_E_SHAPE, 0, "momentum_buffer", [](World& w) { return w.wide; });
  wrong("a scalar's shape", TENON_E_SHAPE, 0, "step", [](World& w) { return w.integers; });
  wrong("another dtype", TENON_E_DTYPE, 0, "momentum_buffer", [](World& w) { return w.integers; });
}

void add_schedule_calls(Rows& rows) {
  const auto both = [&](const char* function,
                        std::function<tenon_status(World&, tenon_context*, tenon_schedule*)> call) {
    add_contexts(rows, function,
                 [call](World& w, tenon_context* cx) { return call(w, cx, w.own.schedule); });
    add_handles(rows, function, Kind::Schedule, [call](World& w, void* handle) {
      return call(w, w.cx, static_cast<tenon_schedule*>(handle));
    });
  };
  both("tenon_schedule_run", [](World& w, tenon_context* cx, tenon_schedule* schedule) {
    return tenon_schedule_run(cx, schedule, nullptr, &w.outs.number);
  });
  both("tenon_schedule_get_state", [](World& w, tenon_context* cx, tenon_schedule* schedule) {
    return tenon_schedule_get_state(cx, schedule, "step", TENON_NUL, &w.outs.number);
  });
  both("tenon_schedule_set_state", [](World&, tenon_context* cx, tenon_schedule* schedule) {
    return tenon_schedule_set_state(cx, schedule, "step", TENON_NUL, 1);
  });
  add(rows, "tenon_schedule_run", "NULL out", TENON_E_ARGUMENT,
      [](World& w) { return tenon_schedule_run(w.cx, w.own.schedule, nullptr, nullptr); });
  add(rows, "tenon_schedule_get_state", "NULL out", TENON_E_ARGUMENT, [](World& w) {
    return tenon_schedule_get_state(w.cx, w.own.schedule, "step", TENON_NUL, nullptr);
  });
  const auto named = [&](const char* what, tenon_status expected, const char* name) {
    add(rows, "tenon_schedule_get_state", what, expected, [name](World& w) {
      return tenon_schedule_get_state(w.cx, w.own.schedule, name, TENON_NUL, &w.outs.number);
    });
    add(rows, "tenon_schedule_set_state", what, expected, [name](World& w) {
      return tenon_schedule_set_state(w.cx, w.own.schedule, name, TENON_NUL, 1);
    });
  };
  named("NULL name", TENON_E_ARGUMENT, nullptr);
  named("unknown state", TENON_E_NOT_FOUND, "mood");
}

void add_schedules(Rows& rows) {
  const char* create = "tenon_schedule_create";
  add_contexts(rows, create, [](World& w, tenon_context* cx) {
    return tenon_schedule_create(cx, "tenon.constant", TENON_NUL, 1, nullptr, nullptr, 0,
                                 &w.outs.schedule);
  });
  const auto wrong = [&](const char* what, tenon_status expected, const char* name, double base,
                         uint32_t n_values) {
    add(rows, create, what, expected, [=](World& w) {
      return tenon_schedule_create(w.cx, name, TENON_NUL, base, nullptr, nullptr, n_values,
                                   &w.outs.schedule);
    });
  };
  wrong("unknown schedule", TENON_E_NOT_FOUND, "tenon.weather", 1, 0);
  wrong("NULL name", TENON_E_ARGUMENT, nullptr, 1, 0);
  wrong("NULL names with a count", TENON_E_ARGUMENT, "tenon.constant", 1, 1);
  wrong("a base value of NaN", TENON_E_ARGUMENT, "tenon.constant", std::nan(""), 0);
  wrong("required and missing", TENON_E_ATTRIBUTE, "tenon.step", 1, 0);
  add(rows, create, "NULL out", TENON_E_ARGUMENT, [](World& w) {
    return tenon_schedule_create(w.cx, "tenon.constant", TENON_NUL, 1, nullptr, nullptr, 0,
                                 nullptr);
  });
}

tenon_status open_dataset(World& w, const char* name, const tenon_string* names,
                          const tenon_value* values, uint32_t count) {
  return tenon_dataset_create(w.cx, name, TENON_NUL, names, values, count, &w.outs.dataset);
}

void add_dataset_creation(Rows& rows) {
  static const std::string absent = "/nowhere/at/all";
  static constexpr tenon_string images = {"images", TENON_NUL};
  static constexpr tenon_string unknown = {"colour", TENON_NUL};
  add_contexts(rows, "tenon_dataset_create", [](World& w, tenon_context* cx) {
    const tenon_value value = value_of(absent);
    return tenon_dataset_create(cx, "tenon.idx", TENON_NUL, &images, &value, 1, &w.outs.dataset);
  });
  const auto wrong = [&](const char* what, tenon_status expected, const char* name,
                         const tenon_string* option, tenon_value value) {
    add(rows, "tenon_dataset_create", what, expected,
        [=](World& w) { return open_dataset(w, name, option, &value, 1); });
  };
  wrong("unknown dataset", TENON_E_NOT_FOUND, "tenon.nothing", &images, value_of(absent));
  wrong("missing file", TENON_E_IO, "tenon.idx", &images, value_of(absent));
  wrong("unknown option", TENON_E_ATTRIBUTE, "tenon.idx", &unknown, value_of(absent));
  wrong("option of the wrong type", TENON_E_ATTRIBUTE, "tenon.idx", &images, value_of(1.0));
  wrong("NULL text", TENON_E_ATTRIBUTE, "tenon.idx", &images,
        tenon_value{TENON_VALUE_STRING, 4, {}});
  wrong("NULL names with a count", TENON_E_ARGUMENT, "tenon.idx", nullptr, value_of(absent));
  add(rows, "tenon_dataset_create", "required option missing", TENON_E_ATTRIBUTE,
      [](World& w) { return open_dataset(w, "tenon.idx", nullptr, nullptr, 0); });
  add(rows, "tenon_dataset_create", "NULL name", TENON_E_ARGUMENT, [](World& w) {
    return tenon_dataset_create(w.cx, nullptr, 1, nullptr, nullptr, 0, &w.outs.dataset);
  });
  add(rows, "tenon_dataset_create", "NULL out", TENON_E_ARGUMENT, [](World& w) {
    return tenon_dataset_create(w.cx, "tenon.idx", TENON_NUL, nullptr, nullptr, 0, nullptr);
  });
}

void add_datasets(Rows& rows) {
  add_contexts(rows, "tenon_dataset_get_length", [](World& w, tenon_context* cx) {
    return tenon_dataset_get_length(cx, w.own.dataset, &w.outs.length);
  });
  add_handles(rows, "tenon_dataset_get_length", Kind::Dataset, [](World& w, void* handle) {
    return tenon_dataset_get_length(w.cx, static_cast<tenon_dataset*>(handle), &w.outs.length);
  });
  add(rows, "tenon_dataset_get_length", "NULL out", TENON_E_ARGUMENT,
      [](World& w) { return tenon_dataset_get_length(w.cx, w.own.dataset, nullptr); });

  add_contexts(rows, "tenon_dataset_get_field", [](World& w, tenon_context* cx) {
    return tenon_dataset_get_field(cx, w.own.dataset, 0, &w.outs.meta, &w.outs.name);
  });
  add_handles(rows, "tenon_dataset_get_field", Kind::Dataset, [](World& w, void* handle) {
    return tenon_dataset_get_field(w.cx, static_cast<tenon_dataset*>(handle), 0, &w.outs.meta,
                                   &w.outs.name);
  });
  for (const uint32_t index : {1u, 2u, UINT32_MAX}) {
    add(rows, "tenon_dataset_get_field", "field " + std::to_string(index), TENON_E_NOT_FOUND,
        [index](World& w) {
          return tenon_dataset_get_field(w.cx, w.own.dataset, index, &w.outs.meta, &w.outs.name);
        });
  }

  static constexpr int64_t zero[] = {0};
  add_contexts(rows, "tenon_dataset_call", [](World& w, tenon_context* cx) {
    return tenon_dataset_call(cx, w.own.dataset, zero, 1, w.outs.tensors, 1);
  });
  add_handles(rows, "tenon_dataset_call", Kind::Dataset, [](World& w, void* handle) {
    return tenon_dataset_call(w.cx, static_cast<tenon_dataset*>(handle), zero, 1, w.outs.tensors,
                              1);
  });
  for (const int64_t index : {int64_t{-1}, int64_t{359}, std::numeric_limits<int64_t>::max(),
                              std::numeric_limits<int64_t>::min()}) {
    add(rows, "tenon_dataset_call", "sample " + std::to_string(index), TENON_E_ARGUMENT,
        [index](World& w) {
          const int64_t indices[] = {0, index};
          return tenon_dataset_call(w.cx, w.own.dataset, indices, 2, w.outs.tensors, 1);
        });
  }
  const auto count = [&](const char* what, int64_t n, uint32_t fields) {
    add(rows, "tenon_dataset_call", what, TENON_E_ARGUMENT, [n, fields](World& w) {
      return tenon_dataset_call(w.cx, w.own.dataset, zero, n, w.outs.tensors, fields);
    });
  };
  count("-1 samples", -1, 1);
  count("no fields", 1, 0);
  count("two fields of one", 1, 2);
  add(rows, "tenon_dataset_call", "NULL indices", TENON_E_ARGUMENT, [](World& w) {
    return tenon_dataset_call(w.cx, w.own.dataset, nullptr, 1, w.outs.tensors, 1);
  });
  add(rows, "tenon_dataset_call", "NULL out", TENON_E_ARGUMENT,
      [](World& w) { return tenon_dataset_call(w.cx, w.own.dataset, zero, 1, nullptr, 1); });
}

}  // namespace

void add_training_rows(Rows& rows) {
  add_creation(rows);
  add_hypers(rows);
  add_optimizers(rows);
  add_groups(rows);
  add_group_numbers(rows);
  add_state_setting(rows);
  add_schedules(rows);
  add_schedule_calls(rows);
  add_dataset_creation(rows);
  add_datasets(rows);
}

}  // namespace tenon::tests
