// SPDX-License-Identifier: Apache-2.0
// core/data/options.cc: named options of a dataset, a transform or a layer.
#include "core/data/options.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/words.h"

namespace tenon::data {
namespace {

[[noreturn]] void fail_option(const std::string& kind, std::string_view option,
                              const std::string& what, const std::string& expected,
                              const std::string& found) {
  fail_in(kind, TENON_E_ATTRIBUTE, "option \"" + std::string(option) + "\" " + what,
          std::string(option), expected, found);
}

std::string names_of(std::span<const Option> options) {
  const std::string names = base::joined(options, " ", &Option::name);
  return names.empty() ? "none: it has no options" : "one of: " + names;
}

// A list of whole numbers for one of floats leads into `floats`.
tenon_value checked(const std::string& kind, const Option& option, const tenon_value& given,
                    std::vector<double>& floats) {
  tenon_value value = given;
  if (option.tag == TENON_VALUE_F64 && given.tag == TENON_VALUE_I64) {
    value = registry::float_value(static_cast<double>(given.as.i64));
  }
  if (value.tag == TENON_VALUE_STRING && !value.as.string && value.count != 0) {
    fail_option(kind, option.name, "is a NULL string", "text", "NULL");
  }
  const bool list = value.tag == TENON_VALUE_INT_LIST || value.tag == TENON_VALUE_FLOAT_LIST;
  if (list && !value.as.ints && value.count != 0) {
    fail_option(kind, option.name, "is a NULL list", "numbers", "NULL");
  }
  if (option.tag == TENON_VALUE_FLOAT_LIST && given.tag == TENON_VALUE_INT_LIST) {
    floats.assign(given.as.ints, given.as.ints + given.count);
    value.tag = TENON_VALUE_FLOAT_LIST;
    value.as.floats = floats.data();
  }
  if (value.tag != option.tag && value.tag != TENON_VALUE_NONE) {
    fail_option(kind, option.name, "has the wrong type", registry::tag_name(option.tag),
                registry::tag_name(given.tag));
  }
  return value;
}

}  // namespace

registry::ValueStore read_options(const std::string& kind, std::span<const Option> options,
                                  std::span<const NamedValue> given) {
  std::vector<tenon_value> values(options.size());
  std::vector<std::vector<double>> floats(options.size());
  for (const NamedValue& each : given) {
    const auto option = std::ranges::find(options, each.first, &Option::name);
    if (option == options.end()) {
      fail_option(kind, each.first, "is unknown", names_of(options), std::string(each.first));
    }
    const auto at = static_cast<size_t>(option - options.begin());
    values[at] = checked(kind, *option, each.second, floats[at]);
  }
  for (size_t i = 0; i < options.size(); ++i) {
    if (values[i].tag != TENON_VALUE_NONE) continue;
    if (options[i].required) {
      fail_option(kind, options[i].name, "is required", registry::tag_name(options[i].tag), "none");
    }
    values[i] = options[i].initial;
  }
  return registry::ValueStore(values);
}

}  // namespace tenon::data
