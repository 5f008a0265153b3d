// SPDX-License-Identifier: Apache-2.0
// sdk/verify/case/training.h: an optimizer sample, and runs of it.
#pragma once

#include <functional>
#include <map>
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

struct RunSample {
  uint32_t number = 0;
  std::string text, fragment;
  tenon_status expect = TENON_OK;
  uint32_t steps = 1;
  sdk::Sample parsed;
  std::vector<Array> parameters;
};

struct Named {
  std::string name;
  tenon_value value{};
};

// All there is after a step.
struct State {
  std::vector<Array> parameters;
  std::map<std::string, std::vector<Array>> states;
};

// Parameters are tensors 0 to n-1 of the text.
std::vector<RunSample> samples_of(const Json& samples, const std::string& optimizer, uint64_t seed);
// Of step `step` for parameter `index`: tensor number n * (step + 1) + index, from [-1, 1).
Array gradient_of(const RunSample& sample, uint32_t step, size_t index, uint64_t seed);
// checksum_of the parameters, then of the gradients of each step.
std::string checksum_of_run(const RunSample& sample, uint64_t seed);
// Of the parameters, then of the gradients.
std::vector<Layout> plain_layouts(const RunSample& sample);

// From outside autograd, which protects leaves that want gradients.
void overwrite(const Session& session, tenon_tensor* tensor, const Array& array);

struct ReleaseOptimizer {
  void operator()(tenon_optimizer* optimizer) const { tenon_optimizer_release(optimizer); }
};
struct ReleasePlan {
  void operator()(tenon_plan* plan) const { tenon_plan_release(plan); }
};

// One optimizer over parameters of its own. Layouts are those of the parameters, then those of the
// gradients.
class Training {
 public:
  // Of parameter `index` in a step, of its shape and dtype.
  using Gradients = std::function<Array(uint32_t step, size_t index)>;

  Training(const Session& session, const RunSample& sample, std::span<const Layout> layouts,
           const tenon_device& device, Gradients gradients);

  tenon_status create(const std::string& optimizer, const std::vector<Named>& hypers);

  void step(uint32_t number);

  // Runs the step and keeps it to be replayed.
  void capture_step(uint32_t number);
  void replay_step(uint32_t number);

  State state(const std::vector<std::string>& names) const;

  void restore(const State& saved);

  // Writes that missed, and states whose dimensions lie in another order than the parameter's.
  std::optional<Finding> memory_problem(const std::vector<std::string>& names,
                                        uint32_t last_step) const;

 private:
  void give_gradients(uint32_t number);

  tenon_tensor* state_tensor(size_t index, const std::string& name) const;

  bool in_same_order(const tenon_tensor* parameter, const tenon_tensor* state) const;

  const Session& session_;
  const Gradients gradients_of_;
  std::vector<std::unique_ptr<Placed>> parameters_, gradients_;
  std::unique_ptr<tenon_optimizer, ReleaseOptimizer> optimizer_;
  std::unique_ptr<tenon_plan, ReleasePlan> plan_;
};

}  // namespace tenon::verify
