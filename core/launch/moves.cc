// SPDX-License-Identifier: Apache-2.0
// core/launch/moves.cc: copies and fills.
#include "core/launch/moves.h"

#include "core/launch/launch.h"
#include "core/registry/checks_offers.h"

namespace tenon::launch {

namespace {

// The kernel of a role op for one dtype row; both roles have exactly one type variable.
const registry::Kernel& role_kernel(Context& context, const registry::Op& op, Device& device,
                                    tenon_dtype dtype, bool any_layout) {
  context.runtime->plugins.open_for_device(device.id.kind);
  for (const registry::Kernel* kernel : *op.kernels.load(std::memory_order_acquire)) {
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
  fail_in(
      op.name, TENON_E_NO_KERNEL,
      "device " + device.name() + " has no kernel for it, which moving data needs", {},
      "a kernel for " + tensor::dtype_text(dtype) + (any_layout ? " that takes any strides" : ""),
      "none", "a backend must supply the COPY and FILL roles");
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
  Block block(device, kernel.desc, items, {});
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
  const tenon_value attrs[3] = {registry::ints_value(item.dims()), value,
                                registry::dtype_value(item.dtype)};
  Block block(device, kernel.desc, {&item, 1}, attrs);
  run_kernel(context, op, kernel, device, block, nullptr, nullptr, false);
  if (staged) launch_copy(context, device, item, to);
}

Tensor* full(Context& context, Device& device, tenon_dtype dtype, DimSpan shape,
             const tenon_value& value) {
  Ref out(Tensor::create(device, dtype, shape));
  fill(context, *out, value);
  return out.take();
}

void fill(Context& context, Tensor& tensor, const tenon_value& value) {
  launch_fill(context, device_of(tensor), make_item(tensor, 0, TENON_SLOT_OUT), value);
}

Tensor* copy(Context& context, Tensor& tensor) {
  return copy_to(context, tensor, device_of(tensor)).take();
}

Ref copy_to(Context& context, const Tensor& tensor, Device& device) {
  Ref made(Tensor::create(device, tensor.dtype(), tensor.shape()));
  copy_into(context, tensor, *made);
  return made;
}

Ref on_host(Context& context, const Ref& tensor) {
  if (device_of(*tensor).host_memory() && tensor->contiguous()) return tensor;
  return copy_to(context, *tensor, context.runtime->host_device());
}

void copy_into(Context& context, const Tensor& source, Tensor& destination) {
  Device& from = device_of(source);
  Device& to = device_of(destination);
  Tensor& readable = const_cast<Tensor&>(source);
  if (&from == &to) {
    Ref separate;
    if (tensor::may_overlap(source.view, destination.view)) {
      if (tensor::same_view(source.view, destination.view)) return;
      separate = copy_to(context, source, from);
    }
    Tensor& last = separate ? *separate : readable;
    launch_copy(context, from, make_item(last, 0, TENON_SLOT_IN),
                make_item(destination, 1, TENON_SLOT_OUT));
    return;
  }
  // Strided copy at the source, raw copies through host memory, strided copy at the destination.
  if (context.capture) {
    fail(TENON_E_CAPTURE, "a copy between devices cannot be captured", {}, "one device",
         from.name() + " to " + to.name());
  }
  const Ref packed = source.contiguous() ? Ref::shared(&readable) : copy_to(context, source, from);
  Ref target = Ref::shared(&destination);
  if (!destination.contiguous()) {
    target = Ref(Tensor::create(to, source.dtype(), source.shape()));
  }
  const uint64_t bytes = static_cast<uint64_t>(source.elements()) * source.element_size();
  if (from.host_memory()) {
    to.copy_from_host(target->view.data, packed->view.data, bytes, context.id);
  } else if (to.host_memory()) {
    from.copy_to_host(target->view.data, packed->view.data, bytes, context.id);
  } else {
    const Ref host(Tensor::create(context.runtime->host_device(), source.dtype(), source.shape()));
    from.copy_to_host(host->view.data, packed->view.data, bytes, context.id);
    to.copy_from_host(target->view.data, host->view.data, bytes, context.id);
  }
  destination.storage->written(nullptr, context.scope_path());
  if (target.get() != &destination) copy_into(context, *target, destination);
}

void require_writable(const Tensor& tensor, std::string_view what, std::string_view name) {
  if (const auto why = tensor::why_read_only(tensor)) {
    const std::string quoted = name.empty() ? "" : " \"" + std::string(name) + "\"";
    fail(TENON_E_ALIAS, std::string(what) + quoted + " " + why->what + " and cannot be written",
         name.empty() ? "tensor" : std::string(name), why->expected, why->found, why->hint);
  }
}

}  // namespace tenon::launch
