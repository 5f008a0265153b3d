// SPDX-License-Identifier: Apache-2.0
// core/optim/hypers.h: hyper-parameters and states of an optimizer or a schedule, found by name
// and checked against their descriptors. `owner` is the name of the optimizer or schedule, for
// messages.
#pragma once

#include <tenon/plugin.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/words.h"
#include "core/registry/values.h"

namespace tenon::optim {

using NamedValue = std::pair<std::string_view, tenon_value>;
using HyperDescs = std::span<const tenon_hyper_desc>;

[[noreturn]] void refuse_name(const std::string& owner, const char* noun, std::string_view name,
                              const std::string& known, tenon_status status);

// The place of what bears the name; throws Error{status} that lists the names there are.
template <class Desc>
size_t find_named(const std::string& owner, std::span<const Desc> descs, std::string_view name,
                  const char* noun, tenon_status status) {
  const auto name_of = [](const Desc& desc) { return registry::text_view(desc.name); };
  const auto found = std::ranges::find(descs, name, name_of);
  if (found != descs.end()) return static_cast<size_t>(found - descs.begin());
  refuse_name(owner, noun, name, base::joined(descs, " ", name_of), status);
}

// Throws Error{TENON_E_ATTRIBUTE}.
size_t find_hyper(const std::string& owner, HyperDescs descs, std::string_view name);

// The default, in the descriptor's type.
tenon_value initial_value(const tenon_hyper_desc& desc);

// The value in the descriptor's type; throws Error{TENON_E_ATTRIBUTE} if it does not fit.
tenon_value checked_hyper(const std::string& owner, const tenon_hyper_desc& desc,
                          const tenon_value& value);

// The defaults, with what is given in their place; pointers lead into `given`.
std::vector<tenon_value> read_hypers(const std::string& owner, HyperDescs descs,
                                     std::span<const NamedValue> given);

}  // namespace tenon::optim
