// SPDX-License-Identifier: Apache-2.0
// tenon/ext/draft/op_log.h: draft: a printed log of ops. The conventions are those of
// tenon/tenon.h.
//
// A draft: outside the ABI's promise until it is moved to tenon.h (names will not change).
//
// A line for each op when it begins, with its operands and attributes, and one for each kernel that
// has run, with its plugin, time on the host and operands as it gets them, dimensions that lie
// together being one. What an op is made of stands further in; a view runs no kernel; a kernel that
// is not its op's own (a copy, a step of a plan) says which op it is of:
//
//   tenon.linear f32[1,3] f32[2,3] f32[2]
//     tenon.transpose f32[2,3] axis0=-2 axis1=-1
//     tenon.matmul f32[1,3] f32[3,2]
//       tenon.cpu f32[1,3] f32[3,2] f32[1,2]  17.0 us
//     tenon.add f32[1,2] f32[2]
//       tenon.cpu f32[2] f32[2] f32[2]  11.0 us
//
// The scope stands before it in brackets, if there is one. So the last line of a program that ended
// is the op that ended it. The JSON trace (tenon_trace_begin) is the same as a picture.
#ifndef TENON_EXT_DRAFT_OP_LOG_H
#define TENON_EXT_DRAFT_OP_LOG_H

#include <tenon/tenon.h>

#ifdef __cplusplus
extern "C" {
#endif

// Takes one line, without a newline; it calls nothing of Tenon.
// line     [length] bytes, valid for the call; no zero after them
// threads  the one that runs the op
typedef void (*tenon_op_log_fn)(void* state, const char* line, uint64_t length);

// Prints what this context runs until `end`, ops of backward, of optimizers and of replayed plans
// (their kernels) among them. A run is slower meanwhile, and its results are the same.
// print    NULL: to standard error
// state    handed to `print`; borrowed until `end`
// threads  [one thread per context]          state  [any]
// errors   TENON_E_STATE (it is begun already)
// since    draft 2
TENON_EXPORT tenon_status tenon_op_log_begin(tenon_context* context, tenon_op_log_fn print,
                                             void* state);

// Goes back to what was before: nothing, or standard error if the environment's TENON_OP_LOG is 1.
// errors   end without begin: TENON_E_STATE
// since    draft 2
TENON_EXPORT tenon_status tenon_op_log_end(tenon_context* context);

#ifdef __cplusplus
}
#endif

#endif  // TENON_EXT_DRAFT_OP_LOG_H
