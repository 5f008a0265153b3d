// SPDX-License-Identifier: Apache-2.0
// core/api/guard.cc: what a boundary does if a call fails, or its context is in use already.
#include "core/api/guard.h"

#include <algorithm>
#include <thread>

#include "core/json/writer.h"
#include "core/runtime/thread_checks.h"

namespace tenon::api {

bool InUse::take_lent(Context& context) noexcept {
  std::thread::id self = std::this_thread::get_id();
  return context.lent_to.compare_exchange_strong(self, {}, std::memory_order_acq_rel);
}

namespace {

void store(Context& context, const Error& error) noexcept {
  try {
    context.error.store(error, *context.scope_path(), context.sequence);
  } catch (...) {
    context.error.store_out_of_memory(0, context.sequence);
  }
}

tenon_status say(tenon_diag* diag, tenon_status status, const char* message) noexcept {
  if (!diag) return status;
  const size_t length = std::min(std::strlen(message), sizeof diag->message - 1);
  std::memcpy(diag->message, message, length);
  diag->message[length] = 0;
  diag->length = static_cast<int32_t>(length);
  diag->status = status;
  return status;
}

void note_misuse(Context& context, const char* function) {
  const std::string running = context.function.load();
  const std::lock_guard lock(context.misuse_mutex);
  if (!context.misuse) context.misuse = std::make_unique<ErrorRecord>();
  context.misuse->store(
      {.status = TENON_E_CHECK,
       .message = "two threads use one context at once: " + std::string(function) +
                  " was called while " + running + " runs in another thread",
       .operand = "context",
       .expected = "one thread at a time",
       .found = std::string(function) + " during " + running,
       .hint = "make one context for each thread"},
      "", 0);
  context.misuse_untold = true;
}

}  // namespace

tenon_status refuse_second_use(Context& context, const char* function) noexcept {
  ThreadChecks* checks = context.runtime->thread_checks.get();
  if (!checks) return TENON_E_STATE;
  try {
    CheckedWindow* window = context.window.load();
    if (window && window->thread == std::this_thread::get_id()) {
      checks->note_reentry(*window, function);
      return TENON_E_STATE;  // the callback gets this, its caller TENON_E_CHECK
    }
    note_misuse(context, function);
  } catch (...) {
    return TENON_E_MEMORY;
  }
  return TENON_E_CHECK;
}

void check_kept_windows(Context& context, const char* function) {
  context.function.store(function);
  if (const auto late = context.runtime->thread_checks->take_late()) throw Error(*late);
}

void fail_closed() {
  fail(TENON_E_RUNTIME, "the runtime was released; its contexts can only be released", {},
       "a live runtime", "a released one");
}

tenon_status store_caught(Context& context) noexcept {
  const auto keep = [&](const Error& error) {
    store(context, error);
    return error.status;
  };
  return sort_caught(
      keep, [&](uint64_t bytes) { context.error.store_out_of_memory(bytes, context.sequence); });
}

tenon_status say_caught(tenon_diag* diag) noexcept {
  const auto tell = [&](const Error& error) {
    return say(diag, error.status, json::readable(error.message).c_str());
  };
  return sort_caught(tell, [&](uint64_t) { say(diag, TENON_E_MEMORY, "out of memory"); });
}

void fail_pointer(const char* name) {
  fail(TENON_E_ARGUMENT, std::string(name) + " is NULL", name, "a pointer", "NULL");
}

void check_index(const char* problem, uint32_t index, size_t count) {
  if (index < count) return;
  fail(TENON_E_NOT_FOUND, std::string(problem) + " " + std::to_string(index), "index",
       "an index below " + std::to_string(count), std::to_string(index));
}

void fail_unbegun(const std::string& what) {
  fail(TENON_E_STATE, what + "_end without " + what + "_begin");
}

void refuse_flags(uint32_t flags, uint32_t known) {
  if ((flags & ~known) == 0) return;
  fail(TENON_E_ARGUMENT, "unknown flags", "flags", {}, std::to_string(flags));
}

std::string require_path(const char* path, uint64_t length, const char* name) {
  require_pointer(path, name);
  const std::string_view text = require_text(path, length, name);
  if (!text.empty() && text.find('\0') == std::string_view::npos) return std::string(text);
  fail(TENON_E_ARGUMENT,
       std::string("the ") + name + (text.empty() ? " is empty" : " has a zero byte"), name,
       "a path without zero bytes", text.empty() ? "an empty text" : "a zero byte");
}

void fail_tensor(const tenon_tensor* handle, const char* name) {
  fail(TENON_E_HANDLE, std::string(name) + (handle ? " is not a live tensor" : " is NULL"), name,
       "a tensor", handle ? "a released handle or one of another kind" : "NULL");
}

void fail_foreign(const char* name) {
  fail(TENON_E_RUNTIME, std::string(name) + " belongs to another runtime", name);
}

Tensors require_tensors(Context& context, tenon_tensor* const* handles, uint32_t count,
                        const char* name, bool optional) {
  Tensors out;
  if (count != 0) require_pointer(handles, name);
  for (uint32_t i = 0; i < count; ++i) {
    const bool absent = optional && !handles[i];
    out.push_back(absent ? nullptr : &require_tensor(context, handles[i], name));
  }
  return out;
}

std::vector<Ref> hold_tensors(Context& context, tenon_tensor* const* handles, uint32_t count,
                              const char* name) {
  std::vector<Ref> list;
  for (Tensor* each : require_tensors(context, handles, count, name)) {
    list.push_back(Ref::shared(each));
  }
  return list;
}

void fail_slot(const void* handle, const char* kind) {
  fail(TENON_E_HANDLE,
       std::string(handle ? "not a live " : "NULL instead of a ") + kind + " handle", kind, kind,
       handle ? "a released handle or one of another kind" : "NULL");
}

std::vector<std::pair<std::string_view, tenon_value>> read_named(const tenon_string* names,
                                                                 const tenon_value* values,
                                                                 uint32_t count) {
  std::vector<std::pair<std::string_view, tenon_value>> out;
  if (count != 0) {
    require_pointer(names, "names");
    require_pointer(values, "values");
  }
  for (uint32_t i = 0; i < count; ++i) {
    out.emplace_back(require_text(names[i].data, names[i].length, "names"), values[i]);
  }
  return out;
}

}  // namespace tenon::api
