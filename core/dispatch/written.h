// SPDX-License-Identifier: Apache-2.0
// core/dispatch/written.h: the memory that one launch writes, in the order of its addresses: an
// optimizer's lists have hundreds of tensors, too many to compare each with each.
#pragma once

#include <algorithm>
#include <span>

#include "core/dispatch/invocation.h"

namespace tenon::dispatch {

class Written {
 public:
  explicit Written(std::span<const Item> items);

  // Do two of them share memory?
  bool overlaps_itself() const;

  // Does `test` hold for one of those that share memory with `addresses`? It is told which item.
  // For memory that does not overlap itself.
  template <class Test>
  bool has(const tensor::Addresses& addresses, Test&& test) const {
    const auto behind = [](intptr_t begin, const Entry& entry) {
      return begin < entry.addresses.end;
    };
    auto entry = std::upper_bound(entries_.begin(), entries_.end(), addresses.begin, behind);
    for (; entry != entries_.end() && entry->addresses.meet(addresses); ++entry) {
      if (test(entry->item)) return true;
    }
    return false;
  }

 private:
  struct Entry {
    tensor::Addresses addresses;
    size_t item = 0;
  };
  Small<Entry, 8> entries_;
};

// What is written must not share memory with anything else that is written.
void check_aliases(const Invocation& call, std::span<const Item> items, const Written& written);

}  // namespace tenon::dispatch
