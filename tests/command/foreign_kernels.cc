// SPDX-License-Identifier: Apache-2.0
// tests/command/foreign_kernels.cc: functions with the ABI of tvm-ffi, linked with nothing of it,
// for wrap_test.cc. Each writes into the last tensor it is given.
#include <cmath>
#include <cstring>

#include "plugins/tvm_ffi/abi.hpp"

namespace {

using namespace tenon::tvm_ffi::abi;

const Tensor& tensor(const Any& any) { return *static_cast<const Tensor*>(any.pointer); }

int64_t count(const Tensor& tensor) {
  int64_t elements = 1;
  for (int32_t i = 0; i < tensor.rank; ++i) elements *= tensor.shape[i];
  return elements;
}

double get(const Tensor& from, int64_t at) {
  return from.bits == 64 ? static_cast<double*>(from.data)[at] : static_cast<float*>(from.data)[at];
}

void set(const Tensor& to, int64_t at, double value) {
  if (to.bits == 64) {
    static_cast<double*>(to.data)[at] = value;
  } else {
    static_cast<float*>(to.data)[at] = static_cast<float>(value);
  }
}

// One function of x, and of y if there are three arguments.
template <class Formula>
int each(const Any* arguments, int32_t arity, Formula formula, int64_t left_out = 0) {
  const Tensor& out = tensor(arguments[arity - 1]);
  for (int64_t i = 0; i + left_out < count(out); ++i) {
    const double y = arity > 2 ? get(tensor(arguments[1]), i) : 0;
    set(out, i, formula(get(tensor(arguments[0]), i), y));
  }
  return 0;
}

}  // namespace

#define EXPORT extern "C" __attribute__((visibility("default"))) int

EXPORT __tvm_ffi_square(void*, const Any* arguments, int32_t n, Any*) {
  return each(arguments, n, [](double x, double) { return x * x; });
}

EXPORT __tvm_ffi_square_grad(void*, const Any* arguments, int32_t n, Any*) {
  return each(arguments, n, [](double x, double grad) { return 2 * x * grad; });
}

// Does not write its last element.
EXPORT __tvm_ffi_square_less(void*, const Any* arguments, int32_t n, Any*) {
  return each(
      arguments, n, [](double x, double) { return x * x; }, 1);
}

// Not the square.
EXPORT __tvm_ffi_square_wrong(void*, const Any* arguments, int32_t n, Any*) {
  return each(arguments, n, [](double x, double) { return x * x + (x > 3 ? 0.5 : 0); });
}

// (x, factor, whole, flag, text, nothing, dtype, y): y = x * factor + whole if all came as they
// should.
EXPORT __tvm_ffi_affine(void*, const Any* a, int32_t n, Any*) {
  const int32_t types[] = {kTensor, kFloat, kInt, kBool, kText, kNone, kDtype, kTensor};
  if (n != 8) return -1;
  for (int i = 0; i < 8; ++i) {
    if (a[i].type != types[i] || a[i].zero != 0) return -2 - i;
  }
  const bool right = a[3].integer == 1 && std::strcmp(a[4].text, "a \"b\"") == 0 &&
                     a[6].dtype.code == 0 && a[6].dtype.bits == 64 && a[6].dtype.lanes == 1;
  if (!right) return -20;
  const Any operands[] = {a[0], a[7]};
  return each(operands, 2,
              [&](double x, double) { return x * a[1].real + static_cast<double>(a[2].integer); });
}

// x and y, and into two outputs their sum and difference; y may be absent.
EXPORT __tvm_ffi_both(void*, const Any* a, int32_t n, Any*) {
  if (n != 4) return -1;
  const bool alone = a[1].type == kNone;
  for (int64_t i = 0; i < count(tensor(a[0])); ++i) {
    const double x = get(tensor(a[0]), i);
    const double y = alone ? 0 : get(tensor(a[1]), i);
    set(tensor(a[2]), i, x + y);
    set(tensor(a[3]), i, x - y);
  }
  return 0;
}

// x += y, in place.
EXPORT __tvm_ffi_add_to(void*, const Any* a, int32_t, Any*) {
  for (int64_t i = 0; i < count(tensor(a[0])); ++i) {
    set(tensor(a[0]), i, get(tensor(a[0]), i) + get(tensor(a[1]), i));
  }
  return 0;
}

EXPORT __tvm_ffi_fails(void*, const Any*, int32_t, Any*) { return -1; }

EXPORT __tvm_ffi_answers(void*, const Any* arguments, int32_t n, Any* result) {
  result->type = kInt;
  result->integer = 7;
  return each(arguments, n, [](double x, double) { return x; });
}
