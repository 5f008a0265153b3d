// SPDX-License-Identifier: Apache-2.0
// tests/witness/plugins/test.witness/faults.h: whether this plugin is wrong, and plain loops.
//
// With TENON_TEST_WRONG set everything the plugin offers is wrong, each in a way of its own; else
// everything is right. What it should be is known to the test alone, and told by golden files.
#pragma once

#include <tenon/sdk/plugin/kernel.hpp>
#include <tenon/sdk/plugin/op.hpp>
#include <tenon/sdk/plugin/plugin.hpp>

#include <cstdlib>

namespace witness {

namespace sdk = tenon::sdk;

inline bool is_wrong() {
  static const bool wrong = std::getenv("TENON_TEST_WRONG") != nullptr;
  return wrong;
}

// ---- Elements, f32 or f64, as double ------------------------------------------------------------

inline int64_t elements(const tenon_view& v) {
  return sdk::count_of({v.shape, static_cast<size_t>(v.rank)});
}

// Where element i lies, in row-major order.
inline char* address(const tenon_view& v, int64_t i) {
  int64_t at = 0;
  for (int32_t d = v.rank; d-- > 0; i /= v.shape[d]) at += i % v.shape[d] * v.strides[d];
  return static_cast<char*>(v.data) + at * static_cast<int64_t>(sdk::size_of(v.dtype));
}

inline double get(const tenon_view& v, int64_t i) {
  return v.dtype == TENON_DTYPE_F32 ? static_cast<double>(sdk::load<float>(address(v, i)))
                                    : sdk::load<double>(address(v, i));
}

inline void put(const tenon_view& v, int64_t i, double value) {
  if (v.dtype == TENON_DTYPE_F32) return sdk::store(address(v, i), static_cast<float>(value));
  sdk::store(address(v, i), value);
}

// ---- Descriptors --------------------------------------------------------------------------------

inline constexpr uint32_t kFlags = TENON_KERNEL_CAPTURE_SAFE;
inline constexpr tenon_dtype kRows[] = {TENON_DTYPE_F32, TENON_DTYPE_F64};

template <void (*Run)(const sdk::Launch&)>
constexpr tenon_kernel_desc kernel(std::string_view op, std::span<const tenon_slot_rule> slots) {
  return sdk::kernel({.op = op,
                      .device = "cpu",
                      .slots = slots,
                      .rows = kRows,
                      .flags = kFlags,
                      .launch = sdk::launch_fn<Run>});
}

}  // namespace witness
