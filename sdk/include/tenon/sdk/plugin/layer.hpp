// SPDX-License-Identifier: Apache-2.0
// tenon/sdk/plugin/layer.hpp: writing a layer in one short file.
//
//   void describe(sdk::Describe& d) { d.parameter("weight", {...}, sdk::uniform(-b, b), dtype); }
//   void forward(sdk::Forward& f) { f.set(0, f.call("acme.op", {f.in(0), f.tensor("weight")})); }
//   constexpr tenon_layer_desc layers[] = {sdk::layer(
//       {.name = "acme.scale", .describe = sdk::describe_fn<describe>,
//        .forward = sdk::forward_fn<forward>, ...})};
//   TENON_UNIT(scale) = {.layers = layers};
#pragma once

#include <tenon/ext/draft/layers.h>
#include <tenon/sdk/plugin/op.hpp>
#include <tenon/sdk/plugin/plugin.hpp>

#include <array>
#include <cmath>

namespace tenon::sdk {

// ---- Initial values -----------------------------------------------------------------------------

// A value by name: an attribute of an op, an option of a layer.
using Named = std::pair<std::string_view, Value>;

// An op that makes a tensor, by its attributes `shape` and `dtype` and these.
struct Initialiser {
  std::string_view op;
  std::vector<Named> attrs;
};

inline Initialiser constant(double value) { return {"tenon.full", {{"value", value}}}; }
inline Initialiser uniform(double low, double high) {
  return {"tenon.uniform", {{"low", low}, {"high", high}}};
}
inline Initialiser normal(double mean, double std) {
  return {"tenon.normal", {{"mean", mean}, {"std", std}}};
}
// Cut two standard deviations from 0 on either side.
inline Initialiser truncated_normal(double std) {
  return {"tenon.truncated_normal", {{"std", std}, {"low", -2 * std}, {"high", 2 * std}}};
}
inline Initialiser orthogonal(double gain) { return {"tenon.orthogonal", {{"gain", gain}}}; }

// How many numbers one output of a weight is made of, and how many outputs one input goes into.
// Both at least 1, so that a weight without elements has an initialiser too.
struct Fans {
  int64_t in = 1;
  int64_t out = 1;
};

// X. Glorot, Y. Bengio, "Understanding the difficulty of training deep feedforward neural
// networks", 2010: variance gain^2 2 / (in + out).
inline double xavier_deviation(const Fans& fans, double gain) {
  return gain * std::sqrt(2.0 / static_cast<double>(fans.in + fans.out));
}
// K. He and others, "Delving Deep into Rectifiers", 2015: variance gain^2 / in.
inline double kaiming_deviation(const Fans& fans, double gain) {
  return gain / std::sqrt(static_cast<double>(fans.in));
}
// The uniform distribution around 0 of that standard deviation.
inline Initialiser uniform_of(double deviation) {
  const double bound = std::sqrt(3.0) * deviation;
  return uniform(-bound, bound);
}

// What a layer's option says in words. gain: of the Xavier, Kaiming and orthogonal ones; standard
// deviation of `normal` and, before the cut, of `truncated_normal`, bound of `uniform`, value of
// `constant`.
inline Initialiser initialiser_by_name(std::string_view name, const Fans& fans, double gain,
                                       const char* option) {
  if (name == "xavier_uniform") return uniform_of(xavier_deviation(fans, gain));
  if (name == "xavier_normal") return normal(0, xavier_deviation(fans, gain));
  if (name == "kaiming_uniform") return uniform_of(kaiming_deviation(fans, gain));
  if (name == "kaiming_normal") return normal(0, kaiming_deviation(fans, gain));
  if (name == "uniform") return uniform(-gain, gain);
  if (name == "normal") return normal(0, gain);
  if (name == "truncated_normal") return truncated_normal(gain);
  if (name == "orthogonal") return orthogonal(gain);
  if (name == "constant") return constant(gain);
  throw Failure{TENON_E_ATTRIBUTE, std::string(option) + " is not an initialiser", option,
                "one of xavier_uniform, xavier_normal, kaiming_uniform, kaiming_normal, uniform, "
                "normal, truncated_normal, orthogonal, constant",
                std::string(name)};
}

// ---- describe -----------------------------------------------------------------------------------

namespace detail {

inline const tenon_host_layers& layers_of(tenon_call* call) {
  const void* table = call->host->get_interface(call->host, TENON_HOST_LAYERS, TENON_NUL);
  if (!table) throw Failure{TENON_E_UNSUPPORTED, "the host has no table tenon.host.layers/1"};
  return *static_cast<const tenon_host_layers*>(table);
}

struct NamedLists {
  explicit NamedLists(std::span<const Named> all) {
    for (const auto& [name, value] : all) {
      names.push_back(str(name));
      values.push_back(value);
    }
  }
  uint32_t count() const { return static_cast<uint32_t>(names.size()); }
  std::vector<tenon_string> names;
  std::vector<tenon_value> values;
};

}  // namespace detail

// What a layer's `describe` sees: options by their position, and what it adds to the layer.
class Describe {
 public:
  Describe(tenon_call* call, const tenon_value* values)
      : options(values, TENON_MAX_SLOTS), call_(call), layers_(detail::layers_of(call)) {}

  void parameter(std::string_view name, std::span<const int64_t> shape, const Initialiser& initial,
                 tenon_dtype dtype) {
    add(0, name, shape, initial, dtype);
  }
  void parameter(std::string_view name, std::initializer_list<int64_t> shape,
                 const Initialiser& initial, tenon_dtype dtype) {
    add(0, name, {shape.begin(), shape.size()}, initial, dtype);
  }
  void buffer(std::string_view name, std::initializer_list<int64_t> shape,
              const Initialiser& initial, tenon_dtype dtype) {
    add(TENON_LAYER_BUFFER, name, {shape.begin(), shape.size()}, initial, dtype);
  }
  // What the layer keeps of sequences (TENON_LAYER_CACHE); i64: how many positions of each.
  void cache(std::string_view name, std::initializer_list<int64_t> shape, tenon_dtype dtype) {
    add(TENON_LAYER_BUFFER | TENON_LAYER_CACHE, name, {shape.begin(), shape.size()}, {}, dtype);
  }
  void child(std::string_view name, std::string_view layer, std::span<const Named> values) {
    const detail::NamedLists lists(values);
    const tenon_string names[] = {str(name), str(layer)};
    check(layers_.add_child(call_, &names[0], &names[1], lists.names.data(), lists.values.data(),
                            lists.count()));
  }
  // Fails if no plugin offers the op.
  void need_op(std::string_view op) {
    if (!call_->dispatch->find(call_, op.data(), op.size())) throw HostFailed{TENON_E_NOT_FOUND};
  }
  // An option that counts something.
  int64_t size(uint32_t option, const char* name) const {
    const int64_t found = options.integer(option);
    if (found >= 1) return found;
    throw Failure{TENON_E_ATTRIBUTE, std::string(name) + " must be at least 1", name, "at least 1",
                  std::to_string(found)};
  }

  Attrs options;

 private:
  void add(uint32_t flags, std::string_view name, std::span<const int64_t> shape,
           const Initialiser& initial, tenon_dtype dtype) {
    const detail::NamedLists attrs(initial.attrs);
    tenon_layer_tensor_spec spec{};
    spec.struct_size = sizeof spec;
    spec.flags = flags;
    spec.name = str(name);
    spec.op = str(initial.op);  // empty: a cache
    spec.attr_names = attrs.names.data();
    spec.attr_values = attrs.values.data();
    spec.n_attrs = attrs.count();
    tenon_meta meta{};
    set_shape(meta, shape);
    spec.rank = meta.rank;
    for (size_t i = 0; i < shape.size(); ++i) spec.shape[i] = shape[i];
    spec.dtype = dtype;
    check(layers_.add_tensor(call_, &spec));
  }

  tenon_call* call_;
  const tenon_host_layers& layers_;
};

// ---- forward ------------------------------------------------------------------------------------

// What a layer's `forward` sees.
class Forward : public Calls {
 public:
  Forward(tenon_call* call, const tenon_value* values, const tenon_value* inputs, uint32_t n_inputs,
          uint32_t flags)
      : Calls(call),
        options(values, TENON_MAX_SLOTS),
        training((flags & TENON_LAYER_TRAINING) != 0),
        inputs_(inputs, n_inputs),
        layers_(detail::layers_of(call)) {}

  Value in(uint32_t input) const { return input < inputs_.size() ? inputs_[input] : Value(); }
  // A parameter or buffer; NONE if describe has not added it, or if it is a cache and there is
  // none.
  Value tensor(std::string_view name) {
    tenon_tensor* found = nullptr;
    check(layers_.get_tensor(call_, name.data(), name.size(), &found));
    return found;
  }
  void set_buffer(std::string_view name, Value value) {
    check(layers_.set_buffer(call_, name.data(), name.size(), value.tensor()));
  }
  void set(uint32_t output, Value value) {
    check(call_->dispatch->set_output(call_, output, value.tensor()));
  }
  uint32_t child_count() {
    uint32_t count = 0;
    check(layers_.get_child_count(call_, &count));
    return count;
  }
  tenon_tensor* call_child(uint32_t index, Value input) { return call_child(index, {input}); }
  tenon_tensor* call_child(uint32_t index, std::initializer_list<Value> inputs) {
    tenon_tensor* out = nullptr;
    check(layers_.call_child(call_, index, inputs.begin(), static_cast<uint32_t>(inputs.size()),
                             &out, 1));
    return out;
  }

  Attrs options;
  bool training;

 private:
  std::span<const tenon_value> inputs_;
  const tenon_host_layers& layers_;
};

template <void (*Rule)(Describe&)>
tenon_status describe_fn(tenon_call* call, const tenon_value* values) {
  return guarded(call, [&] {
    Describe describe(call, values);
    Rule(describe);
  });
}
template <void (*Rule)(Forward&)>
tenon_status forward_fn(tenon_call* call, const tenon_value* values, const tenon_value* inputs,
                        uint32_t n_inputs, uint32_t flags) {
  return guarded(call, [&] {
    Forward forward(call, values, inputs, n_inputs, flags);
    Rule(forward);
  });
}

// ---- Descriptors --------------------------------------------------------------------------------

// A required option, and one with a value of its own (NONE: absent if it is not given).
constexpr tenon_layer_option required_option(std::string_view name, uint32_t tag,
                                             std::string_view doc) {
  return {str(name), str(doc), tag, 1, {}};
}
constexpr tenon_layer_option option(std::string_view name, Value initial, std::string_view doc) {
  return {str(name), str(doc), initial.tag, 0, initial};
}

constexpr tenon_layer_sample layer_sample(std::string_view text) {
  return {str(text), {nullptr, 0}, TENON_OK, 0};
}
constexpr tenon_layer_sample layer_refused(std::string_view text, tenon_status status,
                                           std::string_view fragment) {
  return {str(text), str(fragment), status, 0};
}

struct LayerParts {
  std::string_view name;
  std::string_view doc;
  std::span<const tenon_layer_option> options{};
  std::span<const tenon_layer_sample> samples{};
  uint32_t min_inputs = 1;
  uint32_t max_inputs = 1;
  uint32_t n_outputs = 1;
  uint32_t flags = 0;
  decltype(tenon_layer_desc::describe) describe = nullptr;
  decltype(tenon_layer_desc::forward) forward = nullptr;
};

constexpr tenon_layer_desc layer(const LayerParts& p) {
  return {sizeof(tenon_layer_desc),
          p.flags,
          str(p.name),
          str(p.doc),
          p.options.data(),
          p.samples.data(),
          static_cast<uint32_t>(p.options.size()),
          static_cast<uint32_t>(p.samples.size()),
          p.min_inputs,
          p.max_inputs,
          p.n_outputs,
          0,
          p.describe,
          p.forward};
}

}  // namespace tenon::sdk
