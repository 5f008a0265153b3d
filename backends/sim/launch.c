// SPDX-License-Identifier: Apache-2.0
// backends/sim/launch.c: what a launch must copy before it returns.
//
// The launch block, its shapes, strides, attributes and numbers live on the caller's stack and are
// gone when `launch` returns. A command therefore carries all of them after itself, in one block
// of memory, with addresses as the device sees them.
#include "sim.h"

#include <stdio.h>
#include <string.h>

// Room after the command, handed out from the front.
typedef struct room {
  char* at;
} room;

static void* place(room* r, const void* from, uint64_t bytes) {
  void* to = r->at;
  if (bytes) memcpy(to, from, bytes);
  r->at += (bytes + 15) / 16 * 16;
  return to;
}

static uint64_t attr_bytes(const tenon_value* attr) {
  if (attr->tag == TENON_VALUE_INT_LIST) return attr->count * sizeof(int64_t);
  return attr->tag == TENON_VALUE_STRING ? attr->count : 0;
}

static uint64_t room_needed(const tenon_launch* args) {
  const uint64_t views = args->slot_begin[args->n_slots];
  uint64_t bytes = sizeof(sim_launch) + (args->n_slots + 1) * sizeof(uint32_t) +
                   views * sizeof(sim_view) + args->n_attrs * sizeof(tenon_value);
  for (uint32_t i = 0; i < args->n_attrs; ++i) bytes += attr_bytes(&args->attrs[i]) + 16;
  return bytes + 5 * 16;
}

// The bytes that a view touches, and whether all of them are the device's own.
static int is_own(const sim_device* device, const tenon_view* view) {
  int64_t low = 0, high = 0;
  const int64_t size = sim_size(view->dtype);
  for (int32_t d = 0; d < view->rank; ++d) {
    if (view->shape[d] == 0) return 1;
    const int64_t reach = (view->shape[d] - 1) * view->strides[d] * size;
    *(reach < 0 ? &low : &high) += reach;
  }
  return sim_memory_owns(device, (char*)view->data + low, (uint64_t)(high - low + size));
}

static void place_view(const sim_device* device, const tenon_view* from, sim_view* to) {
  to->rank = from->rank;
  to->dtype = from->dtype;
  for (int32_t d = 0; d < from->rank; ++d) {
    to->shape[d] = from->shape[d];
    to->step[d] = from->strides[d] * (int64_t)sim_size(from->dtype);
  }
  if (from->flags & TENON_VIEW_HOST_SCALAR) {
    memcpy(&to->scalar, from->data, sim_size(from->dtype));
    to->data = (char*)&to->scalar;
  } else {
    to->data = sim_memory_at(device, from->data);
  }
}

static tenon_status launch_work(void* data, char words[SIM_WORDS]) {
  const sim_launch* l = data;
  return l->kernel->run(l, words);
}

tenon_status sim_launch_kernel(tenon_call* call, const tenon_launch* args) {
  static const char foreign[] = "a kernel of the simulated device was given memory of another one";
  sim_stream* stream = call->memory->stream(call);
  sim_device* device = sim_stream_device(stream);
  const uint32_t n_views = args->slot_begin[args->n_slots];
  for (uint32_t i = 0; i < n_views; ++i) {
    if (args->views[i].flags & TENON_VIEW_HOST_SCALAR) continue;
    if (!is_own(device, &args->views[i])) {
      return call->base->fail(call, TENON_E_INTERNAL, foreign, sizeof foreign - 1);
    }
  }
  sim_command* command = sim_command_create(launch_work, room_needed(args));
  if (!command) return TENON_E_MEMORY;
  room r = {(char*)command->data};
  sim_launch* l = place(&r, &(sim_launch){0}, sizeof *l);
  l->kernel = args->user;
  l->n_slots = args->n_slots;
  l->n_attrs = args->n_attrs;
  l->slot_begin = place(&r, args->slot_begin, (args->n_slots + 1) * sizeof(uint32_t));
  l->attrs = place(&r, args->attrs, args->n_attrs * sizeof(tenon_value));
  for (uint32_t i = 0; i < args->n_attrs; ++i) {
    tenon_value* attr = &l->attrs[i];
    if (attr_bytes(attr)) attr->as.string = place(&r, attr->as.string, attr_bytes(attr));
  }
  l->views = (sim_view*)r.at;
  for (uint32_t i = 0; i < n_views; ++i) place_view(device, &args->views[i], &l->views[i]);
  uint64_t scratch_bytes = 0;
  const void* scratch = call->memory->scratch(call, &scratch_bytes);
  if (scratch_bytes) l->scratch = sim_memory_at(device, scratch);
  return sim_stream_push(stream, command, SIM_FAULT_LAUNCH);
}

const sim_view* sim_slot(const sim_launch* l, uint32_t slot) {
  const uint32_t first = l->slot_begin[slot];
  return first == l->slot_begin[slot + 1] ? NULL : &l->views[first];
}
