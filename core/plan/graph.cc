// SPDX-License-Identifier: Apache-2.0
// core/plan/graph.cc: recording a plan on its device, and running what was recorded.
#include "core/plan/graph.h"

#include <exception>
#include <utility>

#include "core/runtime/runtime.h"

namespace tenon::plan {

namespace {

constexpr std::string_view kId = TENON_INTERFACE_BACKEND_CAPTURE;

const tenon_backend_capture_table* table_of(const registry::Backend& backend) {
  const auto* table = static_cast<const tenon_backend_capture_table*>(
      backend.plugin->interface.get_interface(backend.self, kId.data(), kId.size()));
  if (!table) return nullptr;
  const bool whole = table->struct_size >= sizeof *table && table->begin && table->end &&
                     table->run && table->release;
  if (whole) return table;
  throw Error{.status = TENON_E_PLUGIN,
              .message = "plugin " + backend.plugin->id + ": its table " + std::string(kId) +
                         " is too short or has an empty slot",
              .expected = "struct_size " + std::to_string(sizeof *table) + " and four functions",
              .found = "struct_size " + std::to_string(table->struct_size),
              .plugin = backend.plugin->id};
}

}  // namespace

std::unique_ptr<Graph> Graph::find(Device& device) {
  if (device.host_memory()) return nullptr;
  const tenon_backend_capture_table* table = table_of(*device.backend);
  return table ? std::unique_ptr<Graph>(new Graph(device, *table)) : nullptr;
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
  if (status == TENON_OK) return true;
  if (status == TENON_E_DEVICE_LOST) {
    device_->note_lost("", "the run of a captured plan");
    device_->require_alive();
  }
  throw Error{.status = status,
              .message = "device " + device_->name() + " failed to run a captured plan",
              .expected = "TENON_OK",
              .found = tenon_status_get_name(status),
              .plugin = device_->backend->plugin->id};
}

}  // namespace tenon::plan
