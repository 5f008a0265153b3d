// SPDX-License-Identifier: Apache-2.0
// core/dispatch/execute.cc: fits operands to a kernel's declarations and runs it.
//
// What a slot does not accept goes through a temporary: inputs are gathered before the launch,
// outputs written to the temporary and scattered back after it. A kernel never sees a layout it did
// not declare, so it cannot lose an output. Inputs that share memory with an output are copied
// first, unless the op is elementwise, both are the very same view, and it is not zeroed first.
#include "core/dispatch/execute.h"

#include "core/dispatch/call_cache.h"
#include "core/dispatch/operands.h"
#include "core/dispatch/select.h"
#include "core/dispatch/written.h"
#include "core/launch/launch.h"
#include "core/launch/moves.h"
#include "core/launch/prepare.h"
#include "core/runtime/callback.h"

namespace tenon::dispatch {

namespace {

// Scattered back, or kept alive, until the launch is over.
struct Staged {
  Ref temporary;
  Item original;
  Item replacement;
  bool scatter = false;
};

std::span<const Item> span_of(const Small<Item, 8>& items) { return {items.data(), items.size()}; }

// Does the slot take the operand as it is, whatever its rank?
bool accepts(const tenon_slot_rule& rule, const Item& item) {
  if (item.flags & TENON_VIEW_HOST_SCALAR) return (rule.flags & TENON_SLOT_HOST_SCALAR) != 0;
  const DimSpan shape = item.dims();
  const DimSpan strides = item.steps();
  const uint32_t size = tensor::size_of(item.dtype);
  if (!(rule.flags & TENON_SLOT_UNALIGNED) && reinterpret_cast<uintptr_t>(item.data) % size != 0) {
    return false;
  }
  if (rule.layout == TENON_LAYOUT_CONTIGUOUS) return tensor::is_row_major(shape, strides);
  if (rule.layout == TENON_LAYOUT_DENSE) return tensor::is_dense(shape, strides);
  if (!(rule.flags & TENON_SLOT_ZERO_STRIDE) && tensor::has_zero_stride(shape, strides)) {
    return false;
  }
  if (!(rule.flags & TENON_SLOT_NEGATIVE_STRIDE) && tensor::has_negative_stride(shape, strides)) {
    return false;
  }
  return rule.layout == TENON_LAYOUT_STRIDED || tensor::inner_is_contiguous(shape, strides);
}

// Does a slot take fewer dimensions than its operand has?
bool too_deep(const registry::Kernel& kernel, std::span<const Item> items) {
  return std::ranges::any_of(items, [&](const Item& item) {
    const uint32_t most = kernel.desc.slots[item.slot].max_rank;
    return most != 0 && static_cast<uint32_t>(item.rank) > most;
  });
}

// Merges and reorders the dimensions of operands that all have one shape.
void collapse_together(std::span<Item> items) {
  if (items.empty()) return;
  Dims shape = items[0].shape;
  Small<Dims, 8> strides;
  // Outputs first: their order of dimensions leads.
  for (const bool outputs : {true, false}) {
    for (const Item& item : items) {
      if (writes(item.role) == outputs) strides.push_back(item.strides);
    }
  }
  const int32_t rank =
      tensor::collapse(shape.data(), items[0].rank, {strides.data(), strides.size()});
  size_t next = 0;
  for (const bool outputs : {true, false}) {
    for (Item& item : items) {
      if (writes(item.role) != outputs) continue;
      item.shape = shape;
      item.rank = rank;
      item.strides = strides[next++];
    }
  }
}

// An elementwise kernel sees all operands in the output's shape, collapsed together.
void collapse_items(std::span<Item> items, const tenon_meta& meta) {
  const DimSpan target = tensor::shape_of(meta);
  for (Item& item : items) {
    Dims spread{};
    tensor::broadcast_strides(item.dims(), item.steps(), target, spread.data());
    std::copy(target.begin(), target.end(), item.shape.begin());
    item.rank = meta.rank;
    item.strides = spread;
  }
  collapse_together(items);
}

Small<Item, 8> gather_items(Invocation& call, const tenon_kernel_desc& desc,
                            std::span<Tensor* const> outputs) {
  Small<Item, 8> items;
  const uint32_t n_inputs = kernel_inputs(desc);
  for (uint32_t input = 0; input < std::min(n_inputs, call.n_inputs()); ++input) {
    for (uint32_t i = call.begin[input]; i < call.begin[input + 1]; ++i) {
      Tensor* const tensor = call.operands[i].tensor;
      items.push_back(tensor ? make_item(*tensor, input, desc.slots[input].role)
                             : launch::item_of(call.view_of(i), input, TENON_SLOT_IN));
      items.back().source = static_cast<int32_t>(i);
    }
  }
  for (uint32_t slot = n_inputs; slot < desc.n_slots; ++slot) {
    Tensor* tensor = outputs[slot - n_inputs];
    if (!tensor) continue;
    items.push_back(make_item(*tensor, slot, desc.slots[slot].role));
    items.back().source = ~static_cast<int32_t>(slot - n_inputs);
  }
  return items;
}

class Staging {
 public:
  Staging(Invocation& call, const registry::Kernel& kernel, std::span<Item> items,
          const Written& written)
      : call_(call), kernel_(kernel), items_(items), written_(written) {}

  // Replaces what does not fit; nothing of the caller's is written yet.
  void read_forms() {
    // Row-major operands of one shape have one dimension.
    const bool flatten = too_deep(kernel_, items_);
    for (size_t i = 0; i < items_.size(); ++i) {
      const bool flat = tensor::is_row_major(items_[i].dims(), items_[i].steps());
      if (needs_copy(i) || (flatten && !flat)) stage(i);
    }
    if (flatten) collapse_together(items_);
    for (size_t i = 0; i < items_.size(); ++i) {
      if (kernel_.desc.slots[items_[i].slot].role == TENON_SLOT_ACCUM) zero(items_[i]);
    }
  }

  bool copied() const { return !staged_.empty(); }

  void scatter() {
    for (const Staged& staged : staged_) {
      if (!staged.scatter) continue;
      launch::launch_copy(call_.cx, *call_.device, staged.replacement, staged.original);
      staged.original.tensor->storage->written(&call_.op.name, call_.cx.scope_path());
    }
  }

 private:
  bool needs_copy(size_t index) const {
    const Item& item = items_[index];
    if (!accepts(kernel_.desc.slots[item.slot], item)) return true;
    if (item.role != TENON_SLOT_IN || !item.tensor) return false;
    const tenon_view view = launch::view_of(item);
    return written_.has(tensor::addresses_of(view), [&](size_t which) {
      // A temporary may have taken its place, which shares nothing.
      const Item& other = items_[which];
      if (!tensor::may_overlap(view, launch::view_of(other))) return false;
      // What is added to is zeroed before the kernel reads anything.
      return !call_.op.has(TENON_OP_ELEMENTWISE) || other.role == TENON_SLOT_ACCUM ||
             item.data != other.data || item.dtype != other.dtype || item.strides != other.strides;
    });
  }

  void stage(size_t index) {
    Item& item = items_[index];
    Staged staged;
    staged.original = item;
    const DimSpan shape = item.dims();
    staged.temporary = Ref(Tensor::create(*call_.device, item.dtype, shape));
    trace::Recorder& trace = call_.cx.runtime->trace;
    if (trace.active()) trace.add_instant(call_.op.name + " staging", "staging", 0, "");
    Item replacement = make_item(*staged.temporary, item.slot, item.role);
    if (item.flags & TENON_VIEW_HOST_SCALAR) {
      const Operand& operand = call_.operands[static_cast<size_t>(item.source)];
      launch::launch_fill(call_.cx, *call_.device, replacement, *operand.number);
    } else if (item.role == TENON_SLOT_IN || item.role == TENON_SLOT_INOUT) {
      launch::launch_copy(call_.cx, *call_.device, item, replacement);
    }
    staged.scatter = writes(item.role);
    staged.replacement = replacement;
    item = replacement;
    staged_.push_back(std::move(staged));
  }

  void zero(const Item& item) { launch::launch_fill(call_.cx, *call_.device, item, int_value(0)); }

  Invocation& call_;
  const registry::Kernel& kernel_;
  std::span<Item> items_;
  const Written& written_;
  Small<Staged, 4> staged_;
};

bool accumulates(const registry::Kernel& kernel) {
  return std::any_of(kernel.desc.slots, kernel.desc.slots + kernel.desc.n_slots,
                     [](const tenon_slot_rule& rule) { return rule.role == TENON_SLOT_ACCUM; });
}

bool fits_without_staging(const registry::Kernel& kernel, std::span<const Item> items) {
  return !too_deep(kernel, items) && std::ranges::all_of(items, [&](const Item& item) {
    return accepts(kernel.desc.slots[item.slot], item);
  });
}

bool declines(Invocation& call, const registry::Kernel& kernel, Block& block,
              std::string& declined) {
  if (!kernel.desc.predicate) return false;
  const launch::WithoutData asking(block);
  CallbackScope window(call.cx, CallbackState::Prepare, kernel.plugin, &call.op);
  uint32_t yes = 1;
  const tenon_status status = window.enter("predicate", [&](tenon_call* handed) {
    return kernel.desc.predicate(handed, &block.launch, &yes);
  });
  if (status == TENON_E_CHECK || status == TENON_E_MEMORY) window.raise(status, "predicate");
  if (status == TENON_OK && yes) return false;
  declined = window.failure ? window.failure->message : "declined without a reason";
  return true;
}

bool reserve_rng(Invocation& call, tenon_rng& rng) {
  if (!call.op.has(TENON_OP_RANDOM)) return false;
  uint64_t words = 0;
  // The rule sees the outputs' shapes through the attributes and inputs, as infer does.
  ask_rule(call, "random_words", [&](tenon_call* handed, const tenon_launch* inputs) {
    return call.op.desc.random_words(handed, inputs, &words);
  });
  rng.key = call.cx.seed;
  rng.stream = call.cx.stream;
  rng.offset = call.cx.counter;
  rng.device_base = nullptr;
  call.cx.counter += (words + 3) / 4;
  return true;
}

}  // namespace

bool execute(Invocation& call, std::span<Tensor* const> outputs, std::string& declined) {
  const std::span<const tenon_value> attrs(call.attrs.data(), call.attrs.size());
  const registry::Kernel* chosen = nullptr;
  Small<Item, 8> chosen_items;
  bool judged = false;  // by a predicate
  for (const registry::Kernel* kernel : candidates(call)) {
    if (chosen && kernel->plugin != chosen->plugin) continue;
    if (!takes_narrow(call, *kernel)) {
      if (chosen) continue;
      widen(call);
    }
    Small<Item, 8> items = gather_items(call, kernel->desc, outputs);
    if (call.op.has(TENON_OP_ELEMENTWISE) && !call.outputs.empty()) {
      collapse_items({items.data(), items.size()}, call.outputs[0]);
    } else if (too_deep(*kernel, span_of(items))) {
      declined = "takes operands of fewer dimensions";
      continue;
    }
    if (kernel->desc.predicate) {
      judged = true;
      Block block(*call.device, kernel->desc, span_of(items), attrs);
      if (declines(call, *kernel, block, declined)) continue;
    }
    const bool fits = fits_without_staging(*kernel, span_of(items));
    if (!chosen || fits) {
      chosen = kernel;
      chosen_items = std::move(items);
    }
    if (fits) break;
  }
  if (!chosen) return false;
  const Written written(span_of(chosen_items));
  check_aliases(call, span_of(chosen_items), written);
  tenon_rng rng{};
  const bool random = reserve_rng(call, rng);
  Staging staging(call, *chosen, {chosen_items.data(), chosen_items.size()}, written);
  staging.read_forms();
  Block block(*call.device, chosen->desc, span_of(chosen_items), attrs);
  block.may_stop = call.may_stop;
  Resolution* const resolution = call.resolution;
  if (resolution && !random && !staging.copied() && !accumulates(*chosen) && !judged) {
    resolution->launch = std::make_unique<launch::Launch>(call.op, *chosen, *call.device, block);
    resolution->items = block.items;
  }
  launch::run_kernel(call.cx, call.op, *chosen, *call.device, block, random ? &rng : nullptr,
                     resolution ? &resolution->needs : nullptr);
  staging.scatter();
  return true;
}

}  // namespace tenon::dispatch
