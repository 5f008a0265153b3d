// SPDX-License-Identifier: Apache-2.0
// tenon/ext/draft/narrow.h: draft: small integers and bools that are read as they are stored.
//
// A draft: outside the ABI's promise until it is moved to plugin.h (values will not change).
//
// A type variable of which i64 is the only integer, "T: float|i64 promote", turns bools and smaller
// integers into i64: sums, products. Tenon casts such an operand, into a copy that may be eight
// times as large, unless what runs says that it reads it as it is. Values, outputs and shape rules
// are those of the i64 operand in any case: only what a kernel's view, or a composition's tensor,
// has as its dtype differs. A host from before this draft refuses the flags as unknown.
#ifndef TENON_EXT_DRAFT_NARROW_H
#define TENON_EXT_DRAFT_NARROW_H

#include <tenon/plugin.h>

// A flag of tenon_slot_rule, for role IN: the view may have dtype bool, u8, i8, i16 or i32 where
// the kernel's row says i64.
#define TENON_SLOT_NARROW 16u

// A flag of tenon_op_desc: the composition takes such operands.
#define TENON_OP_NARROW 256u

#endif  // TENON_EXT_DRAFT_NARROW_H
