// SPDX-License-Identifier: Apache-2.0
// tenon/cpp/gradients.hpp: gradients of several tensors and of functions, and functions that see
// gradients on their way.
#ifndef TENON_CPP_GRADIENTS_HPP
#define TENON_CPP_GRADIENTS_HPP

#include <tenon/cpp/call.hpp>

#include <functional>

namespace tenon {

namespace detail {

inline tenon_tensor* const* seeds_of(const Tensors& seeds, const Tensors& roots, const char* op) {
  if (seeds.size() == 0) return nullptr;
  if (seeds.size() != roots.size()) {
    refuse(TENON_E_ARGUMENT, op, "seeds", "one for each of " + std::to_string(roots.size()),
           std::to_string(seeds.size()));
  }
  return seeds.data();
}

inline std::vector<Tensor> adopt_all(std::span<tenon_tensor* const> handles) {
  std::vector<Tensor> tensors;
  tensors.reserve(handles.size());
  for (tenon_tensor* each : handles) tensors.push_back(Tensor::adopt(each));
  return tensors;
}

// Runs a function of the program that the library has called: what it throws waits until the
// library's call has failed.
template <class Function>
tenon_status guarded(Function function) noexcept {
  try {
    function();
    return TENON_OK;
  } catch (const Error& error) {
    state().thrown = std::current_exception();
    return error.status();
  } catch (...) {
    state().thrown = std::current_exception();
    return TENON_E_STATE;
  }
}

}  // namespace detail

// Adds the gradients of sum(root * seed) to the leaves. A root of one element needs no seed; a seed
// that is not defined stands for none.
inline void backward(const Tensors& roots, const Tensors& seeds = {},
                     const BackwardOptions& options = {}) {
  detail::State& state = detail::state();
  state.check(tenon_backward_run(state.handle, roots.data(),
                                 detail::seeds_of(seeds, roots, "backward"), roots.size(),
                                 detail::flags_of(options)));
}

struct GradOptions {
  Tensors seeds = {};
  bool retain_graph = false;
  bool create_graph = false;
};
// The gradients of sum(output * seed) for each of `inputs`; leaves stay as they are. Not defined
// for an input that the outputs do not depend on.
inline std::vector<Tensor> grad(const Tensors& outputs, const Tensors& inputs,
                                const GradOptions& options = {}) {
  detail::State& state = detail::state();
  std::vector<tenon_tensor*> found(inputs.size());
  state.check(tenon_gradient_call(
      state.handle, outputs.data(), detail::seeds_of(options.seeds, outputs, "grad"),
      outputs.size(), inputs.data(), inputs.size(),
      detail::flags_of({options.retain_graph, options.create_graph}), found.data()));
  return detail::adopt_all(found);
}

struct ValueAndGrad {
  Tensor value;
  std::vector<Tensor> grads;  // one for each input; not defined if the value does not depend on it
};
// Runs `function(inputs)`, which takes a span of tensors and returns one of one element, and gives
// its value with its gradients. No leaf collects anything.
template <class Function>
ValueAndGrad value_and_grad(Function&& function, const Tensors& inputs, bool create_graph = false) {
  const auto run = [](tenon_context*, tenon_tensor* const* given, std::uint32_t n,
                      tenon_tensor** outputs, std::uint32_t, void* user) -> tenon_status {
    return detail::guarded([&] {
      std::vector<Tensor> tensors;
      tensors.reserve(n);
      for (std::uint32_t i = 0; i < n; ++i) tensors.push_back(Tensor::share(given[i]));
      auto& wanted = *static_cast<std::remove_reference_t<Function>*>(user);
      outputs[0] = Tensor(wanted(std::span<const Tensor>(tensors))).release();
    });
  };
  detail::State& state = detail::state();
  tenon_tensor* value = nullptr;
  std::vector<tenon_tensor*> grads(inputs.size());
  auto* user = const_cast<void*>(static_cast<const void*>(std::addressof(function)));
  state.check(tenon_function_call(state.handle, run, user, inputs.data(), inputs.size(), nullptr, 1,
                                  create_graph ? TENON_BACKWARD_CREATE_GRAPH : 0, &value,
                                  grads.data()));
  return {Tensor::adopt(value), detail::adopt_all(grads)};
}

// A function that sees the gradient of a tensor in every backward, and may return another one in
// its place; one that is not defined leaves it as it is. Ends with the tensor, or by `end`.
class Hook {
 public:
  using Function = std::function<Tensor(const Tensor& gradient)>;

  Hook(const Tensor& tensor, Function function) : tensor_(tensor) {
    const auto run = [](tenon_context*, tenon_tensor* gradient, tenon_tensor** out,
                        void* user) -> tenon_status {
      return detail::guarded(
          [&] { *out = (*static_cast<Function*>(user))(Tensor::share(gradient)).release(); });
    };
    const auto let_go = [](void* user) { delete static_cast<Function*>(user); };
    auto kept = std::make_unique<Function>(std::move(function));
    detail::State& state = detail::state();
    state.check(tenon_hook_begin(state.handle, tensor.handle(), run, kept.get(), let_go, &number_));
    (void)kept.release();
  }
  void end() {
    detail::State& state = detail::state();
    state.check(tenon_hook_end(state.handle, tensor_.handle(), number_));
  }

 private:
  Tensor tensor_;
  std::uint64_t number_ = 0;
};

// What `roots` were computed from: "json", "dot", "svg", "dot/LR", "svg/LR".
inline std::string draw(const Tensors& roots, std::string_view topic = "svg") {
  detail::State& state = detail::state();
  tenon_text* text = nullptr;
  state.check(tenon_graph_query(state.handle, roots.data(), roots.size(), topic.data(),
                                topic.size(), &text));
  return detail::take_text(text);
}

}  // namespace tenon

#endif  // TENON_CPP_GRADIENTS_HPP
