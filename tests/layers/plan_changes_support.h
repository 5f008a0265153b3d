// SPDX-License-Identifier: Apache-2.0
// tests/layers/plan_changes_support.h: a step that was captured, the same step eagerly, and a table
// of what a program may change after the capture.
#pragma once

#include <tenon/ext/draft/checkpoints.h>
#include <tenon/ext/draft/checks.h>
#include <tenon/ext/draft/data_parallel.h>
#include <tenon/ext/draft/groups.h>
#include <tenon/ext/draft/op_log.h>
#include <tenon/ext/draft/training.h>

#include <functional>

#include "tests/layers/layers_support.h"

namespace tenon::tests {

// A container with a linear layer and dropout, and an optimizer. Its step runs it forward and
// backward and updates it.
struct Trained {
  Layer linear, dropout, model;
  Optimizer adamw;
  Tensor x;
  tenon_tensor* weight = nullptr;  // of `linear`
  tenon_plan* plan = nullptr;
};

class PlanChanges : public Layers {
 protected:
  // Seen: the next run is an error with these words, and has changed nothing. Taken: the next run
  // has the bits of the eager step, which has seen the same change.
  enum class Outcome { Seen, Taken };
  struct Row {
    std::string function;
    Outcome outcome;
    std::string words;  // in the error; or why it takes effect, or cannot matter
    std::function<void(Trained&)> change;
    std::function<void(Trained&)> undo{};  // after which the plan runs again
    bool shared = false;                   // a change of the context or the runtime, made once
    std::function<void()> before{};        // the capture
  };

  void SetUp() override;
  Trained make();
  void step(Trained& run);
  void capture(Trained& run);
  std::string values(Trained& run);
  void judge(const Row& row);
  Tensor ones() { return tensor<float>({2, 2}, {1, 1, 1, 1}); }
  tenon_tensor* find(Trained& run, const char* name);
  void set(Trained& run, const char* name, const tenon_value& value);

  std::vector<Row> rows();
  void add_tensors(std::vector<Row>& rows);
  void add_layers(std::vector<Row>& rows);
  void add_optimizers(std::vector<Row>& rows);
  void add_context(std::vector<Row>& rows);
  void add_runtime(std::vector<Row>& rows);

  tenon_device sim{};
};

}  // namespace tenon::tests
