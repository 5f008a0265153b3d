// SPDX-License-Identifier: Apache-2.0
// backends/sim/elementwise.c: kernels whose output element depends on one element of each input.
//
// Tenon hands elementwise operands broadcast to one shape, with step 0 if an input repeats, so
// one walk serves all of them.
#include "sim.h"

#include <math.h>
#include <string.h>

// The output, then the inputs: operands of one shape.
static sim_walk walk_all(const sim_launch* l) {
  const sim_view* views[SIM_OPERANDS];
  int n = 0;
  views[n++] = sim_slot(l, l->n_slots - 1);
  for (uint32_t slot = 0; slot + 1 < l->n_slots; ++slot) views[n++] = sim_slot(l, slot);
  return sim_walk_of(views, n);
}

tenon_status sim_run_copy(const sim_launch* l, char words[SIM_WORDS]) {
  (void)words;
  const uint32_t size = sim_size(sim_slot(l, 1)->dtype);
  for (sim_walk w = walk_all(l); w.left > 0; sim_walk_next(&w)) memcpy(w.data[0], w.data[1], size);
  return TENON_OK;
}

// The same elements in row-major order, in two shapes.
tenon_status sim_run_reshape(const sim_launch* l, char words[SIM_WORDS]) {
  (void)words;
  const sim_view* in = sim_slot(l, 0);
  const sim_view* out = sim_slot(l, 1);
  sim_walk from = sim_walk_of(&in, 1);
  for (sim_walk to = sim_walk_of(&out, 1); to.left > 0; sim_walk_next(&to)) {
    memcpy(to.data[0], from.data[0], sim_size(in->dtype));
    sim_walk_next(&from);
  }
  return TENON_OK;
}

// ---- Conversion ---------------------------------------------------------------------------------

// Floats are truncated toward zero; what lies outside [low, high] becomes its end, NaN 0.
static int64_t truncated(double value, tenon_dtype to) {
  const int bits = (int)(to >> 8 & 0xff);
  const int is_signed = (to & 0xff) == 0;
  const double past = ldexp(1.0, is_signed ? bits - 1 : bits);
  const double low = is_signed ? -past : 0;
  if (isnan(value)) return 0;
  if (value <= low) return is_signed ? (int64_t)(~0ull << (bits - 1)) : 0;
  if (value >= past) return (int64_t)(is_signed ? (1ull << (bits - 1)) - 1 : (1ull << bits) - 1);
  return (int64_t)value;
}

// A double that rounds to 16 bits as the integer itself does: beyond 2^53 the low bits become one
// that only says "not a tie".
static double double_to_round(int64_t value) {
  const int64_t exact = (int64_t)1 << 53;
  if (value <= exact && value >= -exact) return (double)value;
  const int64_t low = 0xFFF;
  return (double)((value & ~low) | (value & low ? 0x1000 : 0));
}

static void put_number(char* to, tenon_dtype dtype, const char* from, tenon_dtype source) {
  if (dtype == source) {
    memcpy(to, from, sim_size(dtype));
  } else if (dtype == TENON_DTYPE_BOOL) {
    sim_put_integer(to, dtype,
                    sim_is_float(source) ? sim_get_real(from, source) != 0
                                         : sim_get_integer(from, source) != 0);
  } else if (sim_is_float(source)) {
    const double value = sim_get_real(from, source);
    if (sim_is_float(dtype)) {
      sim_put_real(to, dtype, value);
    } else {
      sim_put_integer(to, dtype, truncated(value, dtype));
    }
  } else {
    const int64_t value = sim_get_integer(from, source);
    const float f = (float)value;
    if (!sim_is_float(dtype)) {
      sim_put_integer(to, dtype, value);
    } else if (dtype == TENON_DTYPE_F32) {
      memcpy(to, &f, sizeof f);  // one rounding, which a double in between would make two
    } else {
      sim_put_real(to, dtype, dtype == TENON_DTYPE_F64 ? (double)value : double_to_round(value));
    }
  }
}

tenon_status sim_run_cast(const sim_launch* l, char words[SIM_WORDS]) {
  (void)words;
  const tenon_dtype to = sim_slot(l, 1)->dtype;
  const tenon_dtype from = sim_slot(l, 0)->dtype;
  for (sim_walk w = walk_all(l); w.left > 0; sim_walk_next(&w)) {
    put_number(w.data[0], to, w.data[1], from);
  }
  return TENON_OK;
}

// Attributes of the role FILL: shape, value, dtype.
tenon_status sim_run_fill(const sim_launch* l, char words[SIM_WORDS]) {
  (void)words;
  const sim_view* out = sim_slot(l, 0);
  const tenon_value* value = &l->attrs[1];
  const tenon_dtype source = value->tag == TENON_VALUE_F64 ? TENON_DTYPE_F64 : TENON_DTYPE_I64;
  const char* from =
      value->tag == TENON_VALUE_F64 ? (const char*)&value->as.f64 : (const char*)&value->as.i64;
  char element[8];
  put_number(element, out->dtype, from, source);
  for (sim_walk w = sim_walk_of(&out, 1); w.left > 0; sim_walk_next(&w)) {
    memcpy(w.data[0], element, sim_size(out->dtype));
  }
  return TENON_OK;
}

// ---- Arithmetic ---------------------------------------------------------------------------------

// `real` and `integer` of the kernel take (x, x).
tenon_status sim_run_unary(const sim_launch* l, char words[SIM_WORDS]) {
  (void)words;
  const tenon_dtype from = sim_slot(l, 0)->dtype;
  const tenon_dtype to = sim_slot(l, 1)->dtype;
  for (sim_walk w = walk_all(l); w.left > 0; sim_walk_next(&w)) {
    if (!sim_is_float(from)) {
      const int64_t x = sim_get_integer(w.data[1], from);
      sim_put_integer(w.data[0], to, l->kernel->integer(x, x));
      continue;
    }
    const double x = sim_get_real(w.data[1], from);
    const double y = l->kernel->real(x, x);
    if (sim_is_float(to)) {
      sim_put_real(w.data[0], to, y);
    } else {
      sim_put_integer(w.data[0], to, y != 0);
    }
  }
  return TENON_OK;
}

// Arithmetic gives the inputs' dtype, comparison gives bool.
tenon_status sim_run_binary(const sim_launch* l, char words[SIM_WORDS]) {
  (void)words;
  const tenon_dtype from = sim_slot(l, 0)->dtype;
  const tenon_dtype to = sim_slot(l, 2)->dtype;
  for (sim_walk w = walk_all(l); w.left > 0; sim_walk_next(&w)) {
    if (!sim_is_float(from)) {
      const int64_t a = sim_get_integer(w.data[1], from);
      const int64_t b = sim_get_integer(w.data[2], from);
      sim_put_integer(w.data[0], to, l->kernel->integer(a, b));
      continue;
    }
    const double y = l->kernel->real(sim_get_real(w.data[1], from), sim_get_real(w.data[2], from));
    if (sim_is_float(to)) {
      sim_put_real(w.data[0], to, y);
    } else {
      sim_put_integer(w.data[0], to, y != 0);
    }
  }
  return TENON_OK;
}

tenon_status sim_run_where(const sim_launch* l, char words[SIM_WORDS]) {
  (void)words;
  const uint32_t size = sim_size(sim_slot(l, 3)->dtype);
  for (sim_walk w = walk_all(l); w.left > 0; sim_walk_next(&w)) {
    memcpy(w.data[0], *w.data[1] != 0 ? w.data[2] : w.data[3], size);
  }
  return TENON_OK;
}

// x + (value * a) * b, or / b: `real` of the kernel. Every operation is rounded by itself, in f64
// or, for the narrower floats, in f32.
tenon_status sim_run_add_scaled(const sim_launch* l, char words[SIM_WORDS]) {
  (void)words;
  const tenon_dtype dtype = sim_slot(l, 3)->dtype;
  const tenon_value* attr = &l->attrs[0];
  const double value = attr->tag == TENON_VALUE_F64 ? attr->as.f64 : (double)attr->as.i64;
  for (sim_walk w = walk_all(l); w.left > 0; sim_walk_next(&w)) {
    const double x = sim_get_real(w.data[1], dtype);
    const double a = sim_get_real(w.data[2], dtype);
    const double b = sim_get_real(w.data[3], dtype);
    if (dtype == TENON_DTYPE_F64) {
      sim_put_real(w.data[0], dtype, x + l->kernel->real(value * a, b));
    } else {
      const float scaled = (float)value * (float)a;
      sim_put_real(w.data[0], dtype, (float)x + (float)l->kernel->real(scaled, b));
    }
  }
  return TENON_OK;
}
