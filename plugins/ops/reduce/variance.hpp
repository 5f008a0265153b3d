// SPDX-License-Identifier: Apache-2.0
// plugins/ops/reduce/variance.hpp: what var and std share.
//
// Attributes: axes, keepdims, correction. v = sum (x - mean x)^2 / (n - correction), n elements;
// NaN if n - correction is not positive.
#pragma once

#include <array>

#include <limits>

#include "reduce/back.hpp"

namespace tenon::rules {

enum VarianceAttribute : uint32_t { kVarAxes, kVarKeepdims, kCorrection, kVarAttributes };

// 1 / (n - correction), or NaN.
inline double variance_scale(std::span<const int64_t> shape, const tenon_value& axes,
                             double correction) {
  const double freedom = static_cast<double>(reduced_count(shape, axes)) - correction;
  return freedom > 0 ? 1.0 / freedom : std::numeric_limits<double>::quiet_NaN();
}

// The composition of the variance, in f32 at least. The mean is rounded, so what is left of it is
// taken off once more.
inline tenon_tensor* composed_variance(sdk::Compose& c) {
  sdk::Value x = widened(c, c.in(0));
  const tenon_meta meta = c.meta(x.tensor());
  const sdk::Value axes = c.attrs[kVarAxes];
  for (int pass = 0; pass < 2; ++pass) {
    x = c.call("tenon.sub", {x, c.call("tenon.mean", {x}, {axes, true})});
  }
  tenon_tensor* total =
      c.call("tenon.sum", {c.call("tenon.mul", {x, x})}, {axes, c.attrs[kVarKeepdims]});
  const double scale = variance_scale(shape_of(meta), axes, c.attrs.real(kCorrection));
  return c.call("tenon.mul", {total, scale});
}

// x - mean x, in f64. The mean is rounded, so what is left of it is taken off once more.
inline sdk::Value apart_from_mean(sdk::Vjp& v) {
  sdk::Value x = as_f64(v, v.in(0));
  for (int pass = 0; pass < 2; ++pass) {
    x = v.call("tenon.sub", {x, v.call("tenon.mean", {x}, {v.attr(kVarAxes), true})});
  }
  return x;
}

// 1 / (n - correction) of the rule's call.
inline double variance_scale(sdk::Vjp& v) {
  return variance_scale(shape_of(v.in_meta(0)), v.attr(kVarAxes),
                        sdk::Attrs::number(v.attr(kCorrection)));
}

// Revision 1 has 1 as the default of `correction`, and is revision 2 otherwise.
inline constexpr uint32_t kVarianceRevision = 2;

constexpr std::string_view first_doc =
    R"(Revision 1: as revision 2, but `correction` is 1 unless it is given.

Gradient: that of revision 2.

Source: as of revision 2; the default was PyTorch's.

Canonical arithmetic: as of revision 2.)";

// `name` is found as its newest revision.
inline void compose_first(sdk::Compose& c, std::string_view name) {
  c.set(0,
        c.call(name, {c.in(0)}, {c.attrs[kVarAxes], c.attrs[kVarKeepdims], c.attrs[kCorrection]}));
}

// Calls of var and std. `apart`: bf16 numbers so far apart that the result just fits.
constexpr auto variance_samples(std::string_view name, std::string_view apart) {
  return std::to_array<tenon_sample>({
      sdk::sample(name, "f64[2,3]", kVarianceRevision),
      sdk::sample(name, "f64[2,3] | correction=1.0", kVarianceRevision),
      sdk::sample(name, "f64[2,3,4] | axes=[1]", kVarianceRevision),
      sdk::sample(name, "f64[2,3,4] | axes=[-1,0], keepdims=true, correction=0.0",
                  kVarianceRevision),
      sdk::sample(name, "f64[2,3,1,4] | axes=[1,3], correction=1.5", kVarianceRevision),
      sdk::sample(name, "f64[2,3] | axes=[]", kVarianceRevision),
      sdk::sample(name, "f64[2,3] | axes=[], correction=0.0", kVarianceRevision),
      sdk::sample(name, "f64[] | correction=-1.0", kVarianceRevision),
      sdk::sample(name, "f64[]", kVarianceRevision),
      sdk::sample(name, "f64[2,3] | axes=[1], correction=4.0", kVarianceRevision),
      sdk::sample(name, "f32[150](0,1)", kVarianceRevision),
      sdk::sample(name, "f32[70,67](0,1) | axes=[1]", kVarianceRevision),
      sdk::sample(name, "f32[70,9](3,4) | axes=[0]", kVarianceRevision),
      sdk::sample(name, "f64[4,1] | axes=[1], keepdims=true", kVarianceRevision),
      sdk::sample(name, "f64[0]", kVarianceRevision),
      sdk::sample(name, "f64[2,0,3] | axes=[1]", kVarianceRevision),
      sdk::sample(name, "f64[2,0,3] | axes=[0]", kVarianceRevision),
      sdk::sample(name, "f32[4]{16777216.0,16777218.0,16777220.0,16777218.0}", kVarianceRevision),
      sdk::sample(name, "f16[4]{60000.0,60032.0,-60000.0,1.0}", kVarianceRevision),
      sdk::sample(name, "f32[3]{2.5,2.5,2.5}", kVarianceRevision),
      sdk::sample(name, "f32[3]{1e19,1e-45,-1e19}", kVarianceRevision),
      sdk::sample(name, "f32[2]{3.4028235e38,-3.4028235e38} | correction=1.0", kVarianceRevision),
      sdk::sample(name, "f64[2]{1e150,5e-324}", kVarianceRevision),
      sdk::sample(name, "f16[2]{6e-8,6.1035e-5}", kVarianceRevision),
      sdk::sample(name, apart, kVarianceRevision),
      sdk::sample(name, "f32[3]{inf,-inf,1.0}", kVarianceRevision),
      sdk::sample(name, "f32[2,2]{nan,1.0,-inf,1.0} | axes=[1]", kVarianceRevision),
      sdk::refused(name, "f32[2,3] | axes=[2]", TENON_E_ATTRIBUTE, "axes", kVarianceRevision),
      sdk::refused(name, "f32[2,3] | axes=[0,0]", TENON_E_ATTRIBUTE, "twice", kVarianceRevision),
      sdk::refused(name, "f32[2,3] | axes=1", TENON_E_ATTRIBUTE, "axes", kVarianceRevision),
      sdk::refused(name, "f32[2,3] | keepdims=1", TENON_E_ATTRIBUTE, "keepdims", kVarianceRevision),
      sdk::refused(name, "f32[2,3] | correction=true", TENON_E_ATTRIBUTE, "correction",
                   kVarianceRevision),
      sdk::refused(name, "f32[2], f32[2]", TENON_E_ARGUMENT, "number of operands",
                   kVarianceRevision),
      sdk::refused(name, "i32[3]", TENON_E_DTYPE, "i32", kVarianceRevision),
  });
}

constexpr auto variance_tolerances(std::string_view op) {
  return sdk::float_tolerances(
      op,
      "Kernels sum squares in f64, in one order or another; the composition in T, f32 at least, "
      "where the mean is rounded as well.",
      {.f16 = {1, 2e-06}, .bf16 = {1, 2e-06}, .f32 = {1, 2e-06}, .f64 = {1, 4e-15}},
      kVarianceRevision);
}

}  // namespace tenon::rules
