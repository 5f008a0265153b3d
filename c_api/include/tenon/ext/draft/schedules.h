// SPDX-License-Identifier: Apache-2.0
// tenon/ext/draft/schedules.h: draft interface "tenon.schedules/1": values that change from step to
// step, for example a learning rate. The conventions are those of tenon/tenon.h.
//
// A schedule knows no optimizer: it gives one number for each step, which the program passes on,
// with tenon_optimizer_set or otherwise.
//
// A draft: outside the ABI's promise until it is moved to plugin.h and tenon.h (names and the id
// will not change).
#ifndef TENON_EXT_DRAFT_SCHEDULES_H
#define TENON_EXT_DRAFT_SCHEDULES_H

#include <tenon/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- For plugins --------------------------------------------------------------------------------

#define TENON_INTERFACE_SCHEDULES "tenon.schedules/1"

// A flag of a schedule's tenon_hyper_desc: it must be given when a schedule is created.
#define TENON_HYPER_REQUIRED 2u

// One number that a schedule remembers between two steps.
typedef struct tenon_schedule_state_desc {
  tenon_string name;
  tenon_string doc;
  double initial;
} tenon_schedule_state_desc;

// Hyper-parameters have tag F64, I64, BOOL, or INT_LIST: then each number lies in the stated range
// and the default is the empty list. Flags 0 or TENON_HYPER_REQUIRED; there are no dynamic ones.
typedef struct tenon_schedule_desc {
  uint32_t struct_size;
  uint32_t flags;     // 0
  tenon_string name;  // "tenon.cosine"
  tenon_string doc;
  const tenon_hyper_desc* hypers;
  const tenon_schedule_state_desc* states;
  uint32_t n_hypers;
  uint32_t n_states;
  // Gives the value of the next step and advances the state, by these arguments alone: hypers
  // [n_hypers] and states[n_states] in the order of the lists above, `base_value` as the schedule
  // was created with, finite; `metric` what the program has measured, NULL if it gave nothing.
  // If it fails the host keeps the states as they were. The host tries the first step when a
  // schedule is created, so that hyper-parameters that do not fit each other are refused there.
  // state [infer]
  tenon_status (*advance)(tenon_call* call, const tenon_value* hypers, double* states,
                          double base_value, const double* metric, double* out_value);
} tenon_schedule_desc;

typedef struct tenon_schedules_table {
  uint32_t struct_size;
  uint32_t count;
  const tenon_schedule_desc* const* descs;
} tenon_schedules_table;

// ---- For programs -------------------------------------------------------------------------------

typedef struct tenon_schedule tenon_schedule;

// Creates a schedule by its registered name, before its first step.
// base_value     what the schedule scales: for most the value without a schedule, see its doc
// names, values  hyper-parameters that differ from their defaults, copied
// memory   *out_schedule is the caller's; tenon_schedule_release
// threads  [one thread per context]          state  [any]
// errors   TENON_E_NOT_FOUND, TENON_E_ATTRIBUTE (unknown, wrong type, out of range, required and
//          missing, or not fitting another), TENON_E_ARGUMENT (base_value is not finite)
// since    draft 1
TENON_EXPORT tenon_status tenon_schedule_create(tenon_context* context, const char* name,
                                                uint64_t name_length, double base_value,
                                                const tenon_string* names,
                                                const tenon_value* values, uint32_t n_values,
                                                tenon_schedule** out_schedule);

// Ends a schedule. Legal with NULL and on any thread.
// since    draft 1
TENON_EXPORT void tenon_schedule_release(tenon_schedule* schedule);

// The value of the next step: the first call gives that of step 0. Call it before each step (or
// epoch, whatever the schedule is to count) and use the value in that step.
// metric   what was measured in the step before, for schedules that look at it; NULL: nothing
// threads  [one thread per context]          state  [any]
// errors   those of the schedule (TENON_E_STATE if it has no further step); then its state is
//          as it was
// since    draft 1
TENON_EXPORT tenon_status tenon_schedule_run(tenon_context* context, tenon_schedule* schedule,
                                             const double* metric, double* out_value);

// A number the schedule remembers, by name. A schedule that was created like another one and has
// the same state gives the same values from there on. The runtime query "schedules" names the
// states of every schedule.
// threads  [one thread per context]          state  [any]
// errors   TENON_E_NOT_FOUND
// since    draft 1
TENON_EXPORT tenon_status tenon_schedule_get_state(tenon_context* context, tenon_schedule* schedule,
                                                   const char* name, uint64_t name_length,
                                                   double* out_value);
TENON_EXPORT tenon_status tenon_schedule_set_state(tenon_context* context, tenon_schedule* schedule,
                                                   const char* name, uint64_t name_length,
                                                   double value);

#ifdef __cplusplus
}
#endif

#endif  // TENON_EXT_DRAFT_SCHEDULES_H
