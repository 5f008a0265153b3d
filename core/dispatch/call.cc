// SPDX-License-Identifier: Apache-2.0
// core/dispatch/call.cc: a callback's window to the host, and its failures.
#include "core/dispatch/call.h"

#include "core/api/host_tables.h"
#include "core/plugin/plugin_host.h"
#include "core/registry/registry.h"

namespace tenon::dispatch {

std::string_view name_of(CallState state) {
  switch (state) {
    case CallState::Infer:
      return "infer";
    case CallState::Prepare:
      return "prepare";
    case CallState::Launch:
      return "launch";
    case CallState::Vjp:
      return "vjp";
    case CallState::Compose:
      return "compose";
    case CallState::Data:
      return "data";
  }
  return "?";
}

namespace {

[[noreturn]] void fail_deactivated(const plugin::Plugin& plugin, const registry::Op* op) {
  Error error{TENON_E_PLUGIN, "plugin " + plugin.id + " was deactivated"};
  if (op) {
    error.op = op->name;
    error.message = op->name + ": " + error.message;
  }
  error.expected = "an active plugin";
  error.found = "a deactivated one";
  error.plugin = plugin.id;
  error.hint = "a new runtime opens it again";
  throw error;
}

}  // namespace

Call::Call(Context& owner, CallState in, plugin::Plugin* from, const registry::Op* what)
    : tenon_call(host_call_template()), context(&owner), state(in), plugin(from), op(what) {
  if (!from) return;
  self = from->self;
  // Every callback of a plugin runs behind one of these, so nothing enters a deactivated one.
  if (from->is_deactivated()) fail_deactivated(*from, what);
}

void Call::fail(Error error) noexcept {
  try {
    if (failure) {
      // What failed first is the cause; the later words are what the caller was doing.
      error.causes.push_back(failure->message);
      error.causes.insert(error.causes.end(), failure->causes.begin(), failure->causes.end());
    }
    failure = std::make_unique<Error>(std::move(error));
  } catch (...) {
    out_of_memory = true;
  }
}

void Call::raise(tenon_status status, const char* callback) {
  if (out_of_memory || (status == TENON_E_MEMORY && !failure)) throw OutOfMemory{};
  Error error;
  if (failure) {
    error = std::move(*failure);
  } else {
    error.message = "the " + std::string(callback) + " failed without saying why";
  }
  error.status = status > 0 && status <= TENON_E_DEVICE_LOST ? status : TENON_E_PLUGIN;
  const std::string name = op ? op->name : "";
  if (error.op.empty()) {
    error.op = name;
    if (!name.empty()) error.message = name + ": " + error.message;
  }
  if (error.plugin.empty() && plugin) error.plugin = plugin->id;
  throw error;
}

}  // namespace tenon::dispatch
