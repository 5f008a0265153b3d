// SPDX-License-Identifier: Apache-2.0
// core/files/descriptor.h: an open file of the system, closed at the end of its scope.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <utility>

#include "core/base/no_copy.h"

namespace tenon::files {

// The bytes of one read or write: the system takes no more than a little below 2 GiB.
constexpr uint64_t kMaxAtOnce = uint64_t{1} << 30;

class Descriptor : NoCopy {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor() { reset(); }

  void reset(int number = -1) {
    if (number_ >= 0) close(number_);
    number_ = number;
  }
  int get() const { return number_; }
  int take() { return std::exchange(number_, -1); }
  bool is_open() const { return number_ >= 0; }

 private:
  int number_;
};

}  // namespace tenon::files
