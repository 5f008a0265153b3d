// SPDX-License-Identifier: Apache-2.0
// core/plan/graph.cc: recording a plan on its device, and running what was recorded.
#include "core/plan/graph.h"

#include <exception>
#include <utility>

namespace tenon::plan {

std::unique_ptr<Graph> Graph::find(Device& device) {
  constexpr std::string_view kId = TENON_INTERFACE_BACKEND_CAPTURE;
  if (device.host_memory()) return nullptr;
  const auto* table =
      static_cast<const tenon_backend_capture_table*>(find_table(*device.backend, kId));
  if (!table) return nullptr;
  if (table->struct_size < sizeof *table || !table->begin || !table->end || !table->run ||
      !table->release) {
    refuse_table(*device.backend, kId, sizeof *table, table->struct_size, "four functions");
  }
  return std::unique_ptr<Graph>(new Graph(device, *table));
}

void Graph::drop() noexcept {
  if (!graph_) return;
  device_->settle();
  table_->release(device_->backend->self, device_->id.index, std::exchange(graph_, nullptr));
}

void Graph::record(const std::function<void()>& enqueue_all) {
  const auto refuse = [&](std::string words) {
    refused_ = true;
    state_ = std::move(words);
  };
  void* const self = device_->backend->self;
  const int32_t index = device_->id.index;
  const tenon_status begun = table_->begin(self, index, device_->stream);
  if (begun != TENON_OK) {
    return refuse(std::string("its device did not begin to record: ") +
                  tenon_status_get_name(begun));
  }
  // A launch that cannot be recorded is no reason to fail; an interrupt and want of memory are.
  std::string failed;
  std::exception_ptr thrown;
  try {
    enqueue_all();
  } catch (const Error& error) {
    failed = error.message;
    if (error.status == TENON_E_INTERRUPTED) thrown = std::current_exception();
  } catch (...) {
    thrown = std::current_exception();
  }
  tenon_diag diag{};
  void* graph = nullptr;
  const tenon_status ended = table_->end(self, index, device_->stream, &graph, &diag);
  if (ended == TENON_OK && failed.empty() && !thrown) {
    graph_ = graph;
    state_ = "recorded by its device";
    return;
  }
  if (ended == TENON_OK) table_->release(self, index, graph);
  if (thrown) std::rethrow_exception(thrown);
  diag.message[sizeof diag.message - 1] = 0;
  refuse("its device cannot record it: " + (failed.empty() ? std::string(diag.message) : failed));
}

bool Graph::run(Context& context, const RandomState& random, uint64_t n_launches,
                const std::function<void()>& enqueue_all) {
  if (refused_) return false;
  if (random != random_) steady_runs_ = 0;
  random_ = random;
  if (steady_runs_++ == 0) {
    drop();
    return false;
  }
  if (!graph_) record(enqueue_all);
  if (!graph_) return false;
  context.launches += n_launches;
  tenon_status status = TENON_OK;
  {
    const Enqueueing entry(*device_, "a captured plan", 0, context.id);
    status = table_->run(device_->backend->self, device_->id.index, device_->stream, graph_);
  }
  if (status == TENON_E_DEVICE_LOST) {
    device_->note_lost("", "the run of a captured plan");
    device_->require_alive();
  }
  if (status != TENON_OK) device_->check(status, "run a captured plan");
  return true;
}

}  // namespace tenon::plan
