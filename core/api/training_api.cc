// SPDX-License-Identifier: Apache-2.0
// core/api/training_api.cc: public functions of an optimizer, a schedule and a dataset.
#include <tenon/ext/draft/groups.h>
#include <tenon/ext/draft/training.h>

#include "core/api/guard.h"
#include "core/api/objects.h"
#include "core/base/sized.h"

using namespace tenon;
using namespace tenon::api;
using data::Dataset;
using optim::Optimizer;
using optim::Schedule;

namespace {

optim::GivenGroup read_group(Context& context, const tenon_optimizer_group* given, uint32_t index) {
  const std::string place = "groups[" + std::to_string(index) + "]";
  require_pointer(given, place.c_str());
  const auto group = base::read_sized(*given, "tenon_optimizer_group", place);
  refuse_flags(group.flags, 0);
  return {hold_tensors(context, group.params, group.n_params, "params"),
          read_named(group.names, group.values, group.n_values)};
}

std::vector<optim::GivenGroup> read_groups(Context& context,
                                           const tenon_optimizer_group* const* groups,
                                           uint32_t count) {
  if (count == 0) {
    fail(TENON_E_ARGUMENT, "an optimizer has at least one group", "n_groups", "at least 1", "0");
  }
  require_pointer(groups, "groups");
  std::vector<optim::GivenGroup> list;
  for (uint32_t i = 0; i < count; ++i) list.push_back(read_group(context, groups[i], i));
  return list;
}

tenon_status set_hyper(tenon_context* context, tenon_optimizer* optimizer,
                       std::optional<uint32_t> group, const char* name, uint64_t name_length,
                       const tenon_value* value) {
  return guard(context, [&](Context& cx) {
    require_pointer(value, "value");
    kOptimizers.require(cx, optimizer)->set(cx, group, require_name(name, name_length), *value);
  });
}

tenon_status get_hyper(tenon_context* context, tenon_optimizer* optimizer,
                       std::optional<uint32_t> group, const char* name, uint64_t name_length,
                       tenon_value* out_value) {
  return guard_out(context, out_value, "out_value", [&](Context& cx) {
    return kOptimizers.require(cx, optimizer)->get(group, require_name(name, name_length));
  });
}

}  // namespace

tenon_status tenon_optimizer_create(tenon_context* context, const char* name, uint64_t name_length,
                                    tenon_tensor* const* params, uint32_t n_params,
                                    const tenon_string* names, const tenon_value* values,
                                    uint32_t n_values, tenon_optimizer** out_optimizer) {
  return guard_out(context, out_optimizer, "out_optimizer", [&](Context& cx) {
    const std::string_view given = require_name(name, name_length);
    std::vector<optim::GivenGroup> groups;
    groups.push_back({hold_tensors(cx, params, n_params, "params")});
    return make_optimizer(cx, given, std::move(groups), read_named(names, values, n_values),
                          optim::Given::List);
  });
}

tenon_status tenon_optimizer_create_groups(tenon_context* context, const char* name,
                                           uint64_t name_length,
                                           const tenon_optimizer_group* const* groups,
                                           uint32_t n_groups, const tenon_string* names,
                                           const tenon_value* values, uint32_t n_values,
                                           tenon_optimizer** out_optimizer) {
  return guard_out(context, out_optimizer, "out_optimizer", [&](Context& cx) {
    const std::string_view given = require_name(name, name_length);
    return make_optimizer(cx, given, read_groups(cx, groups, n_groups),
                          read_named(names, values, n_values), optim::Given::Groups);
  });
}

void tenon_optimizer_release(tenon_optimizer* handle) { kOptimizers.release(handle); }

tenon_status tenon_optimizer_run(tenon_context* context, tenon_optimizer* optimizer,
                                 uint32_t flags) {
  return guard(context, [&](Context& cx) {
    if (flags & ~TENON_OPTIMIZER_CLEAR_GRAD) {
      fail(TENON_E_ARGUMENT, "unknown optimizer flags", "flags", {}, std::to_string(flags));
    }
    kOptimizers.require(cx, optimizer)->run(cx, (flags & TENON_OPTIMIZER_CLEAR_GRAD) != 0);
  });
}

tenon_status tenon_optimizer_set(tenon_context* context, tenon_optimizer* optimizer,
                                 const char* name, uint64_t name_length, const tenon_value* value) {
  return set_hyper(context, optimizer, std::nullopt, name, name_length, value);
}

tenon_status tenon_optimizer_get(tenon_context* context, tenon_optimizer* optimizer,
                                 const char* name, uint64_t name_length, tenon_value* out_value) {
  return get_hyper(context, optimizer, std::nullopt, name, name_length, out_value);
}

tenon_status tenon_optimizer_set_group(tenon_context* context, tenon_optimizer* optimizer,
                                       uint32_t group, const char* name, uint64_t name_length,
                                       const tenon_value* value) {
  return set_hyper(context, optimizer, group, name, name_length, value);
}

tenon_status tenon_optimizer_get_group(tenon_context* context, tenon_optimizer* optimizer,
                                       uint32_t group, const char* name, uint64_t name_length,
                                       tenon_value* out_value) {
  return get_hyper(context, optimizer, group, name, name_length, out_value);
}

tenon_status tenon_optimizer_get_state(tenon_context* context, tenon_optimizer* optimizer,
                                       uint32_t index, const char* name, uint64_t name_length,
                                       tenon_tensor** out_state) {
  return guard_out(context, out_state, "out_state", [&](Context& cx) {
    const Optimizer& from = *kOptimizers.require(cx, optimizer);
    return tensor::handle(from.state(index, require_name(name, name_length)));
  });
}

tenon_status tenon_optimizer_set_state(tenon_context* context, tenon_optimizer* optimizer,
                                       uint32_t index, const char* name, uint64_t name_length,
                                       tenon_tensor* tensor) {
  return guard(context, [&](Context& cx) {
    const std::string_view given = require_name(name, name_length);
    const Tensor& values = require_tensor(cx, tensor, "tensor");
    kOptimizers.require(cx, optimizer)->set_state(cx, index, given, values);
  });
}

tenon_status tenon_schedule_create(tenon_context* context, const char* name, uint64_t name_length,
                                   double base_value, const tenon_string* names,
                                   const tenon_value* values, uint32_t n_values,
                                   tenon_schedule** out_schedule) {
  return guard_out(context, out_schedule, "out_schedule", [&](Context& cx) {
    const std::string_view given = require_name(name, name_length);
    const auto hypers = read_named(names, values, n_values);
    const auto& kind = cx.runtime->plugins.require_entry<tenon_schedule_desc>(given);
    return kSchedules.give(std::make_shared<Schedule>(cx, kind, base_value, hypers));
  });
}

void tenon_schedule_release(tenon_schedule* handle) { kSchedules.release(handle); }

tenon_status tenon_schedule_run(tenon_context* context, tenon_schedule* schedule,
                                const double* metric, double* out_value) {
  return guard_out(context, out_value, "out_value",
                   [&](Context& cx) { return kSchedules.require(cx, schedule)->run(cx, metric); });
}

tenon_status tenon_schedule_get_state(tenon_context* context, tenon_schedule* schedule,
                                      const char* name, uint64_t name_length, double* out_value) {
  return guard_out(context, out_value, "out_value", [&](Context& cx) {
    return kSchedules.require(cx, schedule)->state(require_name(name, name_length));
  });
}

tenon_status tenon_schedule_set_state(tenon_context* context, tenon_schedule* schedule,
                                      const char* name, uint64_t name_length, double value) {
  return guard(context, [&](Context& cx) {
    kSchedules.require(cx, schedule)->set_state(require_name(name, name_length), value);
  });
}

tenon_status tenon_dataset_create(tenon_context* context, const char* name, uint64_t name_length,
                                  const tenon_string* names, const tenon_value* values,
                                  uint32_t n_values, tenon_dataset** out_dataset) {
  return guard_out(context, out_dataset, "out_dataset", [&](Context& cx) {
    const std::string_view given = require_name(name, name_length);
    const auto options = read_named(names, values, n_values);
    const auto& kind = cx.runtime->plugins.require_entry<tenon_dataset_desc>(given);
    return kDatasets.give(std::make_shared<Dataset>(cx, kind, options));
  });
}

void tenon_dataset_release(tenon_dataset* handle) { kDatasets.release(handle); }

tenon_status tenon_dataset_get_length(tenon_context* context, tenon_dataset* dataset,
                                      int64_t* out_length) {
  return guard_out(context, out_length, "out_length",
                   [&](Context& cx) { return kDatasets.require(cx, dataset)->length(); });
}

tenon_status tenon_dataset_get_field(tenon_context* context, tenon_dataset* dataset, uint32_t index,
                                     tenon_meta* out_sample, const char** out_name) {
  return guard(context, [&](Context& cx) {
    const Dataset& from = *kDatasets.require(cx, dataset);
    check_index("the dataset has no field", index, from.fields().size());
    if (out_sample) *out_sample = from.fields()[index].sample;
    if (out_name) *out_name = from.field_name(index);
  });
}

tenon_status tenon_dataset_call(tenon_context* context, tenon_dataset* dataset,
                                const int64_t* indices, int64_t n, tenon_tensor** out_fields,
                                uint32_t n_fields) {
  return guard(context, [&](Context& cx) {
    const Dataset& from = *kDatasets.require(cx, dataset);
    require_pointer(out_fields, "out_fields");
    if (n != 0) require_pointer(indices, "indices");
    if (n < 0 || n_fields != from.fields().size()) {
      fail(TENON_E_ARGUMENT,
           n < 0 ? "the number of indices is negative"
                 : "the number of fields does not fit the dataset",
           n < 0 ? "n" : "n_fields", n < 0 ? ">= 0" : std::to_string(from.fields().size()),
           std::to_string(n < 0 ? n : int64_t{n_fields}));
    }
    std::vector<Ref> fields = from.get(cx, {n, indices, cx.seed, 0});
    for (uint32_t i = 0; i < n_fields; ++i) out_fields[i] = tensor::handle(fields[i].take());
  });
}
