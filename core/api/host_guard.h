// SPDX-License-Identifier: Apache-2.0
// core/api/host_guard.h: the boundary towards plugins, as guard.h is that towards programs: a
// function of a host table runs its body in host_guard, which stores a failure in the call.
#pragma once

#include <tenon/plugin.h>

#include <cstring>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "core/runtime/callback.h"
#include "core/runtime/context.h"

namespace tenon::host {

using tensor::Tensor;

inline std::string text_of(const char* data, uint64_t length) {
  if (!data) return {};
  return length == TENON_NUL ? std::string(data) : std::string(data, length);
}

// Thrown if a function is called in a state that does not allow it.
struct WrongState : Error {};

// The call of a window; NULL if TENON_CHECK=threads forbids `function` at this moment.
inline CallbackScope* call_of(tenon_call* handed, const char* function) noexcept {
  Window& window = *static_cast<Window*>(handed);
  if (!window.checks) return window.owner;
  try {
    return window.checks->admit(window, function) ? window.owner : nullptr;
  } catch (...) {
    return nullptr;
  }
}

// True if the call's state is among `allowed`.
inline bool in_state(const CallbackScope& call, std::initializer_list<CallbackState> allowed) {
  uint32_t states = 0;  // a set, which the compiler knows beforehand
  for (const CallbackState state : allowed) states |= 1u << static_cast<uint32_t>(state);
  return (states >> static_cast<uint32_t>(call.state) & 1) != 0;
}

[[gnu::cold]] void note_state(tenon_call* handed, const CallbackScope& call,
                              const char* function) noexcept;
// Stores the exception that is being caught in the call; returns its status.
[[gnu::cold]] tenon_status keep_caught(CallbackScope& call, tenon_call* window,
                                       const char* function) noexcept;

// `function` names it for TENON_CHECK=threads.
template <class Body>
tenon_status host_guard(tenon_call* window, const char* function, Body&& body) noexcept {
  if (!window) return TENON_E_ARGUMENT;
  CallbackScope* const admitted = call_of(window, function);
  if (!admitted) return TENON_E_STATE;
  CallbackScope& call = *admitted;
  try {
    body(call);
    return TENON_OK;
  } catch (...) {
    return keep_caught(call, window, function);
  }
}

[[noreturn, gnu::cold]] void fail_state(const CallbackScope& call, const char* what);
[[noreturn, gnu::cold]] void fail_pointer(const char* what);
[[noreturn, gnu::cold]] void fail_tensor(bool live, const char* what);

inline void require_state(const CallbackScope& call, std::initializer_list<CallbackState> allowed,
                          const char* what) {
  if (!in_state(call, allowed)) fail_state(call, what);
}

inline void require_pointer(const void* pointer, const char* what) {
  if (!pointer) fail_pointer(what);
}

inline std::string_view text(const char* data, uint64_t length, const char* what) {
  if (length != 0) require_pointer(data, what);
  if (!data) return {};
  return {data, length == TENON_NUL ? std::strlen(data) : static_cast<size_t>(length)};
}

inline std::string_view text(const tenon_string* string, const char* what) {
  require_pointer(string, what);
  return text(string->data, string->length, what);
}

inline Tensor& require_tensor(const CallbackScope& call, const tenon_tensor* handle,
                              const char* what) {
  Tensor* tensor = tensor::from_handle(handle);
  if (!tensor || tensor->owner != call.context->runtime) fail_tensor(tensor != nullptr, what);
  return *tensor;
}

inline std::span<const tenon_value> values(const tenon_value* data, uint32_t count,
                                           const char* what) {
  if (count != 0) require_pointer(data, what);
  return {data, count};
}

}  // namespace tenon::host
