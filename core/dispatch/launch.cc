// SPDX-License-Identifier: Apache-2.0
// core/dispatch/launch.cc: runs one kernel: prepare, scratch, launch, trace, capture.
#include "core/dispatch/launch.h"

#include <cstdio>
#include <cstring>
#include <new>
#include <optional>

#include "core/dispatch/call.h"
#include "core/dispatch/check.h"
#include "core/dispatch/finite.h"
#include "core/dispatch/prepare.h"
#include "core/dispatch/route.h"
#include "core/dispatch/select.h"
#include "core/dispatch/values.h"
#include "core/plan/plan.h"
#include "core/registry/checks.h"

namespace tenon::dispatch {

Item make_item(Tensor& tensor, uint32_t slot, uint32_t role) {
  Item item;
  std::copy_n(tensor.shape_, tensor.view.rank, item.shape.begin());
  std::copy_n(tensor.strides_, tensor.view.rank, item.strides.begin());
  item.data = tensor.view.data;
  item.rank = tensor.view.rank;
  item.dtype = tensor.view.dtype;
  item.flags = tensor.view.flags;
  item.slot = slot;
  item.role = role;
  item.tensor = &tensor;
  return item;
}

Block::Block(const Device& device, std::span<const Item> given, uint32_t n_slots, uint32_t n_inputs,
             std::span<const tenon_value> attrs, void* user)
    : items(given.begin(), given.end()) {
  slot_begin.resize(n_slots + 1, 0);
  for (const Item& item : items) ++slot_begin[item.slot + 1];
  for (uint32_t i = 0; i < n_slots; ++i) slot_begin[i + 1] += slot_begin[i];
  for (const Item& item : items) {
    tenon_view view{};
    view.data = item.data;
    view.shape = item.shape.data();
    view.strides = item.strides.data();
    view.rank = item.rank;
    view.dtype = item.dtype;
    view.device = device.id;
    view.flags = item.flags;
    views.push_back(view);
  }
  launch.slot_begin = slot_begin.data();
  launch.views = views.data();
  launch.attrs = attrs.data();
  launch.user = user;
  launch.n_slots = n_slots;
  launch.n_inputs = n_inputs;
  launch.n_attrs = static_cast<uint32_t>(attrs.size());
}

namespace {

// Empty where there is no memory for it: the kernel has run, and its call must not fail for this.
std::string launch_text(const Block& block) noexcept {
  try {
    std::string text = "{\"operands\":\"";
    for (size_t i = 0; i < block.items.size(); ++i) {
      if (i) text += " ";
      text += std::string(tensor::name_of(block.items[i].dtype)) +
              tensor::dims_text(block.items[i].dims());
    }
    return text + "\"}";
  } catch (const std::bad_alloc&) {
    return {};
  }
}

uint64_t workspace(Context& context, const registry::Op& op, const registry::Kernel& kernel,
                   Block& block) {
  if (!kernel.desc.workspace) return 0;
  const WithoutData asking(block);
  Call call(context, CallState::Prepare, kernel.plugin, &op);
  uint64_t bytes = 0;
  call.run("workspace", [&](tenon_call* handed) {
    return kernel.desc.workspace(handed, &block.launch, &bytes);
  });
  return bytes;
}

void mark_written(Context& context, const registry::Op& op, const Block& block) {
  for (const Item& item : block.items) {
    if (item.role != TENON_SLOT_IN && item.tensor) {
      item.tensor->storage->written(&op, context.scope_path());
    }
  }
}

}  // namespace

void check_launch(Call& call, tenon_status status, Device& device, uint64_t sequence) {
  if (status == TENON_E_DEVICE_LOST && !device.host_memory()) {
    const std::string none;
    char number[32];
    std::snprintf(number, sizeof number, " #%llu", static_cast<unsigned long long>(sequence));
    device.note_lost(call.failure ? call.failure->message : none, call.op->name.c_str(), number);
    device.require_alive();
  }
  call.check(status, "kernel");
}

void run_kernel(Context& context, const registry::Op& op, const registry::Kernel& kernel,
                Device& device, Block& block, const tenon_rng* rng, Lesson* lesson, bool computes) {
  Runtime& runtime = *context.runtime;
  if (context.capture) context.capture->admit(op, kernel);
  const std::shared_ptr<const Prepared> prepared = prepare(context, op, kernel, device, block);
  block.launch.prepared = prepared ? prepared->object : nullptr;
  const uint64_t scratch_bytes = workspace(context, op, kernel, block);
  const Scratch scratch(device, scratch_bytes);
  if (lesson) {
    lesson->prepared = prepared;
    lesson->scratch_bytes = scratch_bytes;
  }
  Call call(context, CallState::Launch, kernel.plugin, &op);
  call.scratch = scratch.block.data;
  call.scratch_bytes = scratch_bytes;
  call.stream = device.stream;
  if (rng) {
    call.has_rng = true;
    call.rng_state = *rng;
  }
  std::optional<FiniteCheck> finite;
  if (computes && context.checks & kCheckFinite) {
    finite.emplace(context, op, kernel, device, block.launch,
                   std::span<const Item>(block.items.data(), block.items.size()),
                   *context.scope_path());
  }
  const bool traced = runtime.trace.active();
  const uint64_t start = traced ? trace::now_ns() : 0;
  ++context.launches;
  tenon_status status = TENON_OK;
  if (context.checks & kCheckLayout && device.host_memory()) {
    status = launch_guarded(call, kernel, block);
  } else {
    const Enqueueing entry(device, op.name.c_str(), context.sequence, context.id);
    status = call.enter(
        "kernel", [&](tenon_call* handed) { return kernel.desc.launch(handed, &block.launch); });
  }
  if (traced) {
    runtime.trace.add_complete(op.name, kernel.plugin->id, start, trace::now_ns() - start,
                               trace::thread_row(), launch_text(block));
  }
  // A kernel that failed half-way has written: versions move all the same.
  mark_written(context, op, block);
  check_launch(call, status, device, context.sequence);
  if (context.checks & kCheckLaunch) device.wait(context.id);
  if (finite) finite->judge();
  if (context.capture) {
    context.capture->add(op, kernel, device, block, prepared, scratch_bytes, rng,
                         context.scope_path());
  }
}

namespace {

// The kernel of a role op for one dtype row; both roles have exactly one type variable.
const registry::Kernel& role_kernel(Context& context, const registry::Op& op, Device& device,
                                    tenon_dtype dtype, bool any_layout) {
  context.runtime->plugins.open_for_device(device.id.kind);
  const registry::KernelSet* set = op.kernels.load(std::memory_order_acquire);
  std::span<const registry::Kernel* const> kernels;
  if (set) kernels = set->kernels;
  for (const registry::Kernel* kernel : kernels) {
    if (kernel->device_kind != device.id.kind) continue;
    // Whether one of those is open depends on what the program has asked for before.
    if (device.host_memory() && !(kernel->desc.flags & TENON_KERNEL_CANONICAL) &&
        kernel->plugin != device.backend->plugin) {
      continue;
    }
    if (any_layout && !registry::takes_any_layout(kernel->desc)) continue;
    for (uint32_t row = 0; row < kernel->desc.n_rows; ++row) {
      if (kernel->desc.dtype_rows[row] == dtype) return *kernel;
    }
  }
  throw Error{.status = TENON_E_NO_KERNEL,
              .message = op.name + ": device " + device.name() +
                         " has no kernel for it, which moving data needs",
              .op = op.name,
              .expected = "a kernel for " + std::string(tensor::name_of(dtype)) +
                          (any_layout ? " that takes any strides" : ""),
              .found = "none",
              .hint = "a backend must supply the COPY and FILL roles"};
}

}  // namespace

void launch_copy(Context& context, Device& device, const Item& from, const Item& to) {
  const registry::Op& op = context.runtime->plugins.require_role(TENON_ROLE_COPY);
  const registry::Kernel& kernel = role_kernel(context, op, device, from.dtype, true);
  Item items[2] = {from, to};
  items[0].slot = 0;
  items[0].role = TENON_SLOT_IN;
  items[1].slot = 1;
  items[1].role = TENON_SLOT_OUT;
  Dims strides[2] = {to.strides, from.strides};
  Dims shape = to.shape;
  const int32_t rank = tensor::collapse(shape.data(), to.rank, strides);
  items[0].strides = strides[1];
  items[1].strides = strides[0];
  for (Item& item : items) {
    item.shape = shape;
    item.rank = rank;
  }
  Block block(device, items, 2, 1, {}, kernel.desc.user);
  run_kernel(context, op, kernel, device, block, nullptr, nullptr, false);
}

void launch_fill(Context& context, Device& device, const Item& to, const tenon_value& value) {
  const registry::Op& op = context.runtime->plugins.require_role(TENON_ROLE_FILL);
  const registry::Kernel& kernel = role_kernel(context, op, device, to.dtype, false);
  Item item = to;
  item.slot = 0;
  item.role = TENON_SLOT_OUT;
  Ref staged;
  if (!registry::takes_any_layout(kernel.desc) && !tensor::is_row_major(to.dims(), to.steps())) {
    staged = Ref(Tensor::create(device, to.dtype, to.dims()));
    item = make_item(*staged, 0, TENON_SLOT_OUT);
  }
  tenon_value attrs[3] = {};
  attrs[0].tag = TENON_VALUE_INT_LIST;
  attrs[0].count = static_cast<uint32_t>(item.rank);
  attrs[0].as.ints = item.shape.data();
  attrs[1] = value;
  attrs[2].tag = TENON_VALUE_DTYPE;
  attrs[2].as.dtype = item.dtype;
  Block block(device, {&item, 1}, 1, 0, attrs, kernel.desc.user);
  run_kernel(context, op, kernel, device, block, nullptr, nullptr, false);
  if (staged) launch_copy(context, device, item, to);
}

}  // namespace tenon::dispatch
