// SPDX-License-Identifier: Apache-2.0
// sdk/verify/backward/gradient_diagnose.h: why a gradient is wrong, and in which words to say so.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "backward/backward_call.h"
#include "case/finding.h"
#include "process/work.h"

namespace tenon::verify {

// A row-major f64 pass whose gradient of `operand` is not what differences say. `words` are the
// element, what was expected and what was found.
Finding diagnose_wrong(Work& work, const Pass& pass, const Differentiable& differences,
                       const Gradients& found, size_t operand, const std::string& words);

// A pass that failed, or wrote where it should not; nothing for a good one. `together` is true
// if the same call works while all its operands want gradients.
std::optional<Finding> diagnose_failure(const Pass& pass, const Gradients& found, bool together);

// Is there a sample with more than `n_wanted` operands that want gradients, whose backward works?
bool works_with_more(Work& work, ptrdiff_t n_wanted);

// How far gradients of equal calls may lie apart on a device: 0 if all of the subject's kernels
// are canonical.
Tolerance gradient_tolerance(Work& work, const tenon_dtype& dtype);

// The first difference of two runs' gradients.
std::optional<Finding> differ(const SampleCall& call, const Gradients& expected,
                              const Gradients& found, const Cause& cause,
                              const std::function<Tolerance(tenon_dtype)>& tolerance);

}  // namespace tenon::verify
