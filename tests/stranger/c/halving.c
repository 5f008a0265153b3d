// SPDX-License-Identifier: Apache-2.0
// tests/stranger/c/halving.c: the schedule acme.halving: the base value, halved
// every `every` steps.
#include <float.h>
#include <math.h>

#include <tenon/sdk/plugin.h>

static tenon_status advance(tenon_call* call, const tenon_value* hypers, double* states,
                            double base_value, const double* metric, double* out_value) {
  (void)call;
  (void)metric;
  *out_value = base_value * exp2(-floor(states[0] / (double)hypers[0].as.i64));
  states[0] += 1;
  return TENON_OK;
}

static const tenon_hyper_desc hypers[] = {{.name = TN_TEXT("every"),
                                           .doc = TN_TEXT("steps from one halving to the next"),
                                           .tag = TENON_VALUE_I64,
                                           .initial = 10,
                                           .minimum = 1,
                                           .maximum = 1e9}};
static const tenon_schedule_state_desc states[] = {
    {.name = TN_TEXT("step"), .doc = TN_TEXT("steps made")}};
static const tenon_schedule_desc schedules[] = {{
    .struct_size = sizeof(tenon_schedule_desc),
    .name = TN_TEXT("acme.halving"),
    .doc = TN_TEXT("The base value, halved every `every` steps."),
    .hypers = hypers,
    .states = states,
    .n_hypers = TN_COUNT(hypers),
    .n_states = TN_COUNT(states),
    .advance = advance,
}};

TN_UNIT(halving) = {.schedules = TN_LIST(schedules)};
