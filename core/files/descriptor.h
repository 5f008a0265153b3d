// SPDX-License-Identifier: Apache-2.0
// core/files/descriptor.h: an open file of the system, closed at the end of its scope.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <string_view>
#include <utility>

#include "core/base/no_copy.h"

namespace tenon::files {

// The bytes of one read or write: the system takes no more than a little below 2 GiB.
constexpr size_t kMaxAtOnce = size_t{1} << 30;

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

// Writes all of it. Returns 0, or the system's number of what went wrong.
inline int write_all(int descriptor, std::string_view bytes) noexcept {
  while (!bytes.empty()) {
    const ssize_t done = write(descriptor, bytes.data(), std::min(bytes.size(), kMaxAtOnce));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return done < 0 ? errno : ENOSPC;
    bytes.remove_prefix(static_cast<size_t>(done));
  }
  return 0;
}

}  // namespace tenon::files
