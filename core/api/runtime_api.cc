// SPDX-License-Identifier: Apache-2.0
// core/api/runtime_api.cc: public functions of library, texts, runtime, context, devices, traces.
#include <tenon/ext/draft/memory.h>

#include <utility>

#include "core/api/guard.h"
#include "core/api/host_tables.h"
#include "core/api/own_context.h"
#include "core/dispatch/call_cache.h"
#include "core/dispatch/select.h"
#include "core/inspect/query.h"
#include "core/launch/prepare.h"

using namespace tenon;
using namespace tenon::api;

tenon_context* api::create_context(Runtime& runtime) {
  auto context = std::make_unique<Context>(runtime);
  context->graph.reset(new tape::Graph(runtime));
  context->kernels.reset(new dispatch::KernelCache);
  context->call_cache.reset(new dispatch::CallCache(*context));
  ContextSlot* slot = ContextSlab::instance().create();
  slot->context = context.release();
  slot->context->handle = static_cast<tenon_context*>(ContextSlab::to_handle(slot));
  return slot->context->handle;
}

void tenon_version_get(uint32_t* out_major, uint32_t* out_minor, uint32_t* out_patch,
                       uint32_t* out_draft) {
  if (out_major) *out_major = TENON_VERSION_MAJOR;
  if (out_minor) *out_minor = TENON_VERSION_MINOR;
  if (out_patch) *out_patch = TENON_VERSION_PATCH;
  if (out_draft) *out_draft = TENON_ABI_DRAFT;
}

const char* tenon_status_get_name(tenon_status status) {
  static constexpr const char* kNames[] = {
      "TENON_OK",           "TENON_E_ARGUMENT",    "TENON_E_HANDLE",
      "TENON_E_RUNTIME",    "TENON_E_STATE",       "TENON_E_SHAPE",
      "TENON_E_DTYPE",      "TENON_E_DEVICE",      "TENON_E_LAYOUT",
      "TENON_E_ALIAS",      "TENON_E_ATTRIBUTE",   "TENON_E_NOT_FOUND",
      "TENON_E_NO_KERNEL",  "TENON_E_NO_ROLE",     "TENON_E_MEMORY",
      "TENON_E_GRAD",       "TENON_E_GRAPH_FREED", "TENON_E_GRAPH_OWNER",
      "TENON_E_VERSION",    "TENON_E_VJP",         "TENON_E_CAPTURE",
      "TENON_E_PLAN_SHAPE", "TENON_E_ROWS",        "TENON_E_PLUGIN",
      "TENON_E_SCHEMA",     "TENON_E_IO",          "TENON_E_DATA",
      "TENON_E_CHECK",      "TENON_E_INTERRUPTED", "TENON_E_UNSUPPORTED",
      "TENON_E_INTERNAL",   "TENON_E_DEVICE_LOST", "TENON_E_TIMEOUT",
      "TENON_E_PEER"};
  constexpr tenon_status count = static_cast<tenon_status>(std::size(kNames));
  return status >= 0 && status < count ? kNames[status] : "unknown status";
}

tenon_status tenon_text_get(const tenon_text* text, const char** out_data, uint64_t* out_length) {
  const TextSlot* slot = TextSlab::from_handle(text);
  if (!slot) return TENON_E_HANDLE;
  if (out_data) *out_data = slot->text.c_str();
  if (out_length) *out_length = slot->text.size();
  return TENON_OK;
}

void tenon_text_release(tenon_text* text) {
  TextSlab::instance().destroy(TextSlab::from_handle(text));
}

tenon_status tenon_runtime_create(const tenon_runtime_options* options, tenon_diag* diag,
                                  tenon_runtime** out_runtime) {
  return guard_diag(diag, [&] {
    require_pointer(out_runtime, "out_runtime");
    auto runtime =
        std::make_unique<Runtime>(read_config(options), host_interface(), host_call_template());
    runtime->prepared.reset(new launch::PrepareCache);
    RuntimeSlot* slot = RuntimeSlab::instance().create();
    slot->runtime = runtime.release();
    *out_runtime = static_cast<tenon_runtime*>(RuntimeSlab::to_handle(slot));
  });
}

void tenon_runtime_release(tenon_runtime* handle) {
  RuntimeSlot* slot = RuntimeSlab::from_handle(handle);
  if (!slot) return;
  Runtime* runtime = slot->runtime;
  RuntimeSlab::instance().destroy(slot);
  runtime->closed.store(true, std::memory_order_release);
  if (!runtime->config.trace_file.empty()) runtime->write_trace_file();
  runtime->release();
}

tenon_status tenon_runtime_query(tenon_context* context, const char* topic, uint64_t topic_length,
                                 tenon_text** out_json) {
  return guard_out(context, out_json, "out_json", [&](Context& cx) {
    return make_text(
        [&] { return inspect::query(cx, require_text(topic, topic_length, "topic")); });
  });
}

tenon_status tenon_runtime_set_pin(tenon_context* context, const char* op, uint64_t op_length,
                                   const char* plugin, uint64_t plugin_length) {
  return guard(context, [&](Context& cx) {
    const std::string_view op_name = require_text(op, op_length, "op");
    const std::string_view id = require_text(plugin, plugin_length, "plugin");
    const bool plugin_named = !id.empty() && id != dispatch::kCompositionPin;
    const registry::Plugin* pinned = plugin_named ? cx.runtime->plugins.find(id) : nullptr;
    if (pinned) plugin::check_usable(*pinned, "a pin on it has no effect");
    if (plugin_named && !pinned) {
      fail(TENON_E_NOT_FOUND,
           "no plugin \"" + std::string(id) + "\" was found; " + cx.runtime->plugins.searched(),
           "plugin", {}, std::string(id), "`tenon list` shows the plugins that are found");
    }
    const uint32_t index =
        op_name.empty() ? UINT32_MAX : cx.runtime->plugins.require_op(op_name, 0).index;
    cx.runtime->set_pin(index, std::string(id));
  });
}

tenon_status tenon_plugin_deactivate(tenon_context* context, const char* id, uint64_t id_length) {
  return guard(context, [&](Context& cx) {
    refuse_in_capture(cx, "deactivating a plugin");
    refuse_in_callback(cx, "deactivating a plugin");
    Runtime& runtime = *cx.runtime;
    const std::string_view name = require_text(id, id_length, "id");
    const std::vector<Device*> devices = runtime.devices();  // before there is anything to undo
    runtime.plugins.deactivate(name);
    runtime.wait_for_calls(cx);
    for (Device* device : devices) device->settle();
    launch::prepared_of(runtime).drop(*runtime.plugins.find(name));
  });
}

tenon_status tenon_plugin_load(tenon_context* context,
                               tenon_status (*query)(const struct tenon_host* host,
                                                     struct tenon_plugin* out, tenon_diag* diag)) {
  return guard(context, [&](Context& cx) {
    refuse_in_capture(cx, "adding a plugin");
    if (!query) fail_pointer("query");
    cx.runtime->plugins.load(query);
  });
}

tenon_status tenon_runtime_set_memory_limit(tenon_context* context, uint64_t bytes) {
  return guard(context, [&](Context& cx) { cx.runtime->set_memory_limit(bytes); });
}

[[gnu::cold]] tenon_status tenon_runtime_release_cache(tenon_context* context,
                                                       const tenon_device* device,
                                                       uint64_t* out_bytes) {
  return guard(context, [&](Context& cx) {
    uint64_t bytes = 0;
    if (device) {
      bytes = cx.runtime->device(*device).allocator->trim();
    } else {
      for (Device* each : cx.runtime->devices()) bytes += each->allocator->trim();
    }
    if (out_bytes) *out_bytes = bytes;
  });
}

tenon_status tenon_runtime_get_stats(tenon_context* context, tenon_stats* out_stats) {
  return guard(context, [&](Context& cx) {
    tenon_stats stats{};
    stats.tensors = cx.runtime->tensors.load();
    stats.storages = cx.runtime->storages.load();
    stats.nodes = tape::graph_of(cx).live_nodes;
    stats.plans = cx.runtime->plans.load();
    for (const Device* device : cx.runtime->devices()) {
      const memory::Stats figures = device->allocator->stats();
      stats.bytes_live += figures.live_bytes;
      stats.bytes_peak += figures.peak_bytes;
      stats.bytes_reserved += figures.reserved_bytes;
      stats.allocations += figures.allocations;
    }
    stats.launches = cx.launches;
    fill_sized(out_stats, stats);
  });
}

tenon_status tenon_context_create(tenon_runtime* handle, tenon_diag* diag,
                                  tenon_context** out_context) {
  return guard_diag(diag, [&] {
    require_pointer(out_context, "out_context");
    *out_context = create_context(*require_slot<RuntimeSlab>(handle, "runtime").runtime);
  });
}

void tenon_context_release(tenon_context* handle) {
  ContextSlot* slot = ContextSlab::from_handle(handle);
  if (!slot) return;
  Context* context = slot->context;
  // Its own callback: the call that runs it needs the context still.
  if (context->lent_to.load(std::memory_order_acquire) == std::this_thread::get_id()) return;
  ContextSlab::instance().destroy(slot);
  delete context;
}

// Reads only, and must not replace the record it reads: no guard.
tenon_status tenon_context_get_error(tenon_context* handle, tenon_error* out_error) {
  ContextSlot* slot = ContextSlab::from_handle(handle);
  if (!slot) return TENON_E_HANDLE;
  if (!out_error || out_error->struct_size < 8) return TENON_E_ARGUMENT;
  Context& context = *slot->context;
  // Another thread may be writing `error`; the words for the second one lie elsewhere.
  std::unique_lock<std::mutex> misuse(context.misuse_mutex, std::defer_lock);
  if (context.runtime->thread_checks) misuse.lock();
  const bool misused = misuse && std::exchange(context.misuse_untold, false);
  const ErrorRecord& record = misused ? *context.misuse : context.error;
  tenon_error error{};
  error.status = record.error.status;
  error.n_causes = static_cast<uint32_t>(record.cause_list.size());
  error.sequence = record.sequence;
  error.message = record.error.message.c_str();
  error.op = record.error.op.c_str();
  error.operand = record.error.operand.c_str();
  error.expected = record.error.expected.c_str();
  error.found = record.error.found.c_str();
  error.plugin = record.error.plugin.c_str();
  error.scope = record.scope.c_str();
  error.hint = record.error.hint.c_str();
  error.causes = record.cause_list.data();
  error.struct_size = static_cast<uint32_t>(std::min<size_t>(out_error->struct_size, sizeof error));
  std::memcpy(out_error, &error, error.struct_size);
  return TENON_OK;
}

tenon_status tenon_context_interrupt(tenon_context* handle) {
  ContextSlot* slot = ContextSlab::from_handle(handle);
  if (!slot) return TENON_E_HANDLE;
  slot->context->interrupted.store(true, std::memory_order_relaxed);
  return TENON_OK;
}

tenon_status tenon_context_set_seed(tenon_context* context, uint64_t seed, uint64_t stream) {
  return guard(context, [&](Context& cx) {
    refuse_in_capture(cx, "setting the seed");
    cx.seed = seed;
    cx.stream = stream;
    cx.counter = 0;
  });
}

tenon_status tenon_context_get_seed(tenon_context* context, uint64_t* out_seed,
                                    uint64_t* out_stream, uint64_t* out_counter) {
  return guard(context, [&](Context& cx) {
    if (out_seed) *out_seed = cx.seed;
    if (out_stream) *out_stream = cx.stream;
    if (out_counter) *out_counter = cx.counter;
  });
}

tenon_status tenon_context_set_counter(tenon_context* context, uint64_t counter) {
  return guard(context, [&](Context& cx) {
    refuse_in_capture(cx, "setting the random counter");
    cx.counter = counter;
  });
}

tenon_status tenon_context_set_arithmetic(tenon_context* context, uint32_t arithmetic) {
  return guard(context, [&](Context& cx) {
    if (arithmetic > TENON_ARITHMETIC_FAST) {
      fail(TENON_E_ARGUMENT, "unknown arithmetic policy", "arithmetic",
           "TENON_ARITHMETIC_CANONICAL or TENON_ARITHMETIC_FAST", std::to_string(arithmetic));
    }
    cx.arithmetic = arithmetic;
  });
}

tenon_status tenon_context_set_device(tenon_context* context, const tenon_device* device) {
  return guard(context, [&](Context& cx) {
    if (device) cx.runtime->device(*device);  // throws if there is no such device
    cx.device = device ? std::optional(*device) : std::nullopt;
  });
}

tenon_status tenon_device_find(tenon_context* context, const char* kind, uint64_t kind_length,
                               int32_t index, tenon_device* out_device) {
  return guard_out(context, out_device, "out_device", [&](Context& cx) {
    const registry::Backend& backend =
        cx.runtime->plugins.require_backend(require_text(kind, kind_length, "kind"));
    return cx.runtime->device({backend.kind, index}).id;
  });
}

tenon_status tenon_device_wait(tenon_context* context, const tenon_device* device) {
  return guard(context, [&](Context& cx) {
    if (device) return cx.runtime->device(*device).wait(cx.id);
    // Every device is waited for, whatever another one reports.
    std::unique_ptr<Error> first;
    for (Device* each : cx.runtime->devices()) {
      try {
        each->wait(cx.id);
      } catch (const Error& error) {
        if (!first) first = std::make_unique<Error>(error);
      }
    }
    if (first) throw Error(*first);
  });
}

tenon_status tenon_scope_begin(tenon_context* context, const char* label, uint64_t label_length) {
  return guard(context, [&](Context& cx) {
    cx.push_scope(std::string(require_name(label, label_length, "label")));
  });
}

tenon_status tenon_scope_end(tenon_context* context) {
  return guard(context, [&](Context& cx) {
    if (cx.scopes.empty()) fail_unbegun("tenon_scope");
    cx.scopes.pop_back();
  });
}

tenon_status tenon_serial_begin(tenon_context* context) {
  return guard(context, [&](Context& cx) { ++cx.serial_scopes; });
}

tenon_status tenon_serial_end(tenon_context* context) {
  return guard(context, [&](Context& cx) {
    if (cx.serial_scopes == 0) fail_unbegun("tenon_serial");
    --cx.serial_scopes;
  });
}

tenon_status tenon_runtime_set_threads(tenon_context* context, int32_t threads) {
  return guard(context, [&](Context& cx) {
    threads::Pool& pool = cx.runtime->pool;
    if (threads < 0 || threads > pool.size()) {
      fail(TENON_E_ARGUMENT, "the runtime cannot use " + std::to_string(threads) + " threads",
           "threads", "0 to " + std::to_string(pool.size()), std::to_string(threads),
           "a runtime created with more threads can use more");
    }
    pool.set_limit(threads > 0 ? threads : threads::Pool::available());
  });
}

tenon_status tenon_grad_begin(tenon_context* context, uint32_t mode) {
  return guard(context, [&](Context& cx) {
    if (mode > TENON_GRAD_INFERENCE) {
      fail(TENON_E_ARGUMENT, "unknown gradient mode", "mode",
           "TENON_GRAD_ENABLED, TENON_GRAD_DISABLED or TENON_GRAD_INFERENCE", std::to_string(mode));
    }
    cx.grad_modes.push_back(cx.inference() ? TENON_GRAD_INFERENCE : mode);
  });
}

tenon_status tenon_grad_end(tenon_context* context) {
  return guard(context, [&](Context& cx) {
    if (cx.grad_modes.empty()) fail_unbegun("tenon_grad");
    cx.grad_modes.pop_back();
  });
}

tenon_status tenon_trace_begin(tenon_context* context) {
  return guard(context, [&](Context& cx) {
    if (cx.runtime->trace.active()) {
      fail(TENON_E_STATE, "a trace is being recorded already", {}, {}, {},
           "end it first; TENON_TRACE records the whole run");
    }
    cx.runtime->trace.begin();
  });
}

tenon_status tenon_trace_end(tenon_context* context, tenon_text** out_json) {
  return guard_out(context, out_json, "out_json", [&](Context& cx) {
    if (!cx.runtime->trace.active()) fail_unbegun("tenon_trace");
    return make_text([&] { return cx.runtime->trace.end(); });
  });
}
