// SPDX-License-Identifier: Apache-2.0
// core/backward/leaves.h: the gradients a backward walk has gathered for leaves.
#pragma once

#include <unordered_map>
#include <vector>

#include "core/backward/vjp.h"

namespace tenon::backward {

struct LeafGrad {
  Ref leaf;
  Ref dense;
  std::vector<RowGrad> rows;
};

// The leaves a walk has met, in that order. Few are found by looking at them all.
class Leaves {
 public:
  size_t size() const { return all_.size(); }
  LeafGrad& operator[](size_t index) { return all_[index]; }

  LeafGrad* find(const Tensor& leaf) {
    if (index_.empty()) {
      for (LeafGrad& each : all_) {
        if (each.leaf.get() == &leaf) return &each;
      }
      return nullptr;
    }
    const auto found = index_.find(&leaf);
    return found == index_.end() ? nullptr : &all_[found->second];
  }

  LeafGrad& at(Tensor& leaf) {
    if (LeafGrad* known = find(leaf)) return *known;
    all_.push_back({Ref::shared(&leaf), {}, {}});
    if (all_.size() == kFew) {
      for (size_t i = 0; i < all_.size(); ++i) index_.emplace(all_[i].leaf.get(), i);
    } else if (all_.size() > kFew) {
      index_.emplace(&leaf, all_.size() - 1);
    }
    return all_.back();
  }

 private:
  static constexpr size_t kFew = 16;
  Small<LeafGrad, kFew> all_;
  std::unordered_map<const Tensor*, size_t> index_;  // empty while there are few
};

}  // namespace tenon::backward
