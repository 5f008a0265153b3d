// SPDX-License-Identifier: Apache-2.0
// tenon/sdk/plugin/plugin.hpp: puts the files of one plugin together.
//
// Each source file ends with TENON_UNIT(<its file name>) = {.ops = ..., .vjps = ..., ...}; CMake's
// tenon_add_plugin() lists the files' units and writes the one exported function around query().
// Everything is constant data: no static constructor runs when the library is opened.
#pragma once

#include <tenon/kinds.h>
#include <tenon/sdk/plugin/base.hpp>

#include <cstddef>
#include <memory>
#include <vector>

namespace tenon::sdk {

struct Unit {
  std::span<const tenon_op_desc> ops{};
  std::span<const tenon_vjp_desc> vjps{};
  std::span<const tenon_kernel_desc> kernels{};
  std::span<const tenon_sample> samples{};
#define TENON_UNIT_MEMBER(noun, plural) std::span<const tenon_##noun##_desc> plural{};
  TENON_KINDS(TENON_UNIT_MEMBER)  // .optimizers, .datasets, .layers, ...
#undef TENON_UNIT_MEMBER
  const tenon_backend_table* backend = nullptr;
  std::span<const tenon_tolerance> tolerances{};
  std::span<const tenon_optimizer_sample> optimizer_samples{};
  // Further kernels, for what the machine decides: asked once for each runtime, when the plugin is
  // opened. Each choice lists the same ops, since the manifest is written on another machine.
  std::span<const tenon_kernel_desc> (*chosen_kernels)() = nullptr;
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

// One of a plugin's tables: pointers to descriptors, gathered from the units. Tables of every kind
// have the members of tenon_entries_table.
template <class Desc>
struct Table {
  std::string_view id;
  std::vector<const Desc*> descs{};
  tenon_entries_table table{};

  void add(std::span<const Desc> list) {
    for (const Desc& desc : list) descs.push_back(&desc);
  }
  void fill() {
    table = {sizeof table, static_cast<uint32_t>(descs.size()),
             reinterpret_cast<const tenon_entry_desc* const*>(descs.data())};
  }
};

// The tables of one runtime, gathered from the units when the plugin is opened.
struct State {
  explicit State(const About& about) {
    for (const Unit* unit : about.units) {
      ops.add(unit->ops);
      vjps.add(unit->vjps);
      kernels.add(unit->kernels);
      if (unit->chosen_kernels) kernels.add(unit->chosen_kernels());
#define TENON_ADD_ENTRIES(noun, plural) plural.add(unit->plural);
      TENON_KINDS(TENON_ADD_ENTRIES)
#undef TENON_ADD_ENTRIES
      tolerances.add(unit->tolerances);
      optimizer_samples.add(unit->optimizer_samples);
      samples.insert(samples.end(), unit->samples.begin(), unit->samples.end());
      if (unit->backend) backend = unit->backend;
    }
    selftest_table = {sizeof selftest_table, static_cast<uint32_t>(samples.size()), samples.data()};
    each_table(*this, [](auto& table) { table.fill(); });
  }
  // NULL if the plugin has nothing for it.
  const void* find(std::string_view id) const {
    if (id == "tenon.selftest/1") return samples.empty() ? nullptr : &selftest_table;
    if (id == "tenon.backend/1") return backend;
    const void* found = nullptr;
    each_table(*this, [&](const auto& table) {
      if (table.id == id && !table.descs.empty()) found = &table.table;
    });
    return found;
  }
  template <class Self, class Take>
  static void each_table(Self& self, Take&& take) {
    take(self.ops);
    take(self.vjps);
    take(self.kernels);
#define TENON_TAKE_ENTRIES(noun, plural) take(self.plural);
    TENON_KINDS(TENON_TAKE_ENTRIES)
#undef TENON_TAKE_ENTRIES
    take(self.tolerances);
    take(self.optimizer_samples);
  }

  Table<tenon_op_desc> ops{"tenon.ops/1"};
  Table<tenon_vjp_desc> vjps{"tenon.vjps/1"};
  Table<tenon_kernel_desc> kernels{"tenon.kernels/1"};
#define TENON_ENTRIES(noun, plural) Table<tenon_##noun##_desc> plural{"tenon." #plural "/1"};
  TENON_KINDS(TENON_ENTRIES)
#undef TENON_ENTRIES
  Table<tenon_tolerance> tolerances{"tenon.selftest.tolerances/1"};
  Table<tenon_optimizer_sample> optimizer_samples{"tenon.selftest.optimizers/1"};
  std::vector<tenon_sample> samples;
  tenon_selftest_table selftest_table{};
  const tenon_backend_table* backend = nullptr;
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
