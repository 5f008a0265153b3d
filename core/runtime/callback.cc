// SPDX-License-Identifier: Apache-2.0
// core/runtime/callback.cc: a callback's window to the host, and its failures.
#include "core/runtime/callback.h"

#include <exception>
#include <new>

#include "core/registry/registry.h"

namespace tenon {

std::string_view name_of(CallbackState state) {
  static constexpr std::string_view names[] = {"infer", "prepare", "launch",
                                               "vjp",   "compose", "data"};
  return names[static_cast<size_t>(state)];
}

void fail_deactivated(const registry::Plugin& plugin, const std::string& name) {
  fail_with(TENON_E_PLUGIN, name, plugin.id,
            (name.empty() ? "" : name + ": ") + "plugin " + plugin.id + " was deactivated", {},
            "an active plugin", "a deactivated one", "a new runtime opens it again");
}

void require_active(const registry::Plugin& plugin, const std::string& name) {
  if (plugin.is_deactivated()) fail_deactivated(plugin, name);
}

CallbackScope::Entered::Entered(CallbackScope& which, const char* what)
    : call(which), window(&which) {
  ThreadChecks* checks = which.context->runtime->thread_checks.get();
  if (!checks) return;
  CheckedWindow& checked =
      checks->open(which, which.self, what, which.plugin ? which.plugin->id : "",
                   which.op ? which.op->name : "");
  window = &checked;
  outer = which.context->window.exchange(&checked);
}

tenon_status CallbackScope::Entered::leave(tenon_status status) noexcept {
  CheckedWindow& checked = *static_cast<CheckedWindow*>(window);
  call.context->window.store(outer);
  std::unique_ptr<Error> violation = checked.checks->close(checked);
  if (!violation) return status;
  call.out_of_memory = false;
  call.failure = std::move(violation);
  return TENON_E_CHECK;
}

void CallbackScope::fail_thrown(const char* what, const std::string& words) {
  const std::string by = plugin ? plugin->id : "";
  fail({.status = TENON_E_PLUGIN,
        .message =
            "the " + std::string(what) + " of plugin " + by + " has thrown an exception" + words,
        .expected = "a status",
        .found = "an exception",
        .plugin = by,
        .hint = "nothing may be thrown across the C interface"});
}

tenon_status CallbackScope::caught(const char* what) noexcept {
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

void CallbackScope::fail(Error error) noexcept {
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

void CallbackScope::raise(tenon_status status, const char* callback, const std::string& of) {
  if (out_of_memory || (status == TENON_E_MEMORY && !failure)) throw OutOfMemory{};
  Error error;
  if (failure) {
    error = std::move(*failure);
  } else {
    error.message = "the " + std::string(callback) + " failed without saying why";
  }
  error.status = status > 0 && status <= TENON_E_PEER ? status : TENON_E_PLUGIN;
  const std::string& name = op ? op->name : of;
  if (error.op.empty()) {
    error.op = name;
    if (!name.empty()) error.message = name + ": " + error.message;
  }
  if (error.plugin.empty() && plugin) error.plugin = plugin->id;
  throw error;
}

}  // namespace tenon
