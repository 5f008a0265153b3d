// SPDX-License-Identifier: Apache-2.0
// backends/sim/values.c: reading and writing elements of any dtype, and one strided loop.
//
// Kernels compute in double, or in 64 bits for integers, and round once when they store. For + - *
// / and the square root that is the dtype's own rounding: a double has more than twice the digits
// of a float. Addresses need no alignment.
#include "sim.h"

#include <math.h>
#include <string.h>

uint32_t sim_size(tenon_dtype dtype) { return (dtype >> 8 & 0xff) / 8; }

int sim_is_float(tenon_dtype dtype) { return (dtype & 0xff) == 2 || dtype == TENON_DTYPE_BF16; }

// ---- 16-bit floats ------------------------------------------------------------------------------

typedef struct narrow {
  int exponent_bits;
  int mantissa_bits;
} narrow;
static const narrow half = {5, 10};
static const narrow brain = {8, 7};

static double widen(uint16_t bits, narrow n) {
  const int bias = (1 << (n.exponent_bits - 1)) - 1;
  const int exponent = bits >> n.mantissa_bits & ((1 << n.exponent_bits) - 1);
  const int mantissa = bits & ((1 << n.mantissa_bits) - 1);
  double value = 0;
  if (exponent == (1 << n.exponent_bits) - 1) {
    value = mantissa ? (double)NAN : (double)INFINITY;
  } else {
    const int whole = exponent ? mantissa | 1 << n.mantissa_bits : mantissa;
    value = ldexp(whole, (exponent ? exponent : 1) - bias - n.mantissa_bits);
  }
  return bits >> 15 ? -value : value;
}

static uint16_t shorten(double value, narrow n) {
  const int bias = (1 << (n.exponent_bits - 1)) - 1;
  const uint32_t infinity = ((1u << n.exponent_bits) - 1) << n.mantissa_bits;
  const uint32_t sign = signbit(value) ? 0x8000u : 0;
  if (isnan(value)) return (uint16_t)(sign | infinity | 1u << (n.mantissa_bits - 1));
  if (isinf(value)) return (uint16_t)(sign | infinity);
  int exponent = 0;
  frexp(value, &exponent);
  --exponent;  // |value| = 1.x * 2^exponent
  if (exponent < 1 - bias || value == 0) exponent = 1 - bias;
  if (exponent > bias) return (uint16_t)(sign | infinity);
  // In units of the last place, rounded to nearest even; a carry moves into the exponent.
  const uint32_t units = (uint32_t)rint(ldexp(fabs(value), n.mantissa_bits - exponent));
  const uint32_t bits = ((uint32_t)(exponent + bias - 1) << n.mantissa_bits) + units;
  return (uint16_t)(sign | (bits < infinity ? bits : infinity));
}

// ---- Elements -----------------------------------------------------------------------------------

double sim_get_real(const char* from, tenon_dtype dtype) {
  float f;
  double d;
  uint16_t bits;
  switch (dtype) {
    case TENON_DTYPE_F64:
      memcpy(&d, from, sizeof d);
      return d;
    case TENON_DTYPE_F32:
      memcpy(&f, from, sizeof f);
      return f;
    case TENON_DTYPE_F16:
    case TENON_DTYPE_BF16:
      memcpy(&bits, from, sizeof bits);
      return widen(bits, dtype == TENON_DTYPE_F16 ? half : brain);
    default:
      return (double)sim_get_integer(from, dtype);
  }
}

int64_t sim_get_integer(const char* from, tenon_dtype dtype) {
  int8_t i8;
  int16_t i16;
  int32_t i32;
  int64_t i64;
  switch (dtype) {
    case TENON_DTYPE_BOOL:
      return *from != 0;
    case TENON_DTYPE_U8:
      return (unsigned char)*from;
    case TENON_DTYPE_I8:
      memcpy(&i8, from, sizeof i8);
      return i8;
    case TENON_DTYPE_I16:
      memcpy(&i16, from, sizeof i16);
      return i16;
    case TENON_DTYPE_I32:
      memcpy(&i32, from, sizeof i32);
      return i32;
    default:
      memcpy(&i64, from, sizeof i64);
      return i64;
  }
}

void sim_put_real(char* to, tenon_dtype dtype, double value) {
  const float f = dtype == TENON_DTYPE_F32 ? (float)value : 0;
  uint16_t bits;
  switch (dtype) {
    case TENON_DTYPE_F64:
      memcpy(to, &value, sizeof value);
      break;
    case TENON_DTYPE_F32:
      memcpy(to, &f, sizeof f);
      break;
    default:
      bits = shorten(value, dtype == TENON_DTYPE_F16 ? half : brain);
      memcpy(to, &bits, sizeof bits);
  }
}

void sim_put_integer(char* to, tenon_dtype dtype, int64_t value) {
  const uint64_t bits = (uint64_t)value;
  const uint8_t u8 = dtype == TENON_DTYPE_BOOL ? value != 0 : (uint8_t)bits;
  const uint16_t u16 = (uint16_t)bits;
  const uint32_t u32 = (uint32_t)bits;
  switch (sim_size(dtype)) {
    case 1:
      memcpy(to, &u8, sizeof u8);
      break;
    case 2:
      memcpy(to, &u16, sizeof u16);
      break;
    case 4:
      memcpy(to, &u32, sizeof u32);
      break;
    default:
      memcpy(to, &bits, sizeof bits);
  }
}

// ---- The loop -----------------------------------------------------------------------------------

int64_t sim_count(const sim_view* view) {
  int64_t count = 1;
  for (int32_t d = 0; d < view->rank; ++d) count *= view->shape[d];
  return count;
}

sim_walk sim_walk_of(const sim_view* const* views, int n) {
  sim_walk walk = {.left = sim_count(views[0]), .rank = views[0]->rank, .n = n};
  memcpy(walk.shape, views[0]->shape, sizeof walk.shape);
  for (int i = 0; i < n; ++i) {
    walk.data[i] = views[i]->data;
    memcpy(walk.step[i], views[i]->step, sizeof walk.step[i]);
  }
  return walk;
}

void sim_walk_next(sim_walk* walk) {
  --walk->left;
  for (int32_t d = walk->rank; d-- > 0;) {
    for (int i = 0; i < walk->n; ++i) walk->data[i] += walk->step[i][d];
    if (++walk->at[d] < walk->shape[d]) return;
    walk->at[d] = 0;
    for (int i = 0; i < walk->n; ++i) walk->data[i] -= walk->shape[d] * walk->step[i][d];
  }
}

int32_t sim_axis(int64_t axis, int32_t rank) { return (int32_t)(axis < 0 ? axis + rank : axis); }
