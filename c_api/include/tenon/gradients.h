// SPDX-License-Identifier: Apache-2.0
// tenon/gradients.h: automatic differentiation for programs: gradients of leaves and of anything
// else, functions of tensors, hooks, pictures. The conventions are those of tenon/tenon.h.
//
// Operations on tensors that require gradients are recorded as nodes of the context's graph. A leaf
// is a tensor that no recorded operation made. A graph is freed by the backward that walks it,
// unless that is told to keep it, and with the tensors that hold it.
#ifndef TENON_GRADIENTS_H
#define TENON_GRADIENTS_H

#include <tenon/types.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- Gradients ----------------------------------------------------------------------------------

// Makes a leaf collect gradients, or stop it.
// errors   TENON_E_DTYPE (not a float), TENON_E_GRAD (not a leaf)
TENON_EXPORT tenon_status tenon_tensor_set_requires_grad(tenon_context* context,
                                                         tenon_tensor* tensor, uint32_t required);

// The gradient collected so far, borrowed; NULL in *out_grad if there is none yet. Of tensors
// that are not leaves only where tenon_tensor_set_retain_grad asked for it.
// errors   TENON_E_ROWS if it is held as rows, TENON_E_GRAD (no leaf, and not retained)
TENON_EXPORT tenon_status tenon_tensor_get_grad(tenon_context* context, tenon_tensor* tensor,
                                                tenon_tensor** out_grad);

// The gradient of an embedding table and the like: row numbers i64[R], ascending and without
// duplicates, and values T[R,...]; both borrowed; NULL if there is none.
// errors   TENON_E_ROWS if it is dense
TENON_EXPORT tenon_status tenon_tensor_get_grad_rows(tenon_context* context, tenon_tensor* tensor,
                                                     tenon_tensor** out_indices,
                                                     tenon_tensor** out_values);

// Replaces the gradient by another tensor, never by `tensor` itself; NULL drops it ("zero grad").
// errors   TENON_E_SHAPE, TENON_E_DTYPE, TENON_E_DEVICE, TENON_E_GRAD
TENON_EXPORT tenon_status tenon_tensor_set_grad(tenon_context* context, tenon_tensor* tensor,
                                                tenon_tensor* grad);

#define TENON_BACKWARD_RETAIN 1u  // keep the graph for another backward
#define TENON_BACKWARD_CREATE_GRAPH \
  2u  // record the backward itself; implies RETAIN. A leaf's
      // gradient then holds the graph: drop it when done
// Adds the gradients of sum(roots[i] * seeds[i]) to the leaves.
// seeds    NULL, or [n_roots] of which some may be NULL: a root of one element is seeded with 1
// errors   TENON_E_GRAD (root without graph, non-scalar root without seed, op without rule),
//          TENON_E_GRAPH_FREED, TENON_E_GRAPH_OWNER, TENON_E_VERSION, TENON_E_VJP, TENON_E_SHAPE
TENON_EXPORT tenon_status tenon_backward_run(tenon_context* context, tenon_tensor* const* roots,
                                             tenon_tensor* const* seeds, uint32_t n_roots,
                                             uint32_t flags);

// Returns the gradients of sum(roots[i] * seeds[i]) with respect to inputs[n_inputs] and leaves all
// leaves as they are. An input that the roots do not depend on gets NULL.
TENON_EXPORT tenon_status tenon_gradient_call(tenon_context* context, tenon_tensor* const* roots,
                                              tenon_tensor* const* seeds, uint32_t n_roots,
                                              tenon_tensor* const* inputs, uint32_t n_inputs,
                                              uint32_t flags, tenon_tensor** out_grads);

// ---- Functions ----------------------------------------------------------------------------------

// A function of tensors that the program wrote. Sets every out_outputs[i] to a tensor, which its
// caller then owns, and returns TENON_OK; any other status ends the call that runs it.
// state    calls back into Tenon with `context`, in the same thread, for whatever it needs but
//          captures, deactivation and the release of context and runtime. Gradient modes and
//          scopes it leaves open are ended for it.
typedef tenon_status (*tenon_function_fn)(tenon_context* context, tenon_tensor* const* inputs,
                                          uint32_t n_inputs, tenon_tensor** out_outputs,
                                          uint32_t n_outputs, void* user);

// Runs `function` once with recording on, and returns its outputs together with the gradients of
// sum(outputs[i] * seeds[i]) for its inputs: value and gradient; with seeds the vector-Jacobian
// product. No leaf collects anything.
// inputs   reach the function as leaves of their own over the same memory, so that only what it
//          does itself is differentiated. Integers and bool have no gradient: NULL. An input the
//          outputs do not depend on: NULL.
// seeds    NULL, or [n_outputs] of which some may be NULL: an output of one element is seeded
//          with 1, others need theirs
// flags    0, or TENON_BACKWARD_CREATE_GRAPH: outputs and gradients are differentiable with
//          respect to inputs that require a gradient, so calls nest, to gradients of any order.
//          Such inputs reach the function as they are, each at most once. Without it what is
//          returned has no graph.
// memory   out_outputs [n_outputs], out_grads [n_inputs] or NULL: owned by the caller
// errors   what the function returned; as tenon_backward_run; TENON_E_ARGUMENT (a missing
//          output)
TENON_EXPORT tenon_status tenon_function_call(tenon_context* context, tenon_function_fn function,
                                              void* user, tenon_tensor* const* inputs,
                                              uint32_t n_inputs, tenon_tensor* const* seeds,
                                              uint32_t n_outputs, uint32_t flags,
                                              tenon_tensor** out_outputs, tenon_tensor** out_grads);

// ---- Gradients on their way ---------------------------------------------------------------------

// Keeps gradients of a tensor that is not a leaf, or stops it and drops what was kept: every
// backward that reaches the tensor adds to what tenon_tensor_get_grad then returns. Leaves always
// keep theirs: nothing changes.
// errors   TENON_E_GRAD (requires no gradient), TENON_E_GRAPH_OWNER, TENON_E_STATE (as of hooks)
TENON_EXPORT tenon_status tenon_tensor_set_retain_grad(tenon_context* context, tenon_tensor* tensor,
                                                       uint32_t retain);

// Sees a gradient in the middle of a backward, once it is complete, and may replace it: by a
// tensor of the same shape, dtype and device, owned, in *out_gradient, which is NULL before.
// gradient borrowed; may not be written to
// state    as for a tenon_function_fn. Nothing is recorded but under CREATE_GRAPH. A backward
//          through the graph that is being walked is TENON_E_STATE.
// errors   any status but TENON_OK ends the backward; no leaf has changed then
typedef tenon_status (*tenon_hook_fn)(tenon_context* context, tenon_tensor* gradient,
                                      tenon_tensor** out_gradient, void* user);

// Calls `hook` in every backward that computes the gradient of `tensor`, hooks of one tensor in
// the order they were begun. At a leaf it sees what this backward adds, as soon as all of it is
// there; a leaf with a hook takes no row gradients. Elsewhere it sees what the tensor's op gets.
// release  called with `user` when the hook ends: by tenon_hook_end, or when nothing can call it
//          any more; from any thread, and must not call Tenon. May be NULL.
// out_hook a number to end it with, never 0
// errors   TENON_E_GRAD (requires no gradient), TENON_E_GRAPH_OWNER, TENON_E_STATE (no leaf, and a
//          captured backward was there). A captured backward that meets a hook is TENON_E_CAPTURE.
TENON_EXPORT tenon_status tenon_hook_begin(tenon_context* context, tenon_tensor* tensor,
                                           tenon_hook_fn hook, void* user,
                                           void (*release)(void* user), uint64_t* out_hook);
// errors   TENON_E_NOT_FOUND (no such hook at this tensor)
TENON_EXPORT tenon_status tenon_hook_end(tenon_context* context, tenon_tensor* tensor,
                                         uint64_t hook);

// ---- What was recorded --------------------------------------------------------------------------

// Describes all that roots[n_roots] were computed from: each node's op, operands, saved tensors,
// kept gradients, hooks and place in the scopes; each leaf with its gradient. Saved values that a
// backward has freed are shown as such.
// topic    "json": as docs/autograd.md describes it; "dot": for Graphviz; "svg": a picture. Both
//          go from top to bottom, "dot/LR" and "svg/LR" from left to right.
// errors   TENON_E_NOT_FOUND (unknown topic), TENON_E_GRAPH_OWNER
TENON_EXPORT tenon_status tenon_graph_query(tenon_context* context, tenon_tensor* const* roots,
                                            uint32_t n_roots, const char* topic,
                                            uint64_t topic_length, tenon_text** out_text);

#ifdef __cplusplus
}
#endif

#endif  // TENON_GRADIENTS_H
