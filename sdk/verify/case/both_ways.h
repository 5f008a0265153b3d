// SPDX-License-Identifier: Apache-2.0
// sdk/verify/case/both_ways.h: a call and, if a gradient can flow, its backward: for the checks
// that ask what a call leaves behind and not whether its values are right.
#pragma once

#include <functional>

#include "case/case.h"
#include "case/sample_call.h"

namespace tenon::verify {

// Called right before and right after Tenon is: what is between is Tenon's and the plugins' doing.
struct Around {
  std::function<void()> before, after;
};

// Row-major operands, all outputs. Backward is seeded with the outputs themselves; its gradients
// follow the results.
struct BothWays {
  Outcome outcome;
  bool backward_failed = false;
};
BothWays both_ways(const Session& session, const SampleCall& from, const tenon_device& device,
                   bool backward, const Around& forward_around = {},
                   const Around& backward_around = {});

// A device kind in a session that has not met it yet; numbers of kinds are a session's own.
tenon_device device_in(const Session& session, const std::string& kind);

// The samples that are to succeed.
std::vector<const SampleText*> good_samples(const Entry& op);

// "output 1: expected ..., found ...": if two outcomes differ in a bit; empty if they do not.
std::string difference_of(const Outcome& expected, const Outcome& found);

// The case of a call with row-major operands and outputs.
Case plain_case(const SampleCall& call, Form form, const std::string& backend,
                const std::string& detail);

}  // namespace tenon::verify
