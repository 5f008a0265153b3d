// SPDX-License-Identifier: Apache-2.0
// tenon/ext/draft/data_parallel.h: draft: one training step by several processes, each of which has
// a part of the batch. The conventions are those of tenon/tenon.h.
//
//   tenon_data_parallel_options options = {sizeof options, 0, 8, 0, NULL, 0, 0};
//   tenon_data_parallel_create_for_layer(context, group, model, &options, &parallel);
//   for each step:
//     for shard = 0 ... n_shards - 1 (those of this process, in order):
//       tenon_data_parallel_begin(context, parallel, shard);
//       ... loss, the mean over the samples of that shard ...
//       tenon_data_parallel_end(context, parallel, loss);
//     tenon_optimizer_run(context, optimizer, TENON_OPTIMIZER_CLEAR_GRAD);
//
// A batch is cut into a stated number of shards, and each process computes some: of S shards and n
// processes those from rank * S / n on. After the last one's `end` each parameter has the gradient
// of the mean of all shards' losses, the same bits in every process. In canonical arithmetic they
// are the same for 1, 2, 4 and 8 processes with the same S: gradients are added by one tree over
// the shards, inside a process first. What that costs a process that has several shards: a backward
// for each, and memory for log2 of their number gradients more.
//
//  - Gradients travel in buckets, from the third step on in the order in which backward makes them;
//    a bucket leaves while the backward of the last shard still runs.
//  - A gradient is rows if no shard of the step has given all of it: the rows of all shards, in the
//    order of the shards. Else it is dense, as in one backward of the whole batch.
//  - A parameter that no shard has used has no gradient, as with one process.
//  - Buffers, such as running statistics: each shard begins with those of the step's begin, and
//    they end as the mean over shards; those of integers end as the last shard of a process has
//    them.
//  - Random numbers of shard s in step t are those of stream 2^32 + s, from counter t * 2^32 on,
//    whichever process draws them.
//
// What decides a step is told with its first transfer, and is the same in all processes, else it is
// TENON_E_PEER in all of them, with both values: the step's number, the seed, which parameters
// require gradients, the optimizers over them with their hyper-parameters, loaders that are shared
// by as many shards with where they are, and the last clipping.
//
// In a capture the same calls are recorded: sums are launches of the step, of the parameters that
// some process has used in the capture. The random numbers of
// shard s are then those of stream 2^32 + s from the context's counter on, as it is when the plan
// runs; one run moves it by what the shard draws that draws most. All processes begin the capture
// with one seed and counter; else it is TENON_E_PEER.
//
// A draft: outside the ABI's promise until it is moved to tenon.h (names will not change).
#ifndef TENON_EXT_DRAFT_DATA_PARALLEL_H
#define TENON_EXT_DRAFT_DATA_PARALLEL_H

#include <tenon/ext/draft/layers.h>
#include <tenon/ext/draft/processes.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tenon_data_parallel tenon_data_parallel;

typedef struct tenon_data_parallel_options {
  uint32_t struct_size;
  uint32_t flags;                // 0
  int64_t shards;                // of a batch, by all processes; 0: one for each process
  int64_t bucket_bytes;          // of gradients that travel together; 0: 1 MiB
  tenon_tensor* const* buffers;  // [n_buffers]
  uint32_t n_buffers;
  uint32_t reserved;  // 0
} tenon_data_parallel_options;

// Gives parameters and buffers the values that rank 0 has, and checks that all processes have the
// same then. All processes of the group call it, with the same options and the same parameters in
// the same order.
// group    NULL: this process alone
// params   [n_params] leaves that require gradients, on devices whose memory the engine takes
// options  NULL: the defaults
// memory   holds group, parameters and buffers; *out_parallel is the caller's
// threads  [one thread per context]          state  [any but capture]
// errors   TENON_E_ARGUMENT (no parameters, a parameter twice, shards that the processes cannot
//          share: as many for each, and a power of two), TENON_E_GRAD (not a leaf that requires a
//          gradient), TENON_E_DEVICE, and those of transfers
// since    draft 2
TENON_EXPORT tenon_status tenon_data_parallel_create(tenon_context* context, tenon_group* group,
                                                     tenon_tensor* const* params, uint32_t n_params,
                                                     const tenon_data_parallel_options* options,
                                                     tenon_data_parallel** out_parallel);

// The same for the parameters of a layer that require gradients, in the order of
// tenon_layer_get_parameter, and its buffers of floats and integers, but caches. `options` names no
// buffers.
// since    draft 2
TENON_EXPORT tenon_status tenon_data_parallel_create_for_layer(
    tenon_context* context, tenon_group* group, tenon_layer* layer,
    const tenon_data_parallel_options* options, tenon_data_parallel** out_parallel);

// Ends it; parameters and group stay. Legal with NULL and on any thread.
// since    draft 2
TENON_EXPORT void tenon_data_parallel_release(tenon_data_parallel* parallel);

// How the work is shared. The callee writes no more than the caller's struct_size.
typedef struct tenon_data_parallel_info {
  uint32_t struct_size;
  uint32_t flags;       // 0
  int64_t shards;       // of a batch
  int64_t first_shard;  // of this process
  int64_t n_shards;     // of this process
  int64_t step;         // the one that runs, or the next
  int64_t buckets;      // of the last step
} tenon_data_parallel_info;
TENON_EXPORT tenon_status tenon_data_parallel_get_info(tenon_context* context,
                                                       tenon_data_parallel* parallel,
                                                       tenon_data_parallel_info* out_info);

// The number of the next step, from 0: for a run that goes on from a checkpoint.
// errors   TENON_E_ARGUMENT (a negative step), TENON_E_STATE (a step has begun)
// since    draft 2
TENON_EXPORT tenon_status tenon_data_parallel_set_step(tenon_context* context,
                                                       tenon_data_parallel* parallel, int64_t step);

// Begins shard number `shard` of this process, from 0: the context's random stream is the shard's
// until the shard ends.
// errors   TENON_E_STATE (not the next shard; a parameter that has a gradient already: the step is
//          given up)
// since    draft 2
TENON_EXPORT tenon_status tenon_data_parallel_begin(tenon_context* context,
                                                    tenon_data_parallel* parallel, int64_t shard);

// Ends it: the backward of `loss` divided by the number of shards; after the last shard of this
// process, all processes' sums. A step that fails is given up, as by tenon_data_parallel_give_up.
// shapes   loss one element, with a graph
// errors   TENON_E_STATE (no shard has begun), those of tenon_backward_run and of transfers
// since    draft 2
TENON_EXPORT tenon_status tenon_data_parallel_end(tenon_context* context,
                                                  tenon_data_parallel* parallel,
                                                  tenon_tensor* loss);

// Gives up the step that has begun, for example after an error in the forward of a shard. The
// context's random stream, the buffers and the number of the step are as they were before it; the
// parameters have no gradients, and the next `begin` is shard 0. The other processes are told in
// their next transfer, which is TENON_E_PEER with this rank, and give up their step by it; after
// that all go on; without memory to tell them they wait until their time is over. Returns at once.
// Nothing happens if no step has begun.
// threads  [one thread per context]          state  [any but in a callback]
// errors   TENON_E_STATE (in a callback)
// since    draft 2
TENON_EXPORT tenon_status tenon_data_parallel_give_up(tenon_context* context,
                                                      tenon_data_parallel* parallel);

// ---- Shared states ------------------------------------------------------------------------------

// From the next step on each process holds the states of its share of every bucket alone, a
// size-th of them, updates that share when it runs the optimizer, and gathers the parameters then.
// The optimizer is used as before, and gives the same bits; what is sent is as much, too.
//
//  - All processes run the optimizer after each step, with the same gradients cleared. If one of
//    them fails, it has its own error, the others TENON_E_PEER with its rank; parameters are equal.
//  - A parameter has no gradient after `end`: each process has the sum of its share alone, and the
//    optimizer takes it from there. To clip them: tenon_data_parallel_clip. What is left of them is
//    dropped when the next step begins.
//  - A parameter whose gradient is held as rows is updated whole by every process.
//  - A state is read, and saved, after tenon_data_parallel_gather_states, and set at any time.
//
// All processes of the group call it, between two steps. In a process that is alone nothing
// changes.
// optimizer  over parameters of `parallel`, of a kind that has the flag
//            TENON_OPTIMIZER_BY_ELEMENT (tenon/ext/draft/optimizers.h)
// memory     holds the optimizer
// state      [any but capture]; neither is captured from here on
// errors     TENON_E_UNSUPPORTED (an optimizer that needs whole parameters), TENON_E_ARGUMENT (a
//            parameter that is not one of `parallel`), TENON_E_LAYOUT (a parameter that is not
//            row-major), TENON_E_STATE (in a step; there is one already)
// since      draft 2
TENON_EXPORT tenon_status tenon_data_parallel_share_states(tenon_context* context,
                                                           tenon_data_parallel* parallel,
                                                           tenon_optimizer* optimizer);

// Gives process `root` the whole states of the optimizer, until it runs again: to be read, or saved
// with a checkpoint. All processes of the group call it.
// root     a rank
// state    [any but capture]
// errors   TENON_E_STATE (no states are shared), TENON_E_ARGUMENT (there is no such rank), and
//          those of transfers
// since    draft 2
TENON_EXPORT tenon_status tenon_data_parallel_gather_states(tenon_context* context,
                                                            tenon_data_parallel* parallel,
                                                            int32_t root);

// Scales all gradients of the parameters by min(1, max_norm / (norm + 1e-6)), where norm is the
// square root of the sum of all their elements' squares. Source: R. Pascanu, T. Mikolov, Y. Bengio,
// "On the difficulty of training recurrent neural networks", ICML 2013, algorithm 1. Squares are
// rounded to f64, and their sum is exact, so that the bits do not depend on who sums what: neither
// on the number of processes, nor on whether states are shared. All processes of the group call it,
// after the last `end` of a step.
// max_norm   above 0
// out_norm   NULL, or the norm before; NaN or infinite if a gradient is, which then are scaled so
// state      [any but capture]
// errors     TENON_E_ARGUMENT (max_norm), TENON_E_STATE (in a step), and those of transfers
// since      draft 2
TENON_EXPORT tenon_status tenon_data_parallel_clip(tenon_context* context,
                                                   tenon_data_parallel* parallel, double max_norm,
                                                   double* out_norm);

#ifdef __cplusplus
}
#endif

#endif  // TENON_EXT_DRAFT_DATA_PARALLEL_H
