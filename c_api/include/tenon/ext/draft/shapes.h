// SPDX-License-Identifier: Apache-2.0
// tenon/ext/draft/shapes.h: draft: output shapes that the schema says.
//
// A draft: outside the ABI's promise until it is moved to plugin.h (the value will not change).
#ifndef TENON_EXT_DRAFT_SHAPES_H
#define TENON_EXT_DRAFT_SHAPES_H

#include <tenon/plugin.h>

// A further shape rule, tenon_op_desc.shape_rule: each output has the dimensions that the schema
// writes, `conv(x: T[B,C], w: T[O,C]) -> T[B,O]`. They are integers, letters, and runs with a name,
// `...B`; each letter and run is in an input that every call has: none marked `?`, no list. Runs of
// one name are equal. Registration refuses a schema with anything else in an output, and names it.
// `infer` is not called. A host from before this draft refuses the op: "shape rule 4 is unknown".
#define TENON_SHAPE_SCHEMA 4u

#endif  // TENON_EXT_DRAFT_SHAPES_H
