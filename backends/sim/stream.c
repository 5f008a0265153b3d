// SPDX-License-Identifier: Apache-2.0
// backends/sim/stream.c: work in order, on a thread of its own.
//
// A stream is a queue of commands and one thread that takes them in order. Pushing returns at once.
// The first failure since the last wait is kept with its words, and what is queued after it still
// runs, as on real devices: it may compute nonsense, which nobody looks at, because the wait fails.
#define _GNU_SOURCE
#include "sim.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct sim_stream {
  sim_device* device;
  pthread_t thread;
  pthread_mutex_t mutex;  // guards what follows
  pthread_cond_t pushed;  // for the thread
  pthread_cond_t done;    // for those who wait
  sim_command* first;
  sim_command* last;
  uint64_t n_pushed;
  uint64_t n_done;
  int stop;
  tenon_status failure;
  char words[SIM_WORDS];
};

sim_command* sim_command_create(sim_work work, uint64_t bytes) {
  sim_command* command = calloc(1, sizeof *command + bytes);
  if (command) {
    command->work = work;
    atomic_fetch_add(&sim_live.commands, 1);
  }
  return command;
}

static void drop(sim_command* command) {
  if (command->drop) command->drop(command->data);
  free(command);
  atomic_fetch_sub(&sim_live.commands, 1);
}

static void sleep_for(int64_t microseconds) {
  struct timespec left = {microseconds / 1000000, microseconds % 1000000 * 1000};
  while (nanosleep(&left, &left) != 0) continue;
}

// Without the stream's lock.
static tenon_status run(sim_stream* stream, sim_command* command, char words[SIM_WORDS]) {
  const int lost = atomic_load(&stream->device->lost);
  if (command->microseconds > 0 && !lost) sleep_for(command->microseconds);
  if (lost && !command->always) return TENON_OK;  // the wait says that the device is lost
  if (command->fault != TENON_OK) {
    snprintf(words, SIM_WORDS, "an injected failure");
    return command->fault;
  }
  return command->work(command->data, words);
}

static void* stream_main(void* user) {
  sim_stream* stream = user;
  pthread_mutex_lock(&stream->mutex);
  for (;;) {
    while (!stream->first && !stream->stop) pthread_cond_wait(&stream->pushed, &stream->mutex);
    sim_command* command = stream->first;
    if (!command) break;
    stream->first = command->next;
    if (!stream->first) stream->last = NULL;
    pthread_mutex_unlock(&stream->mutex);
    char words[SIM_WORDS] = "";
    const tenon_status status = run(stream, command, words);
    drop(command);
    pthread_mutex_lock(&stream->mutex);
    if (status != TENON_OK && stream->failure == TENON_OK) {
      stream->failure = status;
      memcpy(stream->words, words, sizeof words);
    }
    ++stream->n_done;
    pthread_cond_broadcast(&stream->done);
  }
  pthread_mutex_unlock(&stream->mutex);
  return NULL;
}

sim_device* sim_stream_device(sim_stream* stream) { return stream->device; }

tenon_status sim_stream_push(sim_stream* stream, sim_command* command, int fault) {
  sim_device* device = stream->device;
  if (!command) return TENON_E_MEMORY;
  if (!command->always && sim_fault_hits(device, SIM_FAULT_LOST, NULL)) {
    atomic_store(&device->lost, 1);
  }
  const tenon_status status = sim_device_check(device);
  if (status != TENON_OK) {
    if (device->pid == getpid()) drop(command);
    return status;
  }
  if (fault != SIM_FAULTS) {
    if (sim_fault_hits(device, fault, NULL)) command->fault = TENON_E_DEVICE;
    sim_fault_hits(device, SIM_FAULT_DELAY, &command->microseconds);
  }
  pthread_mutex_lock(&stream->mutex);
  while (stream->n_pushed - stream->n_done >= SIM_QUEUE) {
    pthread_cond_wait(&stream->done, &stream->mutex);
  }
  if (stream->last) {
    stream->last->next = command;
  } else {
    stream->first = command;
  }
  stream->last = command;
  ++stream->n_pushed;
  pthread_cond_signal(&stream->pushed);
  pthread_mutex_unlock(&stream->mutex);
  return TENON_OK;
}

sim_stream* sim_stream_of(sim_device* device, void* stream) {
  if (stream) return stream;
  pthread_mutex_lock(&device->mutex);
  sim_stream* known = device->default_stream;
  pthread_mutex_unlock(&device->mutex);
  return known;
}

static sim_stream* start(sim_device* device) {
  sim_stream* stream = calloc(1, sizeof *stream);
  if (!stream) return NULL;
  stream->device = device;
  pthread_mutex_init(&stream->mutex, NULL);
  pthread_cond_init(&stream->pushed, NULL);
  pthread_cond_init(&stream->done, NULL);
  // Signals are for the program's threads.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int failed = pthread_create(&stream->thread, NULL, stream_main, stream);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (failed) {
    free(stream);
    return NULL;
  }
  atomic_fetch_add(&sim_live.streams, 1);
  return stream;
}

// The first stream made is what NULL stands for, until it is released.
tenon_status sim_stream_create(void* self, int32_t index, void** out_stream) {
  sim_device* device = &((sim*)self)->devices[index];
  const tenon_status status = sim_device_check(device);
  if (status != TENON_OK) return status;
  sim_stream* stream = start(device);
  if (!stream) return TENON_E_MEMORY;
  pthread_mutex_lock(&device->mutex);
  if (!device->default_stream) device->default_stream = stream;
  pthread_mutex_unlock(&device->mutex);
  *out_stream = stream;
  return TENON_OK;
}

// Finishes what is queued, then joins the thread. In a forked child there is no thread to join.
void sim_stream_release(void* self, int32_t index, void* given) {
  (void)self, (void)index;
  sim_stream* stream = given;
  sim_device* device = stream->device;
  if (device->pid != getpid()) return;
  pthread_mutex_lock(&stream->mutex);
  stream->stop = 1;
  pthread_cond_signal(&stream->pushed);
  pthread_mutex_unlock(&stream->mutex);
  pthread_join(stream->thread, NULL);
  pthread_mutex_lock(&device->mutex);
  if (device->default_stream == stream) device->default_stream = NULL;
  pthread_mutex_unlock(&device->mutex);
  pthread_mutex_destroy(&stream->mutex);
  pthread_cond_destroy(&stream->pushed);
  pthread_cond_destroy(&stream->done);
  free(stream);
  atomic_fetch_sub(&sim_live.streams, 1);
}

tenon_status sim_stream_wait(void* self, int32_t index, void* given, tenon_diag* diag) {
  sim_device* device = &((sim*)self)->devices[index];
  if (device->pid != getpid()) {
    return sim_say(diag, TENON_E_DEVICE_LOST, "the process was forked; its devices stay behind");
  }
  sim_stream* stream = sim_stream_of(device, given);
  if (!stream) return TENON_OK;
  pthread_mutex_lock(&stream->mutex);
  const uint64_t target = stream->n_pushed;
  while (stream->n_done < target) pthread_cond_wait(&stream->done, &stream->mutex);
  const tenon_status failure = stream->failure;
  char words[SIM_WORDS];
  memcpy(words, stream->words, sizeof words);
  stream->failure = TENON_OK;
  pthread_mutex_unlock(&stream->mutex);
  if (atomic_load(&device->lost)) {
    return sim_say(diag, TENON_E_DEVICE_LOST, "the simulated device fell off the bus");
  }
  return failure == TENON_OK ? TENON_OK : sim_say(diag, failure, words);
}

// ---- Raw copies ---------------------------------------------------------------------------------

typedef struct copy_data {
  char* to;
  const char* from;
  uint64_t bytes;
} copy_data;

static tenon_status copy_work(void* data, char words[SIM_WORDS]) {
  (void)words;
  const copy_data* copy = data;
  memcpy(copy->to, copy->from, copy->bytes);
  return TENON_OK;
}

tenon_status sim_copy(void* self, int32_t index, void* stream, uint32_t direction,
                      void* destination, const void* source, uint64_t bytes) {
  sim_device* device = &((sim*)self)->devices[index];
  const int from_device = direction != TENON_COPY_TO_DEVICE;
  const int to_device = direction != TENON_COPY_TO_HOST;
  if (direction > TENON_COPY_ON_DEVICE || from_device != sim_memory_owns(device, source, bytes) ||
      to_device != sim_memory_owns(device, destination, bytes)) {
    return TENON_E_ARGUMENT;
  }
  sim_stream* queue = sim_stream_of(device, stream);
  if (!queue) return TENON_E_STATE;
  sim_command* command = sim_command_create(copy_work, sizeof(copy_data));
  if (!command) return TENON_E_MEMORY;
  copy_data* copy = (copy_data*)command->data;
  copy->to = to_device ? sim_memory_at(device, destination) : destination;
  copy->from = from_device ? sim_memory_at(device, source) : source;
  copy->bytes = bytes;
  return sim_stream_push(queue, command, SIM_FAULT_COPY);
}
