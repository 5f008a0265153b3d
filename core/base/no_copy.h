// SPDX-License-Identifier: Apache-2.0
// core/base/no_copy.h: the base of what is neither copied nor moved.
#pragma once

namespace tenon {

struct NoCopy {
  NoCopy() = default;
  NoCopy(const NoCopy&) = delete;
  NoCopy& operator=(const NoCopy&) = delete;
};

}  // namespace tenon
