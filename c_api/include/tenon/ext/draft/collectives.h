// SPDX-License-Identifier: Apache-2.0
// tenon/ext/draft/collectives.h: draft interface "tenon.collectives/1": engines that move memory
// among the processes of one program, for example MPI and NCCL. The conventions are those of
// tenon/plugin.h; programs use them through tenon/ext/draft/processes.h.
//
// An engine moves bytes, in order, one transfer at a time, and waits for each: what is asked of
// several processes at once, that all of them ask for the same, time-outs in the words of a
// program, transfers beside a computation, and sums with the same bits for any number of processes
// are the host's.
//
// A draft: outside the ABI's promise until it is moved to plugin.h (names and the id will not
// change).
#ifndef TENON_EXT_DRAFT_COLLECTIVES_H
#define TENON_EXT_DRAFT_COLLECTIVES_H

#include <tenon/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- What processes do together -----------------------------------------------------------------

// n is the number of processes of the group. `count` elements are sent or received by each process,
// as the comments say; parts lie in the order of the processes.
#define TENON_COLLECTIVE_SEND 0u        // from[count], to the process `peer`
#define TENON_COLLECTIVE_RECEIVE 1u     // to[count], from the process `peer`
#define TENON_COLLECTIVE_BROADCAST 2u   // to[count] of all is from[count] of `peer`
#define TENON_COLLECTIVE_ALL_GATHER 3u  // to[n * count] of all is from[count] of each
#define TENON_COLLECTIVE_ALL_TO_ALL 4u  // part p of to[n * count] is our part of p's from
#define TENON_COLLECTIVE_REDUCE_SCATTER \
  5u                                    // to[count] is the sum of our part of each from[n * count]
#define TENON_COLLECTIVE_ALL_REDUCE 6u  // to[count] of all is the sum of from[count] of each
#define TENON_COLLECTIVE_BARRIER 7u     // nothing is moved; not asked of an engine

// ---- For plugins --------------------------------------------------------------------------------

#define TENON_INTERFACE_COLLECTIVES "tenon.collectives/1"

typedef struct tenon_collective_option {
  tenon_string name;
  tenon_string doc;
  uint32_t tag;         // TENON_VALUE_STRING, I64, F64, BOOL, INT_LIST or FLOAT_LIST
  uint32_t required;    // 1: must be given; `initial` is then NONE
  tenon_value initial;  // taken if it is not given: of that tag, or NONE
} tenon_collective_option;

// The processes of a group, and which of them this one is. Frozen.
typedef struct tenon_members {
  int32_t rank;  // of this process, 0 to size - 1
  int32_t size;
} tenon_members;

// One transfer. Memory is row-major without gaps, on `device`, and does not overlap. Frozen.
typedef struct tenon_transfer_desc {
  uint32_t collective;  // TENON_COLLECTIVE_SEND to ALL_REDUCE
  int32_t peer;         // SEND, RECEIVE: the partner; BROADCAST: who has the data; else 0
  tenon_device device;
  tenon_dtype dtype;
  uint32_t reserved;  // 0
  int64_t count;
  const void* from;  // NULL if nothing is sent
  void* to;          // NULL if nothing is received
} tenon_transfer_desc;

// It sums: `run` is asked for REDUCE_SCATTER and ALL_REDUCE of every dtype that `sums` names. The
// host asks for them under the `fast` policy only, since the order of an engine's sums is its own.
#define TENON_COLLECTIVE_SUMS 1u

// `object` is what `create` or `split` made. All callbacks in state [data]. Those of one `create`,
// and of all that was split from it, come one at a time and from one thread, which is the host's
// and used for nothing else: they may block. Different creations have threads of their own.
typedef struct tenon_collective_desc {
  uint32_t struct_size;
  uint32_t flags;     // TENON_COLLECTIVE_SUMS
  tenon_string name;  // "tenon.mpi"
  tenon_string doc;
  // Kinds of devices whose memory `run` takes, separated by spaces: "host".
  tenon_string devices;
  // TENON_COLLECTIVE_SUMS: the dtypes it sums, separated by spaces: "f32 f64 i64".
  tenon_string sums;
  const tenon_collective_option* options;
  uint32_t n_options;
  uint32_t reserved;  // 0
  // Joins all processes of the program, and returns when they have joined.
  // values[n_options] in the order of `options`, types checked, initial values filled in;
  // timeout in milliseconds: TENON_E_TIMEOUT if somebody is missing after that long.
  tenon_status (*create)(tenon_call* call, const tenon_value* values, int64_t timeout,
                         void** out_object, tenon_members* out_members);
  // Leaves. Legal after a failure, and while other processes are gone; may not wait for them
  // without end.
  void (*release)(void* object);
  // Parts the processes: those that give the same color are a group, in the order of their keys,
  // and of their ranks where keys are equal. Called by all of them.
  tenon_status (*split)(tenon_call* call, void* object, int32_t color, int32_t key, int64_t timeout,
                        void** out_object, tenon_members* out_members);
  // Makes transfers[n] and returns when all of them are done: one that all processes of the group
  // take part in, or any number of SEND and RECEIVE, which go on side by side. Transfers between
  // two processes pass in the order of their lists. out_done[n], zeros at first: sets 1 for what is
  // done, also if others are not.
  // errors   TENON_E_TIMEOUT (after `timeout` milliseconds), TENON_E_PEER (a process is gone; the
  //          message has its rank), TENON_E_UNSUPPORTED. After an error nothing else is asked of
  //          the object, and memory of what is not done stays for as long as the process lives.
  tenon_status (*run)(tenon_call* call, void* object, const tenon_transfer_desc* transfers,
                      uint32_t n, int64_t timeout, uint8_t* out_done);
  // NULL: ending this process is all that is done, which the others see as one that is gone. Else
  // ends all processes of the program at once, this one too, with the exit status `status`, 1 to
  // 255, and may return where it cannot. Comes from any thread, also while another callback runs.
  void (*abort)(void* object, int32_t status);
} tenon_collective_desc;

typedef struct tenon_collectives_table {
  uint32_t struct_size;
  uint32_t count;
  const tenon_collective_desc* const* descs;
} tenon_collectives_table;

#ifdef __cplusplus
}
#endif

#endif  // TENON_EXT_DRAFT_COLLECTIVES_H
