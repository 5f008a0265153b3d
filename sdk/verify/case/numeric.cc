// SPDX-License-Identifier: Apache-2.0
// sdk/verify/case/numeric.cc: see numeric.h.
#include "case/numeric.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tenon/sdk/plugin/draw.hpp>

namespace tenon::verify {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Vector moved(const Function& f, const Point& at, const Point& direction, double t) {
  Point point = at;
  for (size_t i = 0; i < point.size(); ++i) {
    for (size_t k = 0; k < direction[i].size(); ++k) point[i][k] += t * direction[i][k];
  }
  return f(point);
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

// A result that no point changes counts with the derivative 0, even if it is not finite.
Vector central(const Function& f, const Point& at, const Point& direction, double h) {
  const Vector up2 = moved(f, at, direction, 2 * h);
  const Vector up1 = moved(f, at, direction, h);
  const Vector down1 = moved(f, at, direction, -h);
  const Vector down2 = moved(f, at, direction, -2 * h);
  Vector slopes(up1.size());
  for (size_t k = 0; k < slopes.size(); ++k) {
    const bool constant =
        same(up2[k], up1[k]) && same(up1[k], down1[k]) && same(down1[k], down2[k]);
    const double sum = -up2[k] + 8 * up1[k] - 8 * down1[k] + down2[k];
    slopes[k] = constant ? 0 : std::isfinite(sum) ? sum / (12 * h) : kNan;
  }
  return slopes;
}

// (-3 f(x) + 4 f(x+h) - f(x+2h)) / 2h, and the same to the other side: equal except for h^2 f''' if
// f is smooth.
bool sides_agree(const Function& f, const Point& at, const Point& direction, double h) {
  const Vector here = f(at);
  const Vector up1 = moved(f, at, direction, h);
  const Vector up2 = moved(f, at, direction, 2 * h);
  const Vector down1 = moved(f, at, direction, -h);
  const Vector down2 = moved(f, at, direction, -2 * h);
  for (size_t k = 0; k < here.size(); ++k) {
    if (same(here[k], up1[k]) && same(here[k], up2[k]) && same(here[k], down1[k]) &&
        same(here[k], down2[k])) {
      continue;
    }
    const double right = (-3 * here[k] + 4 * up1[k] - up2[k]) / (2 * h);
    const double left = (3 * here[k] - 4 * down1[k] + down2[k]) / (2 * h);
    const double rounding = 1e-15 * std::abs(here[k]) / h;
    const double scale = std::max({std::abs(right), std::abs(left), 1e-6});
    if (!(std::abs(right - left) <= 1e-3 * scale + 16 * rounding)) return false;
  }
  return true;
}

// Large ones first: they are the most exact if f is gentle. The last is for f that changes fast
// near a coordinate close to 0.
std::vector<double> steps_for(const Point& at, const Point& direction) {
  double nearest = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < at.size(); ++i) {
    for (size_t k = 0; k < direction[i].size(); ++k) {
      const double component = std::abs(direction[i][k]);
      const double x = std::abs(at[i][k]);
      if (component == 0) continue;
      if (x > 0) nearest = std::min(nearest, x / component);
    }
  }
  std::vector<double> steps = {1e-3, 1e-4, 1e-5};
  if (nearest < 1e-2 && nearest > 1e-300) steps.push_back(1e-3 * nearest);
  return steps;
}

}  // namespace

double dot(const Vector& a, const Vector& b) {
  double sum = 0;
  // 0 times NaN is left out: nothing depends on it.
  for (size_t k = 0; k < a.size(); ++k) sum += a[k] == 0 || b[k] == 0 ? 0 : a[k] * b[k];
  return sum;
}

double dot(const Point& a, const Point& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!a[i].empty() && !b[i].empty()) sum += dot(a[i], b[i]);
  }
  return sum;
}

double largest(const Vector& values) {
  double most = 0;
  for (const double value : values) {
    if (std::isfinite(value)) most = std::max(most, std::abs(value));
  }
  return most;
}

namespace {

// How far rounding of the results may move their weighted slope: even if a change is lost in a
// result of another magnitude.
double rounding_of(const Vector& results, const Vector& weights, double h) {
  double sum = 0;
  for (size_t k = 0; k < results.size(); ++k) {
    if (weights[k] != 0) sum += std::abs(weights[k] * results[k]);
  }
  return 4 * std::numeric_limits<double>::epsilon() * sum / h;
}

}  // namespace

Slope judge_slope(const Function& f, const Point& at, const Point& direction, const Vector& weights,
                  double found, double scale) {
  double before = kNan;
  double last = kNan;
  double size = 0;
  double step = 0;
  for (const double h : steps_for(at, direction)) {
    before = last;
    last = dot(weights, central(f, at, direction, h));
    size = std::max({std::abs(last), std::abs(found), 1e-3 * scale, 1e-9});
    step = h;
    if (std::abs(last - found) <= kSlopeTolerance * size) return {Verdict::Right, last};
  }
  // What two steps do not agree on is no derivative, what is lost in rounding cannot be seen, and
  // what stays infinite may still have a slope.
  const Vector here = f(at);
  const double rounding = rounding_of(here, weights, step);
  const bool settled = std::abs(last - before) <= 1e-4 * size + rounding;
  const bool visible = std::abs(last - found) > rounding;  // false if results are not finite
  const bool wrong = settled && visible && sides_agree(f, at, direction, step);
  return {wrong ? Verdict::Wrong : Verdict::Unknown, last};
}

Vector derivative(const Function& f, const Point& at, const Point& direction) {
  return central(f, at, direction, 1e-4);
}

Point unit_direction(const Point& like, size_t operand, size_t element) {
  Point direction(like.size());
  direction[operand].assign(like[operand].size(), 0.0);
  direction[operand][element] = std::max(1.0, std::abs(like[operand][element]));
  return direction;
}

Point drawn_direction(const Point& at, uint64_t seed, uint64_t number) {
  Point direction(at.size());
  for (size_t i = 0; i < at.size(); ++i) {
    for (size_t k = 0; k < at[i].size(); ++k) {
      const double unit = sdk::drawn_unit(seed, number * 64 + i, k);
      direction[i].push_back((2 * unit - 1) * std::max(1.0, std::abs(at[i][k])));
    }
  }
  return direction;
}

}  // namespace tenon::verify
