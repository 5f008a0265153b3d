// SPDX-License-Identifier: Apache-2.0
// core/plan/gradients.cc: gradients of leaves in captured steps (gradients.h).
#include "core/plan/gradients.h"

#include "core/autograd/rows.h"
#include "core/dispatch/dispatch.h"
#include "core/plan/plan.h"

namespace tenon::plan {

using autograd::Link;
using autograd::RowGrad;

namespace {

// The one number that changes no sum, not even the sign of a zero. Rows are added to zeros, eagerly
// too, and what they leave out is one.
tenon_value nothing_to_add(bool rows) {
  tenon_value value{TENON_VALUE_F64, 0, {}};
  value.as.f64 = rows ? 0.0 : -0.0;
  return value;
}

// What a leaf holds just now.
struct Held {
  Held() = default;
  explicit Held(Link& link) {
    const std::lock_guard lock(link.mutex);
    grad = link.grad;
    rows = {link.row_indices, link.row_values};
  }
  bool any() const { return grad || rows.indices; }
  Ref grad;
  RowGrad rows;
};

[[noreturn]] void refuse_gradient(const Tensor& leaf, const char* then, const char* now,
                                  const char* hint) {
  const std::string name = tensor::describe(leaf);
  throw Error{.status = TENON_E_STATE,
              .message = "the plan was captured when the leaf " + name + " had " + then +
                         ", and now it has " + now,
              .operand = "the gradient of " + name,
              .expected = then,
              .found = now,
              .hint = hint};
}

}  // namespace

void refuse_rows(const Tensor& leaf) {
  throw Error{.status = TENON_E_CAPTURE,
              .message = "the gradient of the leaf " + tensor::describe(leaf) +
                         " is held as rows, how many a replay does not know",
              .operand = "the gradient of " + tensor::describe(leaf),
              .expected = "a dense gradient, or none",
              .found = "rows",
              .hint = "capture the backward, too: there the gradient is dense"};
}

LeafState& Recorder::leaf(Tensor& leaf) {
  for (LeafState& known : plan_->leaves) {
    if (known.leaf.get() == &leaf) return known;
  }
  const Ref& grad = autograd::link_of(leaf).grad;
  LeafState state;
  for (size_t i = 0; i < plan_->inputs.size(); ++i) {
    const Tensor& input = *plan_->inputs[i].tensor;
    if (&input == &leaf) state.input = i;
    if (grad && range_of(*grad).meets(range_of(input))) {
      refuse_shared(i, "the gradient of " + tensor::describe(leaf), input);
    }
  }
  state.leaf = Ref::shared(&leaf);
  plan_->leaves.push_back(std::move(state));
  return plan_->leaves.back();
}

void Recorder::expect_dense(Context& context, Tensor& leaf) {
  Link& link = autograd::link_of(leaf);
  if (!link.row_indices) return;
  const CaptureSuspended suspended(context);
  link.grad =
      autograd::densify(context, tensor::meta_of(leaf), {link.row_indices, link.row_values});
  link.row_indices = Ref();
  link.row_values = Ref();
}

Ref Recorder::zeros_of(Context& context, const Tensor& leaf) const {
  const CaptureSuspended suspended(context);
  return Ref(
      dispatch::full(context, leaf.device(), leaf.dtype(), leaf.shape(), dispatch::int_value(0)));
}

void Recorder::made(LeafState& state) noexcept {
  Launches& launches = plan_->launches;
  state.makes(autograd::link_of(*state.leaf),
              launches.empty() ? launches.end() : std::prev(launches.end()));
}

// What made the gradient makes a part of it instead, which is added to what is there.
void Recorder::accumulate(Context& context, LeafState& state) {
  Tensor& grad = *state.made;
  const tensor::Storage& whole = *grad.storage;
  const GradMode off(context, false);
  Ref part(Tensor::create(tensor::Storage::create(grad.device(), whole.bytes), grad.dtype(),
                          grad.shape(), grad.strides().data(), grad.offset));
  Launches& launches = plan_->launches;
  const auto n_before = static_cast<ptrdiff_t>(launches.size());
  {
    const CaptureSuspended suspended(context);
    dispatch::fill(context, *part, nothing_to_add(false));
  }
  dispatch::add_into(context, grad, *part);
  {
    // For what no launch writes.
    const CaptureSuspended suspended(context);
    dispatch::copy_into(context, grad, *part);
  }
  const auto added = std::next(launches.begin(), n_before);
  const auto after = state.maker == launches.end() ? launches.begin() : std::next(state.maker);
  const ptrdiff_t distance =
      static_cast<char*>(part->storage->data) - static_cast<char*>(whole.data);
  for (auto launch = launches.begin(); launch != after; ++launch) {
    if (launch->device != &grad.device()) continue;
    for (tenon_view& view : launch->views) {
      const auto offset =
          reinterpret_cast<uintptr_t>(view.data) - reinterpret_cast<uintptr_t>(whole.data);
      if (offset < whole.bytes && !(view.flags & TENON_VIEW_HOST_SCALAR)) {
        view.data = static_cast<char*>(view.data) + distance;
      }
    }
  }
  if (after != added) launches.splice(after, launches, added, launches.end());
  state.begin = state.made;
}

void Recorder::settle_leaves(Context& context) {
  std::erase_if(plan_->leaves, [](const LeafState& state) { return !state.met; });
  for (LeafState& state : plan_->leaves) {
    Link& link = autograd::link_of(*state.leaf);
    Ref now = Held(link).grad;
    if (now && now.get() == state.given.get()) continue;
    state.end = std::move(now);
    if (state.made && state.end && !state.begin) accumulate(context, state);
    if (!state.end || state.input == LeafState::kNoInput) continue;
    const CaptureSuspended suspended(context);
    state.given = Ref(dispatch::copy(context, *state.end));
    const std::lock_guard lock(link.mutex);
    link.grad = state.given;
  }
}

Link* Plan::link_of(const LeafState& state) const {
  const Tensor& leaf =
      state.input == LeafState::kNoInput ? *state.leaf : *inputs[state.input].tensor;
  Link* const link = leaf.link.load(std::memory_order_acquire);
  return link && !link->node && link->requires_grad ? link : nullptr;
}

// Nothing has changed where one of them is not as it has to be.
void Plan::begin_leaves(Context& context) {
  for (const LeafState& state : leaves) {
    if (state.replaced || (state.begin && state.adds)) continue;
    Link* const link = link_of(state);
    const bool any = link && Held(*link).any();
    if (any && !state.begin) {
      refuse_gradient(*state.leaf, "none", "one",
                      "give it up before the run, or capture the step again");
    }
    if (!any && state.begin) {
      refuse_gradient(*state.leaf, "one", "none",
                      "run a backward before the run, or capture the step again");
    }
  }
  for (const LeafState& state : leaves) {
    if (!state.begin) continue;
    Link* const link = link_of(state);
    const Held held = link ? Held(*link) : Held();
    if (held.grad.get() == state.begin.get()) continue;
    if (held.grad) {
      dispatch::copy_into(context, *held.grad, *state.begin);
      continue;
    }
    dispatch::fill(context, *state.begin, nothing_to_add(state.rows));
    if (held.rows.indices) autograd::add_rows_into(context, *state.begin, held.rows);
  }
}

void Plan::end_leaves(Context& context) {
  for (const LeafState& state : leaves) {
    Link* const link = link_of(state);
    if (!link) continue;
    // Of an input there may be another next time, and each has its own.
    Ref end = state.end;
    if (end && state.input != LeafState::kNoInput) end = Ref(dispatch::copy(context, *end));
    Ref indices;
    Ref values;
    const std::lock_guard lock(link->mutex);
    std::swap(link->grad, end);
    std::swap(link->row_indices, indices);
    std::swap(link->row_values, values);
  }
}

}  // namespace tenon::plan
