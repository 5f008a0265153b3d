// SPDX-License-Identifier: Apache-2.0
// core/dispatch/call.h: what stands behind the tenon_call a callback receives.
#pragma once

#include <tenon/plugin.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/api/error.h"
#include "core/tensor/tensor.h"

namespace tenon {
struct Context;
namespace plugin {
struct Plugin;
}
namespace registry {
struct Op;
}
namespace autograd {
struct VjpFrame;
}
}  // namespace tenon

namespace tenon::dispatch {

enum class CallState : uint8_t { Infer, Prepare, Launch, Vjp, Compose, Data };
std::string_view name_of(CallState state);

// On the stack of whoever runs the callback. The public part comes first, so that a tenon_call* is
// one of these.
struct Call : tenon_call {
  Call(Context& owner, CallState in, plugin::Plugin* from, const registry::Op* what);
  static Call& from(tenon_call* call) { return *static_cast<Call*>(call); }

  // Stores the callback's words; the first failure is the cause of later ones.
  void fail(Error error) noexcept;
  // Throws the stored failure, or one made of `status` where the callback left no words.
  [[noreturn]] void raise(tenon_status status, const char* callback);
  void check(tenon_status status, const char* callback) {
    if (status != TENON_OK) raise(status, callback);
  }

  Context* context;
  CallState state;
  plugin::Plugin* plugin;
  const registry::Op* op;  // may be NULL (datasets)
  std::unique_ptr<Error> failure;
  bool out_of_memory = false;
  void* scratch = nullptr;
  uint64_t scratch_bytes = 0;
  void* stream = nullptr;
  bool has_rng = false;
  tenon_rng rng_state{};
  autograd::VjpFrame* frame = nullptr;  // vjp
  std::vector<tensor::Ref> owned;       // tensors made by ops called through this call
  std::vector<tensor::Ref> composed;    // compose: the outputs set so far
};

}  // namespace tenon::dispatch
