// SPDX-License-Identifier: Apache-2.0
// backends/common/sequences.h: what arange and linspace are asked for, as numbers.
#pragma once

#include <tenon/sdk/plugin/base.hpp>

namespace tenon::backends {

enum Arange : uint32_t { kStart, kStop, kStep, kArangeDtype, kArangeAttributes };
enum Linspace : uint32_t { kFrom, kTo, kNum, kEndpoint, kLinspaceDtype, kLinspaceAttributes };

// Is one of start, stop and step a real number? Then f64 counts, else 64 wrapping bits.
inline bool has_real_steps(const sdk::Attrs& a) {
  return a[kStart].tag == TENON_VALUE_F64 || a[kStop].tag == TENON_VALUE_F64 ||
         a[kStep].tag == TENON_VALUE_F64;
}

struct Spacing {
  double start;
  double stop;
  double step;
  int64_t last;  // the element that is `stop` itself; -1: none
};
inline Spacing spacing_of(const sdk::Attrs& a) {
  const double start = a.real(kFrom), stop = a.real(kTo);
  const int64_t num = a.integer(kNum);
  const bool endpoint = a.flag(kEndpoint);
  const int64_t parts = endpoint ? num - 1 : num;
  return {start, stop, parts > 0 ? (stop - start) / static_cast<double>(parts) : 0.0,
          endpoint && num > 1 ? num - 1 : -1};
}

}  // namespace tenon::backends
