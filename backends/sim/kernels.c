// SPDX-License-Identifier: Apache-2.0
// backends/sim/kernels.c: which ops the device runs, with which dtypes and layouts.
//
// COPY must take any strides on both sides; with COPY and FILL a device can hold data, with CAST,
// ADD and SUM_TO it can do autograd. Everything else is one op after the other: what is not here
// runs through the op's composition, or is refused with the reasons.
#include <tenon/ext/draft/narrow.h>

#include "sim.h"

#include <math.h>

// ---- What the families differ in ----------------------------------------------------------------

static double real_add(double a, double b) { return a + b; }
static double real_sub(double a, double b) { return a - b; }
static double real_mul(double a, double b) { return a * b; }
static double real_div(double a, double b) { return a / b; }
static double real_max(double a, double b) { return a < b || isnan(b) ? b : a; }
static double real_eq(double a, double b) { return a == b; }
static double real_lt(double a, double b) { return a < b; }
static double real_neg(double x, double same) { return (void)same, -x; }
static double real_exp(double x, double same) { return (void)same, exp(x); }
static double real_log(double x, double same) { return (void)same, log(x); }
static double real_sqrt(double x, double same) { return (void)same, sqrt(x); }
static double real_tanh(double x, double same) { return (void)same, tanh(x); }
static double real_sigmoid(double x, double same) { return (void)same, 1 / (1 + exp(-x)); }
static double real_relu(double x, double same) { return (void)same, x < 0 ? 0 : x; }
static double real_isfinite(double x, double same) { return (void)same, isfinite(x) != 0; }

// Integers wrap: unsigned arithmetic, whose low bits are the result's.
static int64_t whole_add(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }
static int64_t whole_sub(int64_t a, int64_t b) { return (int64_t)((uint64_t)a - (uint64_t)b); }
static int64_t whole_mul(int64_t a, int64_t b) { return (int64_t)((uint64_t)a * (uint64_t)b); }
static int64_t whole_max(int64_t a, int64_t b) { return a < b ? b : a; }
static int64_t whole_eq(int64_t a, int64_t b) { return a == b; }
static int64_t whole_lt(int64_t a, int64_t b) { return a < b; }
static int64_t whole_neg(int64_t x, int64_t same) { return (void)same, (int64_t)(0 - (uint64_t)x); }
static int64_t whole_relu(int64_t x, int64_t same) { return (void)same, x < 0 ? 0 : x; }
static int64_t whole_isfinite(int64_t x, int64_t same) { return (void)x, (void)same, 1; }

// ---- Layouts and dtypes -------------------------------------------------------------------------

// Any layout goes: every kernel walks strides and moves bytes. Elementwise inputs also take
// numbers.
#define ANY_LAYOUT TENON_LAYOUT_STRIDED, TENON_SLOT_NEGATIVE_STRIDE | TENON_SLOT_UNALIGNED
#define NUMBER \
  { TENON_SLOT_IN, ANY_LAYOUT | TENON_SLOT_ZERO_STRIDE | TENON_SLOT_HOST_SCALAR, 0 }
#define IN \
  { TENON_SLOT_IN, ANY_LAYOUT | TENON_SLOT_ZERO_STRIDE, 0 }
#define INOUT \
  { TENON_SLOT_INOUT, ANY_LAYOUT, 0 }
#define OUT \
  { TENON_SLOT_OUT, ANY_LAYOUT, 0 }
static const tenon_slot_rule fill_slots[] = {OUT};
static const tenon_slot_rule unary_slots[] = {NUMBER, OUT};
static const tenon_slot_rule binary_slots[] = {NUMBER, NUMBER, OUT};
static const tenon_slot_rule ternary_slots[] = {NUMBER, NUMBER, NUMBER, OUT};
static const tenon_slot_rule map_slots[] = {IN, OUT};
static const tenon_slot_rule sum_slots[] = {
    {TENON_SLOT_IN, ANY_LAYOUT | TENON_SLOT_ZERO_STRIDE | TENON_SLOT_NARROW, 0}, OUT};
static const tenon_slot_rule rows_add_slots[] = {INOUT, IN, IN};
static const tenon_slot_rule matmul_slots[] = {IN, IN, OUT};
static const tenon_slot_rule loss_slots[] = {IN, IN, OUT, OUT, OUT};
static const tenon_slot_rule loss_grad_slots[] = {NUMBER, IN, IN, IN, IN, OUT};

#define FLOATS TENON_DTYPE_F16, TENON_DTYPE_BF16, TENON_DTYPE_F32, TENON_DTYPE_F64
#define INTEGERS TENON_DTYPE_U8, TENON_DTYPE_I8, TENON_DTYPE_I16, TENON_DTYPE_I32, TENON_DTYPE_I64
#define TO_ALL(from)                                                                               \
  from, TENON_DTYPE_BOOL, from, TENON_DTYPE_U8, from, TENON_DTYPE_I8, from, TENON_DTYPE_I16, from, \
      TENON_DTYPE_I32, from, TENON_DTYPE_I64, from, TENON_DTYPE_F16, from, TENON_DTYPE_BF16, from, \
      TENON_DTYPE_F32, from, TENON_DTYPE_F64
static const tenon_dtype all_rows[] = {TENON_DTYPE_BOOL, INTEGERS, FLOATS};
static const tenon_dtype number_rows[] = {INTEGERS, FLOATS};
static const tenon_dtype wide_rows[] = {TENON_DTYPE_I64, FLOATS};
static const tenon_dtype float_rows[] = {FLOATS};
static const tenon_dtype cast_rows[] = {TO_ALL(TENON_DTYPE_BOOL), TO_ALL(TENON_DTYPE_U8),
                                        TO_ALL(TENON_DTYPE_I8),   TO_ALL(TENON_DTYPE_I16),
                                        TO_ALL(TENON_DTYPE_I32),  TO_ALL(TENON_DTYPE_I64),
                                        TO_ALL(TENON_DTYPE_F16),  TO_ALL(TENON_DTYPE_BF16),
                                        TO_ALL(TENON_DTYPE_F32),  TO_ALL(TENON_DTYPE_F64)};

// ---- The list -----------------------------------------------------------------------------------

// `launch` only enqueues, so everything may be replayed from a plan and nothing waits; addresses
// and counts are 64 bits wide. CANONICAL is said where results are the op's bits.
#define PLAIN (TENON_KERNEL_CAPTURE_SAFE | TENON_KERNEL_INDEX_64)
#define EXACT (PLAIN | TENON_KERNEL_CANONICAL)

// X(op, slots, rows, variables, attributes, flags, run, real, integer)
#define KERNELS(X)                                                                                 \
  X(copy, unary_slots, all_rows, 1, 0, EXACT, sim_run_copy, NULL, NULL)                            \
  X(full, fill_slots, all_rows, 1, 3, EXACT, sim_run_fill, NULL, NULL)                             \
  X(cast, unary_slots, cast_rows, 2, 1, EXACT, sim_run_cast, NULL, NULL)                           \
  X(reshape, map_slots, all_rows, 1, 1, EXACT, sim_run_reshape, NULL, NULL)                        \
  X(add, binary_slots, number_rows, 1, 0, EXACT, sim_run_binary, real_add, whole_add)              \
  X(sub, binary_slots, number_rows, 1, 0, EXACT, sim_run_binary, real_sub, whole_sub)              \
  X(mul, binary_slots, number_rows, 1, 0, EXACT, sim_run_binary, real_mul, whole_mul)              \
  X(div, binary_slots, float_rows, 1, 0, EXACT, sim_run_binary, real_div, NULL)                    \
  X(maximum, binary_slots, number_rows, 1, 0, EXACT, sim_run_binary, real_max, whole_max)          \
  X(eq, binary_slots, all_rows, 1, 0, EXACT, sim_run_binary, real_eq, whole_eq)                    \
  X(lt, binary_slots, all_rows, 1, 0, EXACT, sim_run_binary, real_lt, whole_lt)                    \
  X(where, ternary_slots, all_rows, 1, 0, EXACT, sim_run_where, NULL, NULL)                        \
  X(addcmul, ternary_slots, float_rows, 1, 1, EXACT, sim_run_add_scaled, real_mul, NULL)           \
  X(addcdiv, ternary_slots, float_rows, 1, 1, EXACT, sim_run_add_scaled, real_div, NULL)           \
  X(neg, unary_slots, number_rows, 1, 0, EXACT, sim_run_unary, real_neg, whole_neg)                \
  X(relu, unary_slots, number_rows, 1, 0, EXACT, sim_run_unary, real_relu, whole_relu)             \
  X(exp, unary_slots, float_rows, 1, 0, PLAIN, sim_run_unary, real_exp, NULL)                      \
  X(log, unary_slots, float_rows, 1, 0, PLAIN, sim_run_unary, real_log, NULL)                      \
  X(sqrt, unary_slots, float_rows, 1, 0, EXACT, sim_run_unary, real_sqrt, NULL)                    \
  X(tanh, unary_slots, float_rows, 1, 0, PLAIN, sim_run_unary, real_tanh, NULL)                    \
  X(sigmoid, unary_slots, float_rows, 1, 0, PLAIN, sim_run_unary, real_sigmoid, NULL)              \
  X(isfinite, unary_slots, all_rows, 1, 0, EXACT, sim_run_unary, real_isfinite, whole_isfinite)    \
  X(sum, sum_slots, wide_rows, 1, 2, PLAIN, sim_run_sum, NULL, NULL)                               \
  X(mean, map_slots, float_rows, 1, 2, PLAIN, sim_run_mean, NULL, NULL)                            \
  X(max, map_slots, all_rows, 1, 2, EXACT, sim_run_max, NULL, NULL)                                \
  X(argmax, map_slots, all_rows, 1, 2, EXACT, sim_run_argmax, NULL, NULL)                          \
  X(sum_to, map_slots, number_rows, 1, 1, PLAIN, sim_run_sum_to, NULL, NULL)                       \
  X(rows_add, rows_add_slots, float_rows, 1, 0, EXACT, sim_run_rows_add, NULL, NULL)               \
  X(softmax, map_slots, float_rows, 1, 1, PLAIN, sim_run_softmax, NULL, NULL)                      \
  X(log_softmax, map_slots, float_rows, 1, 1, PLAIN, sim_run_log_softmax, NULL, NULL)              \
  X(softmax_cross_entropy, loss_slots, float_rows, 1, 1, PLAIN, sim_run_cross_entropy, NULL, NULL) \
  X(softmax_cross_entropy_grad, loss_grad_slots, float_rows, 1, 1, PLAIN,                          \
    sim_run_cross_entropy_grad, NULL, NULL)

#define LENGTH(list) (sizeof(list) / sizeof *(list))
#define DESCRIPTOR(name, slot_list, row_list, variables, attributes, kernel_flags, run, real, \
                   integer)                                                                   \
  static const sim_kernel name##_kernel = {run, real, integer};                               \
  static const tenon_kernel_desc name##_desc = {.struct_size = sizeof(tenon_kernel_desc),     \
                                                .flags = kernel_flags,                        \
                                                .op = SIM_TEXT("tenon." #name),               \
                                                .device = SIM_TEXT("sim"),                    \
                                                .revision = 1,                                \
                                                .slots = slot_list,                           \
                                                .dtype_rows = row_list,                       \
                                                .n_slots = LENGTH(slot_list),                 \
                                                .n_attrs = attributes,                        \
                                                .n_rows = LENGTH(row_list) / (variables),     \
                                                .n_variables = variables,                     \
                                                .launch = sim_launch_kernel,                  \
                                                .user = (void*)&name##_kernel};
KERNELS(DESCRIPTOR)

// The one kernel that asks for scratch memory.
static const sim_kernel matmul_kernel = {.run = sim_run_matmul};
static const tenon_kernel_desc matmul_desc = {.struct_size = sizeof(tenon_kernel_desc),
                                              .flags = PLAIN,
                                              .op = SIM_TEXT("tenon.matmul"),
                                              .device = SIM_TEXT("sim"),
                                              .revision = 1,
                                              .slots = matmul_slots,
                                              .dtype_rows = number_rows,
                                              .n_slots = LENGTH(matmul_slots),
                                              .n_rows = LENGTH(number_rows),
                                              .n_variables = 1,
                                              .workspace = sim_matmul_workspace,
                                              .launch = sim_launch_kernel,
                                              .user = (void*)&matmul_kernel};

// These two act when they are launched, so a plan could not repeat them.
static const tenon_slot_rule live_slots[] = {OUT};
static const tenon_kernel_desc inject_desc = {.struct_size = sizeof(tenon_kernel_desc),
                                              .flags = 0,
                                              .op = SIM_TEXT("sim.inject"),
                                              .device = SIM_TEXT("sim"),
                                              .revision = 1,
                                              .n_attrs = 4,
                                              .launch = sim_inject_launch};
static const tenon_kernel_desc live_desc = {.struct_size = sizeof(tenon_kernel_desc),
                                            .flags = 0,
                                            .op = SIM_TEXT("sim.live"),
                                            .device = SIM_TEXT("sim"),
                                            .revision = 1,
                                            .slots = live_slots,
                                            .n_slots = LENGTH(live_slots),
                                            .n_attrs = 1,
                                            .launch = sim_live_launch};

#define ADDRESS(name, ...) &name##_desc,
static const tenon_kernel_desc* const kernels[] = {KERNELS(ADDRESS) & matmul_desc, &inject_desc,
                                                   &live_desc};
// The elements are pointers.  NOLINTNEXTLINE(bugprone-sizeof-expression)
static const tenon_kernels_table table = {sizeof table, LENGTH(kernels), kernels};

const tenon_kernels_table* sim_kernels(void) { return &table; }
