// SPDX-License-Identifier: Apache-2.0
// backends/sim/event.c: events: marks in a stream that others can wait for or ask about.
//
// Recording puts a command into the stream that raises `done`; the event is over once `done` has
// caught up with `recorded`. Commands hold the event, so that it may be released at any time.
#include "sim.h"

#include <stdlib.h>
#include <string.h>

typedef struct sim_event {
  atomic_int refs;
  pthread_mutex_t mutex;  // guards what follows
  pthread_cond_t moved;
  uint64_t recorded;
  uint64_t done;
} sim_event;

typedef struct mark {
  sim_event* event;
  uint64_t number;
} mark;

static void release(sim_event* event) {
  if (atomic_fetch_sub(&event->refs, 1) != 1) return;
  pthread_mutex_destroy(&event->mutex);
  pthread_cond_destroy(&event->moved);
  free(event);
  atomic_fetch_sub(&sim_live.events, 1);
}

static void drop_mark(void* data) { release(((mark*)data)->event); }

static tenon_status reach(void* data, char words[SIM_WORDS]) {
  (void)words;
  const mark* at = data;
  pthread_mutex_lock(&at->event->mutex);
  if (at->event->done < at->number) at->event->done = at->number;
  pthread_cond_broadcast(&at->event->moved);
  pthread_mutex_unlock(&at->event->mutex);
  return TENON_OK;
}

static tenon_status await(void* data, char words[SIM_WORDS]) {
  (void)words;
  const mark* at = data;
  pthread_mutex_lock(&at->event->mutex);
  while (at->event->done < at->number) pthread_cond_wait(&at->event->moved, &at->event->mutex);
  pthread_mutex_unlock(&at->event->mutex);
  return TENON_OK;
}

static tenon_status push_mark(sim_stream* stream, sim_event* event, uint64_t number,
                              sim_work work) {
  sim_command* command = sim_command_create(work, sizeof(mark));
  if (!command) return TENON_E_MEMORY;
  memcpy(command->data, &(mark){event, number}, sizeof(mark));
  command->drop = drop_mark;
  command->always = 1;  // whoever waits on a lost device must not wait for ever
  atomic_fetch_add(&event->refs, 1);
  return sim_stream_push(stream, command, SIM_FAULTS);
}

tenon_status sim_event_create(void* self, int32_t index, void** out_event) {
  const tenon_status status = sim_device_check(&((sim*)self)->devices[index]);
  if (status != TENON_OK) return status;
  sim_event* event = calloc(1, sizeof *event);
  if (!event) return TENON_E_MEMORY;
  atomic_store(&event->refs, 1);
  pthread_mutex_init(&event->mutex, NULL);
  pthread_cond_init(&event->moved, NULL);
  atomic_fetch_add(&sim_live.events, 1);
  *out_event = event;
  return TENON_OK;
}

void sim_event_release(void* self, int32_t index, void* event) {
  (void)self, (void)index;
  release(event);
}

tenon_status sim_event_record(void* self, int32_t index, void* given, void* stream) {
  sim_device* device = &((sim*)self)->devices[index];
  sim_event* event = given;
  sim_stream* queue = sim_stream_of(device, stream);
  if (!queue) return TENON_E_STATE;
  if (sim_fault_hits(device, SIM_FAULT_EVENT, NULL)) return TENON_E_DEVICE;
  pthread_mutex_lock(&event->mutex);
  const uint64_t number = event->recorded + 1;
  pthread_mutex_unlock(&event->mutex);
  const tenon_status status = push_mark(queue, event, number, reach);
  if (status != TENON_OK) return status;
  pthread_mutex_lock(&event->mutex);
  event->recorded = number;
  pthread_mutex_unlock(&event->mutex);
  return TENON_OK;
}

tenon_status sim_event_wait(void* self, int32_t index, void* given, void* stream) {
  sim_device* device = &((sim*)self)->devices[index];
  sim_event* event = given;
  sim_stream* queue = sim_stream_of(device, stream);
  if (!queue) return TENON_E_STATE;
  pthread_mutex_lock(&event->mutex);
  const uint64_t number = event->recorded;
  pthread_mutex_unlock(&event->mutex);
  return push_mark(queue, event, number, await);
}

tenon_status sim_event_query(void* self, int32_t index, void* given, uint32_t* out_done,
                             tenon_diag* diag) {
  sim_device* device = &((sim*)self)->devices[index];
  sim_event* event = given;
  const tenon_status status = sim_device_check(device);
  if (status != TENON_OK) return sim_say(diag, status, "the simulated device fell off the bus");
  pthread_mutex_lock(&event->mutex);
  *out_done = event->done >= event->recorded;
  pthread_mutex_unlock(&event->mutex);
  return TENON_OK;
}
