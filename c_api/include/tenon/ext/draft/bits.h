// SPDX-License-Identifier: Apache-2.0
// tenon/ext/draft/bits.h: draft: ops whose bits are those of whichever library computes them.
//
// A draft: outside the ABI's promise until it is moved to plugin.h (the value will not change).
#ifndef TENON_EXT_DRAFT_BITS_H
#define TENON_EXT_DRAFT_BITS_H

#include <tenon/plugin.h>

// A flag of tenon_op_desc: no canonical bits are stated for the op, as for decompositions, whose
// numerical libraries round in an order of their own. Canonical arithmetic then chooses among all
// kernels by priority, those without TENON_KERNEL_CANONICAL too, as fast arithmetic does. A kernel
// for host memory still owes equal bits for any number of threads on one processor with one version
// of its library. Not with `view`, TRANSFER or DYNAMIC_OUT, which have no kernels. A host from
// before this draft refuses the op: "unknown flags".
#define TENON_OP_LIBRARY_BITS 128u

#endif  // TENON_EXT_DRAFT_BITS_H
