// SPDX-License-Identifier: Apache-2.0
// tenon/ext/draft/ownership.h: draft: what a garbage collector asks.
//
// A binding hands functions of its language to Tenon: hooks. One that refers to its own tensor
// keeps the tensor, which keeps the hook, and a collector that sees no further than its own objects
// keeps both for ever. One that can ask this may count what the hooks refer to as reached through
// the tensor's object alone.
//
// A draft: outside the ABI's promise until it is moved to tenon.h (names will not change).
#ifndef TENON_EXT_DRAFT_OWNERSHIP_H
#define TENON_EXT_DRAFT_OWNERSHIP_H

#include <tenon/tenon.h>

#ifdef __cplusplus
extern "C" {
#endif

// 1 if releasing `tensor` once would end it and its hooks: nobody else holds it, no backward leads
// to it as a leaf, and nothing that was recorded leads to the op that made it. 0 if not, or if
// `tensor` is no live handle.
// threads  [any], if none uses the tensor or what was computed from it meanwhile; changes nothing,
//          not even the last error of a context
// since    draft 2
TENON_EXPORT uint32_t tenon_tensor_is_alone(const tenon_tensor* tensor);

// As tenon_tensor_is_alone, but `owners` others hold the tensor, all of whom the collector knows:
// a layer whose object leads to the tensor's, say. 1 if nobody else does.
// threads  as above
// since    draft 2
TENON_EXPORT uint32_t tenon_tensor_is_held_by(const tenon_tensor* tensor, uint32_t owners);

#ifdef __cplusplus
}
#endif

#endif  // TENON_EXT_DRAFT_OWNERSHIP_H
