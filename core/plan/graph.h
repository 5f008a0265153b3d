// SPDX-License-Identifier: Apache-2.0
// core/plan/graph.h: a plan's launches as one thing that the device repeats by itself, through
// tenon.backend.capture/1.
#pragma once

#include <tenon/ext/draft/capture.h>

#include <functional>
#include <string>

#include "core/runtime/context.h"

namespace tenon::plan {

// What launches were given beside addresses, which a recording fixes.
using RandomState = std::pair<uint64_t, uint64_t>;  // key and stream

class Graph : NoCopy {
 public:
  // For a device whose backend records; find() gives NULL if it does not.
  [[gnu::cold]] static std::unique_ptr<Graph> find(Device& device);
  ~Graph() { drop(); }

  // An address has changed.
  void outdate() { steady_runs_ = 0; }

  // Enqueues the launches as one; false if the caller has to enqueue them one by one: at the
  // first run with these addresses and this random state, and if the device refused to record.
  // `enqueue_all` does that, while it is recorded.
  bool run(Context& context, const RandomState& random, uint64_t n_launches,
           const std::function<void()>& enqueue_all);

  // "recorded", or why not.
  const std::string& state() const { return state_; }

 private:
  Graph(Device& device, const tenon_backend_capture_table& table)
      : device_(&device), table_(&table) {}
  [[gnu::cold]] void record(const std::function<void()>& enqueue_all);
  void drop() noexcept;

  Device* device_;
  const tenon_backend_capture_table* table_;
  void* graph_ = nullptr;
  bool refused_ = false;
  uint64_t steady_runs_ = 0;  // since an address or the random state changed
  RandomState random_;
  std::string state_ = "not recorded yet";
};

}  // namespace tenon::plan
