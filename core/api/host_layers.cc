// SPDX-License-Identifier: Apache-2.0
// core/api/host_layers.cc: "tenon.host.layers/1": what a layer's callbacks may ask of the host.
#include <tenon/ext/draft/layers.h>

#include "core/api/host_guard.h"
#include "core/api/host_tables.h"
#include "core/layers/layer.h"

namespace tenon::host {
namespace {

using layers::Layer;
using tensor::Ref;

// The layer whose callback runs; `state` is Infer in describe, Compose in forward.
Layer& layer_of(const CallbackScope& call, CallbackState state, const char* what) {
  require_state(call, {state}, what);
  if (call.subject) return static_cast<Layer&>(*call.subject);
  throw Error{.status = TENON_E_STATE,
              .message = std::string(what) + " is for the callbacks of layers"};
}

tenon_status add_tensor(tenon_call* window, const tenon_layer_tensor_spec* spec) {
  return host_guard(window, "layers.add_tensor", [&](CallbackScope& call) {
    Layer& layer = layer_of(call, CallbackState::Infer, "add_tensor");
    require_pointer(spec, "a tensor's description");
    layer.add_tensor(*call.context, *spec);
  });
}

tenon_status add_child(tenon_call* window, const tenon_string* name, const tenon_string* kind,
                       const tenon_string* names, const tenon_value* values, uint32_t n_values) {
  return host_guard(window, "layers.add_child", [&](CallbackScope& call) {
    Layer& layer = layer_of(call, CallbackState::Infer, "add_child");
    if (n_values != 0) {
      require_pointer(names, "names");
      require_pointer(values, "values");
    }
    std::vector<layers::NamedValue> options;
    for (uint32_t i = 0; i < n_values; ++i) {
      options.emplace_back(text(&names[i], "an option's name"), values[i]);
    }
    layer.add_child(*call.context, text(name, "a child's name"), text(kind, "a layer's name"),
                    options);
  });
}

tenon_status get_tensor(tenon_call* window, const char* name, uint64_t name_length,
                        tenon_tensor** out_tensor) {
  return host_guard(window, "layers.get_tensor", [&](CallbackScope& call) {
    const Layer& layer = layer_of(call, CallbackState::Compose, "get_tensor");
    require_pointer(out_tensor, "out_tensor");
    Tensor* found = layer.use_tensor(*call.context, text(name, name_length, "a tensor's name"));
    *out_tensor = found ? tensor::handle(found) : nullptr;
  });
}

tenon_status set_buffer(tenon_call* window, const char* name, uint64_t name_length,
                        tenon_tensor* values) {
  return host_guard(window, "layers.set_buffer", [&](CallbackScope& call) {
    Layer& layer = layer_of(call, CallbackState::Compose, "set_buffer");
    layer.set_buffer(*call.context, text(name, name_length, "a buffer's name"),
                     require_tensor(call, values, "tensor"));
  });
}

tenon_status get_child_count(tenon_call* window, uint32_t* out_count) {
  return host_guard(window, "layers.get_child_count", [&](CallbackScope& call) {
    const Layer& layer = layer_of(call, CallbackState::Compose, "get_child_count");
    require_pointer(out_count, "out_count");
    *out_count = layer.child_count();
  });
}

tenon_status call_child(tenon_call* window, uint32_t index, const tenon_value* inputs,
                        uint32_t n_inputs, tenon_tensor** out_outputs, uint32_t n_outputs) {
  return host_guard(window, "layers.call_child", [&](CallbackScope& call) {
    Layer& layer = layer_of(call, CallbackState::Compose, "call_child");
    if (n_outputs != 0) require_pointer(out_outputs, "outputs");
    std::vector<Ref> made =
        layer.call_child(*call.context, index, values(inputs, n_inputs, "inputs"), n_outputs);
    call.owned.reserve(call.owned.size() + made.size());
    for (uint32_t i = 0; i < n_outputs; ++i) {
      out_outputs[i] = tensor::handle(made[i].get());
      call.owned.push_back(std::move(made[i]));
    }
  });
}

constexpr tenon_host_layers kLayers = {
    sizeof(tenon_host_layers), 0,         add_tensor, add_child, get_tensor, set_buffer,
    get_child_count,           call_child};

}  // namespace
}  // namespace tenon::host

const tenon_host_layers& tenon::host_layers() { return host::kLayers; }
