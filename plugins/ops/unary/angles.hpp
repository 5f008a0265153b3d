// SPDX-License-Identifier: Apache-2.0
// plugins/ops/unary/angles.hpp: samples of ops that take an angle: around multiples of pi, huge
// angles, and the ends of each dtype.
#pragma once

#include <array>

#include "ends.hpp"
#include "rules.hpp"

namespace tenon::angles {

constexpr auto samples(std::string_view name) {
  return std::array{
      sdk::sample(name, "f64[2,3](-2,2)"),
      sdk::sample(name, "f64[5](-20,20)"),
      sdk::sample(name, "f64[2,1,3,2](0.5,2)"),
      sdk::sample(name, "f64[](0.5,2)"),
      sdk::sample(name, "f64[0,3]"),
      sdk::sample(name, "f64[1,5,1](0.5,2)"),
      sdk::sample(name, "i32[3]"),
      // The ends of f32 and bf16 apart: differences cannot judge the slope of both at once.
      sdk::sample(name, "f32[4]{3.4028235e38,-3.4028235e38,1.0000001,0.99999994}"),
      sdk::sample(name, "f32[4]{1.1754944e-38,-1.1754944e-38,1e-45,-1e-45}"),
      sdk::sample(name, ends::kF64),
      sdk::sample(name, ends::kF16),
      sdk::sample(name, "bf16[3]{3.39e38,-3.39e38,1.008}"),
      sdk::sample(name, "bf16[4]{1.1755e-38,-1.1755e-38,9.2e-41,-9.2e-41}"),
      sdk::sample(name, ends::kSpecial),
      sdk::sample(name, "f32[8]{3.1415927,-3.1415927,1.5707964,11.0,102.94,16367173.0,1e10,-1e22}"),
      sdk::sample(name,
                  "f64[8]{3.141592653589793,1.5707963267948966,11.0,1e5,1e16,-1e22,6."
                  "381956970095103e250,1e300}"),
      sdk::sample(name, "f16[4]{3.14,1.57,355.0,60000.0}"),
      sdk::refused(name, "", TENON_E_ARGUMENT, "number of operands"),
      sdk::refused(name, "f32[2], f32[2]", TENON_E_ARGUMENT, "number of operands"),
  };
}

}  // namespace tenon::angles
