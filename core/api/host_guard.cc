// SPDX-License-Identifier: Apache-2.0
// core/api/host_guard.cc: what becomes of a failure in a function of a host table.
#include "core/api/host_guard.h"

#include <utility>

#include "core/api/guard.h"

namespace tenon::host {
void note_state(tenon_call* handed, const CallbackScope& call, const char* function) noexcept {
  Window& window = *static_cast<Window*>(handed);
  try {
    if (window.checks) window.checks->note_state(window, function, name_of(call.state));
  } catch (...) {
    return;
  }
}

tenon_status keep_caught(CallbackScope& call, tenon_call* window, const char* function) noexcept {
  const auto keep = [&](Error& error) {
    const tenon_status status = error.status;
    call.fail(std::move(error));
    return status;
  };
  const auto run_out = [&](uint64_t) { call.out_of_memory = true; };
  try {
    throw;
  } catch (WrongState&) {
    note_state(window, call, function);
    return api::sort_caught(keep, run_out);
  } catch (...) {
    return api::sort_caught(keep, run_out);
  }
}

void fail_state(const CallbackScope& call, const char* what) {
  const std::string state(name_of(call.state));
  throw WrongState{{.status = TENON_E_STATE,
                    .message = std::string(what) + " may not be called while in state " + state,
                    .found = state}};
}

void fail_pointer(const char* what) {
  fail(TENON_E_ARGUMENT, std::string("a plugin passed NULL for ") + what, what);
}

void fail_tensor(bool live, const char* what) {
  fail(live ? TENON_E_RUNTIME : TENON_E_HANDLE,
       std::string("a plugin passed no live tensor of this runtime as ") + what, what);
}

}  // namespace tenon::host
