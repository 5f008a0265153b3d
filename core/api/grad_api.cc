// SPDX-License-Identifier: Apache-2.0
// core/api/grad_api.cc: public functions of gradients.
#include <algorithm>

#include "core/api/guard.h"
#include "core/backward/backward.h"
#include "core/plan/recorder.h"

using namespace tenon;
using namespace tenon::api;
using tape::Link;

namespace {

// The leaf's link, or NULL if nothing was ever asked of it.
Link* leaf_link(const Tensor& tensor, const char* what) {
  if (!tape::is_leaf(tensor)) {
    fail(TENON_E_GRAD, std::string(what) + " is for leaves; this tensor was made by an op",
         "tensor", "a leaf", tensor::describe(tensor),
         "tenon_tensor_set_retain_grad keeps the gradients of others");
  }
  Link* link = tape::find_link(tensor);
  return link && !link->node ? link : nullptr;
}

// The watch over a tensor whose gradient is kept though it is not a leaf.
tape::Watch* kept_at(const Context& context, const Tensor& tensor) {
  if (tape::is_leaf(tensor)) return nullptr;
  const Link& link = *tape::find_link(tensor);
  if (link.graph != &tape::graph_of(context) || !link.node->watches) return nullptr;
  tape::Watch& watch = (*link.node->watches)[link.output];
  return watch.keeps ? &watch : nullptr;
}

void check_like(const Tensor& tensor, const Tensor& grad) {
  const bool same = std::equal(tensor.shape().begin(), tensor.shape().end(), grad.shape().begin(),
                               grad.shape().end());
  if (same && tensor.dtype() == grad.dtype() && &device_of(tensor) == &device_of(grad)) return;
  fail(!same                            ? TENON_E_SHAPE
       : tensor.dtype() != grad.dtype() ? TENON_E_DTYPE
                                        : TENON_E_DEVICE,
       "the gradient must be like its tensor", "grad",
       tensor::describe(tensor) + " on " + device_of(tensor).name(),
       tensor::describe(grad) + " on " + device_of(grad).name());
}

}  // namespace

[[gnu::cold]] tenon_status tenon_tensor_set_requires_grad(tenon_context* context,
                                                          tenon_tensor* tensor, uint32_t required) {
  return guard(context, [&](Context& cx) {
    Tensor& t = require_tensor(cx, tensor, "tensor");
    leaf_link(t, "requires_grad");
    if (required && !tensor::is_float(t.dtype())) {
      fail(TENON_E_DTYPE, "only floating-point tensors have gradients", "tensor",
           "f16 bf16 f32 f64", tensor::describe(t));
    }
    Link& link = tape::link_of(t);
    if (link.node) {  // of a context that is gone: the tensor is a leaf now
      Link* fresh = new Link;
      fresh->requires_grad = required != 0;
      tape::drop(t.link.exchange(fresh, std::memory_order_acq_rel));
      return;
    }
    link.requires_grad = required != 0;
  });
}

tenon_status tenon_tensor_get_grad(tenon_context* context, tenon_tensor* tensor,
                                   tenon_tensor** out_grad) {
  return guard(context, [&](Context& cx) {
    require_pointer(out_grad, "out_grad");
    Tensor& t = require_tensor(cx, tensor, "tensor");
    if (const tape::Watch* kept = kept_at(cx, t)) {
      *out_grad = tensor::handle(kept->kept.get());
      return;
    }
    Link* link = leaf_link(t, "get_grad");
    if (!link) {
      *out_grad = nullptr;
      return;
    }
    std::lock_guard lock(link->mutex);
    if (link->row_indices) {
      fail(TENON_E_ROWS, "the gradient is held as rows", "tensor", "a dense gradient", "rows",
           "read it with tenon_tensor_get_grad_rows");
    }
    if (plan::Recorder* const recorder = plan::recorder_of(cx)) {
      recorder->leaf(t).needs(*link, false);
    }
    *out_grad = tensor::handle(link->grad.get());
  });
}

[[gnu::cold]] tenon_status tenon_tensor_get_grad_rows(tenon_context* context, tenon_tensor* tensor,
                                                      tenon_tensor** out_indices,
                                                      tenon_tensor** out_values) {
  return guard(context, [&](Context& cx) {
    require_pointer(out_indices, "out_indices");
    require_pointer(out_values, "out_values");
    Tensor& t = require_tensor(cx, tensor, "tensor");
    Link* link = leaf_link(t, "get_grad_rows");
    if (!link) {
      *out_indices = nullptr;
      *out_values = nullptr;
      return;
    }
    std::lock_guard lock(link->mutex);
    if (link->grad) {
      fail(TENON_E_ROWS, "the gradient is dense", "tensor", "a gradient held as rows",
           "a dense gradient", "read it with tenon_tensor_get_grad");
    }
    if (plan::Recorder* const recorder = plan::recorder_of(cx)) {
      if (link->row_indices) plan::refuse_rows(t);
      recorder->leaf(t).needs(*link, false);
    }
    *out_indices = tensor::handle(link->row_indices.get());
    *out_values = tensor::handle(link->row_values.get());
  });
}

[[gnu::cold]] tenon_status tenon_tensor_set_grad(tenon_context* context, tenon_tensor* tensor,
                                                 tenon_tensor* grad) {
  return guard(context, [&](Context& cx) {
    Tensor& t = require_tensor(cx, tensor, "tensor");
    Tensor* given = grad ? &require_tensor(cx, grad, "grad") : nullptr;
    if (tape::Watch* kept = kept_at(cx, t); kept && !given) {
      kept->kept = Ref();
      return;
    }
    Link* link = leaf_link(t, "set_grad");
    if (given == &t) {
      fail(TENON_E_ARGUMENT, "a tensor cannot be its own gradient: neither would ever be freed",
           "grad", "another tensor", "the tensor itself", "pass a copy");
    }
    if (given) check_like(t, *given);
    if (!link && given) {
      throw Error{.status = TENON_E_GRAD,
                  .message = "the tensor does not require a gradient",
                  .operand = "tensor",
                  .found = tensor::describe(t)};
    }
    if (!link) return;
    if (plan::Recorder* const recorder = plan::recorder_of(cx)) recorder->leaf(t).replaces();
    tape::Gradient gradient{Ref::shared(given)};
    tape::exchange(*link, gradient);
  });
}

tenon_status tenon_backward_run(tenon_context* context, tenon_tensor* const* roots,
                                tenon_tensor* const* seeds, uint32_t n_roots, uint32_t flags) {
  return guard(context, [&](Context& cx) {
    const Tensors from = require_tensors(cx, roots, n_roots, "roots");
    const Tensors with = seeds ? require_tensors(cx, seeds, n_roots, "seeds", true) : Tensors();
    backward::run(cx, from, with, flags);
  });
}

[[gnu::cold]] tenon_status tenon_gradient_call(tenon_context* context, tenon_tensor* const* roots,
                                               tenon_tensor* const* seeds, uint32_t n_roots,
                                               tenon_tensor* const* inputs, uint32_t n_inputs,
                                               uint32_t flags, tenon_tensor** out_grads) {
  return guard(context, [&](Context& cx) {
    if (n_inputs != 0) require_pointer(out_grads, "out_grads");
    const Tensors from = require_tensors(cx, roots, n_roots, "roots");
    const Tensors with = seeds ? require_tensors(cx, seeds, n_roots, "seeds", true) : Tensors();
    const Tensors to = require_tensors(cx, inputs, n_inputs, "inputs");
    std::vector<Ref> grads = backward::gradient(cx, from, with, to, flags);
    for (uint32_t i = 0; i < n_inputs; ++i) out_grads[i] = tensor::handle(grads[i].take());
  });
}
