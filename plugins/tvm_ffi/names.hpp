// SPDX-License-Identifier: Apache-2.0
// plugins/tvm_ffi/names.hpp: dtypes and statuses by the names that a description calls them.
#pragma once

#include <tenon/types.h>

#include <string_view>

namespace tenon::tvm_ffi {

inline constexpr struct {
  std::string_view name;
  tenon_dtype dtype;
} kDtypes[] = {{"bool", TENON_DTYPE_BOOL}, {"u8", TENON_DTYPE_U8},     {"i8", TENON_DTYPE_I8},
               {"i16", TENON_DTYPE_I16},   {"i32", TENON_DTYPE_I32},   {"i64", TENON_DTYPE_I64},
               {"f16", TENON_DTYPE_F16},   {"bf16", TENON_DTYPE_BF16}, {"f32", TENON_DTYPE_F32},
               {"f64", TENON_DTYPE_F64}};

// TENON_DTYPE_NONE if there is none of that name.
constexpr tenon_dtype dtype_named(std::string_view name) {
  for (const auto& each : kDtypes) {
    if (each.name == name) return each.dtype;
  }
  return TENON_DTYPE_NONE;
}

// What a refused call of a sample may be refused with.
inline constexpr struct {
  std::string_view name;
  tenon_status status;
} kStatuses[] = {{"argument", TENON_E_ARGUMENT}, {"shape", TENON_E_SHAPE},
                 {"dtype", TENON_E_DTYPE},       {"attribute", TENON_E_ATTRIBUTE},
                 {"data", TENON_E_DATA},         {"plugin", TENON_E_PLUGIN}};

// TENON_OK if there is none of that name.
constexpr tenon_status status_named(std::string_view name) {
  for (const auto& each : kStatuses) {
    if (each.name == name) return each.status;
  }
  return TENON_OK;
}

}  // namespace tenon::tvm_ffi
