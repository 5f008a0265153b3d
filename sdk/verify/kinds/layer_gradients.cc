// SPDX-License-Identifier: Apache-2.0
// sdk/verify/kinds/layer_gradients.cc: gradients of a layer's parameters and inputs against
// differences.
#include <algorithm>
#include <cmath>

#include "backward/backward_call.h"
#include "case/training.h"
#include "kinds/layer_runs.h"

namespace tenon::verify {
namespace {

constexpr size_t kMovedElements = 32;  // elements of one tensor that are moved alone

Vector numbers_of(const Array& array) {
  Vector numbers(array.count());
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = array.at(i);
  return numbers;
}

Array array_of(const Vector& numbers, const Array& like) {
  Array array = make_array(like.dtype, like.shape);
  for (size_t i = 0; i < numbers.size(); ++i) array.set(i, numbers[i]);
  return array;
}

// What moves: parameters and f64 inputs.
struct Moving {
  std::string name;
  tenon_tensor* tensor = nullptr;
  Array at;
};

// Outputs that lead to what moves, and what comes back into each.
struct Incoming {
  std::vector<tenon_tensor*> roots, seeds;
  std::vector<Tensor> owned;
  Vector weights;  // of all outputs' elements; 0 for those that lead nowhere
};

// Nothing if a layer is not in f64: a sample that asks for f64 looks at its gradients.
std::optional<std::vector<Moving>> moving_of(const LayerRuns& runs, const LayerSample& sample,
                                             const Layer& layer,
                                             const LayerRuns::Placements& inputs) {
  const Session& session = runs.session();
  std::vector<Moving> moving;
  for (const LayerTensor& each : runs.tensors_of(layer)) {
    if (!each.is_buffer) moving.push_back({each.name, each.tensor, {}});
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (sample.inputs[i].dtype != TENON_DTYPE_F64) continue;
    session.check(tenon_tensor_set_requires_grad(session.context(), inputs[i]->get(), 1));
    moving.push_back({"input " + std::to_string(i), inputs[i]->get(), {}});
  }
  for (Moving& each : moving) {
    each.at = contents_of(session, each.tensor);
    if (each.at.dtype != TENON_DTYPE_F64) return std::nullopt;
  }
  return moving;
}

// Nothing as above.
std::optional<Incoming> incoming_for(const LayerRuns& runs, const std::vector<Tensor>& outputs) {
  const Session& session = runs.session();
  Incoming all;
  for (const Tensor& output : outputs) {
    Array seed = contents_of(session, output.get());
    const bool leads = (tensor_flags(session, output.get()) & TENON_TENSOR_REQUIRES_GRAD) != 0;
    if (leads && seed.dtype != TENON_DTYPE_F64) return std::nullopt;
    for (size_t i = 0; i < seed.count(); ++i) {
      all.weights.push_back(leads ? std::cos(1.0 + static_cast<double>(all.weights.size())) : 0);
      if (leads) seed.set(i, all.weights.back());
    }
    if (!leads) continue;
    tenon_tensor* tensor = nullptr;
    session.check(tenon_tensor_create_from(
        session.context(), seed.dtype, &runs.host(), static_cast<int32_t>(seed.shape.size()),
        seed.shape.data(), seed.bytes.data(), seed.bytes.size(), &tensor));
    all.owned.emplace_back(tensor);
    all.roots.push_back(output.get());
    all.seeds.push_back(tensor);
  }
  return all;
}

// All outputs' elements as a function of what moves.
Function function_of(const LayerRuns& runs, const Layer& layer, const LayerRuns::Placements& inputs,
                     const std::vector<Moving>& moving) {
  return [&](const Point& point) {
    const Session& session = runs.session();
    for (size_t k = 0; k < moving.size(); ++k) {
      overwrite(session, moving[k].tensor, array_of(point[k], moving[k].at));
    }
    session.check(tenon_grad_begin(session.context(), TENON_GRAD_DISABLED));
    std::vector<Tensor> results;
    const tenon_status status = runs.call(layer, inputs, results);
    session.check(tenon_grad_end(session.context()));
    session.check(status);
    Vector all;
    for (const Tensor& result : results) {
      const Vector numbers = numbers_of(contents_of(session, result.get()));
      all.insert(all.end(), numbers.begin(), numbers.end());
    }
    return all;
  };
}

// Of each of the first elements, and along a direction of all.
std::optional<Finding> wrong_slope(const Function& f, const std::vector<Moving>& moving,
                                   const Point& found, const Vector& weights, const Point& along) {
  Point at;
  double scale = 0;
  for (const Moving& each : moving) at.push_back(numbers_of(each.at));
  for (const Vector& each : found) scale = std::max(scale, largest(each));
  const auto judged = [&](const Point& direction,
                          const std::string& where) -> std::optional<Finding> {
    const double slope = dot(found, direction);
    const Slope right = judge_slope(f, at, direction, weights, slope, scale);
    if (right.verdict != Verdict::Wrong) return std::nullopt;
    return Finding{&causes::kWrongGradient, where + ": expected " + std::to_string(right.expected) +
                                                ", found " + std::to_string(slope)};
  };
  for (size_t k = 0; k < moving.size(); ++k) {
    for (size_t i = 0; i < std::min(kMovedElements, at[k].size()); ++i) {
      auto finding = judged(unit_direction(at, k, i),
                            "of " + moving[k].name + ", element " + std::to_string(i));
      if (finding) return finding;
    }
  }
  return judged(along, "along a direction of all that moves");
}

}  // namespace

std::optional<Finding> wrong_gradient(const LayerRuns& runs, const LayerSample& sample,
                                      bool training) {
  const Session& session = runs.session();
  const Layer layer = runs.made(sample, training);
  const LayerRuns::Placements inputs = runs.placed(sample, plain_layouts(sample));
  const auto moving = moving_of(runs, sample, layer, inputs);
  if (!moving) return std::nullopt;
  std::vector<Tensor> outputs;
  session.check(runs.call(layer, inputs, outputs));
  const auto incoming = incoming_for(runs, outputs);
  if (!incoming || incoming->roots.empty()) return std::nullopt;
  session.check(tenon_backward_run(session.context(), incoming->roots.data(),
                                   incoming->seeds.data(),
                                   static_cast<uint32_t>(incoming->roots.size()), 0));
  Point at, found;
  for (const Moving& each : *moving) {
    const auto gradient = held_gradient(session, each.tensor, each.at);
    at.push_back(numbers_of(each.at));
    found.push_back(gradient ? numbers_of(*gradient) : Vector(each.at.count(), 0.0));
  }
  return wrong_slope(function_of(runs, layer, inputs, *moving), *moving, found, incoming->weights,
                     drawn_direction(at, runs.seed(), sample.number));
}

}  // namespace tenon::verify
