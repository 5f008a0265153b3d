// SPDX-License-Identifier: Apache-2.0
// tenon/plugin/kernels.h: interface "tenon.kernels/1": how one kind of device runs an op. The
// conventions are those of tenon/plugin.h.
//
// A kernel says which layouts and dtypes it takes; whatever else a caller hands in, the host copies
// into what the kernel takes, and outputs back to where they belong.
#ifndef TENON_PLUGIN_KERNELS_H
#define TENON_PLUGIN_KERNELS_H

#include <tenon/plugin/call.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TENON_SLOT_IN 0u
#define TENON_SLOT_OUT 1u
#define TENON_SLOT_INOUT 2u
#define TENON_SLOT_ACCUM 3u  // an output the kernel adds to; the dispatcher zeroes it first

// Which layouts a slot accepts; the dispatcher stages the rest through a temporary.
#define TENON_LAYOUT_CONTIGUOUS 0u        // row-major, no gaps
#define TENON_LAYOUT_INNER_CONTIGUOUS 1u  // last dimension has stride 1 (or size 1)
#define TENON_LAYOUT_DENSE 2u             // any order of dimensions, no gaps, no overlap
#define TENON_LAYOUT_STRIDED 3u           // any strides > 0

// Bits that widen what a slot accepts.
#define TENON_SLOT_ZERO_STRIDE 1u      // stride 0 in dimensions larger than 1 (inputs)
#define TENON_SLOT_NEGATIVE_STRIDE 2u  // negative strides
#define TENON_SLOT_HOST_SCALAR 4u      // a number in host memory, a view flagged HOST_SCALAR
#define TENON_SLOT_UNALIGNED 8u        // addresses that are not a multiple of the element size

typedef struct tenon_slot_rule {
  uint32_t role;      // TENON_SLOT_IN ... ACCUM
  uint32_t layout;    // TENON_LAYOUT_*
  uint32_t flags;     // TENON_SLOT_*
  uint32_t max_rank;  // 0: TENON_MAX_RANK; after collapsing, for elementwise ops
} tenon_slot_rule;

#define TENON_KERNEL_CAPTURE_SAFE 1u  // `launch` only enqueues: it may be replayed from a plan
#define TENON_KERNEL_CANONICAL 2u     // gives the bits of the op's canonical arithmetic
#define TENON_KERNEL_INDEX_64 8u      // handles operands of more than 2^31 - 1 elements

typedef struct tenon_kernel_desc {
  uint32_t struct_size;
  uint32_t flags;                 // TENON_KERNEL_*
  tenon_string op;                // "tenon.add"
  tenon_string device;            // device kind, "cpu"
  uint32_t revision;              // of the op
  int32_t priority;               // higher wins; ties go to the plugin id that sorts first
  const tenon_slot_rule* slots;   // [n_slots] schema inputs, then outputs, as built against
  const tenon_dtype* dtype_rows;  // [n_rows][n_variables], in order of the schema's variables
  uint32_t n_slots;
  uint32_t n_attrs;  // attributes known when built
  uint32_t n_rows;
  uint32_t n_variables;
  // Each of the next four may be NULL, the last two together.
  // Bytes of scratch that `launch` will ask for. state [prepare]
  tenon_status (*workspace)(tenon_call* call, const tenon_launch* args, uint64_t* out_bytes);
  // 0 in *out_accepts declines what data cannot say; give the reason with fail's message.
  tenon_status (*predicate)(tenon_call* call, const tenon_launch* args, uint32_t* out_accepts);
  // May allocate and compile; the result is immutable, cached by shapes, strides, dtypes,
  // attributes and device, and may be launched by several threads. state [prepare]
  tenon_status (*prepare)(tenon_call* call, const tenon_launch* args, void** out_prepared);
  void (*release_prepared)(void* user, void* prepared);
  // Runs the work, or enqueues it on the call's stream. Writes every element of its outputs and
  // nothing else. Keeps no pointer. state [launch]
  tenon_status (*launch)(tenon_call* call, const tenon_launch* args);
  void* user;  // handed back in tenon_launch.user
} tenon_kernel_desc;

typedef struct tenon_kernels_table {
  uint32_t struct_size;
  uint32_t count;
  const tenon_kernel_desc* const* descs;
} tenon_kernels_table;

#ifdef __cplusplus
}
#endif

#endif  // TENON_PLUGIN_KERNELS_H
