// SPDX-License-Identifier: Apache-2.0
// tenon/cpp/plan.hpp: steps that are recorded once and run again.
#ifndef TENON_CPP_PLAN_HPP
#define TENON_CPP_PLAN_HPP

#include <tenon/cpp/call.hpp>

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
  explicit Capture(const Tensors& inputs) : state_(detail::state()) {
    state_.check(tenon_capture_begin(state_.handle, inputs.data(), inputs.size()));
  }
  ~Capture() {
    tenon_plan* dropped = nullptr;
    if (running_ && tenon_capture_end(state_.handle, &dropped) == TENON_OK) {
      tenon_plan_release(dropped);
    }
  }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  Plan end() {
    tenon_plan* made = nullptr;
    running_ = false;  // a capture that fails to end has ended
    state_.check(tenon_capture_end(state_.handle, &made));
    return Plan(made);
  }

 private:
  detail::State& state_;
  bool running_ = true;
};

// Runs `step()` once and records it.
template <class Step>
Plan capture(const Tensors& inputs, Step&& step) {
  Capture recording(inputs);
  step();
  return recording.end();
}

}  // namespace tenon

#endif  // TENON_CPP_PLAN_HPP
