// SPDX-License-Identifier: Apache-2.0
// backends/sim/reduce.c: sum, mean, max, argmax, sum_to, rows_add. Sums are double (64 wrapping
// bits for integers) and round once.
#include "sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// A reduction: `out` and `in` walk the dimensions that stay, `behind` those that meet in one
// element of the output.
typedef struct reduction {
  sim_view out, in, behind;
} reduction;

static void add_dim(sim_view* view, int64_t size, int64_t step) {
  view->shape[view->rank] = size;
  view->step[view->rank++] = step;
}

// `gone` has bit d set where dimension d of the input is reduced; the output has it with size 1
// where `keeps`. Dimensions before `lead` are missing from the output in any case.
static reduction reduce(const sim_view* in, const sim_view* out, uint32_t gone, int keeps,
                        int32_t lead) {
  reduction r = {{.data = out->data}, {.data = in->data}, {.dtype = in->dtype}};
  int32_t out_dim = 0;
  for (int32_t d = 0; d < in->rank; ++d) {
    if (gone >> d & 1) {
      add_dim(&r.behind, in->shape[d], in->step[d]);
      if (keeps && d >= lead) ++out_dim;
    } else {
      add_dim(&r.in, in->shape[d], in->step[d]);
      add_dim(&r.out, in->shape[d], out->step[out_dim++]);
    }
  }
  return r;
}

static reduction by_axes(const sim_launch* l) {
  const sim_view* in = sim_slot(l, 0);
  const tenon_value* axes = &l->attrs[0];
  uint32_t gone = 0;
  if (axes->tag == TENON_VALUE_NONE) gone = (1u << in->rank) - 1;
  for (uint32_t i = 0; axes->tag == TENON_VALUE_INT_LIST && i < axes->count; ++i) {
    gone |= 1u << sim_axis(axes->as.ints[i], in->rank);
  }
  return reduce(in, sim_slot(l, 1), gone, l->attrs[1].as.i64 != 0, 0);
}

static sim_walk walk_kept(const reduction* r) {
  const sim_view* views[] = {&r->out, &r->in};
  return sim_walk_of(views, 2);
}

// The elements that meet in the one at `first`.
static sim_walk walk_behind(reduction* r, char* first) {
  const sim_view* view = &r->behind;
  r->behind.data = first;
  return sim_walk_of(&view, 1);
}

// Integers may be narrower than their sums.
static void sum_all(reduction* r, tenon_dtype dtype, tenon_dtype out_dtype, double divisor) {
  for (sim_walk w = walk_kept(r); w.left > 0; sim_walk_next(&w)) {
    double real = 0;
    uint64_t whole = 0;
    for (sim_walk b = walk_behind(r, w.data[1]); b.left > 0; sim_walk_next(&b)) {
      if (sim_is_float(dtype)) {
        real += sim_get_real(b.data[0], dtype);
      } else {
        whole += (uint64_t)sim_get_integer(b.data[0], dtype);
      }
    }
    if (sim_is_float(dtype)) {
      sim_put_real(w.data[0], dtype, real / divisor);
    } else {
      sim_put_integer(w.data[0], out_dtype, (int64_t)whole);
    }
  }
}

tenon_status sim_run_sum(const sim_launch* l, char words[SIM_WORDS]) {
  (void)words;
  reduction r = by_axes(l);
  sum_all(&r, sim_slot(l, 0)->dtype, sim_slot(l, 1)->dtype, 1);
  return TENON_OK;
}

// The mean of no elements is NaN.
tenon_status sim_run_mean(const sim_launch* l, char words[SIM_WORDS]) {
  (void)words;
  reduction r = by_axes(l);
  const tenon_dtype dtype = sim_slot(l, 0)->dtype;
  sum_all(&r, dtype, dtype, (double)sim_count(&r.behind));
  return TENON_OK;
}

tenon_status sim_run_sum_to(const sim_launch* l, char words[SIM_WORDS]) {
  (void)words;
  const sim_view* in = sim_slot(l, 0);
  const sim_view* out = sim_slot(l, 1);
  const int32_t lead = in->rank - out->rank;
  uint32_t gone = 0;
  for (int32_t d = 0; d < in->rank; ++d) {
    const int summed = d < lead || (out->shape[d - lead] == 1 && in->shape[d] != 1);
    gone |= (uint32_t)summed << d;
  }
  reduction r = reduce(in, out, gone, 1, lead);
  sum_all(&r, in->dtype, out->dtype, 1);
  return TENON_OK;
}

// Is `x` to be taken in place of `best`? NaN wins; of equal elements the first stays.
static int is_larger(const char* x, const char* best, tenon_dtype dtype) {
  if (!sim_is_float(dtype)) return sim_get_integer(x, dtype) > sim_get_integer(best, dtype);
  const double a = sim_get_real(x, dtype), b = sim_get_real(best, dtype);
  return a > b || (isnan(a) && !isnan(b));
}

tenon_status sim_run_max(const sim_launch* l, char words[SIM_WORDS]) {
  (void)words;
  reduction r = by_axes(l);
  const tenon_dtype dtype = sim_slot(l, 0)->dtype;
  for (sim_walk w = walk_kept(&r); w.left > 0; sim_walk_next(&w)) {
    const char* best = w.data[1];
    for (sim_walk b = walk_behind(&r, w.data[1]); b.left > 0; sim_walk_next(&b)) {
      if (is_larger(b.data[0], best, dtype)) best = b.data[0];
    }
    memcpy(w.data[0], best, sim_size(dtype));
  }
  return TENON_OK;
}

// Attributes: axis (none: all elements, counted row by row), keepdims.
tenon_status sim_run_argmax(const sim_launch* l, char words[SIM_WORDS]) {
  (void)words;
  const sim_view* in = sim_slot(l, 0);
  const int all = l->attrs[0].tag == TENON_VALUE_NONE;
  const uint32_t gone = all ? (1u << in->rank) - 1 : 1u << sim_axis(l->attrs[0].as.i64, in->rank);
  reduction r = reduce(in, sim_slot(l, 1), gone, l->attrs[1].as.i64 != 0, 0);
  for (sim_walk w = walk_kept(&r); w.left > 0; sim_walk_next(&w)) {
    const char* best = w.data[1];
    int64_t place = 0, number = 0;
    for (sim_walk b = walk_behind(&r, w.data[1]); b.left > 0; sim_walk_next(&b), ++number) {
      if (!is_larger(b.data[0], best, in->dtype)) continue;
      best = b.data[0];
      place = number;
    }
    sim_put_integer(w.data[0], TENON_DTYPE_I64, place);
  }
  return TENON_OK;
}

// x[indices[r]] += values[r], in order of r. Slots: x (in and out), indices, values.
tenon_status sim_run_rows_add(const sim_launch* l, char words[SIM_WORDS]) {
  const sim_view* x = sim_slot(l, 0);
  const sim_view* indices = sim_slot(l, 1);
  const sim_view* values = sim_slot(l, 2);
  for (int64_t r = 0; r < indices->shape[0]; ++r) {
    const int64_t row = sim_get_integer(indices->data + r * indices->step[0], TENON_DTYPE_I64);
    if (row < 0 || row >= x->shape[0]) {
      snprintf(words, SIM_WORDS, "indices[%lld] is %lld; x has %lld rows", (long long)r,
               (long long)row, (long long)x->shape[0]);
      return TENON_E_DATA;
    }
    sim_view to = {.data = x->data + row * x->step[0]};
    sim_view from = {.data = values->data + r * values->step[0]};
    for (int32_t d = 1; d < x->rank; ++d) {
      add_dim(&to, x->shape[d], x->step[d]);
      add_dim(&from, x->shape[d], values->step[d]);
    }
    const sim_view* both[] = {&to, &from};
    for (sim_walk w = sim_walk_of(both, 2); w.left > 0; sim_walk_next(&w)) {
      const double sum = sim_get_real(w.data[0], x->dtype) + sim_get_real(w.data[1], x->dtype);
      sim_put_real(w.data[0], x->dtype, sum);
    }
  }
  return TENON_OK;
}
