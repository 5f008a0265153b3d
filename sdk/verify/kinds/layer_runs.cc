// SPDX-License-Identifier: Apache-2.0
// sdk/verify/kinds/layer_runs.cc: see layer_runs.h.
#include "kinds/layer_runs.h"

#include <stdexcept>
#include <tenon/sdk/plugin/sample_value.hpp>

#include "backward/backward_call.h"
#include "case/sample_call.h"

namespace tenon::verify {

LayerSample sample_of(const Json& entry, uint32_t number, uint64_t seed) {
  LayerSample sample;
  const std::string text = entry.at("text");
  sample.number = number;
  sample.fragment = entry.at("fragment");
  sample.expect = entry.at("expect");
  try {
    sample.parsed = sdk::parse_sample(text);
  } catch (const std::runtime_error& error) {
    throw Failure{"sample \"" + text + "\": " + error.what()};
  }
  for (const sdk::SampleInput& input : sample.parsed.inputs) {
    if (input.kind != sdk::SampleInput::Kind::Tensor) {
      throw Failure{"sample \"" + text + "\": expected tensors alone before '|', the inputs"};
    }
    sample.inputs.push_back(drawn(input.tensor, seed, sample.inputs.size()));
  }
  return sample;
}

std::vector<Layout> plain_layouts(const LayerSample& sample) {
  std::vector<Layout> layouts;
  for (const Array& array : sample.inputs) layouts.push_back(row_major_for(array.shape));
  return layouts;
}

LayerRuns::LayerRuns(const Session& session, const Json& layer, uint64_t seed)
    : session_(session),
      name_(layer.at("name")),
      n_outputs_(layer.at("outputs")),
      host_(host_of(session)),
      seed_(seed) {}

void LayerRuns::restart(uint64_t number) const {
  session_.check(tenon_context_set_seed(session_.context(), number, 0));
  session_.check(tenon_context_set_counter(session_.context(), 0));
}

void LayerRuns::set_training(const Layer& layer, bool training) const {
  session_.check(tenon_layer_set_training(session_.context(), layer.get(), training ? 1 : 0));
}

tenon_status LayerRuns::create(const LayerSample& sample, Layer& out) const {
  std::vector<tenon_string> names;
  std::vector<tenon_value> values;
  for (const auto& [name, value] : sample.parsed.attrs) {
    names.push_back({name.data(), name.size()});
    values.push_back(sdk::sample_attribute(value));
  }
  tenon_layer* layer = nullptr;
  const tenon_status status =
      tenon_layer_create(session_.context(), name_.data(), name_.size(), &host_, names.data(),
                         values.data(), static_cast<uint32_t>(names.size()), &layer);
  out.reset(layer);
  return status;
}

Layer LayerRuns::made(const LayerSample& sample, bool training) const {
  restart(seed_);
  Layer layer;
  session_.check(create(sample, layer));
  set_training(layer, training);
  return layer;
}

std::vector<LayerTensor> LayerRuns::tensors_of(const Layer& layer) const {
  std::vector<LayerTensor> all;
  while (true) {
    const char* name = nullptr;
    uint32_t flags = 0;
    tenon_tensor* tensor = nullptr;
    const auto index = static_cast<uint32_t>(all.size());
    const tenon_status status =
        tenon_layer_get_tensor(session_.context(), layer.get(), index, &name, &flags, &tensor);
    if (status == TENON_E_NOT_FOUND) return all;
    session_.check(status);
    all.push_back({name, (flags & TENON_LAYER_BUFFER) != 0, tensor});
  }
}

LayerRuns::Placements LayerRuns::placed(const LayerSample& sample,
                                        std::span<const Layout> layouts) const {
  Placements inputs;
  for (size_t i = 0; i < sample.inputs.size(); ++i) {
    inputs.push_back(std::make_unique<Placed>(session_, sample.inputs[i], layouts[i], host_));
  }
  return inputs;
}

tenon_status LayerRuns::call(const Layer& layer, const Placements& inputs,
                             std::vector<Tensor>& out) const {
  restart(seed_);
  std::vector<tenon_value> values;
  for (const auto& input : inputs) {
    tenon_value& value = values.emplace_back();
    value.tag = TENON_VALUE_TENSOR;
    value.as.tensor = input->get();
  }
  std::vector<tenon_tensor*> results(n_outputs_);
  const tenon_status status =
      tenon_layer_call(session_.context(), layer.get(), values.data(),
                       static_cast<uint32_t>(values.size()), results.data(), n_outputs_);
  out.clear();
  for (tenon_tensor* result : results) out.emplace_back(result);
  return status;
}

std::vector<Array> LayerRuns::results_of(const Layer& layer, const Placements& inputs) const {
  std::vector<Tensor> outputs;
  session_.check(call(layer, inputs, outputs));
  std::vector<Array> results;
  for (const Tensor& output : outputs) results.push_back(contents_of(session_, output.get()));
  return results;
}

std::vector<Array> LayerRuns::results_of(const LayerSample& sample, bool training,
                                         const std::vector<Array>& inputs) const {
  LayerSample plain = sample;
  plain.inputs = inputs;
  return results_of(made(sample, training), placed(plain, plain_layouts(plain)));
}

}  // namespace tenon::verify
