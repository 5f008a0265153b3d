// SPDX-License-Identifier: Apache-2.0
// backends/sim/softmax.c: softmax, log_softmax, and the cross entropy of a classifier with its
// gradient. Formulas: plugins/ops/softmax; in double, rounded once.
#include "sim.h"

#include <math.h>
#include <stdio.h>

// Elements along one axis.
typedef struct line {
  char* data;
  int64_t step;
  int64_t count;
  tenon_dtype dtype;
} line;

static double get(const line* l, int64_t i) {
  return sim_get_real(l->data + i * l->step, l->dtype);
}
static void put(const line* l, int64_t i, double value) {
  sim_put_real(l->data + i * l->step, l->dtype, value);
}

// log(sum exp x) = largest + log(sum), if no exp can overflow. A NaN anywhere reaches the sum.
typedef struct normaliser {
  double largest, sum;
} normaliser;

static normaliser normaliser_of(const line* l) {
  normaliser norm = {get(l, 0), 0};
  for (int64_t i = 1; i < l->count; ++i) norm.largest = fmax(norm.largest, get(l, i));
  for (int64_t i = 0; i < l->count; ++i) norm.sum += exp(get(l, i) - norm.largest);
  return norm;
}

static tenon_status along_axis(const sim_launch* l, int logarithm) {
  sim_view in = *sim_slot(l, 0);
  sim_view out = *sim_slot(l, 1);
  const int32_t axis = sim_axis(l->attrs[0].as.i64, in.rank);
  const int64_t count = in.shape[axis];
  if (count == 0) return TENON_OK;
  in.shape[axis] = out.shape[axis] = 1;
  const sim_view* both[] = {&out, &in};
  for (sim_walk w = sim_walk_of(both, 2); w.left > 0; sim_walk_next(&w)) {
    const line to = {w.data[0], out.step[axis], count, out.dtype};
    const line from = {w.data[1], in.step[axis], count, in.dtype};
    const normaliser norm = normaliser_of(&from);
    for (int64_t i = 0; i < count; ++i) {
      const double x = get(&from, i) - norm.largest;
      put(&to, i, logarithm ? x - log(norm.sum) : exp(x) / norm.sum);
    }
  }
  return TENON_OK;
}

tenon_status sim_run_softmax(const sim_launch* l, char words[SIM_WORDS]) {
  (void)words;
  return along_axis(l, 0);
}

tenon_status sim_run_log_softmax(const sim_launch* l, char words[SIM_WORDS]) {
  (void)words;
  return along_axis(l, 1);
}

// ---- Cross entropy ------------------------------------------------------------------------------

static int64_t target_of(const sim_view* target, int64_t row) {
  return sim_get_integer(target->data + row * target->step[0], TENON_DTYPE_I64);
}

static line row_of(const sim_view* view, int64_t row) {
  return (line){view->data + row * view->step[0], view->step[1], view->shape[1], view->dtype};
}

// How many rows count; -1 with words where a target is not a class. The device is the first to see
// the numbers, so the host hears of it at a wait.
static int64_t counted_rows(const sim_view* target, int64_t classes, int64_t ignore,
                            char words[SIM_WORDS]) {
  int64_t count = 0;
  for (int64_t n = 0; n < target->shape[0]; ++n) {
    const int64_t class = target_of(target, n);
    if (class == ignore) continue;
    ++count;
    if (class >= 0 && class < classes) continue;
    snprintf(words, SIM_WORDS, "target[%lld] is %lld, which is not a class below %lld and not %lld",
             (long long)n, (long long)class, (long long)classes, (long long)ignore);
    return -1;
  }
  return count;
}

static double row_number(const sim_view* view, int64_t row) {
  return sim_get_real(view->data + row * view->step[0], view->dtype);
}
static void put_row_number(const sim_view* view, int64_t row, double value) {
  if (view) sim_put_real(view->data + row * view->step[0], view->dtype, value);
}

// Slots: logits, target, loss, top and top_prob (may be absent).
tenon_status sim_run_cross_entropy(const sim_launch* l, char words[SIM_WORDS]) {
  const sim_view* logits = sim_slot(l, 0);
  const sim_view* target = sim_slot(l, 1);
  const int64_t ignore = l->attrs[0].as.i64;
  const int64_t counted = counted_rows(target, logits->shape[1], ignore, words);
  if (counted < 0) return TENON_E_DATA;
  double sum = 0;
  for (int64_t n = 0; n < logits->shape[0]; ++n) {
    const line from = row_of(logits, n);
    const normaliser norm = normaliser_of(&from);
    const int64_t class = target_of(target, n);
    if (class != ignore) sum -= get(&from, class) - norm.largest - log(norm.sum);
    put_row_number(sim_slot(l, 3), n, isnan(norm.sum) ? norm.sum : norm.largest + 0.0);
    put_row_number(sim_slot(l, 4), n, 1 / norm.sum);
  }
  sim_put_real(sim_slot(l, 2)->data, logits->dtype, counted ? sum / (double)counted : 0);
  return TENON_OK;
}

// Slots: dy, logits, top, top_prob, target, dlogits.
tenon_status sim_run_cross_entropy_grad(const sim_launch* l, char words[SIM_WORDS]) {
  const sim_view* logits = sim_slot(l, 1);
  const sim_view* target = sim_slot(l, 4);
  const int64_t ignore = l->attrs[0].as.i64;
  const int64_t counted = counted_rows(target, logits->shape[1], ignore, words);
  if (counted < 0) return TENON_E_DATA;
  const double dy = sim_get_real(sim_slot(l, 0)->data, logits->dtype);
  const double scale = dy / (double)(counted ? counted : 1);
  for (int64_t n = 0; n < logits->shape[0]; ++n) {
    const line from = row_of(logits, n);
    const line to = row_of(sim_slot(l, 5), n);
    const int64_t class = target_of(target, n);
    const double top = row_number(sim_slot(l, 2), n);
    const double top_prob = row_number(sim_slot(l, 3), n);
    for (int64_t c = 0; c < from.count; ++c) {
      const double p = exp(get(&from, c) - top) * top_prob;
      put(&to, c, class == ignore ? 0 : (p - (c == class)) * scale);
    }
  }
  return TENON_OK;
}
