// SPDX-License-Identifier: Apache-2.0
// core/api/guard.h: the boundary. Every public function runs its body in one of these: handles are
// resolved, nothing is thrown out, and a failure becomes a status and the context's record.
#pragma once

#include <tenon/tenon.h>

#include <cstring>
#include <exception>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/small.h"
#include "core/runtime/context.h"
#include "core/tape/graph.h"

namespace tenon::api {

using tensor::Ref;
using tensor::Tensor;

// Marks the context as in use, so that a second thread, or a plugin calling back into the public
// API, is told so instead of corrupting it.
class InUse : NoCopy {
 public:
  [[gnu::always_inline]] explicit InUse(Context& context) : context_(context) {
    // Both ways: see Runtime::wait_for_calls.
    free_ = !base::test_and_set(context_.busy);
    if (!free_) nested_ = take_lent(context_);
  }
  [[gnu::always_inline]] ~InUse() {
    if (!free_) {
      if (nested_) context_.lent_to.store(std::this_thread::get_id(), std::memory_order_release);
      return;
    }
    context_.calls.store(context_.calls.load(std::memory_order_relaxed) + 1,
                         std::memory_order_release);
    context_.busy.store(false, std::memory_order_release);
  }
  bool free() const { return free_ || nested_; }

 private:
  // Is this the thread of a callback that may call back? What it calls lends nothing on.
  [[gnu::cold]] static bool take_lent(Context& context) noexcept;

  Context& context_;
  bool free_;
  bool nested_ = false;
};

// For a context that is in use: by another thread, or by the call whose callback calls `function`.
[[gnu::cold]] tenon_status refuse_second_use(Context& context, const char* function) noexcept;
// TENON_CHECK=threads: throws what a plugin did between calls with a tenon_call it has kept.
void check_kept_windows(Context& context, const char* function);
[[noreturn, gnu::cold]] void fail_closed();
// What becomes of the exception that is being caught, and its status: keep(error), which returns
// that, of errors and of faults of Tenon's own; run_out(bytes) if memory ran out.
template <class Keep, class RunOut>
tenon_status sort_caught(const Keep& keep, const RunOut& run_out) noexcept {
  try {
    try {
      throw;
    } catch (Error& error) {
      return keep(error);
    } catch (const OutOfMemory&) {
      throw;
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& error) {
      Error fault{TENON_E_INTERNAL, error.what()};
      return keep(fault);
    } catch (...) {
      Error fault{TENON_E_INTERNAL, "unknown exception"};
      return keep(fault);
    }
  } catch (const OutOfMemory& failure) {
    run_out(failure.bytes);
  } catch (...) {
    run_out(0);
  }
  return TENON_E_MEMORY;
}

// Stores the exception that is being caught; returns its status.
[[gnu::cold]] tenon_status store_caught(Context& context) noexcept;

// function  what the program called, for the words of TENON_CHECK=threads
template <class Body>
tenon_status guard(const tenon_context* handle, Body&& body,
                   const char* function = __builtin_FUNCTION()) noexcept {
  ContextSlot* slot = ContextSlab::from_handle(handle);
  if (!slot) return TENON_E_HANDLE;
  Context& context = *slot->context;
  InUse in_use(context);
  if (!in_use.free()) return refuse_second_use(context, function);
  try {
    if (context.runtime->thread_checks) check_kept_windows(context, function);
    if (context.runtime->closed.load(std::memory_order_acquire)) fail_closed();
    tape::Graph& graph = tape::graph_of(context);
    if (graph.dropped.load(std::memory_order_acquire)) tape::drain(graph);
    body(context);
    return TENON_OK;
  } catch (...) {
    return store_caught(context);
  }
}

// For runtime and context creation, which have no context to report into. The same as store_caught.
tenon_status say_caught(tenon_diag* diag) noexcept;

template <class Body>
tenon_status guard_diag(tenon_diag* diag, Body&& body) noexcept {
  try {
    body();
    return TENON_OK;
  } catch (...) {
    return say_caught(diag);
  }
}

[[noreturn, gnu::cold]] void fail_pointer(const char* name);

inline void require_pointer(const void* pointer, const char* name) {
  if (!pointer) fail_pointer(name);
}

// The guard of a function that gives something: what `make(context)` returns.
// name  of `out`, for messages
template <class Out, class Make>
tenon_status guard_out(const tenon_context* handle, Out* out, const char* name, Make&& make,
                       const char* function = __builtin_FUNCTION()) noexcept {
  const auto body = [&](Context& context) {
    require_pointer(out, name);
    *out = make(context);
  };
  return guard(handle, body, function);
}

inline std::string_view require_text(const char* data, uint64_t length, const char* name) {
  if (!data && length == 0) return {};
  require_pointer(data, name);
  return {data, length == TENON_NUL ? std::strlen(data) : static_cast<size_t>(length)};
}

// A text that must be given.
inline std::string_view require_name(const char* data, uint64_t length, const char* name = "name") {
  require_pointer(data, name);
  return require_text(data, length, name);
}

// problem  "the layer has no child", before the index
void check_index(const char* problem, uint32_t index, size_t count);

// "tenon_scope_end without tenon_scope_begin"
[[noreturn, gnu::cold]] void fail_unbegun(const std::string& what);

// Flags that are not among the `known` ones are an error.
void refuse_flags(uint32_t flags, uint32_t known);
// A path: not empty, without zero bytes.
std::string require_path(const char* path, uint64_t length, const char* name = "path");

[[noreturn, gnu::cold]] void fail_tensor(const tenon_tensor* handle, const char* name);
[[noreturn, gnu::cold]] void fail_foreign(const char* name);
[[noreturn, gnu::cold]] void fail_slot(const void* handle, const char* kind);

[[gnu::always_inline]] inline Tensor& require_tensor(Context& context, const tenon_tensor* handle,
                                                     const char* name) {
  Tensor* tensor = tensor::from_handle(handle);
  if (!tensor) fail_tensor(handle, name);
  if (tensor->owner != context.runtime) fail_foreign(name);
  return *tensor;
}

struct Tensors : Small<Tensor*, 8> {
  // Boost's iterators are not contiguous_iterators, so a span does not take the list itself.
  operator std::span<Tensor* const>() const noexcept { return {data(), size()}; }
};
// optional  NULL is a tensor that was left out
Tensors require_tensors(Context& context, tenon_tensor* const* handles, uint32_t count,
                        const char* name, bool optional = false);

// Held, for what outlives the call.
std::vector<Ref> hold_tensors(Context& context, tenon_tensor* const* handles, uint32_t count,
                              const char* name);

// Names with their values, borrowed.
std::vector<std::pair<std::string_view, tenon_value>> read_named(const tenon_string* names,
                                                                 const tenon_value* values,
                                                                 uint32_t count);

template <class Slab>
auto& require_slot(const void* handle, const char* kind) {
  auto* slot = Slab::from_handle(handle);
  if (!slot) fail_slot(handle, kind);
  return *slot;
}

// The text that `write` returns. What writing ends (a recording) ends only if the text is given.
template <class Write>
tenon_text* make_text(Write&& write) {
  TextSlot* slot = TextSlab::instance().create();
  try {
    slot->text = write();
  } catch (...) {
    TextSlab::instance().destroy(slot);
    throw;
  }
  return static_cast<tenon_text*>(TextSlab::to_handle(slot));
}

// Callee-filled structs: writes min(ours, theirs) bytes after struct_size, and how many.
template <class T>
void fill_sized(T* out, T ours) {
  require_pointer(out, "the result struct");
  const uint32_t theirs = out->struct_size;
  if (theirs < 8) {
    fail(TENON_E_ARGUMENT, "struct_size of the result struct is not set", "struct_size",
         std::to_string(sizeof(T)), std::to_string(theirs),
         "set struct_size = sizeof of the struct before the call");
  }
  ours.struct_size = static_cast<uint32_t>(std::min<size_t>(theirs, sizeof(T)));
  std::memcpy(out, &ours, ours.struct_size);
}

// In a callback of the program's, what would pull the ground from under the call that runs it.
inline void refuse_in_callback(const Context& context, const char* what) {
  if (context.lent_depth == 0) return;
  fail(TENON_E_STATE, std::string(what) + " is not possible in a callback", what, {}, {},
       "do it after the call that runs the callback has returned");
}

inline void refuse_in_capture(const Context& context, const char* what) {
  if (!context.capturing) return;
  fail(TENON_E_CAPTURE, std::string(what) + " is not possible while a step is captured", what, {},
       {}, "do it before tenon_capture_begin or after tenon_capture_end");
}

}  // namespace tenon::api
