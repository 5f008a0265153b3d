// SPDX-License-Identifier: Apache-2.0
// tests/mutants/project/mutant.h: what all cases share: the plugin around a unit, and plain loops.
//
// A case is one file that includes this, defines `mutants::unit` and asks kMutant where its fault
// is. Elements are handled as double, whatever the dtype: one operation in double, rounded once,
// gives the canonical bits of the float ops used here, and without templates a case compiles fast.
#pragma once

#include <tenon/sdk/plugin/kernel.hpp>
#include <tenon/sdk/plugin/op.hpp>
#include <tenon/sdk/plugin/plugin.hpp>

#include <cmath>

namespace mutants {

namespace sdk = tenon::sdk;

inline constexpr bool kMutant = TENON_MUTANT != 0;
inline constexpr int32_t kPriority = 100;  // before any kernel or rule of Tenon's own

extern const sdk::Unit unit;

// ---- Elements -----------------------------------------------------------------------------------

inline int64_t elements(const tenon_view& v) {
  return sdk::count_of({v.shape, static_cast<size_t>(v.rank)});
}

// How far element i, in row-major order, lies from the first one, in elements.
inline int64_t place(const tenon_view& v, int64_t i) {
  int64_t at = 0;
  for (int32_t d = v.rank; d-- > 0; i /= v.shape[d]) at += i % v.shape[d] * v.strides[d];
  return at;
}

inline bool is_row_major(const tenon_view& v) {
  int64_t step = 1;
  for (int32_t d = v.rank; d-- > 0; step *= v.shape[d]) {
    if (v.shape[d] != 1 && v.strides[d] != step) return false;
  }
  return true;
}

inline char* address(const tenon_view& v, int64_t at) {
  return static_cast<char*>(v.data) + at * sdk::size_of(v.dtype);
}

// The number that lies `at` elements from the first one.
inline double get(const tenon_view& v, int64_t at) {
  switch (v.dtype) {
    case TENON_DTYPE_F16:
      return static_cast<double>(static_cast<float>(sdk::load<sdk::F16>(address(v, at))));
    case TENON_DTYPE_BF16:
      return static_cast<double>(static_cast<float>(sdk::load<sdk::BF16>(address(v, at))));
    case TENON_DTYPE_F32:
      return static_cast<double>(sdk::load<float>(address(v, at)));
    default:
      return sdk::load<double>(address(v, at));
  }
}

inline void put(const tenon_view& v, int64_t at, double value) {
  switch (v.dtype) {
    case TENON_DTYPE_F16:
      return sdk::store(address(v, at), sdk::F16(value));
    case TENON_DTYPE_BF16:
      return sdk::store(address(v, at), sdk::BF16(value));
    case TENON_DTYPE_F32:
      return sdk::store(address(v, at), static_cast<float>(value));
    default:
      return sdk::store(address(v, at), value);
  }
}

// out[i] = f(in0[i]), out[i] = f(in0[i], in1[i]): any strides, in logical order.
template <class F>
void map(const sdk::Launch& l, F f) {
  for (int64_t i = 0; i < elements(l.out()); ++i) {
    put(l.out(), place(l.out(), i), f(get(l.view(0), place(l.view(0), i))));
  }
}
template <class F>
void map2(const sdk::Launch& l, F f) {
  for (int64_t i = 0; i < elements(l.out()); ++i) {
    put(l.out(), place(l.out(), i),
        f(get(l.view(0), place(l.view(0), i)), get(l.view(1), place(l.view(1), i))));
  }
}

// ---- Descriptors --------------------------------------------------------------------------------

inline constexpr uint32_t kFlags = TENON_KERNEL_CAPTURE_SAFE | TENON_KERNEL_CANONICAL;

inline constexpr tenon_slot_rule kUnarySlots[] = {sdk::strided_in(), sdk::strided_out()};
inline constexpr tenon_slot_rule kBinarySlots[] = {sdk::strided_in(), sdk::strided_in(),
                                                   sdk::strided_out()};

// A kernel for floats on host memory; `slots` decides how many operands the op has.
template <void (*Run)(const sdk::Launch&)>
constexpr tenon_kernel_desc kernel(std::string_view op, std::span<const tenon_slot_rule> slots,
                                   uint32_t n_attrs = 0) {
  return sdk::kernel({.op = op,
                      .device = "cpu",
                      .slots = slots,
                      .rows = sdk::kFloats,
                      .n_attrs = n_attrs,
                      .flags = kFlags,
                      .priority = kPriority,
                      .launch = sdk::launch_fn<Run>});
}
template <void (*Run)(const sdk::Launch&)>
constexpr tenon_kernel_desc unary(std::string_view op) {
  return kernel<Run>(op, kUnarySlots);
}
template <void (*Run)(const sdk::Launch&)>
constexpr tenon_kernel_desc binary(std::string_view op) {
  return kernel<Run>(op, kBinarySlots);
}

// A rule that goes before the op's own.
template <void (*Rule)(sdk::Vjp&)>
constexpr tenon_vjp_desc rule(std::string_view op, std::span<const tenon_vjp_need> needs,
                              uint32_t n_attrs = 0) {
  return sdk::vjp({.op = op,
                   .needs = needs,
                   .vjp = sdk::vjp_fn<Rule>,
                   .n_attrs = n_attrs,
                   .priority = kPriority});
}

// ---- The plugin ---------------------------------------------------------------------------------

// What query.cc, which is in every plugin, hands out.
sdk::About about() {
  static constexpr const sdk::Unit* units[] = {&unit};
  return {TENON_CASE_ID, "1.0.0", "Apache-2.0", units};
}

}  // namespace mutants
