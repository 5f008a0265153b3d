// SPDX-License-Identifier: Apache-2.0
// core/data/options.h: named options of a dataset, a transform or a layer, checked against what it
// declares.
#pragma once

#include <tenon/types.h>

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/registry/values.h"

namespace tenon::data {

using NamedValue = std::pair<std::string_view, tenon_value>;

struct Option {
  std::string_view name;
  uint32_t tag = TENON_VALUE_NONE;
  bool required = false;
  tenon_value initial{};  // if it is not given
};

// What `desc` declares. A dataset's options have no initial value.
template <class Desc>
std::vector<Option> options_of(const Desc& desc) {
  std::vector<Option> options;
  for (uint32_t i = 0; i < desc.n_options; ++i) {
    const auto& option = desc.options[i];
    options.push_back({registry::text_view(option.name), option.tag, option.required != 0, {}});
    if constexpr (requires { option.initial; }) options.back().initial = option.initial;
  }
  return options;
}

// One value for each option, in their order. Whole numbers, and lists of them, are taken for
// floats. Throws TENON_E_ATTRIBUTE in the name of `kind`.
registry::ValueStore read_options(const std::string& kind, std::span<const Option> options,
                                  std::span<const NamedValue> given);

}  // namespace tenon::data
