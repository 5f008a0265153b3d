// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/full.cc: full: every element is one number, converted as cast would.

#include "kernels/ref.h"

namespace tenon::ref {
namespace {

enum Attribute : uint32_t { kShape, kValue, kDtype, kAttributes };

void full(const sdk::Launch& l) {
  const tenon_value& value = l.attrs[kValue];
  sdk::dispatch_dtype(l.out().dtype, [&]<class T>() {
    const T element = value.tag == TENON_VALUE_F64 ? sdk::convert<T>(value.as.f64)
                                                   : sdk::convert<T>(value.as.i64);
    each_element<T>(l, [element] { return element; });
  });
}

constexpr tenon_slot_rule slots[] = {sdk::strided_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.full", slots, sdk::kAllDtypes, kAttributes, sdk::launch_fn<full>),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(full) = {.kernels = tenon::ref::kernels};
