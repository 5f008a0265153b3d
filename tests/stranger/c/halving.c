// SPDX-License-Identifier: Apache-2.0
// tests/stranger/c/halving.c: the schedule acme.halving: the base value, halved
// every `every` steps.
#include <float.h>
#include <math.h>

#include <unit.h>

static tenon_status advance(tenon_call* call, const tenon_value* hypers, double* states,
                            double base_value, const double* metric, double* out_value) {
  (void)call;
  (void)metric;
  *out_value = base_value * exp2(-floor(states[0] / (double)hypers[0].as.i64));
  states[0] += 1;
  return TENON_OK;
}

static const tenon_hyper_desc hypers[] = {{.name = TEXT("every"),
                                           .doc = TEXT("steps from one halving to the next"),
                                           .tag = TENON_VALUE_I64,
                                           .initial = 10,
                                           .minimum = 1,
                                           .maximum = 1e9}};
static const tenon_schedule_state_desc states[] = {
    {.name = TEXT("step"), .doc = TEXT("steps made")}};
static const tenon_schedule_desc schedules[] = {{
    .struct_size = sizeof(tenon_schedule_desc),
    .name = TEXT("acme.halving"),
    .doc = TEXT("The base value, halved every `every` steps."),
    .hypers = hypers,
    .states = states,
    .n_hypers = COUNT(hypers),
    .n_states = COUNT(states),
    .advance = advance,
}};

const unit halving_unit = {.schedules = schedules, .n_schedules = COUNT(schedules)};
