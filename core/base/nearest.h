// SPDX-License-Identifier: Apache-2.0
// core/base/nearest.h: which of the names there are is nearest to one that is not there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::base {

// Of names "vendor.name", and of words.
class Nearest {
 public:
  explicit Nearest(std::string_view given) : given_(given) {}

  // A name that there is.
  void show(std::string_view name);
  // The nearest of those shown, in their order; empty if none is near.
  const std::vector<std::string>& names() const { return names_; }
  // The first of them.
  std::string_view name() const { return names_.empty() ? std::string_view() : names_.front(); }

 private:
  std::string_view given_;
  size_t least_ = SIZE_MAX;
  std::vector<std::string> names_;
};

}  // namespace tenon::base
