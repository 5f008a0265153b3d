// SPDX-License-Identifier: Apache-2.0
// plugins/layers/recurrent.hpp: what lstm, gru and rnn share: layers and directions stacked from an
// op that is one of them, and their cells.
//
// Names and initial values of tensors are those of torch.nn: uniform between -1/sqrt(hidden) and
// 1/sqrt(hidden).
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "options.hpp"

namespace tenon::layers::recurrent {

// The last two options differ between kinds and stand in the same place.
enum Option : uint32_t {
  kInputs,
  kHidden,
  kLayers,
  kBias,
  kBatchFirst,
  kDropout,
  kBidirectional,
  kOwn,
  kDtype
};
enum CellOption : uint32_t { kCellInputs, kCellHidden, kCellBias, kCellOwn };

inline constexpr tenon_layer_option kInputsOption =
    sdk::required_option("inputs", TENON_VALUE_I64, "size of the last dimension of x");
inline constexpr tenon_layer_option kHiddenOption =
    sdk::required_option("hidden", TENON_VALUE_I64, "number of hidden units");
inline constexpr tenon_layer_option kBiasOption =
    sdk::option("bias", true, "are there biases, one with the inputs and one with the state?");
inline constexpr tenon_layer_option kLayersOption =
    sdk::option("layers", 1, "how many, each on the results of the one before");
inline constexpr tenon_layer_option kBatchFirstOption =
    sdk::option("batch_first", false, "are x and y [B,T,...], not [T,B,...]?");
inline constexpr tenon_layer_option kDropoutOption = sdk::option(
    "dropout", 0.0, "probability, in training, that a result of a layer but the last becomes 0");
inline constexpr tenon_layer_option kBidirectionalOption = sdk::option(
    "bidirectional", false, "is there a second direction, from the last step to the first?");

inline constexpr tenon_layer_option kActivationOption =
    sdk::option("activation", sdk::text_value("tanh"), "\"tanh\" or \"relu\"");
inline void need_activation(std::string_view word) {
  if (word == "tanh" || word == "relu") return;
  throw sdk::Failure{TENON_E_ATTRIBUTE, "activation names none that rnn has", "activation",
                     "\"tanh\" or \"relu\"", "\"" + std::string(word) + "\""};
}

// What an op of one layer and direction is called with; what is absent is none.
struct Operands {
  sdk::Value x, w_ih, w_hh, h0, c0, b_ih, b_hh, w_hr, lengths;
  sdk::Value reverse, batch_first;
};
using Run = void (*)(sdk::Forward& f, const Operands& o, std::span<tenon_tensor*> results);

// One of the three.
struct Kind {
  int64_t gates;
  bool has_cell;        // is c a second state?
  bool has_projection;  // does an option say how many numbers the state has?
  Run run;

  uint32_t states() const { return has_cell ? 2 : 1; }
};

struct Sizes {
  Sizes(const Kind& kind, const sdk::Attrs& o)
      : inputs(o.integer(kInputs)),
        hidden(o.integer(kHidden)),
        projection(kind.has_projection ? o.integer(kOwn) : 0),
        layers(o.integer(kLayers)),
        directions(o.flag(kBidirectional) ? 2 : 1) {}

  int64_t state() const { return projection ? projection : hidden; }
  int64_t inputs_of(int64_t layer) const { return layer == 0 ? inputs : state() * directions; }

  int64_t inputs, hidden, projection, layers, directions;
};

// ---- describe -----------------------------------------------------------------------------------

inline void add_weights(sdk::Describe& d, const std::string& suffix, int64_t rows, int64_t inputs,
                        int64_t state, int64_t hidden, bool bias, tenon_dtype dtype) {
  const double bound = 1.0 / std::sqrt(static_cast<double>(hidden));
  const sdk::Initialiser initial = sdk::uniform(-bound, bound);
  d.parameter("weight_ih" + suffix, {rows, inputs}, initial, dtype);
  d.parameter("weight_hh" + suffix, {rows, state}, initial, dtype);
  if (bias) {
    d.parameter("bias_ih" + suffix, {rows}, initial, dtype);
    d.parameter("bias_hh" + suffix, {rows}, initial, dtype);
  }
  if (state != hidden) d.parameter("weight_hr" + suffix, {state, hidden}, initial, dtype);
}

inline std::string suffix_of(int64_t layer, int64_t direction) {
  return "_l" + std::to_string(layer) + (direction ? "_reverse" : "");
}

inline void describe(sdk::Describe& d, const Kind& kind) {
  d.size(kInputs, "inputs");
  d.size(kHidden, "hidden");
  d.size(kLayers, "layers");
  const Sizes s(kind, d.options);
  if (s.projection < 0 || s.projection >= s.hidden) {
    throw sdk::Failure{TENON_E_ATTRIBUTE, "projection must be smaller than hidden", "projection",
                       "a number from 1 to " + std::to_string(s.hidden - 1) + ", or 0 for none",
                       std::to_string(s.projection)};
  }
  need_probability(d.options.real(kDropout), "dropout");
  for (int64_t layer = 0; layer < s.layers; ++layer) {
    for (int64_t direction = 0; direction < s.directions; ++direction) {
      add_weights(d, suffix_of(layer, direction), kind.gates * s.hidden, s.inputs_of(layer),
                  s.state(), s.hidden, d.options.flag(kBias), d.options.dtype(kDtype));
    }
  }
}

// ---- forward ------------------------------------------------------------------------------------

inline tenon_tensor* with_axis(sdk::Forward& f, sdk::Value x, int64_t axis) {
  return f.call("tenon.unsqueeze", {x}, {sdk::Value(std::span(&axis, 1))});
}
inline tenon_tensor* without_axis(sdk::Forward& f, sdk::Value x, int64_t axis) {
  return f.call("tenon.squeeze", {x}, {sdk::Value(std::span(&axis, 1))});
}
// Layers and directions, one after the other, over x [T,B,I] or [B,T,I], or [T,I] without a batch.
class Stack {
 public:
  Stack(sdk::Forward& f, const Kind& kind)
      : f_(f),
        kind_(kind),
        sizes_(kind, f.options),
        batch_axis_(f.options.flag(kBatchFirst) ? 0 : 1) {
    const tenon_meta x = f.meta(f.in(0).tensor());
    is_batch_ = x.rank == 3;
    if ((x.rank != 2 && x.rank != 3) || x.shape[x.rank - 1] != sizes_.inputs) {
      const std::string inputs = std::to_string(sizes_.inputs) + "]";
      throw sdk::Failure{TENON_E_SHAPE, "x must have rows of the layer's inputs", "x",
                         (batch_axis_ ? "[T,B," : "[B,T,") + inputs + " or [T," + inputs,
                         sdk::shape_text(shape_of(x))};
    }
    x_ = is_batch_ ? f.in(0) : sdk::Value(with_axis(f, f.in(0), batch_axis_));
    const int64_t batch = is_batch_ ? x.shape[batch_axis_] : 1;
    states_[0] = state(1, "h0", batch, sizes_.state());
    if (kind.has_cell) states_[1] = state(2, "c0", batch, sizes_.hidden);
  }

  void run() {
    for (int64_t layer = 0; layer < sizes_.layers; ++layer) {
      std::vector<tenon_tensor*> results;
      for (int64_t direction = 0; direction < sizes_.directions; ++direction) {
        results.push_back(run_one(layer, direction));
      }
      x_ = results.size() == 1 ? results[0] : joined("tenon.concat", results, -1);
      const double dropout = f_.training ? f_.options.real(kDropout) : 0.0;
      if (dropout > 0 && layer + 1 < sizes_.layers) x_ = f_.call("tenon.dropout", {x_}, {dropout});
    }
    f_.set(0, is_batch_ ? x_ : sdk::Value(without_axis(f_, x_, batch_axis_)));
    for (uint32_t i = 0; i < kind_.states(); ++i) {
      tenon_tensor* last = joined("tenon.stack", last_[i], 0);
      f_.set(1 + i, is_batch_ ? last : without_axis(f_, last, 1));
    }
  }

 private:
  // A state that is given, [layers*directions,B,size].
  sdk::Value state(uint32_t input, const char* operand, int64_t batch, int64_t size) {
    const sdk::Value given = f_.in(input);
    if (given.is_none()) return given;
    const tenon_meta meta = f_.meta(given.tensor());
    const int64_t count = sizes_.layers * sizes_.directions;
    const int64_t with_batch[] = {count, batch, size}, alone[] = {count, size};
    const std::span<const int64_t> wanted =
        is_batch_ ? std::span<const int64_t>(with_batch) : std::span<const int64_t>(alone);
    if (!std::ranges::equal(wanted, shape_of(meta))) {
      throw sdk::Failure{TENON_E_SHAPE,
                         std::string(operand) + " must have a row for each layer and direction",
                         operand, sdk::shape_text(wanted), sdk::shape_text(shape_of(meta))};
    }
    return is_batch_ ? given : sdk::Value(with_axis(f_, given, 1));
  }
  sdk::Value part(sdk::Value all, int64_t index) {
    if (all.is_none()) return all;
    return without_axis(f_, f_.call("tenon.slice", {all}, {0, index, index + 1}), 0);
  }
  tenon_tensor* joined(std::string_view op, const std::vector<tenon_tensor*>& parts, int64_t axis) {
    return f_.call(op, {std::span<tenon_tensor* const>(parts)}, {axis});
  }
  tenon_tensor* run_one(int64_t layer, int64_t direction) {
    const std::string suffix = suffix_of(layer, direction);
    const int64_t index = layer * sizes_.directions + direction;
    tenon_tensor* results[3] = {};
    kind_.run(f_,
              {.x = x_,
               .w_ih = f_.tensor("weight_ih" + suffix),
               .w_hh = f_.tensor("weight_hh" + suffix),
               .h0 = part(states_[0], index),
               .c0 = part(states_[1], index),
               .b_ih = f_.tensor("bias_ih" + suffix),
               .b_hh = f_.tensor("bias_hh" + suffix),
               .w_hr = f_.tensor("weight_hr" + suffix),
               .lengths = f_.in(1 + kind_.states()),
               .reverse = direction == 1,
               .batch_first = batch_axis_ == 0},
              std::span(results).first(1 + kind_.states()));
    for (uint32_t i = 0; i < kind_.states(); ++i) last_[i].push_back(results[1 + i]);
    return results[0];
  }

  sdk::Forward& f_;
  const Kind& kind_;
  Sizes sizes_;
  int64_t batch_axis_;
  bool is_batch_;
  sdk::Value x_;
  sdk::Value states_[2];
  std::vector<tenon_tensor*> last_[2];  // states after the last step, of each layer and direction
};

// ---- Cells --------------------------------------------------------------------------------------

inline void describe_cell(sdk::Describe& d, int64_t gates, uint32_t dtype) {
  const int64_t inputs = d.size(kCellInputs, "inputs");
  const int64_t hidden = d.size(kCellHidden, "hidden");
  add_weights(d, "", gates * hidden, inputs, hidden, hidden, d.options.flag(kCellBias),
              d.options.dtype(dtype));
}

}  // namespace tenon::layers::recurrent
