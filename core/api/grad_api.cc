// SPDX-License-Identifier: Apache-2.0
// core/api/grad_api.cc: public functions of tenon/gradients.h: gradients, backward, functions,
// hooks, kept gradients, pictures of the graph.
#include <tenon/ext/draft/ownership.h>

#include <algorithm>

#include "core/api/guard.h"
#include "core/backward/backward.h"
#include "core/inspect/draw.h"
#include "core/inspect/graph.h"
#include "core/launch/moves.h"
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

// ---- tenon_function_call ------------------------------------------------------------------------

// What the function gets for its inputs: those that outer calls follow as they are, the others as
// leaves of its own.
std::vector<Ref> operands_of(const Tensors& inputs, bool create) {
  std::vector<Ref> out;
  for (size_t i = 0; i < inputs.size(); ++i) {
    Tensor* const input = inputs[i];
    if (create && tape::requires_grad(*input)) {
      const auto first = std::find(inputs.begin(), inputs.begin() + static_cast<long>(i), input);
      if (first != inputs.begin() + static_cast<long>(i)) {
        fail(TENON_E_ARGUMENT, "under CREATE_GRAPH each input is given once",
             "inputs[" + std::to_string(i) + "]", "a tensor of its own",
             "inputs[" + std::to_string(first - inputs.begin()) + "] again",
             "use one input twice inside of the function");
      }
      out.push_back(Ref::shared(input));
      continue;
    }
    out.push_back(Ref(input->alias()));
    if (tensor::is_float(input->dtype())) tape::link_of(*out.back()).requires_grad = true;
  }
  return out;
}

// The function's outputs, once it has returned.
std::vector<Ref> call_function(Context& context, tenon_function_fn function, void* user,
                               const std::vector<Ref>& operands, uint32_t n_outputs) {
  std::vector<tenon_tensor*> handles;
  for (const Ref& operand : operands) handles.push_back(tensor::handle(operand.get()));
  std::vector<tenon_tensor*> made(n_outputs, nullptr);
  std::vector<Ref> outputs(n_outputs);
  const uint64_t failures = context.error.stored;
  tenon_status status = TENON_OK;
  {
    const GradMode recording(context, true);
    const Lent lent(context);
    status = function(context.handle, handles.data(), static_cast<uint32_t>(handles.size()),
                      made.data(), n_outputs, user);
  }
  for (uint32_t i = 0; i < n_outputs; ++i) outputs[i] = Ref(tensor::from_handle(made[i]));
  if (status != TENON_OK) {
    Error error{
        .status = status,
        .message = std::string("the function has returned ") + tenon_status_get_name(status)};
    if (context.error.stored != failures) error.causes = {context.error.error.message};
    throw error;
  }
  for (uint32_t i = 0; i < n_outputs; ++i) {
    if (outputs[i] && outputs[i]->owner == context.runtime) continue;
    fail(TENON_E_ARGUMENT, "the function has not set output " + std::to_string(i),
         "out_outputs[" + std::to_string(i) + "]", "a tensor of this runtime",
         made[i] ? "another handle" : "NULL");
  }
  return outputs;
}

// Outputs that do not depend on the inputs give no gradient; `seeds` may be NULL.
std::vector<Ref> gradients_of(Context& context, const std::vector<Ref>& outputs,
                              tenon_tensor* const* seeds, const std::vector<Ref>& operands,
                              uint32_t flags) {
  Tensors roots, with, to;
  std::vector<size_t> places;
  for (size_t i = 0; i < outputs.size(); ++i) {
    Tensor* const seed = seeds && seeds[i] ? &require_tensor(context, seeds[i], "seeds") : nullptr;
    if (!tape::requires_grad(*outputs[i])) continue;
    roots.push_back(outputs[i].get());
    with.push_back(seed);
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!tape::requires_grad(*operands[i])) continue;
    to.push_back(operands[i].get());
    places.push_back(i);
  }
  std::vector<Ref> out(operands.size());
  if (roots.empty() || to.empty()) return out;
  std::vector<Ref> grads = backward::gradient(context, roots, with, to, flags);
  for (size_t i = 0; i < grads.size(); ++i) out[places[i]] = std::move(grads[i]);
  return out;
}

void check_call(const Context& context, uint32_t flags) {
  if (flags & ~TENON_BACKWARD_CREATE_GRAPH) {
    fail(TENON_E_ARGUMENT, "unknown flags of a function call", "flags",
         "0 or TENON_BACKWARD_CREATE_GRAPH", std::to_string(flags));
  }
  backward::refuse_inference(context);
}

// ---- hooks --------------------------------------------------------------------------------------

void require_recorded(Context& context, Tensor& tensor, const char* what) {
  if (!tape::requires_grad(tensor)) {
    fail(TENON_E_GRAD, std::string(what) + " is for tensors that require a gradient", "tensor",
         "a tensor that requires a gradient", tensor::describe(tensor),
         "call it after the op was recorded, or require a gradient of the leaf");
  }
  Link& link = tape::link_of(tensor);
  if (!link.node) return;
  if (link.graph != &tape::graph_of(context)) tape::fail_owner(tensor, "tensor");
  if (!link.node->captured || link.node->freed || context.capture) return;
  fail(TENON_E_STATE,
       std::string(what) + ": a backward of the tensor was captured, and the plan would not see it",
       "tensor", "a tensor that no captured backward has been through", tensor::describe(tensor),
       "begin it before the capture, or run the backward without a plan");
}

// Plans that work on the leaf look at it again before they run.
void tell_plans(const Tensor& leaf) noexcept {
  if (!leaf.storage->planned.load(std::memory_order_relaxed)) return;
  leaf.owner->changes.fetch_add(1, std::memory_order_release);
}

// The watch on a tensor that is not a leaf, made if there is none.
tape::Watch& watch_of(Link& link) {
  auto& watches = link.node->watches;
  if (!watches) watches = std::make_unique<std::vector<tape::Watch>>(link.node->grads.size());
  return (*watches)[link.output];
}

bool erase(tape::Hooks& hooks, uint64_t id, std::shared_ptr<tape::Hook>& ended) {
  const auto found =
      std::find_if(hooks.begin(), hooks.end(), [id](const auto& hook) { return hook->id == id; });
  if (found == hooks.end()) return false;
  ended = std::move(*found);
  hooks.erase(found);
  return true;
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
    } else if (link.requires_grad != (required != 0)) {
      link.requires_grad = required != 0;
      tell_plans(t);
    }
  });
}

tenon_status tenon_tensor_get_grad(tenon_context* context, tenon_tensor* tensor,
                                   tenon_tensor** out_grad) {
  return guard_out(context, out_grad, "out_grad", [&](Context& cx) -> tenon_tensor* {
    Tensor& t = require_tensor(cx, tensor, "tensor");
    if (const tape::Watch* kept = kept_at(cx, t)) return tensor::handle(kept->kept.get());
    Link* link = leaf_link(t, "get_grad");
    if (!link) return nullptr;
    std::lock_guard lock(link->mutex);
    if (link->grad.rows.indices) {
      fail(TENON_E_ROWS, "the gradient is held as rows", "tensor", "a dense gradient", "rows",
           "read it with tenon_tensor_get_grad_rows");
    }
    if (plan::Recorder* const recorder = plan::recorder_of(cx)) {
      recorder->leaf(t).needs(*link, false);
    }
    return tensor::handle(link->grad.dense.get());
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
    if (link->grad.dense) {
      fail(TENON_E_ROWS, "the gradient is dense", "tensor", "a gradient held as rows",
           "a dense gradient", "read it with tenon_tensor_get_grad");
    }
    if (plan::Recorder* const recorder = plan::recorder_of(cx)) {
      if (link->grad.rows.indices) plan::refuse_rows(t);
      recorder->leaf(t).needs(*link, false);
    }
    *out_indices = tensor::handle(link->grad.rows.indices.get());
    *out_values = tensor::handle(link->grad.rows.values.get());
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
      fail(TENON_E_GRAD, "the tensor does not require a gradient", "tensor", {},
           tensor::describe(t));
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

tenon_status tenon_function_call(tenon_context* context, tenon_function_fn function, void* user,
                                 tenon_tensor* const* inputs, uint32_t n_inputs,
                                 tenon_tensor* const* seeds, uint32_t n_outputs, uint32_t flags,
                                 tenon_tensor** out_outputs, tenon_tensor** out_grads) {
  return guard(context, [&](Context& cx) {
    if (!function) fail_pointer("function");
    if (n_outputs != 0) require_pointer(out_outputs, "out_outputs");
    check_call(cx, flags);
    const bool create = (flags & TENON_BACKWARD_CREATE_GRAPH) != 0;
    const Tensors given = require_tensors(cx, inputs, n_inputs, "inputs");
    const std::vector<Ref> operands = operands_of(given, create);
    std::vector<Ref> outputs = call_function(cx, function, user, operands, n_outputs);
    std::vector<Ref> grads(n_inputs);
    if (out_grads) grads = gradients_of(cx, outputs, seeds, operands, flags);
    if (!create) {
      for (Ref& output : outputs) output = Ref(output->alias());
    }
    for (uint32_t i = 0; i < n_outputs; ++i) out_outputs[i] = tensor::handle(outputs[i].take());
    for (uint32_t i = 0; out_grads && i < n_inputs; ++i) {
      out_grads[i] = tensor::handle(grads[i].take());
    }
  });
}

tenon_status tenon_tensor_set_retain_grad(tenon_context* context, tenon_tensor* tensor,
                                          uint32_t retain) {
  return guard(context, [&](Context& cx) {
    Tensor& t = require_tensor(cx, tensor, "tensor");
    require_recorded(cx, t, "retain_grad");
    Link& link = tape::link_of(t);
    if (!link.node || (!retain && !link.node->watches)) return;
    tape::Watch& watch = watch_of(link);
    watch.keeps = retain != 0;
    if (!retain) watch.kept = Ref();
  });
}

tenon_status tenon_hook_begin(tenon_context* context, tenon_tensor* tensor, tenon_hook_fn hook,
                              void* user, void (*release)(void* user), uint64_t* out_hook) {
  return guard(context, [&](Context& cx) {
    Tensor& t = require_tensor(cx, tensor, "tensor");
    if (!hook) fail_pointer("hook");
    require_pointer(out_hook, "out_hook");
    require_recorded(cx, t, "a hook");
    const auto made = std::make_shared<tape::Hook>();
    made->id = cx.runtime->hooks.fetch_add(1) + 1;
    made->call = hook;
    made->user = user;
    Link& link = tape::link_of(t);
    if (link.node) {
      watch_of(link).hooks.push_back(made);
    } else {
      const std::lock_guard lock(link.mutex);
      if (!link.hooks) link.hooks = std::make_unique<tape::Hooks>();
      link.hooks->push_back(made);
      cx.runtime->leaf_hooks.store(true, std::memory_order_relaxed);
      tell_plans(t);
    }
    made->release = release;  // not before: a failing call leaves `user` to the caller
    *out_hook = made->id;
  });
}

tenon_status tenon_hook_end(tenon_context* context, tenon_tensor* tensor, uint64_t hook) {
  return guard(context, [&](Context& cx) {
    Tensor& t = require_tensor(cx, tensor, "tensor");
    std::shared_ptr<tape::Hook> ended;  // released after the lock
    bool found = false;
    if (Link* const link = tape::find_link(t)) {
      if (!link->node) {
        const std::lock_guard lock(link->mutex);
        found = link->hooks && erase(*link->hooks, hook, ended);
      } else if (link->graph == &tape::graph_of(cx) && link->node->watches) {
        found = erase((*link->node->watches)[link->output].hooks, hook, ended);
      }
    }
    if (found) return;
    fail(TENON_E_NOT_FOUND, "the tensor has no hook " + std::to_string(hook), "hook",
         "a number that tenon_hook_begin gave for this tensor", std::to_string(hook));
  });
}

uint32_t tenon_tensor_is_alone(const tenon_tensor* handle) {
  return tenon_tensor_is_held_by(handle, 0);
}

uint32_t tenon_tensor_is_held_by(const tenon_tensor* handle, uint32_t owners) {
  const Tensor* const t = tensor::from_handle(handle);
  if (!t || t->refs.load(std::memory_order_relaxed) != uint64_t{owners} + 1) return 0;
  const Link* const link = tape::find_link(*t);
  return !link || !link->node || link->node->refs == 1 ? 1 : 0;
}

tenon_status tenon_graph_query(tenon_context* context, tenon_tensor* const* roots, uint32_t n_roots,
                               const char* topic, uint64_t topic_length, tenon_text** out_text) {
  return guard(context, [&](Context& cx) {
    require_pointer(out_text, "out_text");
    const std::string_view name = require_text(topic, topic_length, "topic");
    const Tensors from = require_tensors(cx, roots, n_roots, "roots");
    const std::string_view kind = name.substr(0, 3);
    const std::string_view way = name.size() > 3 ? name.substr(3) : "/TB";
    const bool picture = (kind == "dot" || kind == "svg") && (way == "/TB" || way == "/LR");
    if (name != "json" && !picture) {
      fail(TENON_E_NOT_FOUND, "no topic \"" + std::string(name) + "\"", "topic",
           "json, dot or svg; the last two also with /LR or /TB", std::string(name));
    }
    const inspect::Recorded graph = inspect::recorded(cx, from);
    *out_text = make_text([&] {
      if (!picture) return inspect::graph_json(cx, graph);
      const auto draw = kind == "dot" ? inspect::graph_dot : inspect::graph_svg;
      return draw(cx, graph,
                  way == "/LR" ? inspect::Direction::LeftToRight : inspect::Direction::TopToBottom);
    });
  });
}
