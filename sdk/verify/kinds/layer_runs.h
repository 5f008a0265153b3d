// SPDX-License-Identifier: Apache-2.0
// sdk/verify/kinds/layer_runs.h: a layer's samples, and layers made and called from them.
#pragma once

#include <tenon/ext/draft/layers.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tenon/sdk/plugin/sample.hpp>
#include <vector>

#include "case/finding.h"
#include "case/layout.h"
#include "case/request.h"

namespace tenon::verify {

struct LayerSample {
  uint32_t number = 0;
  std::string fragment;
  tenon_status expect = TENON_OK;
  sdk::Sample parsed;
  std::vector<Array> inputs;
};

// Throws Failure if the text is none of a layer.
LayerSample sample_of(const Json& entry, uint32_t number, uint64_t seed);
std::vector<Layout> plain_layouts(const LayerSample& sample);

struct ReleaseLayer {
  void operator()(tenon_layer* layer) const { tenon_layer_release(layer); }
};
using Layer = std::unique_ptr<tenon_layer, ReleaseLayer>;

// A parameter or buffer, borrowed from its layer.
struct LayerTensor {
  std::string name;
  bool is_buffer = false;
  tenon_tensor* tensor = nullptr;
};

// One of a plugin's layers, made from samples, on host memory. Functions throw Failure if
// Tenon refuses and no status is returned.
class LayerRuns {
 public:
  using Placements = std::vector<std::unique_ptr<Placed>>;

  // `layer`: its entry in the answer to the query "layers".
  LayerRuns(const Session& session, const Json& layer, uint64_t seed);

  const Session& session() const { return session_; }
  const tenon_device& host() const { return host_; }
  uint64_t seed() const { return seed_; }

  // Begins the random numbers of `number` again.
  void restart(uint64_t number) const;
  tenon_status create(const LayerSample& sample, Layer& out) const;
  // With the initial values of the seed.
  Layer made(const LayerSample& sample, bool training) const;
  void set_training(const Layer& layer, bool training) const;
  std::vector<LayerTensor> tensors_of(const Layer& layer) const;
  Placements placed(const LayerSample& sample, std::span<const Layout> layouts) const;
  // With the same random numbers in each call.
  tenon_status call(const Layer& layer, const Placements& inputs, std::vector<Tensor>& out) const;
  std::vector<Array> results_of(const Layer& layer, const Placements& inputs) const;
  // Of a new layer, for row-major inputs.
  std::vector<Array> results_of(const LayerSample& sample, bool training,
                                const std::vector<Array>& inputs) const;

 private:
  const Session& session_;
  std::string name_;
  uint32_t n_outputs_;
  tenon_device host_;
  uint64_t seed_;
};

// layer_gradients.cc: a gradient that is not the slope of the forward. In f64 alone: a sample that
// asks for f64 looks at the gradients of a layer.
std::optional<Finding> wrong_gradient(const LayerRuns& runs, const LayerSample& sample,
                                      bool training);

}  // namespace tenon::verify
