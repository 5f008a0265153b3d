// SPDX-License-Identifier: Apache-2.0
// tenon/cpp/layer.hpp: layers of the registry: parameters, buffers and a forward pass.
#ifndef TENON_CPP_LAYER_HPP
#define TENON_CPP_LAYER_HPP

#include <tenon/ext/draft/entries.h>
#include <tenon/ext/draft/layers.h>
#include <tenon/cpp/gradients.hpp>

namespace tenon {

struct NamedTensor {
  std::string name;
  Tensor tensor;
  bool is_parameter = true;  // else a buffer
};

// A layer; used by one thread at a time. A copy is another owner of the same layer.
class Layer {
 public:
  // By the name in the registry: Layer("tenon.linear", {{"inputs", 64}, {"outputs", 10}}). Its
  // parameters are drawn from the context's random numbers. A new layer is in training.
  explicit Layer(std::string_view name, const Options& options = {},
                 const std::optional<Device>& device = {}) {
    detail::State& state = detail::state();
    const detail::OptionLists lists(options);
    tenon_layer* made = nullptr;
    state.check(tenon_layer_create(state.handle, name.data(), name.size(),
                                   device ? &device->handle() : nullptr, lists.names.data(),
                                   lists.values.data(), lists.n, &made));
    shared_.reset(made, tenon_layer_release);
    tenon_entry_info info{};
    info.struct_size = sizeof info;
    state.check(tenon_entry_get_info(state.handle, "layer", 5, name.data(), name.size(), &info));
    n_outputs_ = info.n_outputs;
  }

  // Of a layer with one output. An input that is std::nullopt is absent.
  template <std::convertible_to<Operand>... Inputs>
  Tensor operator()(const Inputs&... inputs) const {
    const tenon_value values[] = {Operand(inputs).value()...};
    detail::State& state = detail::state();
    tenon_tensor* made = nullptr;
    state.check(tenon_layer_call(state.handle, shared_.get(), values, sizeof...(inputs), &made, 1));
    return Tensor::adopt(made);
  }
  // All outputs, of any layer.
  template <std::convertible_to<Operand>... Inputs>
  std::vector<Tensor> all(const Inputs&... inputs) const {
    const tenon_value values[] = {Operand(inputs).value()...};
    detail::State& state = detail::state();
    std::vector<tenon_tensor*> made(n_outputs_);
    state.check(tenon_layer_call(state.handle, shared_.get(), values, sizeof...(inputs),
                                 made.data(), n_outputs_));
    return detail::adopt_all(made);
  }

  // Adds a layer to a container, which shares it. Without a name: "0", "1", ...
  Layer& append(const Layer& child, std::string_view name = {}) {
    detail::State& state = detail::state();
    state.check(tenon_layer_set_child(state.handle, shared_.get(), name.data(), name.size(),
                                      child.shared_.get()));
    return *this;
  }
  Layer& train(bool training = true) {
    detail::State& state = detail::state();
    state.check(tenon_layer_set_training(state.handle, shared_.get(), training));
    return *this;
  }
  Layer& eval() { return train(false); }
  Layer& to(const Device& device) {
    detail::State& state = detail::state();
    state.check(tenon_layer_set_device(state.handle, shared_.get(), &device.handle()));
    return *this;
  }

  // Parameters and buffers of the layer and all that are in it, in order: "0.weight".
  std::vector<NamedTensor> state_dict() const {
    detail::State& state = detail::state();
    std::vector<NamedTensor> found;
    for (std::uint32_t i = 0;; ++i) {
      const char* name = nullptr;
      std::uint32_t flags = 0;
      tenon_tensor* tensor = nullptr;
      const tenon_status status =
          tenon_layer_get_tensor(state.handle, shared_.get(), i, &name, &flags, &tensor);
      if (status == TENON_E_NOT_FOUND) return found;
      state.check(status);
      const bool buffer = (flags & (TENON_LAYER_BUFFER | TENON_LAYER_CACHE)) != 0;
      found.push_back({name, Tensor::share(tensor), !buffer});
    }
  }
  std::vector<Tensor> parameters() const {
    std::vector<Tensor> found;
    for (NamedTensor& each : state_dict()) {
      if (each.is_parameter) found.push_back(std::move(each.tensor));
    }
    return found;
  }
  // Copies values into the tensors of these names. If one does not fit, nothing is copied.
  void load_state_dict(std::span<const NamedTensor> values) {
    for (const NamedTensor& each : values) {
      const Tensor here = get(each.name);
      const bool fits = here.shape() == each.tensor.shape() && here.dtype() == each.tensor.dtype();
      if (!fits) return set(each.name, each.tensor);  // throws, in the library's words
    }
    for (const NamedTensor& each : values) set(each.name, each.tensor);
  }
  Tensor get(std::string_view name) const {
    detail::State& state = detail::state();
    tenon_tensor* found = nullptr;
    state.check(
        tenon_layer_find_tensor(state.handle, shared_.get(), name.data(), name.size(), &found));
    return Tensor::share(found);
  }
  void set(std::string_view name, const Tensor& values) {
    detail::State& state = detail::state();
    state.check(tenon_layer_set_tensor(state.handle, shared_.get(), name.data(), name.size(),
                                       values.handle()));
  }
  // Puts `tensor` itself there: tied weights.
  void share(std::string_view name, const Tensor& tensor) {
    detail::State& state = detail::state();
    state.check(tenon_layer_share_tensor(state.handle, shared_.get(), name.data(), name.size(),
                                         tensor.handle()));
  }
  void save(std::string_view path) const {
    detail::State& state = detail::state();
    state.check(tenon_layer_save(state.handle, shared_.get(), path.data(), path.size()));
  }
  void load(std::string_view path) {
    detail::State& state = detail::state();
    state.check(tenon_layer_load(state.handle, shared_.get(), path.data(), path.size()));
  }
  // What it has seen of sequences is kept, for `batch` of at most `positions` positions.
  void set_cache(std::int64_t batch, std::int64_t positions) {
    detail::State& state = detail::state();
    state.check(tenon_layer_set_cache(state.handle, shared_.get(), batch, positions));
  }
  void crop_cache(std::int64_t count) {
    detail::State& state = detail::state();
    state.check(tenon_layer_crop_cache(state.handle, shared_.get(), count));
  }

  std::uint32_t n_outputs() const { return n_outputs_; }
  tenon_layer* handle() const { return shared_.get(); }

 private:
  std::shared_ptr<tenon_layer> shared_;
  std::uint32_t n_outputs_ = 1;
};

}  // namespace tenon

#endif  // TENON_CPP_LAYER_HPP
