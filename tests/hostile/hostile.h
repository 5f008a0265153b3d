// SPDX-License-Identifier: Apache-2.0
// tests/hostile/hostile.h: a complete and good plugin, of which each case spoils one thing. C11 and
// C++20.
//
// It registers one of everything: the ops hostile.twice, hostile.step and hostile.finite (role
// isfinite), a kernel on cpu, the device kind "hostile" with the kernels it must have, a backward
// rule, an optimizer, a dataset, samples and a tolerance. All of it may be written, and the
// descriptors are followed by a tail of zeros, so a case changes what it likes:
//
//   // An op that says it has no bytes.
//   // refused: op 0: struct_size is 0; at least {tenon_op_desc} is needed
//   CASE(op_size_zero) { twice_op.desc.struct_size = 0; }
//
// case_file.h says which directives a case may hold. A library holds many cases; the variable
// TENON_HOSTILE_CASE of the environment names the one that it is to be, if any.
#ifndef TENON_TESTS_HOSTILE_H
#define TENON_TESTS_HOSTILE_H

#include <tenon/ext/draft/datasets.h>
#include <tenon/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

// CASE(<name>) { ... }: what the case does in each query, when everything below is in order again.
// The linker makes one list of all entries in a section.
typedef struct hostile_case {
  const char* name;
  void (*spoil)(void);
} hostile_case;
#define IN_LIST __attribute__((used, section("hostile_cases")))
#define CASE(name)                                                  \
  static void name(void);                                           \
  IN_LIST static const hostile_case name##_in_list = {#name, name}; \
  static void name(void)

extern tenon_plugin answer;        // what the query hands out when the case returns
extern tenon_plugin* query_out;    // where to
extern tenon_diag* query_diag;     // the host's
extern tenon_status query_status;  // what the query returns

// Read by the runner: init and release must be balanced.
TENON_EXPORT extern int hostile_inits;
TENON_EXPORT extern int hostile_releases;

#define TEXT(literal) \
  { literal, sizeof(literal) - 1 }

tenon_string text_of(const char* bytes);
tenon_status say(tenon_diag* diag, tenon_status status, const char* words);

// An op as the good ones are made.
#define TAIL 16
typedef struct long_op {
  tenon_op_desc desc;
  unsigned char tail[TAIL];
} long_op;
void set_op(long_op* op, const char* name, const char* schema, uint32_t shape_rule);

typedef struct long_kernel {
  tenon_kernel_desc desc;
  unsigned char tail[TAIL];
} long_kernel;
typedef struct long_rule {
  tenon_vjp_desc desc;
  unsigned char tail[TAIL];
} long_rule;
typedef struct long_optimizer {
  tenon_optimizer_desc desc;
  unsigned char tail[TAIL];
} long_optimizer;
typedef struct long_dataset {
  tenon_dataset_desc desc;
  unsigned char tail[TAIL];
} long_dataset;
typedef struct long_tolerance {
  tenon_tolerance desc;
  unsigned char tail[TAIL];
} long_tolerance;
typedef struct long_optimizer_sample {
  tenon_optimizer_sample desc;
  unsigned char tail[TAIL];
} long_optimizer_sample;
typedef struct long_backend {
  tenon_backend_table table;
  unsigned char tail[TAIL];
} long_backend;

extern long_op twice_op, step_op, finite_op;
extern long_kernel twice_kernel, copy_kernel, full_kernel;
extern long_rule twice_rule;
extern long_optimizer sgd;
extern long_dataset numbers;
extern long_tolerance tolerance;
extern long_optimizer_sample sgd_run;
extern long_backend backend;

#define ROOM 12  // for what a case adds
extern tenon_sample samples[ROOM];
extern tenon_slot_rule twice_slots[TENON_MAX_SLOTS + 1], copy_slots[2], full_slots[1];
extern tenon_dtype float_rows[ROOM];
extern tenon_vjp_need twice_needs[ROOM];
extern tenon_hyper_desc hypers[2];
extern tenon_state_desc states[1];
extern tenon_dataset_option options[1];

extern const tenon_op_desc* ops[ROOM];
extern const tenon_kernel_desc* kernels[ROOM];
extern const tenon_vjp_desc* rules[ROOM];
extern const tenon_optimizer_desc* optimizers[ROOM];
extern const tenon_dataset_desc* datasets[ROOM];
extern const tenon_tolerance* tolerances[ROOM];
extern const tenon_optimizer_sample* sgd_runs[ROOM];
extern tenon_ops_table ops_table;
extern tenon_kernels_table kernels_table;
extern tenon_vjps_table rules_table;
extern tenon_optimizers_table optimizers_table;
extern tenon_datasets_table datasets_table;
extern tenon_selftest_table samples_table;
extern tenon_tolerances_table tolerances_table;
extern tenon_optimizer_samples_table sgd_runs_table;

// What get_interface answers.
#define N_INTERFACES 9
typedef struct hostile_interface {
  const char* id;
  const void* table;
} hostile_interface;
extern hostile_interface interfaces[N_INTERFACES];

#ifdef __cplusplus
}
#endif

#endif  // TENON_TESTS_HOSTILE_H
