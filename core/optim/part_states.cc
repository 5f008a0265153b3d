// SPDX-License-Identifier: Apache-2.0
// core/optim/part_states.cc: an optimizer that updates parts of its parameters, and holds the
// states of those alone.
#include "core/launch/moves.h"
#include "core/optim/optimizer.h"

namespace tenon::optim {

Tensor* Optimizer::target(const Param& param) const {
  const Parts::Part* const part = param.parted ? parts_->of(*param.tensor) : nullptr;
  return part ? part->leaf.get() : param.tensor.get();
}

// A window on `whole`, which is row-major: of a state of the parameter's shape the part's elements;
// a scalar as it is. NULL: nothing of the parameter is updated here.
Ref Optimizer::part_of_state(const Param& param, size_t state, const Tensor& whole) const {
  const Parts::Part& part = *parts_->of(*param.tensor);
  if (!part.leaf) return {};
  if (desc().states[state].shape == TENON_STATE_SCALAR) {
    return tensor::window(whole, whole.shape(), whole.strides_, whole.offset);
  }
  return tensor::elements(whole, part.begin, part.end - part.begin);
}

// States that were made, or loaded, before the parts were known.
void Optimizer::part_states(Context& context) {
  for (Param& param : params_) {
    if (param.parted || !parts_->of(*param.tensor)) continue;
    std::vector<Ref> states;
    for (size_t i = 0; i < param.states.size(); ++i) {
      const Ref part = part_of_state(param, i, *param.states[i]);
      if (part) states.emplace_back(launch::copy(context, *part));
    }
    param.states = std::move(states);
    param.parted = true;
  }
}

void Optimizer::keep_whole(std::vector<std::vector<Ref>> states) { whole_ = std::move(states); }

void Optimizer::run_parts(Context& context, bool clear_grads) {
  if (context.capturing) {
    fail_in(kind_->name, TENON_E_CAPTURE, "its states are shared by several processes", {},
            "a step that is not captured", "a capture",
            "run the step as it is, or do not share the states");
  }
  if (!parts_->any_gradient()) refuse_no_gradient();
  parts_->begin(context);
  whole_.reset();
  try {
    part_states(context);
    run_step(context, clear_grads);
  } catch (...) {
    try {
      parts_->gather(context, true);
    } catch (...) {
      // The first error says more.
    }
    throw;
  }
  parts_->gather(context, false);
  if (clear_grads) parts_->clear_gradients();
}

}  // namespace tenon::optim
