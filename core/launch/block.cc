// SPDX-License-Identifier: Apache-2.0
// core/launch/block.cc: a kernel's operands in the form it gets them.
#include "core/launch/block.h"

#include <algorithm>
#include <cstring>

namespace tenon::launch {

Item item_of(const tenon_view& view, uint32_t slot, uint32_t role) {
  Item item;
  std::copy_n(view.shape, view.rank, item.shape.begin());
  std::copy_n(view.strides, view.rank, item.strides.begin());
  item.data = view.data;
  item.rank = view.rank;
  item.dtype = view.dtype;
  item.flags = view.flags;
  item.slot = slot;
  item.role = role;
  return item;
}

Item make_item(Tensor& tensor, uint32_t slot, uint32_t role) {
  Item item = item_of(tensor.view, slot, role);
  item.tensor = &tensor;
  return item;
}

tenon_view view_of(const Item& item) {
  tenon_view view{};
  view.data = item.data;
  view.shape = item.shape.data();
  view.strides = item.strides.data();
  view.rank = item.rank;
  view.dtype = item.dtype;
  view.flags = item.flags;
  return view;
}

Block::Block(const Device& device, const tenon_kernel_desc& kernel, std::span<const Item> given,
             std::span<const tenon_value> attrs)
    : items(given.begin(), given.end()) {
  slot_begin.resize(kernel.n_slots + 1, 0);
  for (const Item& item : items) ++slot_begin[item.slot + 1];
  for (uint32_t i = 0; i < kernel.n_slots; ++i) slot_begin[i + 1] += slot_begin[i];
  for (const Item& item : items) {
    tenon_view view = view_of(item);
    view.device = device.id;
    views.push_back(view);
  }
  launch.slot_begin = slot_begin.data();
  launch.views = views.data();
  launch.attrs = attrs.data();
  launch.user = kernel.user;
  launch.n_slots = kernel.n_slots;
  launch.n_inputs = kernel_inputs(kernel);
  launch.n_attrs = std::min(kernel.n_attrs, static_cast<uint32_t>(attrs.size()));
}

Launch::Launch(const registry::Op& what, const registry::Kernel& with, Device& on,
               const Block& block)
    : op(&what),
      kernel(&with),
      device(&on),
      attrs({block.launch.attrs, block.launch.n_attrs}),
      views(block.views.begin(), block.views.end()),
      slot_begin(block.slot_begin.begin(), block.slot_begin.end()),
      may_stop(block.may_stop) {
  size_t total = 0;
  for (const tenon_view& view : views) total += 2 * static_cast<size_t>(view.rank);
  dims.reserve(total);
  scalars.reserve(views.size());
  for (tenon_view& view : views) {
    const auto copy_dims = [&](const int64_t* from) {
      const int64_t* start = dims.data() + dims.size();
      dims.insert(dims.end(), from, from + view.rank);
      return start;
    };
    view.shape = copy_dims(view.shape);
    view.strides = copy_dims(view.strides);
    if (view.flags & TENON_VIEW_HOST_SCALAR) {
      uint64_t bits = 0;
      std::memcpy(&bits, view.data, tensor::size_of(view.dtype));
      scalars.push_back(bits);
      view.data = &scalars.back();
    }
  }
  launch = block.launch;
  launch.slot_begin = slot_begin.data();
  launch.views = views.data();
  launch.attrs = attrs.values().data();
}

uint32_t kernel_inputs(const tenon_kernel_desc& desc) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < desc.n_slots; ++i) {
    const uint32_t role = desc.slots[i].role;
    if (role == TENON_SLOT_IN || role == TENON_SLOT_INOUT) ++n;
  }
  return n;
}

}  // namespace tenon::launch
