// SPDX-License-Identifier: Apache-2.0
// core/optim/optimizer.cc: the states of an optimizer and its steps. groups.cc has what it is made
// of.
#include "core/optim/optimizer.h"

#include <algorithm>
#include <cmath>

#include "core/backward/rows.h"
#include "core/dispatch/dispatch.h"
#include "core/launch/moves.h"
#include "core/plan/recorder.h"
#include "core/registry/values.h"
#include "core/runtime/callback.h"

namespace tenon::optim {

namespace {

// Runs of a captured step of an optimizer, which may be gone.
class Counting final : public plan::Bracket {
 public:
  explicit Counting(std::shared_ptr<uint64_t> runs) : runs_(std::move(runs)) {}
  void begin(Context&) override {}
  void end(Context&, bool failed) noexcept override {
    if (!failed) ++*runs_;
  }

 private:
  const std::shared_ptr<uint64_t> runs_;
};

template <class List>
tenon_value list_value(const List& list) {
  return registry::tensors_value(list.data(), list.size());
}

tenon_meta meta_of_state(const Tensor& param, const tenon_state_desc& desc) {
  tenon_meta meta = tensor::meta_of(param);
  if (desc.dtype != TENON_DTYPE_NONE) meta.dtype = desc.dtype;
  const bool vector = meta.rank < 2;
  if (desc.shape == TENON_STATE_SCALAR || (desc.shape == TENON_STATE_PER_COLUMN && vector)) {
    meta.rank = 0;
  } else if (desc.shape == TENON_STATE_PER_ROW && !vector) {
    meta.shape[meta.rank - 1] = 1;
  } else if (desc.shape == TENON_STATE_PER_COLUMN) {
    meta.shape[meta.rank - 2] = 1;
  }
  return meta;
}

// Strides without gaps in the order of the parameter's dimensions: a transposed parameter gets
// transposed state.
tensor::Dims dense_strides(const Tensor& like, tensor::DimSpan shape) {
  std::vector<size_t> order(shape.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const int64_t at_a = std::abs(like.strides_[a]), at_b = std::abs(like.strides_[b]);
    return at_a != at_b ? at_a > at_b : a < b;
  });
  tensor::Dims strides{};
  int64_t stride = 1;
  for (size_t k = order.size(); k-- > 0;) {
    strides[order[k]] = stride;
    stride *= std::max<int64_t>(shape[order[k]], 1);
  }
  return strides;
}

// Not filled; where the parameter is.
Ref create_state(const Tensor& param, tenon_dtype dtype, tensor::DimSpan shape) {
  const tensor::Dims strides = dense_strides(param, shape);
  const uint64_t bytes = static_cast<uint64_t>(tensor::count(shape)) * tensor::size_of(dtype);
  return Ref(Tensor::create(tensor::Storage::create(device_of(param), bytes), dtype, shape,
                            strides.data(), 0));
}

}  // namespace

// Which parameters the step takes, and what a later change of numbers would not reach. The
// gradients of frozen ones are none of the plan's.
void Optimizer::note_gradients(plan::Recorder& recorder) {
  for (const Param& param : params_) {
    recorder.looks_at(*param.tensor);
    if (!tape::requires_grad(*param.tensor)) continue;
    const tape::Link& link = tape::link_of(*param.tensor);
    if (link.grad.rows.indices) plan::refuse_rows(*param.tensor);
    recorder.leaf(*param.tensor);
  }
  freeze(recorder);
  for (const Param& param : params_) {
    if (!tape::requires_grad(*param.tensor)) continue;
    recorder.leaf(*param.tensor).needs(tape::link_of(*param.tensor), false);
  }
}

size_t Optimizer::state_index(uint32_t param, std::string_view name) const {
  if (param >= params_.size()) {
    fail(TENON_E_NOT_FOUND, "the optimizer has no parameter " + std::to_string(param), {},
         "an index below " + std::to_string(params_.size()), std::to_string(param));
  }
  const std::span<const tenon_state_desc> states(desc().states, desc().n_states);
  return find_named(kind_->name, states, name, "state", TENON_E_NOT_FOUND);
}

Tensor* Optimizer::state(uint32_t param, std::string_view name) const {
  const size_t index = state_index(param, name);
  const bool parted = params_[param].parted;
  if (parted && !whole_) {
    fail_in(kind_->name, TENON_E_STATE,
            "state \"" + std::string(name) + "\" of parameter " + std::to_string(param) +
                " is shared by several processes",
            std::string(name), "states that were gathered here since the last step",
            "a part of them", "call tenon_data_parallel_gather_states in all processes");
  }
  const std::vector<Ref>& states = parted ? (*whole_)[param] : params_[param].states;
  return states.empty() ? nullptr : states[index].get();
}

void Optimizer::set_state(Context& context, uint32_t param, std::string_view name,
                          const Tensor& values) {
  const size_t index = state_index(param, name);
  if (context.capturing) {
    fail_in(kind_->name, TENON_E_CAPTURE,
            "state \"" + std::string(name) + "\" cannot be set while a step is captured",
            std::string(name));
  }
  Param& target = params_[param];
  const tenon_meta expected = meta_of_state(*target.tensor, desc().states[index]);
  const tensor::DimSpan shape = tensor::shape_of(expected);
  const bool same_shape = std::ranges::equal(values.shape(), shape);
  if (!same_shape || values.dtype() != expected.dtype) {
    fail_in(kind_->name, same_shape ? TENON_E_DTYPE : TENON_E_SHAPE,
            "state \"" + std::string(name) + "\" of parameter " + std::to_string(param) +
                " has another " + (same_shape ? "dtype" : "shape"),
            std::string(name), tensor::describe(expected), tensor::describe(values));
  }
  whole_.reset();
  Ref packed;
  if (target.parted) {
    packed = create_state(*target.tensor, values.dtype(), values.shape());
    launch::copy_into(context, values, *packed);
  }
  const Ref part = packed ? part_of_state(target, index, *packed) : Ref();
  if (packed && !part) return;  // nothing of it is held here
  const bool made = make_states(context, param);
  try {
    launch::copy_into(context, part ? *part : values, *target.states[index]);
  } catch (...) {
    if (made) target.states.clear();
    throw;
  }
}

// Never recorded: a replay must not set the state back to its beginning.
bool Optimizer::make_states(Context& context, uint32_t index) {
  Param& param = params_[index];
  const Tensor* const of = target(param);
  if (!of) return false;
  if (!param.states.empty()) {
    if (&device_of(*param.states[0]) != &device_of(*param.tensor)) follow(context, param);
    return false;
  }
  const CaptureSuspended suspended(context);
  const Tensor& like = *of;
  std::vector<Ref> states;
  for (uint32_t i = 0; i < desc().n_states; ++i) {
    const tenon_state_desc& state = desc().states[i];
    const tenon_meta meta = meta_of_state(like, state);
    Ref made = create_state(like, meta.dtype, tensor::shape_of(meta));
    launch::fill(context, *made, registry::float_value(state.initial));
    states.push_back(std::move(made));
  }
  param.states = std::move(states);
  return true;
}

// The parameter has moved to another device (tenon_layer_set_device).
void Optimizer::follow(Context& context, Param& param) {
  const CaptureSuspended suspended(context);
  std::vector<Ref> there;
  for (const Ref& state : param.states) {
    there.push_back(create_state(*target(param), state->dtype(), state->shape()));
    launch::copy_into(context, *state, *there.back());
  }
  param.states = std::move(there);
}

void Optimizer::reset_states(Context& context, uint32_t index) {
  const CaptureSuspended suspended(context);
  const std::vector<Ref>& states = params_[index].states;
  for (size_t i = 0; i < states.size(); ++i) {
    launch::fill(context, *states[i], registry::float_value(desc().states[i].initial));
  }
}

tenon_meta Optimizer::state_meta(uint32_t param, const tenon_state_desc& state) const {
  return meta_of_state(*params_[param].tensor, state);
}

const Optimizer::Dynamic& Optimizer::dynamic(Context& context, uint32_t group, Device& device) {
  for (const Dynamic& known : dynamics_) {
    if (known.group == group && known.device == &device) return known;
  }
  const CaptureSuspended suspended(context);
  const std::vector<tenon_value>& hypers = groups_[group].hypers;
  Dynamic made{group, &device, std::vector<Ref>(hypers.size())};
  for (uint32_t i = 0; i < desc().n_hypers; ++i) {
    if (!(desc().hypers[i].flags & TENON_HYPER_DYNAMIC)) continue;
    made.values[i] = Ref(launch::full(context, device, TENON_DTYPE_F64, {}, hypers[i]));
  }
  dynamics_.push_back(std::move(made));
  return dynamics_.back();
}

// Parameters with gradients, cut into lists one launch can take. A plan lets the numbers of equal
// groups become different.
Optimizer::Works Optimizer::gather(bool capturing, Grads& grads) {
  if (hypers_changed_ && !capturing) find_equal_groups();
  Works works;
  for (size_t i = 0; i < params_.size(); ++i) {
    grads.emplace_back();
    const tape::Link* const own = tape::find_link(*params_[i].tensor);
    if (!own || own->node || !own->requires_grad) continue;
    Tensor* const changed = target(params_[i]);
    if (!changed) continue;
    Tensor& tensor = *changed;
    tape::Link* link = tape::find_link(tensor);
    if (!link) continue;
    const uint32_t group = capturing ? params_[i].group : groups_[params_[i].group].like;
    grads[i] = tape::gradient_of(link);
    if (!grads[i].any()) continue;
    const bool rows = static_cast<bool>(grads[i].rows.indices);
    const auto fits = [&](const Work& work) {
      const Tensor& first = *target(params_[work.params[0]]);
      return work.group == group && work.rows == rows && &device_of(first) == &device_of(tensor) &&
             first.dtype() == tensor.dtype();
    };
    // Mostly that of the parameter before.
    const auto known = std::find_if(works.rbegin(), works.rend(), fits);
    if (known == works.rend()) {
      works.push_back({});
      works.back().params.push_back(i);
      works.back().group = group;
      works.back().rows = rows;
    } else {
      known->params.push_back(i);
    }
  }
  return works;
}

void Optimizer::step(Context& context, const Work& work, const Grads& grads) {
  const bool rows = work.rows && rows_op_;
  std::vector<Ref> dense;  // rows made dense for an optimizer without a rows op
  Handles params;
  Handles firsts;
  Handles seconds;
  Small<Handles, 4> states(desc().n_states);
  for (size_t i : work.params) {
    Param& param = params_[i];
    params.push_back(tensor::handle(target(param)));
    Tensor* first = (rows ? grads[i].rows.indices : grads[i].dense).get();
    if (work.rows && !rows_op_) {
      dense.push_back(backward::densify(context, tensor::meta_of(*param.tensor), grads[i].rows));
      first = dense.back().get();
    }
    firsts.push_back(tensor::handle(first));
    if (rows) seconds.push_back(tensor::handle(grads[i].rows.values.get()));
    for (size_t s = 0; s < states.size(); ++s) {
      states[s].push_back(tensor::handle(param.states[s].get()));
    }
  }
  Small<tenon_value, 8> inputs;
  inputs.push_back(list_value(params));
  inputs.push_back(list_value(firsts));
  if (rows) inputs.push_back(list_value(seconds));
  for (const Handles& list : states) inputs.push_back(list_value(list));
  const Dynamic& numbers = dynamic(context, work.group, device_of(*params_[work.params[0]].tensor));
  Small<tenon_value, 8> attrs;
  for (uint32_t i = 0; i < desc().n_hypers; ++i) {
    if (numbers.values[i]) {
      inputs.push_back(registry::tensor_value(*numbers.values[i]));
    } else {
      attrs.push_back(groups_[work.group].hypers[i]);
    }
  }
  dispatch::call(context, op_of(work), {inputs.data(), inputs.size()}, {attrs.data(), attrs.size()},
                 {});
}

void Optimizer::refuse_no_gradient() const {
  fail_in(kind_->name, TENON_E_GRAD, "no parameter has a gradient", {},
          "gradients from tenon_backward_run", "none");
}

void Optimizer::run(Context& context, bool clear_grads) {
  if (parts_) {
    run_parts(context, clear_grads);
  } else {
    run_step(context, clear_grads);
  }
  ++*runs_;
  if (plan::Recorder* const recorder = plan::recorder_of(context)) {
    recorder->run_in(std::make_shared<Counting>(runs_));
  }
}

void Optimizer::run_step(Context& context, bool clear_grads) {
  require_active(*kind_->plugin, kind_->name);
  const GradMode off(context, false);
  Grads grads;
  const Works works = gather(context.capturing != nullptr, grads);
  if (works.empty() && !parts_) refuse_no_gradient();
  for (const Work& work : works) {
    const registry::Op& op = op_of(work);
    require_active(*op.plugin, op.name);
  }
  if (plan::Recorder* const recorder = plan::recorder_of(context)) note_gradients(*recorder);
  // What was made for a first step that then failed goes again; a plan may hold it already.
  struct Fresh {
    Optimizer& optimizer;
    bool capturing;
    size_t dynamics;
    Small<size_t, 16> params{};
    bool kept = false;
    ~Fresh() {
      if (kept || capturing) return;
      for (size_t i : params) optimizer.params_[i].states.clear();
      optimizer.dynamics_.resize(dynamics);
    }
  } fresh{*this, context.capturing != nullptr, dynamics_.size()};
  fresh.params.reserve(params_.size());
  for (const Work& work : works) {
    for (size_t i : work.params) {
      if (make_states(context, static_cast<uint32_t>(i))) fresh.params.push_back(i);
    }
  }
  const auto site =
      check_site(context, false, [&] { return "in a step of optimizer " + kind_->name; });
  for (const Work& work : works) {
    step(context, work, grads);
    fresh.kept = true;  // those after it start from their states' beginning when asked again
  }
  if (!clear_grads) return;
  for (Param& param : params_) {
    tape::Link& link = tape::link_of(*param.tensor);
    if (plan::Recorder* const recorder = plan::recorder_of(context)) {
      recorder->leaf(*param.tensor).replaces();
    }
    tape::Gradient ended;
    tape::exchange(link, ended);
  }
}

}  // namespace tenon::optim
