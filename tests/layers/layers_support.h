// SPDX-License-Identifier: Apache-2.0
// tests/layers/layers_support.h: layers by name and options, their tensors, and their gradients.
#pragma once

#include <tenon/ext/draft/layers.h>

#include <algorithm>
#include <cmath>

#include "tests/training/training_support.h"

namespace tenon::tests {

struct ReleaseLayer {
  void operator()(tenon_layer* layer) const { tenon_layer_release(layer); }
};
using Layer = std::unique_ptr<tenon_layer, ReleaseLayer>;

inline tenon_value integer(int64_t number) {
  tenon_value value{TENON_VALUE_I64, 0, {}};
  value.as.i64 = number;
  return value;
}
inline tenon_value dtype_value(tenon_dtype dtype) {
  tenon_value value{TENON_VALUE_DTYPE, 0, {}};
  value.as.dtype = dtype;
  return value;
}
inline tenon_value ints(const std::vector<int64_t>& numbers) {
  tenon_value value{TENON_VALUE_INT_LIST, static_cast<uint32_t>(numbers.size()), {}};
  value.as.ints = numbers.data();
  return value;
}

// A parameter or buffer, borrowed from its layer.
struct State {
  std::string name;
  bool buffer = false;
  tenon_tensor* tensor = nullptr;
};

class Layers : public Training {
 protected:
  tenon_status create(const char* name, const std::vector<Option>& options, tenon_layer** out) {
    const Options given(options);
    return tenon_layer_create(context, name, TENON_NUL, nullptr, given.names.data(),
                              given.values.data(), static_cast<uint32_t>(given.values.size()), out);
  }
  Layer layer(const char* name, const std::vector<Option>& options = {}) {
    tenon_layer* out = nullptr;
    must(create(name, options, &out));
    return Layer(out);
  }
  Layer linear(int64_t inputs, int64_t outputs, tenon_dtype dtype = TENON_DTYPE_F32) {
    return layer("tenon.linear", {{"inputs", integer(inputs)},
                                  {"outputs", integer(outputs)},
                                  {"dtype", dtype_value(dtype)}});
  }
  Layer activation(const char* op) { return layer("tenon.activation", {{"op", text(op)}}); }
  void add(const Layer& container, const Layer& child, const char* name = "") {
    must(tenon_layer_set_child(context, container.get(), name, TENON_NUL, child.get()));
  }
  void set_training(const Layer& layer, bool training) {
    must(tenon_layer_set_training(context, layer.get(), training ? 1 : 0));
  }
  Tensor run(const Layer& layer, const tenon_tensor* x) {
    const tenon_value input = one(const_cast<tenon_tensor*>(x));
    tenon_tensor* out = nullptr;
    must(tenon_layer_call(context, layer.get(), &input, 1, &out, 1));
    return Tensor(out);
  }
  std::vector<State> states(const Layer& layer) {
    std::vector<State> all;
    for (uint32_t i = 0;; ++i) {
      const char* name = nullptr;
      uint32_t flags = 0;
      tenon_tensor* tensor = nullptr;
      const tenon_status status =
          tenon_layer_get_tensor(context, layer.get(), i, &name, &flags, &tensor);
      if (status == TENON_E_NOT_FOUND) return all;
      must(status);
      all.push_back({name, (flags & TENON_LAYER_BUFFER) != 0, tensor});
    }
  }
  std::vector<std::string> names(const Layer& layer) {
    std::vector<std::string> list;
    for (const State& state : states(layer)) list.push_back(state.name);
    return list;
  }
  std::vector<tenon_tensor*> parameters(const Layer& layer) {
    std::vector<tenon_tensor*> list;
    for (const State& state : states(layer)) {
      if (!state.buffer) list.push_back(state.tensor);
    }
    return list;
  }
  tenon_view view_of(const tenon_tensor* tensor) {
    tenon_view view{};
    must(tenon_tensor_get_view(context, tensor, &view));
    return view;
  }
  // Whatever the dtype: the bytes, row-major.
  std::string bytes_of(const tenon_tensor* tensor) {
    const tenon_view view = view_of(tensor);
    size_t bytes = (view.dtype >> 8 & 0xff) / 8;
    for (int32_t i = 0; i < view.rank; ++i) bytes *= static_cast<size_t>(view.shape[i]);
    std::string out(bytes, 0);
    must(tenon_tensor_get_data(context, tensor, out.data(), bytes));
    return out;
  }
  void backward(const Tensor& root) {
    tenon_tensor* roots[] = {root.get()};
    must(tenon_backward_run(context, roots, nullptr, 1, 0));
  }
  void seed(uint64_t number) { must(tenon_context_set_seed(context, number, 0)); }
};

}  // namespace tenon::tests
