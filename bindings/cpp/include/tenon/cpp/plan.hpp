// SPDX-License-Identifier: Apache-2.0
// tenon/cpp/plan.hpp: steps that are recorded once and run again.
#ifndef TENON_CPP_PLAN_HPP
#define TENON_CPP_PLAN_HPP

#include <tenon/cpp/call.hpp>

#include <any>
#include <tuple>
#include <type_traits>

namespace tenon {

// A captured step. Tensors that it made are written anew by each run. What they were captured from
// may be exchanged for tensors of the same shape, strides, dtype and device.
class Plan {
 public:
  void run() const {
    detail::State& state = detail::state();
    state.check(tenon_plan_run(state.handle, owned_.get()));
  }
  // Exchanges input number `place`.
  void set(std::uint32_t place, const Tensor& tensor) const {
    detail::State& state = detail::state();
    state.check(tenon_plan_set(state.handle, owned_.get(), place, tensor.handle()));
  }
  // Exchanges the first inputs and runs.
  template <std::same_as<Tensor>... Inputs>
  void operator()(const Inputs&... inputs) const {
    std::uint32_t place = 0;
    (set(place++, inputs), ...);
    run();
  }
  // One line for each launch.
  std::string text() const {
    detail::State& state = detail::state();
    tenon_text* text = nullptr;
    state.check(tenon_plan_get_text(state.handle, owned_.get(), &text));
    return detail::take_text(text);
  }
  tenon_plan* handle() const { return owned_.get(); }

 private:
  friend class Capture;
  explicit Plan(tenon_plan* made) : owned_(made) {}

  detail::Owned<tenon_plan, tenon_plan_release> owned_;
};

// Records, and runs, all that this thread launches until `end`; without `end` it is dropped.
class [[nodiscard]] Capture {
 public:
  template <std::same_as<Tensor>... Inputs>
  explicit Capture(const Inputs&... inputs) : Capture(Tensors({detail::Borrowed(inputs)...})) {}
  explicit Capture(const Tensors& inputs) : state_(detail::state().shared_from_this()) {
    state_->check(tenon_capture_begin(state_->handle, inputs.data(), inputs.size()));
  }
  ~Capture() {
    tenon_plan* dropped = nullptr;
    if (running_ && tenon_capture_end(state_->handle, &dropped) == TENON_OK) {
      tenon_plan_release(dropped);
    }
  }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  Plan end() {
    tenon_plan* made = nullptr;
    const tenon_status status = tenon_capture_end(state_->handle, &made);
    running_ = status == TENON_E_MEMORY;  // any other failure ends it
    state_->check(status);
    return Plan(made);
  }

 private:
  std::shared_ptr<detail::State> state_;
  bool running_ = true;
};

// Runs `step()` once and records it.
template <class Step>
Plan capture(const Tensors& inputs, Step&& step) {
  Capture recording(inputs);
  step();
  return recording.end();
}

namespace detail {

// Calls f(Tensor&) for what a step returns: a tensor, or a vector, tuple, pair or array of tensors.
template <class Result, class F>
void each_result(Result& result, F&& f) {
  if constexpr (std::same_as<Result, Tensor>) {
    f(result);
  } else if constexpr (std::same_as<Result, std::vector<Tensor>>) {
    for (Tensor& each : result) f(each);
  } else {
    std::apply([&](auto&... each) { (f(each), ...); }, result);
  }
}

}  // namespace detail

// A step as a function of tensors that is captured when it is called with a kind of inputs that is
// new (shapes, strides, dtypes, devices, gradients), and replayed with them from then on.
//
//   tenon::Captured step([&](const Tensor& x, const Tensor& y) { ...; return loss; });
//   for (const auto& [x, y] : loader.batches<2>()) total += step(x, y).item();
//
// It returns a tensor, several (a vector, tuple, pair or array) or nothing; a result is the same
// tensor for each kind, with new values. What else it does inside is done when it is captured. No
// value can be read in it.
template <class Step>
class Captured {
  template <class... Inputs>
  using Result = std::remove_cvref_t<std::invoke_result_t<Step&, const Inputs&...>>;

 public:
  explicit Captured(Step step) : step_(std::move(step)) {}

  template <std::same_as<Tensor>... Inputs>
  Result<Inputs...> operator()(const Inputs&... inputs) {
    const Known& known = plan_for(inputs...);
    if constexpr (!std::is_void_v<Result<Inputs...>>) {
      return std::any_cast<const Result<Inputs...>&>(known.result);
    }
  }

  // What else the step depends on, as a number of the program's own: training and evaluation, with
  // and without gradients are modes.
  void set_mode(int mode) { mode_ = mode; }
  std::size_t n_plans() const { return known_.size(); }

 private:
  struct Kind {
    Ints shape, strides;
    Dtype dtype;
    Device device;
    bool requires_grad;
    bool operator==(const Kind&) const = default;
  };
  struct Known {
    int mode;
    std::vector<Kind> kinds;
    Plan plan;
    std::any result;
  };

  // Runs the step, or the plan of what it was with such inputs.
  template <class... Inputs>
  const Known& plan_for(const Inputs&... inputs) {
    std::vector<Kind> kinds = {kind_of(inputs)...};
    for (const Known& each : known_) {
      if (each.mode != mode_ || each.kinds != kinds) continue;
      each.plan(inputs...);
      return each;
    }
    std::any result;
    Plan plan = capture({inputs...}, [&] { result = run(inputs...); });
    return known_.emplace_back(Known{mode_, std::move(kinds), std::move(plan), std::move(result)});
  }

  static Kind kind_of(const Tensor& x) {
    return {x.shape(), x.strides(), x.dtype(), x.device(), x.requires_grad()};
  }
  template <class... Inputs>
  std::any run(const Inputs&... inputs) {
    if constexpr (std::is_void_v<Result<Inputs...>>) {
      step_(inputs...);
      return {};
    } else {
      Result<Inputs...> result = step_(inputs...);
      detail::each_result(result, [&](Tensor& each) {
        // In an input's memory it would go on naming that, whatever input is given later.
        const bool shares =
            each.defined() && ((each.info().storage == inputs.info().storage) || ...);
        if (shares) each = each.clone();
      });
      return result;
    }
  }

  Step step_;
  std::vector<Known> known_;
  int mode_ = 0;
};

}  // namespace tenon

#endif  // TENON_CPP_PLAN_HPP
