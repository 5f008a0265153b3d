// SPDX-License-Identifier: Apache-2.0
// core/dispatch/call.cc: a callback's window to the host, and its failures.
#include "core/dispatch/call.h"

#include <exception>
#include <new>

#include "core/api/context.h"
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

[[noreturn, gnu::cold]] void fail_deactivated(const plugin::Plugin& plugin,
                                              const std::string& name) {
  throw Error{
      .status = TENON_E_PLUGIN,
      .message = (name.empty() ? "" : name + ": ") + "plugin " + plugin.id + " was deactivated",
      .op = name,
      .expected = "an active plugin",
      .found = "a deactivated one",
      .plugin = plugin.id,
      .hint = "a new runtime opens it again"};
}

}  // namespace

void require_active(const plugin::Plugin& plugin, const std::string& name) {
  if (plugin.is_deactivated()) fail_deactivated(plugin, name);
}

Call::Call(Context& in_context, CallState in, plugin::Plugin* from, const registry::Op* what)
    : Window(host_call_template()), context(&in_context), state(in), plugin(from), op(what) {
  owner = this;
  if (!from) return;
  self = from->self;
  // Every callback of a plugin runs behind one of these, so nothing enters a deactivated one.
  if (from->is_deactivated()) fail_deactivated(*from, what ? what->name : "");
}

Call::Entered::Entered(Call& which, const char* what) : call(which), window(&which) {
  ThreadChecks* checks = which.context->runtime->thread_checks.get();
  if (!checks) return;
  CheckedWindow& checked = checks->open(which, what);
  window = &checked;
  outer = which.context->window.exchange(&checked);
}

tenon_status Call::Entered::leave(tenon_status status) noexcept {
  CheckedWindow& checked = *static_cast<CheckedWindow*>(window);
  call.context->window.store(outer);
  std::unique_ptr<Error> violation = checked.checks->close(checked);
  if (!violation) return status;
  call.out_of_memory = false;
  call.failure = std::move(violation);
  return TENON_E_CHECK;
}

void Call::fail_thrown(const char* what, const std::string& words) {
  const std::string by = plugin ? plugin->id : "";
  fail({.status = TENON_E_PLUGIN,
        .message =
            "the " + std::string(what) + " of plugin " + by + " has thrown an exception" + words,
        .expected = "a status",
        .found = "an exception",
        .plugin = by,
        .hint = "nothing may be thrown across the C interface"});
}

tenon_status Call::caught(const char* what) noexcept {
  try {
    try {
      throw;
    } catch (const std::bad_alloc&) {
      out_of_memory = true;
      return TENON_E_MEMORY;
    } catch (const OutOfMemory&) {
      out_of_memory = true;
      return TENON_E_MEMORY;
    } catch (const std::exception& error) {
      fail_thrown(what, std::string(": ") + error.what());
    } catch (...) {
      fail_thrown(what, "");
    }
    return TENON_E_PLUGIN;
  } catch (...) {
    out_of_memory = true;
    return TENON_E_MEMORY;
  }
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

void Call::raise_as(const std::string& name, tenon_status status, const char* callback) {
  try {
    raise(status, callback);
  } catch (Error& error) {
    if (error.op.empty()) {
      error.op = name;
      error.message = name + ": " + error.message;
    }
    throw;
  }
}

}  // namespace tenon::dispatch
