// SPDX-License-Identifier: Apache-2.0
// core/api/layer_api.cc: public functions of layers.
#include <tenon/ext/draft/entries.h>

#include "core/api/guard.h"
#include "core/api/objects.h"
#include "core/checkpoint/checkpoint.h"

using namespace tenon;
using namespace tenon::api;
using layers::Layer;

namespace {

constexpr decltype(kLayers) kChildren("child");

// Tensors and NONE: what else a forward cannot use.
std::span<const tenon_value> require_inputs(Context& context, const tenon_value* inputs,
                                            uint32_t count) {
  if (count != 0) require_pointer(inputs, "inputs");
  for (uint32_t i = 0; i < count; ++i) {
    if (inputs[i].tag == TENON_VALUE_NONE) continue;
    if (inputs[i].tag != TENON_VALUE_TENSOR) {
      fail(TENON_E_ARGUMENT, "input " + std::to_string(i) + " of a layer must be a tensor",
           "inputs", "tensor", registry::tag_name(inputs[i].tag));
    }
    require_tensor(context, inputs[i].as.tensor, "inputs");
  }
  return {inputs, count};
}

// The layer, of which a step that is captured takes over what is in it.
Layer& looked_at(Context& context, tenon_layer* layer) {
  Layer& found = *kLayers.require(context, layer);
  found.note_parts(context);
  return found;
}

// Tensor `index` of the layer and all below.
const layers::Named& require_named(Context& context, tenon_layer* layer, uint32_t index) {
  const std::vector<layers::Named>& all = looked_at(context, layer).tensors();
  check_index("the layer has no tensor", index, all.size());
  return all[index];
}

}  // namespace

tenon_status tenon_layer_create(tenon_context* context, const char* name, uint64_t name_length,
                                const tenon_device* device, const tenon_string* names,
                                const tenon_value* values, uint32_t n_values,
                                tenon_layer** out_layer) {
  return guard_out(context, out_layer, "out_layer", [&](Context& cx) {
    const std::string_view given = require_name(name, name_length);
    const auto options = read_named(names, values, n_values);
    const auto& kind = cx.runtime->plugins.require_entry<tenon_layer_desc>(given);
    Device& where = device ? cx.runtime->device(*device) : cx.default_device();
    return kLayers.give(std::make_shared<Layer>(cx, kind, where, options, 0));
  });
}

void tenon_layer_release(tenon_layer* handle) { kLayers.release(handle); }

tenon_status tenon_layer_set_child(tenon_context* context, tenon_layer* layer, const char* name,
                                   uint64_t name_length, tenon_layer* child) {
  return guard(context, [&](Context& cx) {
    const layers::Shared& parent = kLayers.require(cx, layer);
    parent->set_child(require_text(name, name_length, "name"), kChildren.require(cx, child));
  });
}

tenon_status tenon_layer_set_training(tenon_context* context, tenon_layer* layer,
                                      uint32_t training) {
  return guard(context,
               [&](Context& cx) { kLayers.require(cx, layer)->set_training(training != 0); });
}

tenon_status tenon_layer_set_device(tenon_context* context, tenon_layer* layer,
                                    const tenon_device* device) {
  return guard(context, [&](Context& cx) {
    const layers::Shared& which = kLayers.require(cx, layer, "moving a layer");
    which->set_device(cx, device ? cx.runtime->device(*device) : cx.default_device());
  });
}

tenon_status tenon_layer_set_cache(tenon_context* context, tenon_layer* layer, int64_t batch,
                                   int64_t positions) {
  return guard(context, [&](Context& cx) {
    kLayers.require(cx, layer, "setting a layer's cache")->set_cache(cx, batch, positions);
  });
}

tenon_status tenon_layer_crop_cache(tenon_context* context, tenon_layer* layer, int64_t count) {
  return guard(context, [&](Context& cx) {
    kLayers.require(cx, layer, "cropping a layer's cache")->crop_cache(cx, count);
  });
}

tenon_status tenon_layer_call(tenon_context* context, tenon_layer* layer, const tenon_value* inputs,
                              uint32_t n_inputs, tenon_tensor** out_outputs, uint32_t n_outputs) {
  return guard(context, [&](Context& cx) {
    const layers::Shared& which = kLayers.require(cx, layer);
    if (n_outputs != 0) require_pointer(out_outputs, "out_outputs");
    std::vector<Ref> made = which->call(cx, require_inputs(cx, inputs, n_inputs), n_outputs);
    for (uint32_t i = 0; i < n_outputs; ++i) out_outputs[i] = tensor::handle(made[i].take());
  });
}

tenon_status tenon_layer_get_tensor(tenon_context* context, tenon_layer* layer, uint32_t index,
                                    const char** out_name, uint32_t* out_flags,
                                    tenon_tensor** out_tensor) {
  return guard(context, [&](Context& cx) {
    const layers::Named& found = require_named(cx, layer, index);
    if (out_name) *out_name = found.name.c_str();
    if (out_flags) {
      *out_flags =
          (found.buffer ? TENON_LAYER_BUFFER : 0u) | (found.cache ? TENON_LAYER_CACHE : 0u);
    }
    if (out_tensor) *out_tensor = tensor::handle(found.tensor);
  });
}

[[gnu::cold]] tenon_status tenon_layer_get_child(tenon_context* context, tenon_layer* layer,
                                                 uint32_t index, const char** out_name,
                                                 tenon_string* out_entry) {
  return guard(context, [&](Context& cx) {
    const std::vector<layers::Below>& all = looked_at(cx, layer).below();
    check_index("the layer has no child", index, all.size());
    if (out_name) *out_name = all[index].name.c_str();
    if (out_entry) {
      const std::string& entry = all[index].layer->kind().name;
      *out_entry = {entry.data(), entry.size()};
    }
  });
}

tenon_status tenon_layer_get_parameter(tenon_context* context, tenon_layer* layer, uint32_t index,
                                       const char** out_name, tenon_tensor** out_tensor) {
  return guard(context, [&](Context& cx) {
    const std::span<const layers::Named* const> all = looked_at(cx, layer).parameters();
    check_index("the layer has no parameter", index, all.size());
    if (out_name) *out_name = all[index]->name.c_str();
    if (out_tensor) *out_tensor = tensor::handle(all[index]->tensor);
  });
}

tenon_status tenon_layer_find_tensor(tenon_context* context, tenon_layer* layer, const char* name,
                                     uint64_t name_length, tenon_tensor** out_tensor) {
  return guard_out(context, out_tensor, "out_tensor", [&](Context& cx) {
    Layer& which = looked_at(cx, layer);
    return tensor::handle(&which.find_tensor(require_text(name, name_length, "name")));
  });
}

tenon_status tenon_layer_set_tensor(tenon_context* context, tenon_layer* layer, const char* name,
                                    uint64_t name_length, tenon_tensor* tensor) {
  return guard(context, [&](Context& cx) {
    const layers::Shared& which = kLayers.require(cx, layer, "setting a layer's tensor");
    const Tensor& values = require_tensor(cx, tensor, "tensor");
    which->set_tensor(cx, require_text(name, name_length, "name"), values);
  });
}

tenon_status tenon_layer_share_tensor(tenon_context* context, tenon_layer* layer, const char* name,
                                      uint64_t name_length, tenon_tensor* tensor) {
  return guard(context, [&](Context& cx) {
    const layers::Shared& which = kLayers.require(cx, layer, "sharing a layer's tensor");
    Tensor& shared = require_tensor(cx, tensor, "tensor");
    which->share_tensor(require_text(name, name_length, "name"), shared);
  });
}

tenon_status tenon_layer_save(tenon_context* context, tenon_layer* layer, const char* path,
                              uint64_t path_length) {
  return guard(context, [&](Context& cx) {
    const checkpoint::Parts parts = {{"", kLayers.require(cx, layer, "saving a layer")}};
    checkpoint::save(cx, parts, checkpoint::Extent::Alone, require_path(path, path_length));
  });
}

tenon_status tenon_layer_load(tenon_context* context, tenon_layer* layer, const char* path,
                              uint64_t path_length) {
  return guard(context, [&](Context& cx) {
    checkpoint::Parts parts = {{"", kLayers.require(cx, layer, "loading a layer")}};
    checkpoint::load(cx, parts, checkpoint::Extent::Alone, require_path(path, path_length));
  });
}

tenon_status tenon_optimizer_create_for_layer(tenon_context* context, const char* name,
                                              uint64_t name_length, tenon_layer* layer,
                                              const tenon_string* names, const tenon_value* values,
                                              uint32_t n_values, tenon_optimizer** out_optimizer) {
  return guard_out(context, out_optimizer, "out_optimizer", [&](Context& cx) {
    const std::string_view given = require_name(name, name_length);
    std::vector<optim::GivenGroup> groups(1);
    for (const layers::Named* each : kLayers.require(cx, layer)->parameters()) {
      if (tape::requires_grad(*each->tensor)) {
        groups[0].params.push_back(Ref::shared(each->tensor));
      }
    }
    return make_optimizer(cx, given, std::move(groups), read_named(names, values, n_values),
                          optim::Given::List);
  });
}
