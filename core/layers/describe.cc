// SPDX-License-Identifier: Apache-2.0
// core/layers/describe.cc: the tensors a layer's description names, and their initial values.
#include <algorithm>

#include "core/dispatch/dispatch.h"
#include "core/layers/layer.h"
#include "core/registry/checks.h"
#include "core/tape/graph.h"

namespace tenon::layers {

namespace {

// A tensor's first values: what the op gives that its description names, with attributes of which
// shape and dtype are ours.
Ref drawn(Context& context, const registry::Entry& kind, const tenon_layer_tensor_spec& spec,
          const registry::Op& op) {
  const auto refuse = [&](const std::string& what) {
    fail_plugin(kind.name, kind.plugin->id, "its initialiser " + op.name + " " + what, op.name,
                "an op without inputs, with the attributes shape and dtype", op.schema.text);
  };
  if (!op.schema.inputs.empty() || op.schema.outputs.size() != 1) {
    refuse("has inputs, or not one output");
  }
  std::vector<tenon_value> values(op.schema.attrs.size());
  const auto set = [&](std::string_view name, const tenon_value& value) {
    const int32_t index = op.schema.find_attr(name);
    if (index < 0) refuse("has no attribute \"" + std::string(name) + "\"");
    values[static_cast<size_t>(index)] = value;
  };
  // A 16-bit number is the nearest one to an f32 that was drawn.
  const bool narrow = tensor::is_float(spec.dtype) && tensor::size_of(spec.dtype) == 2;
  const tenon_dtype dtype = narrow ? TENON_DTYPE_F32 : spec.dtype;
  for (uint32_t i = 0; i < spec.n_attrs; ++i) {
    set(registry::text_view(spec.attr_names[i]), spec.attr_values[i]);
  }
  set("shape", registry::ints_value({spec.shape, static_cast<size_t>(spec.rank)}));
  set("dtype", registry::dtype_value(dtype));
  Tensor* out = nullptr;
  dispatch::call(context, op, {}, values, {&out, 1});
  Ref made(out);
  return narrow ? Ref(dispatch::cast(context, *made, spec.dtype)) : made;
}

void check_spec(const registry::Entry& kind, const tenon_layer_tensor_spec& spec) {
  const bool buffer = (spec.flags & TENON_LAYER_BUFFER) != 0;
  std::string problem;
  const bool cache = (spec.flags & TENON_LAYER_CACHE) != 0;
  if ((spec.flags & ~(TENON_LAYER_BUFFER | TENON_LAYER_CACHE)) != 0 || spec.reserved != 0) {
    problem = "has unknown flags; it needs a newer Tenon";
  } else if (cache && (!buffer || spec.op.length != 0 || spec.n_attrs != 0)) {
    problem = "is a cache, but not a buffer, or with an initialiser: caches begin with zeros";
  } else if (spec.rank < 0 || spec.rank > TENON_MAX_RANK) {
    problem = "has rank " + std::to_string(spec.rank);
  } else if (!tensor::is_known(spec.dtype) || (!buffer && !tensor::is_float(spec.dtype))) {
    problem = "has no dtype that a " + std::string(buffer ? "buffer" : "parameter") + " can have";
  } else if (spec.n_attrs != 0 && (!spec.attr_names || !spec.attr_values)) {
    problem = "gives NULL for its initialiser's attributes";
  }
  if (problem.empty()) return;
  const std::string name(registry::text_view(spec.name));
  const bool dtype_at_fault = tensor::is_known(spec.dtype) && !buffer;
  fail_with(
      dtype_at_fault && !tensor::is_float(spec.dtype) ? TENON_E_DTYPE : TENON_E_PLUGIN, kind.name,
      kind.plugin->id, kind.name + ": tensor \"" + name + "\" " + problem, name,
      buffer ? "a dtype of Tenon" : "f16 bf16 f32 f64",
      tensor::is_known(spec.dtype) ? tensor::dtype_text(spec.dtype) : std::to_string(spec.dtype));
}

}  // namespace

void Layer::check_name(std::string_view name) const {
  if (!registry::is_plain_name(name)) {
    fail(TENON_E_ARGUMENT, "the name \"" + registry::shown(name) + "\" is malformed", "name",
         "small letters, digits and '_'", registry::shown(name));
  }
  const bool taken = own_tensor(name) != nullptr ||
                     std::ranges::find(caches_, name, &CacheSpec::name) != caches_.end() ||
                     std::any_of(children_.begin(), children_.end(),
                                 [&](const Child& child) { return child.name == name; });
  if (!taken) return;
  fail(TENON_E_ARGUMENT, "the name \"" + std::string(name) + "\" is taken", "name",
       "a name no other tensor or child of the layer has", std::string(name));
}

void Layer::add_tensor(Context& context, const tenon_layer_tensor_spec& given) {
  const auto spec = registry::read_descriptor(
      &given, [&] { return "layer " + kind_->name + ": a tensor's description"; });
  const std::string name(registry::text_view(spec.name));
  check_name(name);
  check_spec(*kind_, spec);
  if (spec.flags & TENON_LAYER_CACHE) {
    caches_.push_back({name, spec.dtype, {spec.shape, spec.shape + spec.rank}});
    return;
  }
  const registry::Op& op = runtime_->plugins.require_op(registry::text_view(spec.op), 0);
  // A replay must not set the layer back to its beginning.
  const CaptureSuspended suspended(context);
  const GradMode off(context, false);
  const DefaultDevice here(context, device_->id);
  Ref made = drawn(context, *kind_, spec, op);
  const bool buffer = (spec.flags & TENON_LAYER_BUFFER) != 0;
  if (!buffer) tape::link_of(*made).requires_grad = true;
  own_.push_back({{name, made.get(), buffer}, made});
}

}  // namespace tenon::layers
