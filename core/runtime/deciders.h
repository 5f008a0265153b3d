// SPDX-License-Identifier: Apache-2.0
// core/runtime/deciders.h: what decides a training step beside its code, so that processes that
// share the step can see that all of them have the same.
#pragma once

#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/runtime/context.h"
#include "core/tensor/tensor.h"

namespace tenon {

// A step that processes share.
struct SharedStep {
  const std::unordered_map<const tensor::Tensor*, uint32_t>& params;  // with their places
  int64_t shards = 0;       // of a batch, by all processes
  int64_t first_shard = 0;  // of this process
};

// An optimizer, a loader. Known to its context's steps from `enlist` on.
class Decider : NoCopy {
 public:
  // Adds lines "name: value" if it has a say in the step. They are the same in processes that do
  // the same.
  virtual void tell(const SharedStep& step, std::string& lines) const = 0;

 protected:
  Decider() = default;
  ~Decider() = default;
  void enlist(Context& context);
  // The first thing that goes, as it may go in any thread.
  void delist() noexcept;

 private:
  Runtime* known_to_ = nullptr;
};

// The lines of all deciders that were made with this context, in whatever order that was.
void tell_deciders(const Context& context, const SharedStep& step, std::string& lines);

}  // namespace tenon
