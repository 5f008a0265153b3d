// SPDX-License-Identifier: Apache-2.0
// backends/sim/faults.c: failures on demand, and what is alive: the ops sim.inject and sim.live.
//
// Ops, so that every language can call them; they run on the context's device. Failures of launches
// and copies are met by the stream's thread and noticed by the next wait, as a real device's are.
#include "sim.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char* const fault_names[SIM_FAULTS] = {"launch", "copy",  "alloc", "pinned",
                                                    "event",  "delay", "lost"};

int sim_fault_hits(sim_device* device, int fault, int64_t* out_microseconds) {
  int hits = 0;
  if (device->pid != getpid()) return 0;
  pthread_mutex_lock(&device->mutex);
  sim_fault* armed = &device->faults[fault];
  if (armed->count > 0) {
    if (armed->after > 0) {
      --armed->after;
    } else {
      --armed->count;
      hits = 1;
      if (out_microseconds) *out_microseconds = armed->microseconds;
    }
  }
  pthread_mutex_unlock(&device->mutex);
  return hits;
}

tenon_status sim_device_check(const sim_device* device) {
  const int foreign = device->pid != getpid();
  return foreign || atomic_load(&device->lost) ? TENON_E_DEVICE_LOST : TENON_OK;
}

tenon_status sim_say(tenon_diag* diag, tenon_status status, const char* words) {
  diag->status = status;
  diag->length = snprintf(diag->message, sizeof diag->message, "%s", words);
  return status;
}

static int is_text(const tenon_value* value, const char* text) {
  return value->count == strlen(text) && memcmp(value->as.string, text, value->count) == 0;
}

// ---- sim.inject ---------------------------------------------------------------------------------

static int fault_of(const tenon_value* what) {
  int fault = 0;
  while (fault < SIM_FAULTS && !is_text(what, fault_names[fault])) ++fault;
  return fault;
}

static tenon_status inject_infer(tenon_call* call, const tenon_launch* args, tenon_meta* out,
                                 uint32_t n_outputs) {
  (void)out, (void)n_outputs;
  static const char* const numbers[] = {"", "after", "count", "microseconds"};
  if (fault_of(&args->attrs[0]) == SIM_FAULTS) {
    return call->base->fail_detail(call, TENON_E_ATTRIBUTE, "there is no such fault", "what",
                                   "launch, copy, alloc, pinned, event, delay or lost", "another",
                                   "`tenon explain sim.inject` says what each does");
  }
  for (int i = 1; i <= 3; ++i) {
    if (args->attrs[i].as.i64 >= 0) continue;
    return call->base->fail_detail(call, TENON_E_ATTRIBUTE, "is below 0", numbers[i], "0 or more",
                                   "a negative number", NULL);
  }
  return TENON_OK;
}

tenon_status sim_inject_launch(tenon_call* call, const tenon_launch* args) {
  sim_device* device = sim_stream_device(call->memory->stream(call));
  const int fault = fault_of(&args->attrs[0]);
  const sim_fault armed = {args->attrs[1].as.i64, args->attrs[2].as.i64, args->attrs[3].as.i64};
  pthread_mutex_lock(&device->mutex);
  device->faults[fault] = armed;
  pthread_mutex_unlock(&device->mutex);
  return TENON_OK;
}

static const tenon_op_desc inject = {
    .struct_size = sizeof(tenon_op_desc),
    .flags = TENON_OP_EFFECT,
    .name = SIM_TEXT("sim.inject"),
    .schema =
        SIM_TEXT("inject(*, what: str, after: int=0, count: int=1, microseconds: int=0) -> ()"),
    .doc = SIM_TEXT(
        "Makes the context's simulated device fail: lets `after` occasions of `what` pass, then "
        "hits `count` of them. A new call for the same `what` replaces the old one; `count=0` "
        "takes it back.\n\n"
        "- `launch`, `copy`: the work is not done; a later wait reports it.\n"
        "- `alloc`: the request for device memory is refused.\n"
        "- `pinned`: the request for pinned memory is refused (of device 0, for all devices).\n"
        "- `event`: recording an event fails.\n"
        "- `delay`: the launch or copy takes `microseconds` longer.\n"
        "- `lost`: the launch or copy finds the device lost, and so does all that follows.\n\n"
        "Source: none; for tests."),
    .revision = 1,
    .shape_rule = TENON_SHAPE_CALLBACK,
    .infer = inject_infer,
};

// ---- sim.live -----------------------------------------------------------------------------------

static atomic_llong* count_of(const tenon_value* what) {
  const struct {
    const char* name;
    atomic_llong* count;
  } counts[] = {{"streams", &sim_live.streams}, {"events", &sim_live.events},
                {"blocks", &sim_live.blocks},   {"bytes", &sim_live.bytes},
                {"pinned", &sim_live.pinned},   {"commands", &sim_live.commands}};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
    if (is_text(what, counts[i].name)) return counts[i].count;
  }
  return NULL;
}

static tenon_status live_infer(tenon_call* call, const tenon_launch* args, tenon_meta* out,
                               uint32_t n_outputs) {
  (void)out, (void)n_outputs;  // one number, as it was preset
  if (count_of(&args->attrs[0])) return TENON_OK;
  return call->base->fail_detail(call, TENON_E_ATTRIBUTE, "there is no such count", "what",
                                 "streams, events, blocks, bytes, pinned or commands", "another",
                                 NULL);
}

typedef struct live_data {
  char* to;
  int64_t count;
} live_data;

static tenon_status live_work(void* data, char words[SIM_WORDS]) {
  (void)words;
  const live_data* live = data;
  memcpy(live->to, &live->count, sizeof live->count);
  return TENON_OK;
}

tenon_status sim_live_launch(tenon_call* call, const tenon_launch* args) {
  sim_stream* stream = call->memory->stream(call);
  const int64_t count = atomic_load(count_of(&args->attrs[0]));  // before this command
  sim_command* command = sim_command_create(live_work, sizeof(live_data));
  if (!command) return TENON_E_MEMORY;
  char* to = sim_memory_at(sim_stream_device(stream), args->views[0].data);
  memcpy(command->data, &(live_data){to, count}, sizeof(live_data));
  return sim_stream_push(stream, command, SIM_FAULTS);
}

static const tenon_op_desc live = {
    .struct_size = sizeof(tenon_op_desc),
    .flags = TENON_OP_EFFECT,
    .name = SIM_TEXT("sim.live"),
    .schema = SIM_TEXT("live(*, what: str) -> i64[]"),
    .doc = SIM_TEXT("How many `streams`, `events`, memory `blocks`, `bytes` of them, `pinned` "
                    "bytes or `commands` of simulated devices are alive in this process, in all "
                    "runtimes together, when the op is called.\n\nSource: none; for tests."),
    .revision = 1,
    .shape_rule = TENON_SHAPE_CALLBACK,
    .infer = live_infer,
};

const tenon_op_desc* const sim_ops[2] = {&inject, &live};

// A fault of which none comes does nothing.
static const tenon_sample samples[] = {
    {SIM_TEXT("sim.inject"), SIM_TEXT("| what=\"launch\", count=0"), {NULL, 0}, TENON_OK, 1},
    {SIM_TEXT("sim.inject"), SIM_TEXT("| what=\"dragons\""), SIM_TEXT("there is no such fault"),
     TENON_E_ATTRIBUTE, 1},
    {SIM_TEXT("sim.inject"), SIM_TEXT("| what=\"launch\", after=-1"), SIM_TEXT("is below 0"),
     TENON_E_ATTRIBUTE, 1},
    {SIM_TEXT("sim.live"), SIM_TEXT("| what=\"streams\""), {NULL, 0}, TENON_OK, 1},
    {SIM_TEXT("sim.live"), SIM_TEXT("| what=\"dragons\""), SIM_TEXT("there is no such count"),
     TENON_E_ATTRIBUTE, 1},
};
const tenon_selftest_table sim_selftest = {sizeof sim_selftest, sizeof samples / sizeof *samples,
                                           samples};
