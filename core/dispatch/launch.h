// SPDX-License-Identifier: Apache-2.0
// core/dispatch/launch.h: from operands to a kernel: collapsing, staging, aliasing, launch, checks.
#pragma once

#include <tenon/plugin.h>

#include <memory>
#include <vector>

#include "core/dispatch/invocation.h"

namespace tenon::dispatch {

// One view of a launch while it is put together; shape and strides live here.
struct Item {
  Dims shape{};
  Dims strides{};
  void* data = nullptr;
  int32_t rank = 0;
  tenon_dtype dtype = 0;
  uint32_t flags = 0;
  uint32_t slot = 0;
  uint32_t role = TENON_SLOT_IN;
  int32_t source = 0;        // the operand's number, or ~ the output's
  Tensor* tensor = nullptr;  // whose memory; NULL for numbers
  DimSpan dims() const { return {shape.data(), static_cast<size_t>(rank)}; }
  DimSpan steps() const { return {strides.data(), static_cast<size_t>(rank)}; }
};

Item make_item(Tensor& tensor, uint32_t slot, uint32_t role);

// A kernel's operands in launch form. Not movable: views point into it.
struct Block {
  Block(const Device& device, std::span<const Item> items, uint32_t n_slots, uint32_t n_inputs,
        std::span<const tenon_value> attrs, void* user);
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  Small<Item, 8> items;
  Small<tenon_view, 8> views;
  Small<uint32_t, 16> slot_begin;
  tenon_launch launch{};
};

struct Lesson;

// Objects made by kernels' `prepare`, shared by launches with equal keys.
struct Prepared {
  const registry::Kernel* kernel = nullptr;
  Device* device = nullptr;
  void* object = nullptr;
  ~Prepared() {
    if (object && kernel->desc.release_prepared) {
      device->settle();  // launches that use it may still be queued
      kernel->desc.release_prepared(kernel->desc.user, object);
    }
  }
};

// A kernel's scratch for one launch; no memory where it wants none.
class Scratch {
 public:
  Scratch(Device& on, uint64_t bytes)
      : block(bytes ? on.allocate(bytes) : memory::Block{}), device_(on) {}
  ~Scratch() {
    if (block.data) device_.release(block);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  memory::Block block;

 private:
  Device& device_;
};

// Throws what a kernel's `launch` reported, if anything.
void check_launch(struct Call& call, tenon_status status, Device& device, uint64_t sequence);

// Runs one kernel on operands that fit it, and records it where a capture is on. `rng` may be NULL.
// `lesson` too; it is told what the kernel wanted beside its operands. What only moves values does
// not compute: the launch that does is judged for NaN and infinity.
void run_kernel(Context& context, const registry::Op& op, const registry::Kernel& kernel,
                Device& device, Block& block, const tenon_rng* rng, Lesson* lesson = nullptr,
                bool computes = true);

// Copies between two layouts of one shape and dtype on one device, through the COPY role's kernel.
void launch_copy(Context& context, Device& device, const Item& from, const Item& to);
// Every element of `to` becomes `value`, through the FILL role's kernel.
void launch_fill(Context& context, Device& device, const Item& to, const tenon_value& value);

// Chooses a kernel for the bound call and runs it on `outputs` (flat, NULL where an aux output is
// not wanted), staging what the kernel does not take. False where the call has no kernel;
// `declined` then says what predicates answered.
bool execute(Invocation& call, std::span<Tensor* const> outputs, std::string& declined);

}  // namespace tenon::dispatch
