// SPDX-License-Identifier: Apache-2.0
// core/dispatch/written.cc: the memory that one launch writes, in the order of its addresses.
#include "core/dispatch/written.h"

namespace tenon::dispatch {

Written::Written(std::span<const Item> items) {
  for (size_t i = 0; i < items.size(); ++i) {
    if (!writes(items[i].role)) continue;
    const tensor::Addresses addresses = tensor::addresses_of(items[i].tensor->view);
    if (addresses.begin < addresses.end) entries_.push_back({addresses, i});
  }
  if (entries_.size() < 2) return;
  std::sort(entries_.begin(), entries_.end(),
            [](const Entry& a, const Entry& b) { return a.addresses.begin < b.addresses.begin; });
}

bool Written::overlaps_itself() const {
  for (size_t i = 1; i < entries_.size(); ++i) {
    if (entries_[i].addresses.begin < entries_[i - 1].addresses.end) return true;
  }
  return false;
}

void check_aliases(const Invocation& call, std::span<const Item> items, const Written& written) {
  if (!written.overlaps_itself()) return;
  const auto name = [&call](const Item& item) {
    const size_t n = call.schema.inputs.size();
    return item.role == TENON_SLOT_INOUT && item.slot < n ? call.schema.inputs[item.slot].name
                                                          : std::string("out");
  };
  for (size_t i = 0; i < items.size(); ++i) {
    if (!writes(items[i].role)) continue;
    for (size_t j = i + 1; j < items.size(); ++j) {
      if (!writes(items[j].role)) continue;
      if (!tensor::may_overlap(items[i].tensor->view, items[j].tensor->view)) continue;
      fail_in(call.op.name, TENON_E_ALIAS, "two operands that are written share memory",
              name(items[j]), "separate memory", "overlap with \"" + name(items[i]) + "\"");
    }
  }
}

}  // namespace tenon::dispatch
