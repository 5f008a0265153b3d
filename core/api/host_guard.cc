// SPDX-License-Identifier: Apache-2.0
// core/api/host_guard.cc: what becomes of a failure in a function of a host table.
#include "core/api/host_guard.h"

#include <exception>
#include <new>
#include <utility>

namespace tenon::host {
namespace {

// A fault of Tenon's own.
tenon_status fail_internal(CallbackScope& call, const char* words) noexcept {
  try {
    call.fail(Error{.status = TENON_E_INTERNAL, .message = words});
    return TENON_E_INTERNAL;
  } catch (...) {
    call.out_of_memory = true;
    return TENON_E_MEMORY;
  }
}

}  // namespace

void note_state(tenon_call* handed, const CallbackScope& call, const char* function) noexcept {
  Window& window = *static_cast<Window*>(handed);
  try {
    if (window.checks) window.checks->note_state(window, function, name_of(call.state));
  } catch (...) {
    return;
  }
}

tenon_status keep_caught(CallbackScope& call, tenon_call* window, const char* function) noexcept {
  try {
    throw;
  } catch (WrongState& error) {
    note_state(window, call, function);
    call.fail(std::move(error));
    return TENON_E_STATE;
  } catch (Error& error) {
    const tenon_status status = error.status;
    call.fail(std::move(error));
    return status;
  } catch (const OutOfMemory&) {
    call.out_of_memory = true;
    return TENON_E_MEMORY;
  } catch (const std::bad_alloc&) {
    call.out_of_memory = true;
    return TENON_E_MEMORY;
  } catch (const std::exception& error) {
    return fail_internal(call, error.what());
  } catch (...) {
    return fail_internal(call, "unknown exception");
  }
}

void fail_state(const CallbackScope& call, const char* what) {
  const std::string state(name_of(call.state));
  throw WrongState{{.status = TENON_E_STATE,
                    .message = std::string(what) + " may not be called while in state " + state,
                    .found = state}};
}

void fail_pointer(const char* what) {
  throw Error{.status = TENON_E_ARGUMENT,
              .message = std::string("a plugin passed NULL for ") + what,
              .operand = what};
}

void fail_tensor(bool live, const char* what) {
  throw Error{.status = live ? TENON_E_RUNTIME : TENON_E_HANDLE,
              .message = std::string("a plugin passed no live tensor of this runtime as ") + what,
              .operand = what};
}

}  // namespace tenon::host
