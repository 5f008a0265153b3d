// SPDX-License-Identifier: Apache-2.0
// tenon/ext/draft/processes.h: draft: groups of processes, and what they send each other. The
// conventions are those of tenon/tenon.h. Engines register by "tenon.collectives/1"
// (tenon/ext/draft/collectives.h).
//
//   tenon_group* world;
//   tenon_group_create(context, "tenon.mpi", TENON_NUL, NULL, NULL, 0, 0, &world);
//   tenon_transfer_request sum = {sizeof sum, 0, TENON_COLLECTIVE_ALL_REDUCE, 0, x, x};
//   const tenon_transfer_request* requests = &sum;
//   tenon_transfer* transfer;
//   tenon_group_begin(context, world, &requests, 1, 0, &transfer);
//   ...                                     // computes meanwhile
//   tenon_transfer_end(context, transfer);  // x is the sum of all processes' x
//   tenon_transfer_release(transfer);
//
// All processes of a group make the same transfers in the same order. Before anything moves, each
// tells the others what it is about to do: a collective, dtype or shape that differs is an error in
// all of them, which names a rank and what it does; one that does not come is named when the time
// is over. A mismatch changes nothing and the group goes on; after a time-out, or if a process is
// gone, the group is of no more use: every later transfer is TENON_E_STATE.
//
// A process that has released its group, or has ended in order, has left: the others are told in
// their next transfer, TENON_E_PEER, and the group is of no more use. What is still held when the
// process ends is left then, by exit() and the return of main(); if the exit status is not 0, all
// are ended. Engines may wait for the others when the last group is left, as MPI does.
//
// Sums. A context in canonical arithmetic adds in a fixed order, a tree over the ranks: neighbours
// first, ((0+1)+(2+3))+((4+5)+(6+7)). So a program that cuts its batch into shards and adds shards
// of one process by the same tree gets the same bits from 1, 2, 4 and 8 processes. In `fast`
// arithmetic an engine that sums does it in its own order.
//
// The ops tenon.all_reduce, tenon.all_gather, tenon.reduce_scatter, tenon.all_to_all and
// tenon.broadcast do the same at once, with gradients, also in captured steps. They take a group by
// its number; 0 is always there: this process alone.
//
// A draft: outside the ABI's promise until it is moved to tenon.h (names will not change).
#ifndef TENON_EXT_DRAFT_PROCESSES_H
#define TENON_EXT_DRAFT_PROCESSES_H

#include <tenon/ext/draft/collectives.h>
#include <tenon/tenon.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tenon_group tenon_group;
typedef struct tenon_transfer tenon_transfer;

// Joins all processes of the program, through a registered engine, and returns when they have
// joined. The runtime query "collectives" names the engines, with their options.
// names, values  [n_values] options, copied
// timeout  milliseconds that a transfer of the group may take, and the joining, too, up to 2^31 -
// 1;
//          0: ten minutes
// memory   *out_group is the caller's; tenon_group_release
// threads  [one thread per context]          state  [any but capture]
// errors   TENON_E_NOT_FOUND (no such engine), TENON_E_ATTRIBUTE, TENON_E_TIMEOUT (somebody has not
//          come), TENON_E_PLUGIN (the engine's library is missing), and the engine's own
// since    draft 2
TENON_EXPORT tenon_status tenon_group_create(tenon_context* context, const char* name,
                                             uint64_t name_length, const tenon_string* names,
                                             const tenon_value* values, uint32_t n_values,
                                             int64_t timeout, tenon_group** out_group);

// Leaves the group, after the transfers that were begun; transfers that are held stay readable. The
// others are told when the last of all groups that were split from one is released. Legal with NULL
// and on any thread.
// since    draft 2
TENON_EXPORT void tenon_group_release(tenon_group* group);

// Parts a group: processes that give the same color are a new one, in the order of their keys, and
// of their ranks where keys are equal. All processes of `group` call it, as a transfer.
// color    0 or more
// memory   *out_group is the caller's; it may outlive `group`
// threads  [one thread per context]          state  [any but capture]
// errors   TENON_E_ARGUMENT (color), TENON_E_TIMEOUT, TENON_E_PEER, TENON_E_STATE
// since    draft 2
TENON_EXPORT tenon_status tenon_group_split(tenon_context* context, tenon_group* group,
                                            int32_t color, int32_t key, tenon_group** out_group);

// Ends all processes of the program, for a failure that is for all of them: writes "tenon: rank 2
// of 4: WORDS" to the standard error, asks the engine to end the others, and ends this process.
// Nothing is left in order, no output is flushed. Where the engine cannot end others they see that
// this process is gone. Returns with an error alone.
// status   1 to 255: the exit status
// words    what has happened; "" is nothing
// threads  [one thread per context], also while transfers are under way       state  [any]
// errors   TENON_E_ARGUMENT (status), TENON_E_STATE (a forked process)
// since    draft 2
TENON_EXPORT tenon_status tenon_group_abort(tenon_context* context, tenon_group* group,
                                            int32_t status, const char* words,
                                            uint64_t words_length);

// What a group has sent so far, and who is in it. The callee writes no more than the caller's
// struct_size.
typedef struct tenon_group_info {
  uint32_t struct_size;
  uint32_t flags;        // 0
  int64_t number;        // for ops; counts from 1 in a runtime, and is not used again
  int32_t rank;          // of this process, 0 to size - 1
  int32_t size;          // processes
  int64_t transfers;     // that have ended well
  int64_t bytes_sent;    // of data, to other processes, by the transfers that have ended well
  int64_t bytes_agreed;  // the same of what was told to agree on them
} tenon_group_info;
TENON_EXPORT tenon_status tenon_group_get_info(tenon_context* context, tenon_group* group,
                                               tenon_group_info* out_info);

// One transfer of this process. n is the group's size; inputs and outputs are of one dtype and on
// one device whose kind the engine takes, in any layout.
//   collective      input      output        notes
//   SEND            [...]      NULL          to `peer`
//   RECEIVE         NULL       [...]         from `peer`
//   BROADCAST       [...]      [...]         input: NULL but at `peer`; the output may be the input
//   ALL_GATHER      [...]      [n, ...]      row r is the input of rank r
//   ALL_TO_ALL      [n, ...]   [n, ...]      row r is our row of rank r's input
//   REDUCE_SCATTER  [n, ...]   [...]         the sum of our row of all inputs
//   ALL_REDUCE      [...]      [...]         the sum of all inputs; the output may be the input
//   BARRIER         NULL       NULL
typedef struct tenon_transfer_request {
  uint32_t struct_size;
  uint32_t flags;       // 0
  uint32_t collective;  // TENON_COLLECTIVE_*
  int32_t peer;         // SEND, RECEIVE, BROADCAST; else 0
  tenon_tensor* input;
  tenon_tensor* output;
} tenon_transfer_request;

// Begins a transfer, or any number of SEND and RECEIVE that go on side by side, and returns at
// once. Transfers of a group, and of all groups that were split from one, run in the order in which
// they were begun. Nothing is recorded: gradients do not flow through it; the ops do that.
// timeout  milliseconds from when its turn comes; 0: the group's
// memory   holds the tensors; *out_transfer is the caller's. Until the transfer has ended inputs
//          may not be written, and outputs neither written nor read.
// threads  [one thread per context]          state  [any but capture]
// errors   TENON_E_ARGUMENT (peer, collective, no request, several that are not SEND or RECEIVE, a
//          tensor that is missing or not wanted), TENON_E_SHAPE, TENON_E_DTYPE, TENON_E_DEVICE,
//          TENON_E_ALIAS (an output that overlaps itself or an input), TENON_E_STATE (the group has
//          failed), TENON_E_CAPTURE
// since    draft 2
TENON_EXPORT tenon_status tenon_group_begin(tenon_context* context, tenon_group* group,
                                            const tenon_transfer_request* const* requests,
                                            uint32_t n_requests, int64_t timeout,
                                            tenon_transfer** out_transfer);

// Waits until a transfer has ended. Again: tells the same again.
// threads  [one thread per context]          state  [any but capture]
// errors   TENON_E_TIMEOUT, TENON_E_PEER, TENON_E_SHAPE, TENON_E_DTYPE (another process does
//          otherwise), TENON_E_STATE (an earlier transfer has failed), TENON_E_INTERRUPTED (the
//          transfer goes on), and the engine's own
// since    draft 2
TENON_EXPORT tenon_status tenon_transfer_end(tenon_context* context, tenon_transfer* transfer);

// Whether a transfer has ended, well or not: *out_ended is 1 or 0.
// since    draft 2
TENON_EXPORT tenon_status tenon_transfer_get_ended(tenon_context* context, tenon_transfer* transfer,
                                                   uint32_t* out_ended);

// Gives a transfer back; one that has not ended goes on. Legal with NULL and on any thread.
// since    draft 2
TENON_EXPORT void tenon_transfer_release(tenon_transfer* transfer);

// ---- For plugins --------------------------------------------------------------------------------

// What a host of this draft answers to get_interface(host, TENON_HOST_PROCESSES, ...): groups for
// ops, by their numbers. An older one answers NULL.
#define TENON_HOST_PROCESSES "tenon.host.processes/1"
typedef struct tenon_host_processes {
  uint32_t struct_size;
  uint32_t flags;  // 0
  // Who is in group `number`.
  // state    any
  // errors   TENON_E_ATTRIBUTE (no such group)
  tenon_status (*members)(tenon_call* call, int64_t number, tenon_members* out_members);
  // One transfer, from begin to end: from and to are row-major, as tenon_transfer_request says of
  // input and output; NULL if nothing is sent or received.
  // state    [launch]
  // errors   those of tenon_group_begin and tenon_transfer_end
  tenon_status (*run)(tenon_call* call, int64_t number, uint32_t collective, int32_t peer,
                      const tenon_view* from, const tenon_view* to);
  // The same, if all processes give the same words: what is made of the data, which the data does
  // not say, for example "reduction: mean". Else TENON_E_PEER in all, with both. Not for SEND and
  // RECEIVE. Later than the others: a host whose struct_size ends before it has none.
  tenon_status (*run_alike)(tenon_call* call, int64_t number, uint32_t collective, int32_t peer,
                            const tenon_view* from, const tenon_view* to, tenon_string alike);
} tenon_host_processes;

#ifdef __cplusplus
}
#endif

#endif  // TENON_EXT_DRAFT_PROCESSES_H
