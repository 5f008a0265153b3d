// SPDX-License-Identifier: Apache-2.0
// backends/sim/sim.h: the private header of the simulated device.
//
// Read in this order: memory.c (memory the host cannot touch), stream.c (work in order, on a thread
// of its own, and events), launch.c (what a launch must copy), faults.c (failures on demand), the
// kernels (kernels.c lists them), plugin.c (the tables). Where a real device has a driver, this one
// has a thread and a memcpy; what Tenon is told is the same.
#ifndef TENON_BACKENDS_SIM_SIM_H
#define TENON_BACKENDS_SIM_SIM_H

#include <pthread.h>
#include <stdatomic.h>
#include <tenon/plugin.h>

enum {
  SIM_DEVICES = 2,
  SIM_ARENA_BYTES = 64 << 20,  // the memory of one device
  SIM_ALIGNMENT = 64,
  SIM_WORDS = 160,      // bytes of a failure's words
  SIM_QUEUE = 4096,     // commands a stream takes before its host waits, as rings of drivers do
  SIM_PINNED = 1 << 26  // bytes of pinned host memory in all
};

#define SIM_TEXT(literal) \
  { literal, sizeof(literal) - 1 }

// ---- The plugin's own object: one for each runtime ----------------------------------------------

typedef struct sim_stream sim_stream;

// What can be made to go wrong; faults.c has their names.
enum {
  SIM_FAULT_LAUNCH,
  SIM_FAULT_COPY,
  SIM_FAULT_ALLOC,
  SIM_FAULT_PINNED,
  SIM_FAULT_EVENT,
  SIM_FAULT_DELAY,
  SIM_FAULT_LOST,
  SIM_FAULTS
};
typedef struct sim_fault {
  int64_t after;  // how many pass first
  int64_t count;  // how many it then hits
  int64_t microseconds;
} sim_fault;

typedef struct sim_device {
  int32_t index;
  int pid;        // of the process that owns the threads
  char* address;  // what is given out: reserved, and out of the host's reach
  char* bytes;    // the same memory as the device sees it
  atomic_int lost;
  pthread_mutex_t mutex;  // guards what follows
  struct sim_block* blocks;
  sim_fault faults[SIM_FAULTS];
  sim_stream* default_stream;
} sim_device;

typedef struct sim {
  sim_device devices[SIM_DEVICES];
  char why_none[SIM_WORDS];  // why there are no devices; empty if there are
} sim;

// Live objects of all runtimes of the process, for tests of leaks.
typedef struct sim_counts {
  atomic_llong streams, events, blocks, bytes, pinned, commands;
} sim_counts;
extern sim_counts sim_live;

// ---- memory.c -----------------------------------------------------------------------------------

// 0, or -1 with the system's words in `words`.
int sim_memory_create(sim_device* device, char words[SIM_WORDS]);
void sim_memory_release(sim_device* device);
// Where the device finds the byte with that address.
char* sim_memory_at(const sim_device* device, const void* address);
// 1 where [address, address + bytes) lies in the device's memory.
int sim_memory_owns(const sim_device* device, const void* address, uint64_t bytes);
tenon_status sim_alloc(void* self, int32_t index, uint64_t bytes, void** out_data);
void sim_free(void* self, int32_t index, void* data, uint64_t bytes);
tenon_status sim_pinned_alloc(void* self, uint64_t bytes, void** out_data);
void sim_pinned_free(void* self, void* data, uint64_t bytes);

// ---- stream.c -----------------------------------------------------------------------------------

// Runs on the stream's thread. A failure's words go to `words`.
typedef tenon_status (*sim_work)(void* data, char words[SIM_WORDS]);

typedef struct sim_command {
  struct sim_command* next;
  sim_work work;
  void (*drop)(void* data);  // or NULL; called once, whether or not `work` ran
  int64_t microseconds;      // slept before the work
  tenon_status fault;        // reported in place of the work
  int always;                // also on a lost device
  _Alignas(16) unsigned char data[];
} sim_command;

// A command with `bytes` of zeroed data; NULL if host memory ran out.
sim_command* sim_command_create(sim_work work, uint64_t bytes);
// Takes over `command`, in every case. `fault` is SIM_FAULT_LAUNCH or COPY, or SIM_FAULTS for none.
tenon_status sim_stream_push(sim_stream* stream, sim_command* command, int fault);
sim_device* sim_stream_device(sim_stream* stream);
// The stream behind what Tenon hands over: NULL is the device's default one.
sim_stream* sim_stream_of(sim_device* device, void* stream);

tenon_status sim_stream_create(void* self, int32_t index, void** out_stream);
void sim_stream_release(void* self, int32_t index, void* stream);
tenon_status sim_stream_wait(void* self, int32_t index, void* stream, tenon_diag* diag);
tenon_status sim_copy(void* self, int32_t index, void* stream, uint32_t direction,
                      void* destination, const void* source, uint64_t bytes);

// ---- event.c ------------------------------------------------------------------------------------

tenon_status sim_event_create(void* self, int32_t index, void** out_event);
void sim_event_release(void* self, int32_t index, void* event);
tenon_status sim_event_record(void* self, int32_t index, void* event, void* stream);
tenon_status sim_event_wait(void* self, int32_t index, void* event, void* stream);
tenon_status sim_event_query(void* self, int32_t index, void* event, uint32_t* out_done,
                             tenon_diag* diag);

// ---- faults.c -----------------------------------------------------------------------------------

// Counts one occasion; 1 where the fault hits. Out: its microseconds, where `out` is not NULL.
int sim_fault_hits(sim_device* device, int fault, int64_t* out_microseconds);
// TENON_E_DEVICE_LOST if the device is lost, or is another process's.
tenon_status sim_device_check(const sim_device* device);
// Words of a diag.
tenon_status sim_say(tenon_diag* diag, tenon_status status, const char* words);

extern const tenon_op_desc* const sim_ops[2];
extern const tenon_selftest_table sim_selftest;
tenon_status sim_inject_launch(tenon_call* call, const tenon_launch* args);
tenon_status sim_live_launch(tenon_call* call, const tenon_launch* args);

// ---- launch.c -----------------------------------------------------------------------------------

// One operand as a kernel sees it: addresses of the device, steps in bytes.
typedef struct sim_view {
  char* data;
  int32_t rank;
  tenon_dtype dtype;
  int64_t shape[TENON_MAX_RANK];
  int64_t step[TENON_MAX_RANK];
  uint64_t scalar;  // the number itself, where the operand was one
} sim_view;

// A launch's own copy of all that it needs: nothing of the caller's may be read later.
typedef struct sim_launch {
  const struct sim_kernel* kernel;
  uint32_t* slot_begin;
  sim_view* views;
  tenon_value* attrs;
  char* scratch;
  uint32_t n_slots, n_attrs;
} sim_launch;

typedef tenon_status (*sim_run)(const sim_launch* l, char words[SIM_WORDS]);

// What kernels of one family differ in; `user` of the descriptor.
typedef struct sim_kernel {
  sim_run run;
  double (*real)(double a, double b);
  int64_t (*integer)(int64_t a, int64_t b);
} sim_kernel;

// The `launch` of every kernel: copies the block and enqueues it.
tenon_status sim_launch_kernel(tenon_call* call, const tenon_launch* args);
// The first operand of a slot, or NULL.
const sim_view* sim_slot(const sim_launch* l, uint32_t slot);

// ---- values.c -----------------------------------------------------------------------------------

uint32_t sim_size(tenon_dtype dtype);
int sim_is_float(tenon_dtype dtype);
double sim_get_real(const char* from, tenon_dtype dtype);
int64_t sim_get_integer(const char* from, tenon_dtype dtype);
void sim_put_real(char* to, tenon_dtype dtype, double value);      // rounds once, to nearest even
void sim_put_integer(char* to, tenon_dtype dtype, int64_t value);  // wraps

enum { SIM_OPERANDS = 4 };
// Walks the elements of up to four operands together, in row-major order of their one shape:
//   for (sim_walk w = sim_walk_of(views, n); w.left > 0; sim_walk_next(&w)) ...
// with `data[i]` at operand i's element.
typedef struct sim_walk {
  int64_t left;  // elements still to come, this one counted
  char* data[SIM_OPERANDS];
  int32_t rank;
  int n;
  int64_t shape[TENON_MAX_RANK];
  int64_t at[TENON_MAX_RANK];
  int64_t step[SIM_OPERANDS][TENON_MAX_RANK];
} sim_walk;
sim_walk sim_walk_of(const sim_view* const* views, int n);
void sim_walk_next(sim_walk* walk);
int64_t sim_count(const sim_view* view);
// The axis of an attribute, which Tenon has checked: negative ones count from the end.
int32_t sim_axis(int64_t axis, int32_t rank);

// ---- kernels.c and the kernels ------------------------------------------------------------------

const tenon_kernels_table* sim_kernels(void);

tenon_status sim_run_copy(const sim_launch* l, char words[SIM_WORDS]);
tenon_status sim_run_fill(const sim_launch* l, char words[SIM_WORDS]);
tenon_status sim_run_cast(const sim_launch* l, char words[SIM_WORDS]);
tenon_status sim_run_reshape(const sim_launch* l, char words[SIM_WORDS]);
tenon_status sim_run_unary(const sim_launch* l, char words[SIM_WORDS]);
tenon_status sim_run_binary(const sim_launch* l, char words[SIM_WORDS]);
tenon_status sim_run_where(const sim_launch* l, char words[SIM_WORDS]);
tenon_status sim_run_add_scaled(const sim_launch* l, char words[SIM_WORDS]);
tenon_status sim_run_sum(const sim_launch* l, char words[SIM_WORDS]);
tenon_status sim_run_mean(const sim_launch* l, char words[SIM_WORDS]);
tenon_status sim_run_max(const sim_launch* l, char words[SIM_WORDS]);
tenon_status sim_run_argmax(const sim_launch* l, char words[SIM_WORDS]);
tenon_status sim_run_sum_to(const sim_launch* l, char words[SIM_WORDS]);
tenon_status sim_run_rows_add(const sim_launch* l, char words[SIM_WORDS]);
tenon_status sim_run_matmul(const sim_launch* l, char words[SIM_WORDS]);
tenon_status sim_matmul_workspace(tenon_call* call, const tenon_launch* args, uint64_t* out_bytes);
tenon_status sim_run_softmax(const sim_launch* l, char words[SIM_WORDS]);
tenon_status sim_run_log_softmax(const sim_launch* l, char words[SIM_WORDS]);
tenon_status sim_run_cross_entropy(const sim_launch* l, char words[SIM_WORDS]);
tenon_status sim_run_cross_entropy_grad(const sim_launch* l, char words[SIM_WORDS]);

#endif  // TENON_BACKENDS_SIM_SIM_H
