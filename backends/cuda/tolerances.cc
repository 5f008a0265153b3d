// SPDX-License-Identifier: Apache-2.0
// backends/cuda/tolerances.cc: how far CUDA's functions of doubles may lie from the exact values,
// where their ops promise more of the C library's.
//
// Source: "CUDA C++ Programming Guide" 13.0, Mathematical Functions, table of double-precision
// functions with the largest error that NVIDIA has seen.
#include <tenon/sdk/plugin/op.hpp>
#include <tenon/sdk/plugin/plugin.hpp>

namespace tenon::cuda {
namespace {

constexpr tenon_tolerance in_f64(std::string_view op, double ulp) {
  return sdk::tolerance({.op = op,
                         .dtype = TENON_DTYPE_F64,
                         .ulp = ulp,
                         .reason = "NVIDIA has seen CUDA's function of doubles lie as far off."});
}

constexpr tenon_tolerance tolerances[] = {
    in_f64("tenon.tan", 2),   in_f64("tenon.asin", 2),  in_f64("tenon.acos", 2),
    in_f64("tenon.atan", 2),  in_f64("tenon.asinh", 3), in_f64("tenon.acosh", 3),
    in_f64("tenon.hypot", 2), in_f64("tenon.erf", 2),
};

}  // namespace
}  // namespace tenon::cuda

TENON_UNIT(tolerances) = {.tolerances = tenon::cuda::tolerances};
