// SPDX-License-Identifier: Apache-2.0
// tenon/sdk/plugin/collective.hpp: writing an engine that moves memory among processes in one file.
//
//   struct Wires {
//     Wires(const sdk::Attrs&, int64_t timeout);  // joins; options by their position
//     tenon_members members() const;
//     std::unique_ptr<Wires> split(int32_t color, int32_t key, int64_t timeout);
//     void run(std::span<const tenon_transfer_desc> transfers, int64_t timeout, uint8_t* done);
//     void end_all(int32_t status) noexcept;  // may be left out; from any thread
//   };
//   constexpr tenon_collective_desc engines[] = {
//       sdk::collective<Wires>({.name = "acme.wires", .devices = "host"})};
//   TENON_UNIT(wires) = {.collectives = engines};
//
// The functions throw sdk::Failure (or any std::exception) for what goes wrong; they come one at a
// time, from one thread. tenon/ext/draft/collectives.h says what each has to do.
#pragma once

#include <tenon/ext/draft/collectives.h>
#include <tenon/sdk/plugin/base.hpp>

#include <chrono>
#include <memory>
#include <thread>

namespace tenon::sdk {

struct CollectiveSpec {
  std::string_view name;
  std::string_view doc;
  std::string_view devices = "host";  // kinds, separated by spaces
  std::string_view sums{};            // dtypes that it sums itself
  std::span<const tenon_collective_option> options{};
};

constexpr tenon_collective_option required_collective_option(std::string_view name, uint32_t tag,
                                                             std::string_view doc) {
  return {str(name), str(doc), tag, 1, {}};
}
// Of the type of `initial`.
constexpr tenon_collective_option collective_option(std::string_view name, Value initial,
                                                    std::string_view doc) {
  return {str(name), str(doc), initial.tag, 0, initial};
}
// One that is not there unless it is given.
constexpr tenon_collective_option optional_collective_option(std::string_view name, uint32_t tag,
                                                             std::string_view doc) {
  return {str(name), str(doc), tag, 0, {}};
}

// Bytes of `count` elements.
constexpr size_t bytes_of(const tenon_transfer_desc& transfer, int64_t count) {
  return static_cast<size_t>(count) * size_of(transfer.dtype);
}

// Lets others have the processor, in a loop that has asked since `begin` whether something is done:
// for a moment at first, since answers come within microseconds, then for 50 us.
inline void give_way(std::chrono::steady_clock::time_point begin) {
  if (std::chrono::steady_clock::now() - begin < std::chrono::microseconds(200)) {
    std::this_thread::yield();
  } else {
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

template <class Engine>
constexpr tenon_collective_desc collective(const CollectiveSpec& spec) {
  tenon_collective_desc desc{};
  desc.struct_size = sizeof desc;
  desc.flags = spec.sums.empty() ? 0 : TENON_COLLECTIVE_SUMS;
  desc.name = str(spec.name);
  desc.doc = str(spec.doc);
  desc.devices = str(spec.devices);
  desc.sums = str(spec.sums);
  desc.options = spec.options.data();
  desc.n_options = static_cast<uint32_t>(spec.options.size());
  desc.create = [](tenon_call* call, const tenon_value* values, int64_t timeout, void** out_object,
                   tenon_members* out_members) {
    return guarded(call, [&] {
      auto made = std::make_unique<Engine>(Attrs(values, TENON_MAX_SLOTS), timeout);
      *out_members = made->members();
      *out_object = made.release();
    });
  };
  desc.release = [](void* object) { delete static_cast<Engine*>(object); };
  desc.split = [](tenon_call* call, void* object, int32_t color, int32_t key, int64_t timeout,
                  void** out_object, tenon_members* out_members) {
    return guarded(call, [&] {
      std::unique_ptr<Engine> made = static_cast<Engine*>(object)->split(color, key, timeout);
      *out_members = made->members();
      *out_object = made.release();
    });
  };
  desc.run = [](tenon_call* call, void* object, const tenon_transfer_desc* transfers, uint32_t n,
                int64_t timeout, uint8_t* out_done) {
    return guarded(call, [&] {
      static_cast<Engine*>(object)->run({transfers, n}, timeout, out_done);
    });
  };
  if constexpr (requires(Engine & engine, int32_t status) { engine.end_all(status); }) {
    desc.abort = [](void* object, int32_t status) {
      static_cast<Engine*>(object)->end_all(status);
    };
  }
  return desc;
}

}  // namespace tenon::sdk
