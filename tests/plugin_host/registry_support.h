// SPDX-License-Identifier: Apache-2.0
// tests/plugin_host/registry_support.h: tables written by hand, as a plugin would offer them.
#pragma once

#include <gmock/gmock.h>

#include <deque>
#include <string>
#include <vector>

#include "core/registry/registry.h"
#include "core/registry/transaction.h"
#include "tests/plugin_host/plugin_host_support.h"

namespace tenon::tests {

using plugin::Plugin;
using registry::Registry;
using registry::Tables;

inline tenon_string text(std::string_view value) { return {value.data(), value.size()}; }

inline tenon_status infer(tenon_call*, const tenon_launch*, tenon_meta*, uint32_t) {
  return TENON_OK;
}
inline tenon_status view(tenon_call*, const tenon_launch*, tenon_view_result*) { return TENON_OK; }
inline tenon_status words(tenon_call*, const tenon_launch*, uint64_t*) { return TENON_OK; }
inline tenon_status launch(tenon_call*, const tenon_launch*) { return TENON_OK; }
inline tenon_status vjp(tenon_call*, void*) { return TENON_OK; }

inline constexpr const char* kAddSchema =
    "add(a: T[...], b: T[...]) -> T[...] where T: number promote";

inline tenon_op_desc op_desc(std::string_view name, std::string_view schema,
                             uint32_t revision = 1) {
  tenon_op_desc desc{};
  desc.struct_size = sizeof desc;
  desc.name = text(name);
  desc.schema = text(schema);
  desc.revision = revision;
  desc.infer = infer;
  return desc;
}

inline constexpr tenon_slot_rule kIn{TENON_SLOT_IN, 0, 0, 0};
inline constexpr tenon_slot_rule kOut{TENON_SLOT_OUT, 0, 0, 0};
inline constexpr tenon_slot_rule kInOut{TENON_SLOT_INOUT, 0, 0, 0};
inline constexpr tenon_slot_rule kAccum{TENON_SLOT_ACCUM, 0, 0, 0};

// The place in Tables follows from what the table points to.
template <class Table>
void set_entries(Tables& tables, const Table& table) {
  using Desc = std::remove_cvref_t<decltype(**table.descs)>;
  tables.entries[registry::kind_of<Desc>()] = reinterpret_cast<const tenon_entries_table*>(&table);
}

// Everything one plugin hands out. Descriptors may be changed until they are added.
struct Offer {
  explicit Offer(const char* id, uint32_t order = 0) {
    plugin.id = id;
    plugin.order = order;
  }

  tenon_op_desc& op(std::string_view name, std::string_view schema, uint32_t revision = 1) {
    return ops.emplace_back(op_desc(name, schema, revision));
  }

  tenon_kernel_desc& kernel(std::string_view op, std::vector<tenon_slot_rule> slot_rules,
                            std::vector<tenon_dtype> dtypes, std::string_view device = "toy") {
    const auto& kept_slots = slots.emplace_back(std::move(slot_rules));
    const auto& kept_rows = rows.emplace_back(std::move(dtypes));
    tenon_kernel_desc& desc = kernels.emplace_back();
    desc.struct_size = sizeof desc;
    desc.op = text(op);
    desc.device = text(device);
    desc.revision = 1;
    desc.slots = kept_slots.data();
    desc.n_slots = static_cast<uint32_t>(kept_slots.size());
    desc.dtype_rows = kept_rows.data();
    desc.n_rows = static_cast<uint32_t>(kept_rows.size());
    desc.n_variables = 1;
    desc.launch = launch;
    return desc;
  }

  tenon_vjp_desc& rule(std::string_view op, uint32_t n_inputs, uint32_t n_outputs) {
    const auto& kept = needs.emplace_back(n_inputs);
    tenon_vjp_desc& desc = vjps.emplace_back();
    desc.struct_size = sizeof desc;
    desc.op = text(op);
    desc.revision = 1;
    desc.n_inputs = n_inputs;
    desc.n_outputs = n_outputs;
    desc.needs = kept.data();
    desc.vjp = vjp;
    return desc;
  }

  tenon_optimizer_desc& optimizer(std::string_view name, std::string_view step_op) {
    tenon_optimizer_desc& desc = optimizers.emplace_back();
    desc.struct_size = sizeof desc;
    desc.name = text(name);
    desc.step_op = text(step_op);
    return desc;
  }

  tenon_schedule_desc& schedule(std::string_view name) {
    tenon_schedule_desc& desc = schedules.emplace_back();
    desc.struct_size = sizeof desc;
    desc.name = text(name);
    desc.advance = [](tenon_call*, const tenon_value*, double*, double, const double*, double*) {
      return TENON_OK;
    };
    return desc;
  }

  tenon_dataset_desc& dataset(std::string_view name) {
    tenon_dataset_desc& desc = datasets.emplace_back();
    desc.struct_size = sizeof desc;
    desc.name = text(name);
    desc.create = [](tenon_call*, const tenon_value*, void**) { return TENON_OK; };
    desc.release = [](void*) {};
    desc.length = [](tenon_call*, void*, int64_t*) { return TENON_OK; };
    desc.fields = [](tenon_call*, void*, tenon_dataset_field*, uint32_t, uint32_t*) {
      return TENON_OK;
    };
    desc.get = [](tenon_call*, void*, const int64_t*, int64_t, void* const*) { return TENON_OK; };
    return desc;
  }

  void add_to(Registry& registry) {
    point(ops, op_list, ops_table);
    point(kernels, kernel_list, kernels_table);
    point(vjps, vjp_list, vjps_table);
    point(optimizers, optimizer_list, optimizers_table);
    point(schedules, schedule_list, schedules_table);
    point(datasets, dataset_list, datasets_table);
    samples_table = {sizeof samples_table, static_cast<uint32_t>(samples.size()), samples.data()};
    Tables tables;
    tables.ops = &ops_table;
    tables.kernels = &kernels_table;
    tables.vjps = &vjps_table;
    set_entries(tables, optimizers_table);
    set_entries(tables, schedules_table);
    set_entries(tables, datasets_table);
    tables.selftest = &samples_table;
    tables.backend = backend;
    registry::add(registry, plugin, tables, report);
  }

  // The words of the refusal; the registry must be as it was.
  std::string refusal(Registry& registry) {
    const uint64_t epoch = registry.epoch();
    const size_t count = registry.ops().size();
    const Error error = error_of([&] { add_to(registry); });
    EXPECT_EQ(error.status, TENON_E_PLUGIN);
    EXPECT_EQ(registry.epoch(), epoch);
    EXPECT_EQ(registry.ops().size(), count);
    EXPECT_THAT(report, testing::IsEmpty());
    return error.message;
  }
  std::string refusal() {
    Registry registry(nullptr);
    return refusal(registry);
  }

  template <class Descs, class List, class Table>
  static void point(const Descs& descs, List& list, Table& table) {
    list.clear();
    for (const auto& desc : descs) list.push_back(&desc);
    table = {sizeof table, static_cast<uint32_t>(list.size()), list.data()};
  }

  Plugin plugin;
  std::deque<tenon_op_desc> ops;
  std::deque<tenon_kernel_desc> kernels;
  std::deque<tenon_vjp_desc> vjps;
  std::deque<tenon_optimizer_desc> optimizers;
  std::deque<tenon_schedule_desc> schedules;
  std::deque<tenon_dataset_desc> datasets;
  std::vector<tenon_sample> samples;
  std::deque<std::vector<tenon_slot_rule>> slots;
  std::deque<std::vector<tenon_dtype>> rows;
  std::deque<std::vector<tenon_vjp_need>> needs;
  std::vector<const tenon_op_desc*> op_list;
  std::vector<const tenon_kernel_desc*> kernel_list;
  std::vector<const tenon_vjp_desc*> vjp_list;
  std::vector<const tenon_optimizer_desc*> optimizer_list;
  std::vector<const tenon_schedule_desc*> schedule_list;
  std::vector<const tenon_dataset_desc*> dataset_list;
  tenon_ops_table ops_table{};
  tenon_kernels_table kernels_table{};
  tenon_vjps_table vjps_table{};
  tenon_optimizers_table optimizers_table{};
  tenon_schedules_table schedules_table{};
  tenon_datasets_table datasets_table{};
  tenon_selftest_table samples_table{};
  const tenon_backend_table* backend = nullptr;
  std::vector<std::string> report;
};

inline tenon_backend_table toy_backend() {
  tenon_backend_table table{};
  table.struct_size = sizeof table;
  table.flags = TENON_BACKEND_HOST_MEMORY;
  table.kind = text("toy");
  table.device_count = [](void*, int32_t* count, tenon_diag*) {
    *count = 2;
    return TENON_OK;
  };
  table.alloc = [](void*, int32_t, uint64_t, void**) { return TENON_E_MEMORY; };
  table.free = [](void*, int32_t, void*, uint64_t) {};
  table.copy = [](void*, int32_t, void*, uint32_t, void*, const void*, uint64_t) {
    return TENON_OK;
  };
  table.stream_create = [](void*, int32_t, void**) { return TENON_OK; };
  table.stream_release = [](void*, int32_t, void*) {};
  table.stream_wait = [](void*, int32_t, void*, tenon_diag*) { return TENON_OK; };
  table.event_create = [](void*, int32_t, void**) { return TENON_OK; };
  table.event_release = [](void*, int32_t, void*) {};
  table.event_record = [](void*, int32_t, void*, void*) { return TENON_OK; };
  table.event_wait = [](void*, int32_t, void*, void*) { return TENON_OK; };
  table.event_query = [](void*, int32_t, void*, uint32_t*, tenon_diag*) { return TENON_OK; };
  return table;
}

}  // namespace tenon::tests
