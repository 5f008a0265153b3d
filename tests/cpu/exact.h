// SPDX-License-Identifier: Apache-2.0
// tests/cpu/exact.h: what C has no function for, to more digits than the result type has.
#pragma once

namespace tenon::tests::exact {

// In long double for f64 results; double is enough for those of f32.
double sigmoid(double x);
long double sigmoid(long double x);
double gelu(double x);
long double gelu(long double x);
double gelu_by_tanh(double x);
long double gelu_by_tanh(long double x);

double silu(double x);
long double silu(long double x);
double mish(double x);
long double mish(long double x);
double logsigmoid(double x);
long double logsigmoid(long double x);
double hardswish(double x);
long double hardswish(long double x);

double lgamma(double x);
long double lgamma(long double x);
double digamma(double x);
long double digamma(long double x);
double trigamma(double x);
long double trigamma(long double x);
double erfinv(double x);
long double erfinv(long double x);

// The larger of the two parts whose sum lgamma and digamma are below 0, where they may cancel.
long double lgamma_part(long double x);
long double digamma_part(long double x);

// The slope of gelu, and the larger of the two terms whose sum it is: they cancel near -0.75.
double gelu_slope(double x);
long double gelu_slope(long double x);
long double gelu_slope_term(long double x);
double gelu_slope_by_tanh(double x);
long double gelu_slope_by_tanh(long double x);
long double gelu_slope_by_tanh_term(long double x);

}  // namespace tenon::tests::exact
