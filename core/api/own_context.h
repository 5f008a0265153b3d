// SPDX-License-Identifier: Apache-2.0
// core/api/own_context.h: making contexts, and those of threads that Tenon has begun itself.
#pragma once

#include <memory>

#include "core/api/guard.h"
#include "core/data/workers.h"

namespace tenon::api {

// With what each floor keeps for it. The caller's; tenon_context_release.
tenon_context* create_context(Runtime& runtime);

// Calls go through it as a program's do: guarded, and refused when the runtime is closed.
class OwnContext final : public data::WorkerContext, NoCopy {
 public:
  explicit OwnContext(Runtime& runtime) : context_(create_context(runtime)) {}
  ~OwnContext() override { tenon_context_release(context_); }

  bool run(const std::function<void(Context&)>& body) noexcept override {
    return guard(context_, body) == TENON_OK;
  }

 private:
  tenon_context* context_;
};

inline data::MakeWorkerContext own_contexts(Runtime& runtime) {
  return [&runtime] { return std::make_unique<OwnContext>(runtime); };
}

}  // namespace tenon::api
