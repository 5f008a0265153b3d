// SPDX-License-Identifier: Apache-2.0
// tenon/sdk/plugin.hpp: puts the files of one plugin together.
//
// Each source file ends with TENON_UNIT(<its file name>) = {.ops = ..., .vjps = ..., ...}; CMake's
// tenon_add_plugin() lists the files' units and writes the one exported function around query().
// Everything is constant data: no static constructor runs when the library is opened.
#pragma once

#include <tenon/ext/draft/datasets.h>
#include <tenon/ext/draft/formats.h>
#include <tenon/ext/draft/schedules.h>
#include <tenon/sdk/base.hpp>

#include <cstddef>
#include <memory>
#include <vector>

namespace tenon::sdk {

struct Unit {
  std::span<const tenon_op_desc> ops{};
  std::span<const tenon_vjp_desc> vjps{};
  std::span<const tenon_kernel_desc> kernels{};
  std::span<const tenon_sample> samples{};
  std::span<const tenon_optimizer_desc> optimizers{};
  std::span<const tenon_dataset_desc> datasets{};
  std::span<const tenon_format_desc> formats{};
  const tenon_backend_table* backend = nullptr;
  std::span<const tenon_tolerance> tolerances{};
  std::span<const tenon_optimizer_sample> optimizer_samples{};
  // Further kernels, for what the machine decides: asked once for each runtime, when the plugin is
  // opened. Each choice lists the same ops, since the manifest is written on another machine.
  std::span<const tenon_kernel_desc> (*chosen_kernels)() = nullptr;
  std::span<const tenon_schedule_desc> schedules{};
};

#define TENON_UNIT(name)                             \
  extern const ::tenon::sdk::Unit tenon_unit_##name; \
  constinit const ::tenon::sdk::Unit tenon_unit_##name

// The ABI minor that these headers themselves ask of a host. A plugin built with newer headers runs
// on older hosts, unless it states more.
inline constexpr uint32_t kRequiredMinor = 1;

struct About {
  std::string_view id;
  std::string_view version;
  std::string_view license;
  std::span<const Unit* const> units;
  uint32_t required_minor = kRequiredMinor;
};

inline tenon_fingerprint fingerprint() { return TENON_FINGERPRINT_BUILT; }

// The tables of one runtime, gathered from the units when the plugin is opened.
struct State {
  explicit State(const About& about) {
    for (const Unit* unit : about.units) {
      for (const auto& item : unit->ops) ops.push_back(&item);
      for (const auto& item : unit->vjps) vjps.push_back(&item);
      for (const auto& item : unit->kernels) kernels.push_back(&item);
      if (unit->chosen_kernels) {
        for (const auto& item : unit->chosen_kernels()) kernels.push_back(&item);
      }
      for (const auto& item : unit->optimizers) optimizers.push_back(&item);
      for (const auto& item : unit->datasets) datasets.push_back(&item);
      for (const auto& item : unit->schedules) schedules.push_back(&item);
      for (const auto& item : unit->formats) formats.push_back(&item);
      for (const auto& item : unit->tolerances) tolerances.push_back(&item);
      for (const auto& item : unit->optimizer_samples) optimizer_samples.push_back(&item);
      samples.insert(samples.end(), unit->samples.begin(), unit->samples.end());
      if (unit->backend) backend = unit->backend;
    }
    ops_table = {sizeof ops_table, count(ops), ops.data()};
    vjps_table = {sizeof vjps_table, count(vjps), vjps.data()};
    kernels_table = {sizeof kernels_table, count(kernels), kernels.data()};
    optimizers_table = {sizeof optimizers_table, count(optimizers), optimizers.data()};
    datasets_table = {sizeof datasets_table, count(datasets), datasets.data()};
    schedules_table = {sizeof schedules_table, count(schedules), schedules.data()};
    formats_table = {sizeof formats_table, count(formats), formats.data()};
    selftest_table = {sizeof selftest_table, count(samples), samples.data()};
    tolerances_table = {sizeof tolerances_table, count(tolerances), tolerances.data()};
    optimizer_samples_table = {sizeof optimizer_samples_table, count(optimizer_samples),
                               optimizer_samples.data()};
  }
  const void* find(std::string_view id) const {
    if (id == "tenon.ops/1") return ops.empty() ? nullptr : &ops_table;
    if (id == "tenon.vjps/1") return vjps.empty() ? nullptr : &vjps_table;
    if (id == "tenon.kernels/1") return kernels.empty() ? nullptr : &kernels_table;
    if (id == "tenon.optimizers/1") return optimizers.empty() ? nullptr : &optimizers_table;
    if (id == "tenon.datasets/1") return datasets.empty() ? nullptr : &datasets_table;
    if (id == "tenon.schedules/1") return schedules.empty() ? nullptr : &schedules_table;
    if (id == "tenon.formats/1") return formats.empty() ? nullptr : &formats_table;
    if (id == "tenon.selftest/1") return samples.empty() ? nullptr : &selftest_table;
    if (id == "tenon.selftest.tolerances/1") {
      return tolerances.empty() ? nullptr : &tolerances_table;
    }
    if (id == "tenon.selftest.optimizers/1") {
      return optimizer_samples.empty() ? nullptr : &optimizer_samples_table;
    }
    if (id == "tenon.backend/1") return backend;
    return nullptr;
  }
  template <class List>
  static uint32_t count(const List& list) {
    return static_cast<uint32_t>(list.size());
  }

  std::vector<const tenon_op_desc*> ops;
  std::vector<const tenon_vjp_desc*> vjps;
  std::vector<const tenon_kernel_desc*> kernels;
  std::vector<const tenon_optimizer_desc*> optimizers;
  std::vector<const tenon_dataset_desc*> datasets;
  std::vector<const tenon_schedule_desc*> schedules;
  std::vector<const tenon_format_desc*> formats;
  std::vector<tenon_sample> samples;
  std::vector<const tenon_tolerance*> tolerances;
  std::vector<const tenon_optimizer_sample*> optimizer_samples;
  const tenon_backend_table* backend = nullptr;
  tenon_ops_table ops_table{};
  tenon_vjps_table vjps_table{};
  tenon_kernels_table kernels_table{};
  tenon_optimizers_table optimizers_table{};
  tenon_datasets_table datasets_table{};
  tenon_schedules_table schedules_table{};
  tenon_formats_table formats_table{};
  tenon_selftest_table selftest_table{};
  tenon_tolerances_table tolerances_table{};
  tenon_optimizer_samples_table optimizer_samples_table{};
};

// What every host of this draft reads of a tenon_plugin.
inline constexpr uint32_t kLeastPluginSize =
    offsetof(tenon_plugin, get_interface) + sizeof(tenon_plugin::get_interface);

// Everything the plugin states, as long as these headers know it.
template <class Data>
tenon_plugin statement() {
  const About about = Data::about();
  tenon_plugin out{};
  out.built_major = TENON_ABI_MAJOR;
  out.built_minor = TENON_ABI_MINOR;
  out.required_minor = about.required_minor;
  out.fingerprint = fingerprint();
  out.id = str(about.id);
  out.version = str(about.version);
  out.license = str(about.license);
  out.init = [](const tenon_host*, void** out_self, tenon_diag* d) -> tenon_status {
    try {
      *out_self = new State(Data::about());
      return TENON_OK;
    } catch (...) {
      d->status = TENON_E_MEMORY;
      d->length = std::snprintf(d->message, sizeof d->message, "out of memory");
      return TENON_E_MEMORY;
    }
  };
  out.release = [](void* self) { delete static_cast<State*>(self); };
  out.get_interface = [](void* self, const char* id, uint64_t length) -> const void* {
    return static_cast<State*>(self)->find(length == TENON_NUL ? std::string_view(id)
                                                               : std::string_view(id, length));
  };
  return out;
}

// The body of tenon_plugin_query_v0. `Data` is a struct with a static `about()`. Fills as much of
// `out` as both sides know.
template <class Data>
tenon_status query(const tenon_host*, tenon_plugin* out, tenon_diag* diag) noexcept {
  const uint32_t room = out->struct_size;
  if (room < kLeastPluginSize) {
    diag->status = TENON_E_PLUGIN;
    diag->length =
        std::snprintf(diag->message, sizeof diag->message,
                      "the host reads %u bytes of tenon_plugin, %u are needed",
                      static_cast<unsigned>(room), static_cast<unsigned>(kLeastPluginSize));
    return TENON_E_PLUGIN;
  }
  tenon_plugin filled = statement<Data>();
  filled.struct_size = room < sizeof filled ? room : static_cast<uint32_t>(sizeof filled);
  __builtin_memcpy(out, &filled, filled.struct_size);
  return TENON_OK;
}

}  // namespace tenon::sdk
