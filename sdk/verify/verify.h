// SPDX-License-Identifier: Apache-2.0
// sdk/verify/verify.h: the conformance kit, as a program calls it. docs/architecture.md has its
// folders and which stands on which.
#pragma once

#include <string>

#include "case/request.h"

namespace tenon::verify {

// Judges plugins and reports. Exit status: kGood, or kFindings if anything failed. Throws Failure.
int verify(const Options& options, const Request& request);

// The subcommand `verify-child`, which verify() runs in a process of its own; not for people.
// `order`: process/order.h.
int verify_child(const Options& options, const std::string& order);

}  // namespace tenon::verify
