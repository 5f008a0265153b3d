// SPDX-License-Identifier: Apache-2.0
// core/launch/layout_check.cc: launches on guarded shadow copies.
#include "core/launch/layout_check.h"

#include <algorithm>
#include <cstring>
#include <functional>

#include "core/launch/prepare.h"

namespace tenon::launch {

namespace {

constexpr unsigned char kPatterns[2] = {0xA5, 0x5B};
constexpr size_t kGuard = 256;

// The first address in `bytes` that is a multiple of 64.
unsigned char* aligned(std::vector<unsigned char>& bytes) {
  const uintptr_t raw = reinterpret_cast<uintptr_t>(bytes.data());
  return bytes.data() + ((raw + 63) / 64 * 64 - raw);
}

// Calls body(byte offset from the first element) for each element of the view.
void each_element(const tenon_view& view, const std::function<void(int64_t)>& body) {
  const int64_t size = tensor::size_of(view.dtype);
  tensor::each_element(tensor::shape_of(view), tensor::strides_of(view),
                       [&](DimSpan, int64_t offset) {
                         body(offset * size);
                         return true;
                       });
}

// The launch that is checked. Its views point elsewhere while it runs on copies.
struct Checked {
  const tenon_launch& launch;
  std::span<tenon_view> views;
  Small<Item, 8> items;  // what the views say of themselves
};

Small<Item, 8> items_of(const registry::Kernel& kernel, const tenon_launch& arguments) {
  Small<Item, 8> items;
  for (uint32_t slot = 0; slot < arguments.n_slots; ++slot) {
    for (uint32_t i = arguments.slot_begin[slot]; i < arguments.slot_begin[slot + 1]; ++i) {
      items.push_back(item_of(arguments.views[i], slot, kernel.desc.slots[slot].role));
    }
  }
  return items;
}

// A copy of one operand with patterned holes and guards as long as the operand itself, so that a
// kernel that takes it for contiguous stays inside.
struct Shadow {
  Shadow(const tenon_view& view, uint32_t role, unsigned char pattern) : real(view), slot(role) {
    const DimSpan shape = tensor::shape_of(view);
    const size_t size = tensor::size_of(view.dtype);
    const auto [low, high] = tensor::extent(shape, tensor::strides_of(view));
    const size_t span = static_cast<size_t>(high - low + 1) * size;
    guard = kGuard + static_cast<size_t>(tensor::count(shape)) * size;
    guard = (guard + 63) / 64 * 64;
    bytes.assign(span + 2 * guard + 64, pattern);
    // The same alignment as the real operand has.
    const uintptr_t phase =
        (reinterpret_cast<uintptr_t>(view.data) + static_cast<uintptr_t>(low) * size) % 64;
    base = aligned(bytes) + guard - 64 + phase;
    data = base - low * static_cast<int64_t>(size);
    if (role != TENON_SLOT_OUT) {
      each_element(view, [&](int64_t at) {
        std::memcpy(data + at, static_cast<char*>(view.data) + at, size);
      });
    }
    before = bytes;
  }

  tenon_view real;
  uint32_t slot;
  size_t guard = 0;
  std::vector<unsigned char> bytes;
  std::vector<unsigned char> before;  // what they were
  unsigned char* base = nullptr;
  unsigned char* data = nullptr;
};

// Of all operands. They point into themselves.
using Shadows = std::vector<Shadow>;

Shadows shadows_of(const Checked& block, unsigned char pattern) {
  Shadows shadows;
  shadows.reserve(block.items.size());
  for (size_t i = 0; i < block.items.size(); ++i) {
    shadows.emplace_back(block.views[i], block.items[i].role, pattern);
  }
  return shadows;
}

// `n_inputs` are the kernel's: the op may have grown since it was built.
std::string operand_name(const CallbackScope& call, uint32_t n_inputs, const Item& item) {
  const auto& schema = call.op->schema;
  return item.slot < n_inputs ? schema.inputs[item.slot].name
                              : schema.output_name(item.slot - n_inputs);
}

[[noreturn]] void fail_check(const CallbackScope& call, const registry::Kernel& kernel,
                             const Item& item, const std::string& what,
                             const std::string& expected) {
  const std::string operand = operand_name(call, kernel_inputs(kernel.desc), item);
  fail_with(TENON_E_CHECK, call.op->name, kernel.plugin->id,
            call.op->name + ": kernel of " + kernel.plugin->id + " " + what + " operand \"" +
                operand + "\"",
            operand, expected,
            tensor::dtype_text(item.dtype) + tensor::dims_text(item.dims()) + " strides " +
                tensor::dims_text(item.steps()),
            "the kernel claims a layout it does not handle");
}

// Bytes outside the elements, and elements of inputs, must be as before.
void check_untouched(const CallbackScope& call, const registry::Kernel& kernel, const Item& item,
                     const Shadow& shadow) {
  std::vector<unsigned char> before = shadow.before;
  if (shadow.slot != TENON_SLOT_IN) {
    const size_t size = tensor::size_of(shadow.real.dtype);
    each_element(shadow.real, [&](int64_t at) {
      const size_t index = static_cast<size_t>(shadow.data + at - shadow.bytes.data());
      std::memcpy(before.data() + index, shadow.bytes.data() + index, size);
    });
  }
  if (before != shadow.bytes) {
    fail_check(call, kernel, item,
               shadow.slot == TENON_SLOT_IN ? "wrote to input" : "wrote outside",
               "only the operand's own elements are written");
  }
}

void check_equal(const CallbackScope& call, const registry::Kernel& kernel, const Item& item,
                 const Shadow& a, const Shadow& b) {
  const size_t size = tensor::size_of(a.real.dtype);
  bool unwritten = false;
  bool differs = false;
  each_element(a.real, [&](int64_t at) {
    if (std::memcmp(a.data + at, b.data + at, size) == 0) return;
    differs = true;
    bool pattern = true;
    for (size_t i = 0; i < size; ++i)
      pattern = pattern && a.data[at + static_cast<int64_t>(i)] == kPatterns[0];
    unwritten = unwritten || pattern;
  });
  if (unwritten) {
    fail_check(call, kernel, item, "did not write all of", "every element of an output is written");
  }
  if (differs) {
    fail_check(call, kernel, item, "read bytes outside its operands while computing",
               "a result that depends on the operands alone");
  }
}

// The scratch of one launch, between guards; nothing if the kernel announced none.
class GuardedScratch : NoCopy {
 public:
  explicit GuardedScratch(CallbackScope& call) : call_(call), real_(call.scratch) {
    if (call.scratch_bytes == 0) return;
    bytes_.assign(call.scratch_bytes + 2 * kGuard + 64, kPatterns[0]);
    begin_ = aligned(bytes_) + kGuard;
    call.scratch = begin_;
  }
  ~GuardedScratch() { call_.scratch = real_; }

  bool overrun() const {
    if (bytes_.empty()) return false;
    const auto written = [](unsigned char byte) { return byte != kPatterns[0]; };
    const unsigned char* end = begin_ + call_.scratch_bytes;
    return std::any_of(bytes_.data(), static_cast<const unsigned char*>(begin_), written) ||
           std::any_of(end, bytes_.data() + bytes_.size(), written);
  }

 private:
  CallbackScope& call_;
  void* real_;
  std::vector<unsigned char> bytes_;
  unsigned char* begin_ = nullptr;
};

[[noreturn]] void fail_scratch(const CallbackScope& call, const registry::Kernel& kernel) {
  const std::string bytes = std::to_string(call.scratch_bytes) + " bytes";
  fail_with(TENON_E_CHECK, call.op->name, kernel.plugin->id,
            call.op->name + ": kernel of " + kernel.plugin->id +
                " wrote outside of its scratch of " + bytes,
            {}, "nothing is written beyond the " + bytes + " that `workspace` announced", {},
            "`workspace` announces too little, or `launch` uses too much");
}

tenon_status run_pass(CallbackScope& call, const registry::Kernel& kernel, Checked& block,
                      const Shadows& shadows) {
  const GuardedScratch scratch(call);
  for (size_t i = 0; i < shadows.size(); ++i) {
    if (!(block.views[i].flags & TENON_VIEW_HOST_SCALAR)) {
      block.views[i].data = shadows[i].data;
    }
  }
  const tenon_status status = call.enter(
      "kernel", [&](tenon_call* handed) { return kernel.desc.launch(handed, &block.launch); });
  for (size_t i = 0; i < shadows.size(); ++i) {
    block.views[i].data = shadows[i].real.data;
  }
  if (scratch.overrun()) fail_scratch(call, kernel);
  return status;
}

// Scratch and launch on operands that another block than the call's describes.
tenon_status launch_on(CallbackScope& call, const registry::Kernel& kernel, Device& device,
                       Block& block) {
  const std::shared_ptr<const Prepared> prepared =
      prepare(*call.context, *call.op, kernel, device, block);
  block.launch.prepared = prepared ? prepared->object : nullptr;
  std::vector<unsigned char> memory;
  if (const uint64_t bytes = workspace(*call.context, *call.op, kernel, block)) {
    memory.resize(bytes + 64);
    call.scratch = aligned(memory);
    call.scratch_bytes = bytes;
  }
  return call.enter("kernel",
                    [&](tenon_call* handed) { return kernel.desc.launch(handed, &block.launch); });
}

// Once more on row-major copies of the operands: a kernel that takes dense memory for row-major
// stays inside its operands and writes all of them, so only other results give it away.
tenon_status compare_with_row_major(CallbackScope& call, const registry::Kernel& kernel,
                                    const Checked& block, const Shadows& checked) {
  const bool strided = std::any_of(block.items.begin(), block.items.end(), [](const Item& item) {
    return !(item.flags & TENON_VIEW_HOST_SCALAR) &&
           !tensor::is_row_major(item.dims(), item.steps());
  });
  if (!strided) return TENON_OK;
  Small<Item, 8> items(block.items);
  std::vector<std::vector<unsigned char>> memory(items.size());
  for (size_t i = 0; i < items.size(); ++i) {
    if (items[i].flags & TENON_VIEW_HOST_SCALAR) continue;
    const size_t size = tensor::size_of(items[i].dtype);
    memory[i].resize(static_cast<size_t>(tensor::count(items[i].dims())) * size + 64);
    unsigned char* to = aligned(memory[i]);
    items[i].data = to;
    tensor::row_major_strides(items[i].dims(), items[i].strides.data());
    if (items[i].role == TENON_SLOT_OUT) continue;
    const tenon_view& real = block.views[i];
    each_element(real, [&](int64_t at) {
      std::memcpy(to, static_cast<char*>(real.data) + at, size);
      to += size;
    });
  }
  Device& device = call.context->runtime->device(block.views[0].device);
  Block flat(device, kernel.desc, {items.data(), items.size()},
             {block.launch.attrs, block.launch.n_attrs});
  if (const tenon_status status = launch_on(call, kernel, device, flat)) return status;
  for (size_t i = 0; i < items.size(); ++i) {
    if (items[i].role == TENON_SLOT_IN) continue;
    const size_t size = tensor::size_of(items[i].dtype);
    const unsigned char* expected = static_cast<const unsigned char*>(items[i].data);
    bool same = true;
    each_element(checked[i].real, [&](int64_t at) {
      same = same && std::memcmp(checked[i].data + at, expected, size) == 0;
      expected += size;
    });
    if (!same) {
      fail_check(call, kernel, block.items[i], "takes other layouts for row-major: wrong values in",
                 "the bits that row-major operands give");
    }
  }
  return TENON_OK;
}

}  // namespace

tenon_status launch_guarded(CallbackScope& call, const registry::Kernel& kernel,
                            const tenon_launch& arguments) {
  // The views are those of a Block or a Launch, neither of them const.
  Checked block{arguments,
                {const_cast<tenon_view*>(arguments.views), arguments.slot_begin[arguments.n_slots]},
                items_of(kernel, arguments)};
  const Shadows first = shadows_of(block, kPatterns[0]);
  if (const tenon_status status = run_pass(call, kernel, block, first)) return status;
  const Shadows second = shadows_of(block, kPatterns[1]);
  if (const tenon_status status = run_pass(call, kernel, block, second)) return status;
  for (size_t i = 0; i < block.items.size(); ++i) {
    const Item& item = block.items[i];
    if (item.flags & TENON_VIEW_HOST_SCALAR) continue;
    check_untouched(call, kernel, item, first[i]);
    check_untouched(call, kernel, item, second[i]);
    if (item.role != TENON_SLOT_IN) {
      check_equal(call, kernel, item, first[i], second[i]);
    }
  }
  if (const tenon_status status = compare_with_row_major(call, kernel, block, first)) return status;
  for (size_t i = 0; i < block.items.size(); ++i) {
    if (block.items[i].role == TENON_SLOT_IN) continue;
    const Shadow& shadow = first[i];
    const size_t size = tensor::size_of(shadow.real.dtype);
    each_element(shadow.real, [&](int64_t at) {
      std::memcpy(static_cast<char*>(shadow.real.data) + at, shadow.data + at, size);
    });
  }
  return TENON_OK;
}

}  // namespace tenon::launch
