// SPDX-License-Identifier: Apache-2.0
// core/layers/describe.cc: the tensors a layer's description names, and their initial values.
#include <algorithm>

#include "core/dispatch/dispatch.h"
#include "core/launch/moves.h"
#include "core/layers/layer.h"
#include "core/registry/checks.h"
#include "core/tape/graph.h"

namespace tenon::layers {

namespace {

constexpr const char* kShape = "shape";
constexpr const char* kDtype = "dtype";

// What a call of an op that gives initial values needs: its attributes, some of them ours.
class Drawing {
 public:
  Drawing(const registry::Entry& kind, const tenon_layer_tensor_spec& spec, const registry::Op& op)
      : kind_(kind), op_(op), values_(op.schema.attrs.size()) {
    if (!op.schema.inputs.empty() || op.schema.outputs.size() != 1) {
      fail("has inputs, or not one output", op.schema.text);
    }
    // A 16-bit number is the nearest one to an f32 that was drawn.
    const bool narrow = tensor::is_float(spec.dtype) && tensor::size_of(spec.dtype) == 2;
    dtype_ = narrow ? TENON_DTYPE_F32 : spec.dtype;
    for (uint32_t i = 0; i < spec.n_attrs; ++i) {
      set(registry::text_view(spec.attr_names[i]), spec.attr_values[i]);
    }
    set(kShape, registry::ints_value({spec.shape, static_cast<size_t>(spec.rank)}));
    set(kDtype, registry::dtype_value(dtype_));
  }

  Ref run(Context& context, tenon_dtype wanted) const {
    Tensor* out = nullptr;
    dispatch::call(context, op_, {}, values_, {&out, 1});
    Ref made(out);
    if (wanted == dtype_) return made;
    return Ref(dispatch::cast(context, *made, wanted));
  }

 private:
  void set(std::string_view name, const tenon_value& value) {
    const int32_t index = op_.schema.find_attr(name);
    if (index < 0) fail("has no attribute \"" + std::string(name) + "\"", op_.schema.text);
    values_[static_cast<size_t>(index)] = value;
  }
  [[noreturn]] void fail(const std::string& what, const std::string& found) const {
    fail_plugin(kind_.name, kind_.plugin->id, "its initialiser " + op_.name + " " + what, op_.name,
                "an op without inputs, with the attributes shape and dtype", found);
  }

  const registry::Entry& kind_;
  const registry::Op& op_;
  std::vector<tenon_value> values_;
  tenon_dtype dtype_ = TENON_DTYPE_NONE;
};

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
  throw Error{
      .status = dtype_at_fault && !tensor::is_float(spec.dtype) ? TENON_E_DTYPE : TENON_E_PLUGIN,
      .message = kind.name + ": tensor \"" + name + "\" " + problem,
      .op = kind.name,
      .operand = name,
      .expected = buffer ? "a dtype of Tenon" : "f16 bf16 f32 f64",
      .found = tensor::is_known(spec.dtype) ? tensor::dtype_text(spec.dtype)
                                            : std::to_string(spec.dtype),
      .plugin = kind.plugin->id};
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
  const Drawing drawing(*kind_, spec, op);
  // A replay must not set the layer back to its beginning.
  const CaptureSuspended suspended(context);
  const GradMode off(context, false);
  const DefaultDevice here(context, device_->id);
  Ref made = drawing.run(context, spec.dtype);
  const bool buffer = (spec.flags & TENON_LAYER_BUFFER) != 0;
  if (!buffer) tape::link_of(*made).requires_grad = true;
  own_.push_back({{name, made.get(), buffer}, made});
}

}  // namespace tenon::layers
