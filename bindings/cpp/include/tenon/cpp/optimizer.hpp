// SPDX-License-Identifier: Apache-2.0
// tenon/cpp/optimizer.hpp: optimizers of the registry.
#ifndef TENON_CPP_OPTIMIZER_HPP
#define TENON_CPP_OPTIMIZER_HPP

#include <tenon/ext/draft/groups.h>
#include <tenon/ext/draft/training.h>
#include <tenon/cpp/layer.hpp>
#include <tenon/ops.hpp>

namespace tenon {

// Parameters with hyper-parameters of their own.
struct Group {
  std::vector<Tensor> parameters;
  Options options = {};
};

// What an optimizer is over: the parameters of a layer, tensors, or groups of them. Frozen
// parameters of a layer are left out.
class Parameters {
 public:
  Parameters(const Layer& layer) {
    std::vector<Tensor> found = layer.parameters();
    std::erase_if(found, [](const Tensor& each) { return !each.requires_grad(); });
    groups_.push_back({std::move(found), {}});
  }
  Parameters(std::vector<Tensor> tensors) { groups_.push_back({std::move(tensors), {}}); }
  Parameters(std::initializer_list<Tensor> tensors) : Parameters(std::vector<Tensor>(tensors)) {}
  Parameters(std::vector<Group> groups) : groups_(std::move(groups)) {}
  const std::vector<Group>& groups() const { return groups_; }

 private:
  std::vector<Group> groups_;
};

// Updates parameters by their gradients. Moved, not copied.
class Optimizer {
 public:
  // By the name in the registry: Optimizer("tenon.adam", model, {{"lr", 0.01}}).
  Optimizer(std::string_view name, const Parameters& parameters, const Options& options = {}) {
    detail::State& state = detail::state();
    const detail::OptionLists lists(options);
    std::vector<detail::OptionLists> own;
    std::vector<tenon_optimizer_group> groups;
    std::vector<const tenon_optimizer_group*> listed;
    own.reserve(parameters.groups().size());
    groups.reserve(parameters.groups().size());
    for (const Group& each : parameters.groups()) {
      const detail::OptionLists& these = own.emplace_back(each.options);
      const Tensors tensors(each.parameters);
      groups.push_back({sizeof(tenon_optimizer_group), 0, tensors.data(), these.names.data(),
                        these.values.data(), tensors.size(), these.n});
      listed.push_back(&groups.back());
    }
    tenon_optimizer* made = nullptr;
    state.check(tenon_optimizer_create_groups(state.handle, name.data(), name.size(), listed.data(),
                                              static_cast<std::uint32_t>(listed.size()),
                                              lists.names.data(), lists.values.data(), lists.n,
                                              &made));
    owned_.reset(made);
  }

  // Updates every parameter that has a gradient; then drops the gradients, unless told not to.
  void step(bool clear_grad = true) {
    detail::State& state = detail::state();
    state.check(tenon_optimizer_run(state.handle, owned_.get(),
                                    clear_grad ? TENON_OPTIMIZER_CLEAR_GRAD : 0));
  }
  // A hyper-parameter, in all groups or in one.
  void set(std::string_view name, Number number) {
    detail::State& state = detail::state();
    state.check(
        tenon_optimizer_set(state.handle, owned_.get(), name.data(), name.size(), &number.value()));
  }
  void set(std::uint32_t group, std::string_view name, Number number) {
    detail::State& state = detail::state();
    state.check(tenon_optimizer_set_group(state.handle, owned_.get(), group, name.data(),
                                          name.size(), &number.value()));
  }
  double get(std::string_view name) const {
    detail::State& state = detail::state();
    tenon_value value{};
    state.check(tenon_optimizer_get(state.handle, owned_.get(), name.data(), name.size(), &value));
    return number_of(value);
  }
  double get(std::uint32_t group, std::string_view name) const {
    detail::State& state = detail::state();
    tenon_value value{};
    state.check(tenon_optimizer_get_group(state.handle, owned_.get(), group, name.data(),
                                          name.size(), &value));
    return number_of(value);
  }
  // State `name` of parameter number `place`; not defined before its first step.
  Tensor state(std::uint32_t place, std::string_view name) const {
    detail::State& state = detail::state();
    tenon_tensor* found = nullptr;
    state.check(tenon_optimizer_get_state(state.handle, owned_.get(), place, name.data(),
                                          name.size(), &found));
    return Tensor::share(found);
  }
  void set_state(std::uint32_t place, std::string_view name, const Tensor& values) {
    detail::State& state = detail::state();
    state.check(tenon_optimizer_set_state(state.handle, owned_.get(), place, name.data(),
                                          name.size(), values.handle()));
  }
  tenon_optimizer* handle() const { return owned_.get(); }

 private:
  static double number_of(const tenon_value& value) {
    return value.tag == TENON_VALUE_F64 ? value.as.f64 : static_cast<double>(value.as.i64);
  }

  detail::Owned<tenon_optimizer, tenon_optimizer_release> owned_;
};

// Shortens the gradients of `parameters`, in place, to a norm of `max_norm` over all of them at
// most, between backward and step; returns the norm that they had. Those without one are left out.
inline Tensor clip_grad_norm(std::span<const Tensor> parameters, double max_norm) {
  std::vector<Tensor> gradients;
  for (const Tensor& each : parameters) {
    if (Tensor gradient = each.grad(); gradient.defined()) gradients.push_back(gradient);
  }
  return clip_grad_norm(Tensors(gradients), {.max_norm = max_norm});
}

}  // namespace tenon

#endif  // TENON_CPP_OPTIMIZER_HPP
