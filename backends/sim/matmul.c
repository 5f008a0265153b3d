// SPDX-License-Identifier: Apache-2.0
// backends/sim/matmul.c: C[m,n] = sum over k of A[m,k] B[k,n], in double (or 64 wrapping bits).
//
// Shapes are numpy.matmul's: a vector is a row on the left and a column on the right, and leading
// dimensions broadcast. One batch of B and one row of A are widened into scratch memory first,
// which `workspace` announced; scratch is the device's own and is used again by the next launch.
#include "sim.h"

#include <string.h>

typedef struct matrix {
  char* data;
  int64_t batch[TENON_MAX_RANK];  // steps, lined up with the output's batch dimensions
  int64_t row, column;            // steps
} matrix;

// `view` as a matrix: a vector has no rows (left operand) or no columns (right operand).
static matrix matrix_of(const sim_view* view, int own, int has_rows, int has_columns, int n_batch) {
  matrix m = {.data = view->data};
  const int batch = view->rank - own;
  for (int d = 0; d < batch; ++d) {
    m.batch[n_batch - batch + d] = view->shape[d] == 1 ? 0 : view->step[d];
  }
  if (has_columns) m.column = view->step[view->rank - 1];
  if (has_rows) m.row = view->step[batch];
  return m;
}

static const char* element(const matrix* m, int64_t row, int64_t column) {
  return m->data + row * m->row + column * m->column;
}

// One matrix product. `packed` holds k*n + k numbers of 8 bytes.
static void multiply(const matrix* a, const matrix* b, const matrix* c, const int64_t mnk[3],
                     tenon_dtype dtype, char* packed) {
  const int64_t m = mnk[0], n = mnk[1], k = mnk[2];
  const int real = sim_is_float(dtype);
  double* wide = (double*)packed;
  int64_t* whole = (int64_t*)packed;
  for (int64_t i = 0; i < k * n; ++i) {
    const char* from = element(b, i / n, i % n);
    if (real) wide[i] = sim_get_real(from, dtype);
    if (!real) whole[i] = sim_get_integer(from, dtype);
  }
  for (int64_t row = 0; row < m; ++row) {
    for (int64_t i = 0; i < k; ++i) {
      const char* from = element(a, row, i);
      if (real) wide[k * n + i] = sim_get_real(from, dtype);
      if (!real) whole[k * n + i] = sim_get_integer(from, dtype);
    }
    for (int64_t column = 0; column < n; ++column) {
      char* to = (char*)element(c, row, column);
      double sum = 0;
      uint64_t bits = 0;
      for (int64_t i = 0; i < k; ++i) {
        if (real) sum += wide[k * n + i] * wide[i * n + column];
        if (!real) bits += (uint64_t)whole[k * n + i] * (uint64_t)whole[i * n + column];
      }
      if (real) sim_put_real(to, dtype, sum);
      if (!real) sim_put_integer(to, dtype, (int64_t)bits);
    }
  }
}

tenon_status sim_run_matmul(const sim_launch* l, char words[SIM_WORDS]) {
  (void)words;
  const sim_view* a = sim_slot(l, 0);
  const sim_view* b = sim_slot(l, 1);
  const sim_view* c = sim_slot(l, 2);
  const int rows = a->rank > 1, columns = b->rank > 1;
  const int n_batch = c->rank - rows - columns;
  matrix left = matrix_of(a, 1 + rows, rows, 1, n_batch);
  matrix right = matrix_of(b, 1 + columns, 1, columns, n_batch);
  matrix out = matrix_of(c, rows + columns, rows, columns, n_batch);
  const int64_t mnk[3] = {rows ? a->shape[a->rank - 2] : 1, columns ? b->shape[b->rank - 1] : 1,
                          a->shape[a->rank - 1]};
  sim_view batches[3] = {{.data = out.data}, {.data = left.data}, {.data = right.data}};
  const matrix* matrices[3] = {&out, &left, &right};
  const sim_view* all[3];
  for (int i = 0; i < 3; ++i) {
    batches[i].rank = n_batch;
    memcpy(batches[i].shape, c->shape, sizeof c->shape);
    memcpy(batches[i].step, matrices[i]->batch, sizeof batches[i].step);
    all[i] = &batches[i];
  }
  for (int d = 0; d < n_batch; ++d) batches[0].step[d] = c->step[d];
  for (sim_walk w = sim_walk_of(all, 3); w.left > 0; sim_walk_next(&w)) {
    out.data = w.data[0];
    left.data = w.data[1];
    right.data = w.data[2];
    multiply(&left, &right, &out, mnk, c->dtype, l->scratch);
  }
  return TENON_OK;
}

tenon_status sim_matmul_workspace(tenon_call* call, const tenon_launch* args, uint64_t* out_bytes) {
  (void)call;
  const tenon_view* b = &args->views[args->slot_begin[1]];
  const int64_t k = b->shape[b->rank > 1 ? b->rank - 2 : 0];
  const int64_t n = b->rank > 1 ? b->shape[b->rank - 1] : 1;
  *out_bytes = (uint64_t)(k * n + k) * 8;
  return TENON_OK;
}
