// SPDX-License-Identifier: Apache-2.0
// core/optim/hypers.h: hyper-parameters of optimizers and schedules, checked against their
// descriptors. `owner` is the name of the optimizer or schedule, for messages.
#pragma once

#include <tenon/plugin.h>

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tenon::optim {

using NamedValue = std::pair<std::string_view, tenon_value>;
using HyperDescs = std::span<const tenon_hyper_desc>;

// Throws Error{TENON_E_ATTRIBUTE} that lists the names there are.
size_t find_hyper(const std::string& owner, HyperDescs descs, std::string_view name);

// The value in the descriptor's type; throws Error{TENON_E_ATTRIBUTE} where it does not fit.
tenon_value checked_hyper(const std::string& owner, const tenon_hyper_desc& desc,
                          const tenon_value& value);

// The defaults, with what is given in their place; pointers lead into `given`.
std::vector<tenon_value> read_hypers(const std::string& owner, HyperDescs descs,
                                     std::span<const NamedValue> given);

}  // namespace tenon::optim
