// SPDX-License-Identifier: Apache-2.0
// sdk/verify/case/numeric.h: derivatives of functions of f64 numbers by differences, and when a
// stated derivative agrees with them.
//
// Four points: (-f(x+2h) + 8 f(x+h) - 8 f(x-h) + f(x-2h)) / 12h, whose error is h^4 f'''''/30 and
// about 1e-16 |f| / h of rounding; see Abramowitz and Stegun, "Handbook of Mathematical Functions",
// 25.3.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace tenon::verify {

using Vector = std::vector<double>;
// Coordinates, one vector for each operand; an empty one where the operand does not move.
using Point = std::vector<Vector>;
// All results, one after another; the same number each time.
using Function = std::function<Vector(const Point&)>;

inline constexpr double kSlopeTolerance = 1e-6;  // relative

enum class Verdict : uint8_t {
  Right,
  Wrong,
  // Differences say nothing here: results are not finite, or f has a kink or a jump closer than the
  // points are.
  Unknown,
};
struct Slope {
  Verdict verdict = Verdict::Unknown;
  double expected = 0;
};

// Is `found` the derivative of sum(weights * f) at `at` along `direction`? The accepted error is
// kSlopeTolerance times the largest of both and of 1e-3 `scale`, the magnitude of such derivatives.
Slope judge_slope(const Function& f, const Point& at, const Point& direction, const Vector& weights,
                  double found, double scale);

// df/dt of f(at + t * direction), of all results, by one step; NaN if they are not finite.
Vector derivative(const Function& f, const Point& at, const Point& direction);

double dot(const Vector& a, const Vector& b);
double dot(const Point& a, const Point& b);
double largest(const Vector& values);  // magnitude, of the finite ones

// All of `like` without movement but element `element` of operand `operand`.
Point unit_direction(const Point& like, size_t operand, size_t element);
// Components drawn from [-1, 1), times the magnitude of the coordinate if that is above 1.
Point drawn_direction(const Point& at, uint64_t seed, uint64_t number);

}  // namespace tenon::verify
