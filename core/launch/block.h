// SPDX-License-Identifier: Apache-2.0
// core/launch/block.h: a kernel's operands in the form it gets them.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/small.h"
#include "core/registry/registry.h"
#include "core/registry/values.h"
#include "core/runtime/device.h"
#include "core/tensor/tensor.h"

namespace tenon::launch {

using tensor::Dims;
using tensor::DimSpan;
using tensor::Ref;
using tensor::Tensor;

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

// What the view says of itself; of no tensor.
Item item_of(const tenon_view& view, uint32_t slot, uint32_t role);
Item make_item(Tensor& tensor, uint32_t slot, uint32_t role);
// Of the same memory; shape and strides are the item's. The device is left out.
tenon_view view_of(const Item& item);
inline bool writes(uint32_t role) { return role != TENON_SLOT_IN; }

// A kernel's operands in launch form. Not movable: views point into it.
struct Block : NoCopy {
  // Of `attrs`, those that the kernel knows.
  Block(const Device& device, const tenon_kernel_desc& kernel, std::span<const Item> items,
        std::span<const tenon_value> attrs);

  Small<Item, 8> items;
  Small<tenon_view, 8> views;
  Small<uint32_t, 16> slot_begin;
  tenon_launch launch{};
  bool may_stop = false;  // midway, by an interrupt: nothing that it writes was there before
};

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

// One resolved launch; views, dims and attributes live here. Not movable.
struct Launch : NoCopy {
  [[gnu::cold]] Launch(const registry::Op& what, const registry::Kernel& with, Device& on,
                       const Block& block);

  const registry::Op* op;
  const registry::Kernel* kernel;
  Device* device;
  registry::ValueStore attrs;
  std::vector<int64_t> dims;
  std::vector<tenon_view> views;
  std::vector<uint32_t> slot_begin;
  std::vector<uint64_t> scalars;  // host scalars the views point to
  std::vector<uint32_t> buffers;  // which memory each view is of, as a plan numbers it
  std::shared_ptr<const Prepared> prepared;
  uint64_t scratch_bytes = 0;
  void* scratch = nullptr;  // in a replay
  bool may_stop = false;    // as Block's; not in a replay
  bool dead = false;        // nothing needs what it makes: a replay leaves it out
  bool random = false;
  tenon_rng rng{};  // offset and stream relative to those of the plan's start
  const std::string* scope = nullptr;
  tenon_launch launch{};
};

// One launch that is about to run.
struct Launching {
  const registry::Op& op;
  const registry::Kernel& kernel;
  Device& device;
  tenon_launch& arguments;
  std::span<const Item> items;  // of its views, with the tensors they are of; empty in a replay
  const std::string& scope;     // where it was called, or captured
  bool computes = true;         // else it only moves values
  // Of a replay, both counted from 1.
  uint64_t plan_run = 0;
  uint64_t position = 0;
};

// Inputs of a kernel as it was built; its other slots are outputs.
uint32_t kernel_inputs(const tenon_kernel_desc& desc);

}  // namespace tenon::launch
