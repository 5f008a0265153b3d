// SPDX-License-Identifier: Apache-2.0
// core/launch/launch.h: runs one kernel: prepare, scratch, launch, checks, trace, capture.
#pragma once

#include <memory>

#include "core/base/kept.h"
#include "core/launch/block.h"
#include "core/runtime/callback.h"
#include "core/runtime/context.h"

namespace tenon::launch {

// Who keeps the launches of a context, in order to repeat them: a floor above. Is told, too, what
// else has decided about these, and may change before they are repeated.
class Capture : public Kept {
 public:
  // An op is called. `placed`: without operands that say where, so on the context's device.
  virtual void calls(Context& context, const registry::Op& op, bool placed) = 0;
  // Does the leaf require a gradient?
  virtual void looks_at(tensor::Tensor& leaf) = 0;
  // Before the kernel runs; throws if it cannot be repeated.
  virtual void admit(const registry::Op& op, const registry::Kernel& kernel) = 0;
  // After it has run. `rng` may be NULL.
  virtual void add(const registry::Op& op, const registry::Kernel& kernel, Device& device,
                   const Block& block, std::shared_ptr<const Prepared> prepared,
                   uint64_t scratch_bytes, const tenon_rng* rng, const std::string* scope) = 0;
};

// NULL if nothing is captured just now.
inline Capture* capture_of(const Context& context) {
  return static_cast<Capture*>(context.capture);
}

// A kernel's scratch for one launch; no memory if it wants none.
class Scratch : NoCopy {
 public:
  Scratch(Device& on, uint64_t bytes)
      : block(bytes ? on.allocate(bytes) : memory::Block{}), device_(on) {}
  ~Scratch() {
    if (block.data) device_.release(block);
  }

  memory::Block block;

 private:
  Device& device_;
};

// What a kernel wanted beside its operands.
struct Needs {
  std::weak_ptr<const Prepared> prepared;
  uint64_t scratch_bytes = 0;
};

// Throws what a kernel's `launch` reported, if anything.
void check_launch(CallbackScope& call, tenon_status status, Device& device, uint64_t sequence);

// The launch itself, watched by whatever checks the context has on, and by a trace. `call` has its
// scratch, stream and random numbers. What `items` say is written is marked so.
void run(CallbackScope& call, const Launching& launching);

// Runs one kernel on operands that fit it, and gives it to the capture if one is on. `rng` and
// `needs` may be NULL. What only moves values does not compute: the launch that does is judged for
// NaN and infinity.
void run_kernel(Context& context, const registry::Op& op, const registry::Kernel& kernel,
                Device& device, Block& block, const tenon_rng* rng, Needs* needs = nullptr,
                bool computes = true);

}  // namespace tenon::launch
