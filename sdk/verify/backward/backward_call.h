// SPDX-License-Identifier: Apache-2.0
// sdk/verify/backward/backward_call.h: a sample's call run forward and backward once, with chosen
// layouts of operands and of incoming gradients, and what came of it.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "case/case.h"
#include "case/causes.h"
#include "case/numeric.h"
#include "case/sample_call.h"

namespace tenon::verify {

// What is run. Layouts are those of the operands, then those of the incoming gradients.
struct Pass {
  const SampleCall* call = nullptr;
  std::vector<Array> arrays;       // operands
  std::vector<Array> incoming;     // for each output; no shape if it is not a float
  std::vector<bool> has_incoming;  // false if it is not a float, and at first for aux outputs
  std::vector<bool> wanted;        // operands that require a gradient
  std::vector<Layout> layouts;
  // Runs between forward and backward.
  std::function<void(const Bound&, std::span<const Tensor> outputs)> between;

  std::span<const Layout> operand_layouts() const;
  std::span<const Layout> incoming_layouts() const;  // one for each output
  uint32_t n_outputs()
      const;  // that the call is asked for: aux ones only with an incoming gradient
  // Layouts as a Case states them: outputs without an incoming gradient left out.
  std::vector<Layout> case_layouts() const;
};

// The sample with all floats as f64; nothing if it has floats of several dtypes, or none.
std::optional<SampleCall> f64_call(const Entry& op, const SampleText& sample, uint64_t seed);

// Row-major, every float operand that is not written requires a gradient; incoming gradients are
// drawn from [-1, 1). Nothing if the call cannot be made on this device (a dry call is refused)
// or has no float operand or no float output.
std::optional<Pass> make_pass(const Session& session, const SampleCall& call,
                              const tenon_device& device, uint64_t seed);
// Every float operand and incoming gradient as f64; `call` is filled and must outlive the result.
// Nothing as above.
std::optional<Pass> widened(const Session& session, const Pass& pass, SampleCall& call,
                            const tenon_device& device);
std::vector<Layout> plain_layouts(const Pass& pass);

struct Gradients {
  enum class Stage : uint8_t { Forward, Backward, Done };
  Stage stage = Stage::Done;  // if it failed
  tenon_status status = TENON_OK;
  std::string words;                     // of the failure
  bool recorded = true;                  // false: no output leads to an operand
  std::vector<std::optional<Array>> of;  // for each operand; nothing if there is none
  std::vector<Array> arrays, incoming;   // as the call saw them: ZeroStride and Window merge some
  const Cause* broken = nullptr;         // memory that should not have changed
  std::string broken_words;
  bool good() const { return stage == Stage::Done && !broken; }
};
// Throws Failure only where operands cannot be made.
Gradients run_pass(const Session& session, const Pass& pass, const tenon_device& device);

// The f64 outputs of a pass as a function of its wanted operands, for differences.
struct Differentiable {
  Function f;
  Point at;        // the wanted operands' values; empty for others
  Vector weights;  // the incoming gradients: the backward pass is that of sum(weights * f)
};
// Nothing if a float output or a wanted operand is not f64. Copies of the result share operands.
std::optional<Differentiable> differentiable(const Session& session, const Pass& pass,
                                             const tenon_device& device);
// The found gradients as a Point like `at`; zeros if there is none.
Point point_of(const Gradients& gradients, const Point& at);

// The gradient a leaf holds, dense; nothing if there is none. Throws Failure.
std::optional<Array> held_gradient(const Session& session, tenon_tensor* leaf, const Array& like);

// The device with host memory, as this session counts it.
tenon_device host_of(const Session& session);

uint32_t tensor_flags(const Session& session, const tenon_tensor* tensor);
// "operand 2 (weights[1])": position, and the slot's name in the schema.
std::string operand_name(const SampleCall& call, size_t index);

}  // namespace tenon::verify
