// SPDX-License-Identifier: Apache-2.0
// tests/core/formulas.h: what the toy ops compute, in plain loops on the host.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

namespace tenon::tests {

using Values = std::vector<float>;
struct Unary {
  const char* op;
  std::function<Values(const Values&)> formula;  // [3,4] -> [3,4]
};

inline Values each(const Values& x, float (*f)(float)) {
  Values out;
  for (const float value : x) out.push_back(f(value));
  return out;
}

inline const Unary kUnary[] = {
    {"acme.copy", [](const Values& x) { return x; }},
    {"acme.neg", [](const Values& x) { return each(x, [](float v) { return -v; }); }},
    {"acme.square", [](const Values& x) { return each(x, [](float v) { return v * v; }); }},
    {"acme.tanh",
     [](const Values& x) {
       return each(x, [](float v) { return static_cast<float>(std::tanh(double{v})); });
     }},
    {"acme.relu", [](const Values& x) { return each(x, [](float v) { return v > 0 ? v : 0; }); }},
    {"acme.reverse", [](const Values& x) { return Values(x.rbegin(), x.rend()); }},
    {"acme.composed", [](const Values& x) { return each(x, [](float v) { return v * v + v; }); }},
};

struct Binary {
  const char* op;
  float (*formula)(float, float);
};
inline constexpr Binary kBinary[] = {
    {"acme.add", [](float a, float b) { return a + b; }},
    {"acme.mul", [](float a, float b) { return a * b; }},
    {"acme.strict", [](float a, float b) { return a - 2 * b; }},
};

inline Values both(const Values& a, const Values& b, float (*f)(float, float)) {
  Values out;
  for (size_t i = 0; i < a.size(); ++i) out.push_back(f(a[i], b[i]));
  return out;
}

}  // namespace tenon::tests
