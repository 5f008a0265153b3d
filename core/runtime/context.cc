// SPDX-License-Identifier: Apache-2.0
// core/runtime/context.cc: the context and its error record.
#include "core/runtime/context.h"

#include <cstdio>

#include "core/json/writer.h"

namespace tenon {

ErrorRecord::ErrorRecord() {
  // Room for the words of an out-of-memory error, so that storing it allocates nothing.
  error.status = TENON_OK;
  error.message.reserve(256);
}

void ErrorRecord::store(const Error& from, const std::string& scope_path, uint64_t call_sequence) {
  ++stored;
  error = from;
  scope = from.scope.empty() ? scope_path : from.scope;
  for (std::string* field : {&error.message, &error.op, &error.operand, &error.expected,
                             &error.found, &error.plugin, &error.hint, &scope}) {
    *field = json::readable(*field);
  }
  for (std::string& cause : error.causes) cause = json::readable(cause);
  sequence = call_sequence;
  cause_list.clear();
  for (const std::string& cause : error.causes) cause_list.push_back(cause.c_str());
}

void ErrorRecord::store_out_of_memory(uint64_t bytes, uint64_t call_sequence) noexcept {
  ++stored;
  char text[200];
  const int length =
      bytes ? std::snprintf(text, sizeof text,
                            "out of memory: %llu bytes are neither free nor allowed by the limit",
                            static_cast<unsigned long long>(bytes))
            : std::snprintf(text, sizeof text, "out of memory");
  error.status = TENON_E_MEMORY;
  // Fits the reserved capacity unless a longer message is there already, which is larger still.
  error.message.assign(text, static_cast<size_t>(length));
  for (std::string* field : {&error.op, &error.operand, &error.expected, &error.found,
                             &error.plugin, &error.hint, &scope}) {
    field->clear();
  }
  error.causes.clear();
  cause_list.clear();
  sequence = call_sequence;
}

Context::Context(Runtime& owner)
    : runtime(&owner),
      id(owner.contexts.fetch_add(1)),
      checks(owner.config.checks),
      no_scope(owner.intern_scope("")) {
  owner.add_context(*this);
  owner.retain();
}

void Context::push_scope(const std::string& label) {
  const std::string& outer = *scope_path();
  scopes.push_back(runtime->intern_scope(outer.empty() ? label : outer + "/" + label));
}

Context::~Context() {
  runtime->remove_context(*this);
  capturing.reset();
  graph.reset();
  call_cache.reset();
  kernels.reset();
  runtime->forget_context(id);
  runtime->release();
}

Device& Context::default_device() {
  return device ? runtime->device(*device) : runtime->host_device();
}

void Context::tell_interrupt() {
  interrupted.store(false, std::memory_order_relaxed);
  throw Error{.status = TENON_E_INTERRUPTED, .message = "interrupted by tenon_context_interrupt"};
}

}  // namespace tenon
