// SPDX-License-Identifier: Apache-2.0
// core/optim/hypers.h: hyper-parameters and states of an optimizer or a schedule, found by name
// and checked against their descriptors. `owner` is the name of the optimizer or schedule, for
// messages.
#pragma once

#include <tenon/plugin.h>

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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
  std::string known;
  for (size_t i = 0; i < descs.size(); ++i) {
    const std::string_view own = registry::text_view(descs[i].name);
    if (own == name) return i;
    known += (known.empty() ? "" : " ") + std::string(own);
  }
  refuse_name(owner, noun, name, known, status);
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
