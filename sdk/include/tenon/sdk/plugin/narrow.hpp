// SPDX-License-Identifier: Apache-2.0
// tenon/sdk/plugin/narrow.hpp: kernels that read bools and small integers where their rows say i64.
//
//   constexpr tenon_slot_rule slots[] = {sdk::strided_in(TENON_SLOT_NARROW), sdk::strided_out()};
//   constexpr tenon_kernel_desc kernels[] = {
//       sdk::kernel({.op = "tenon.sum", .slots = slots, .rows = sdk::kWideNumbers, ...})};
// The launch then asks the input, not the output, for its dtype: sdk::dispatch_dtype(view.dtype).
#pragma once

#include <tenon/ext/draft/narrow.h>
#include <tenon/sdk/plugin/dtypes.hpp>

namespace tenon::sdk {

// What is written where Ts are read: of "T: float|i64 promote" all integers are 64 bits.
template <class T>
using WideNumber = std::conditional_t<is_float_type<T>, T, int64_t>;

}  // namespace tenon::sdk
