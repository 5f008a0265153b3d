// SPDX-License-Identifier: Apache-2.0
// core/optim/hypers.cc: hyper-parameters and states of an optimizer or a schedule.
#include "core/optim/hypers.h"

#include <limits>

#include "core/base/error.h"
#include "core/tensor/number_text.h"

namespace tenon::optim {

namespace {

// NaN is out of every range.
bool in_range(const tenon_hyper_desc& desc, const tenon_value& value) {
  const auto fits = [&](double number) { return number >= desc.minimum && number <= desc.maximum; };
  if (desc.tag == TENON_VALUE_F64) return fits(value.as.f64);
  if (desc.tag != TENON_VALUE_INT_LIST) return fits(static_cast<double>(value.as.i64));
  for (uint32_t i = 0; i < value.count; ++i) {
    if (!fits(static_cast<double>(value.as.ints[i]))) return false;
  }
  return true;
}

// "0 to 1", "at least 0"
std::string range_words(double minimum, double maximum) {
  constexpr double kAny = std::numeric_limits<double>::max();
  const std::string least = tensor::number_text(minimum, TENON_DTYPE_F64);
  const std::string most = tensor::number_text(maximum, TENON_DTYPE_F64);
  if (maximum < kAny) return minimum > -kAny ? least + " to " + most : "at most " + most;
  return minimum > -kAny ? "at least " + least : "a finite number";
}

[[noreturn]] void refuse_value(const std::string& owner, const std::string& name, const char* what,
                               std::string expected, std::string found) {
  fail_in(owner, TENON_E_ATTRIBUTE, "hyper-parameter \"" + name + "\" " + what, name,
          std::move(expected), std::move(found));
}

}  // namespace

tenon_value initial_value(const tenon_hyper_desc& desc) {
  tenon_value value{desc.tag, 0, {}};
  if (desc.tag == TENON_VALUE_F64) {
    value.as.f64 = desc.initial;
  } else if (desc.tag != TENON_VALUE_INT_LIST) {
    value.as.i64 = static_cast<int64_t>(desc.initial);
  }
  return value;
}

void refuse_name(const std::string& owner, const char* noun, std::string_view name,
                 const std::string& known, tenon_status status) {
  fail_in(owner, status, std::string("no ") + noun + " \"" + std::string(name) + "\"",
          std::string(name), "one of: " + known, std::string(name));
}

size_t find_hyper(const std::string& owner, HyperDescs descs, std::string_view name) {
  return find_named(owner, descs, name, "hyper-parameter", TENON_E_ATTRIBUTE);
}

tenon_value checked_hyper(const std::string& owner, const tenon_hyper_desc& desc,
                          const tenon_value& value) {
  const std::string name(registry::text_view(desc.name));
  const bool whole = desc.tag == TENON_VALUE_F64 && value.tag == TENON_VALUE_I64;
  const tenon_value out = whole ? registry::float_value(static_cast<double>(value.as.i64)) : value;
  if (out.tag != desc.tag) {
    refuse_value(owner, name, "has the wrong type", registry::tag_name(desc.tag),
                 registry::tag_name(value.tag));
  }
  if (out.tag == TENON_VALUE_INT_LIST && out.count != 0 && !out.as.ints) {
    refuse_value(owner, name, "is a NULL list", "numbers", "NULL");
  }
  if (!in_range(desc, out)) {
    refuse_value(owner, name, "is out of range", range_words(desc.minimum, desc.maximum),
                 registry::value_text(out));
  }
  return out;
}

std::vector<tenon_value> read_hypers(const std::string& owner, HyperDescs descs,
                                     std::span<const NamedValue> given) {
  std::vector<tenon_value> values;
  for (const tenon_hyper_desc& desc : descs) values.push_back(initial_value(desc));
  for (const auto& [name, value] : given) {
    const size_t hyper = find_hyper(owner, descs, name);
    values[hyper] = checked_hyper(owner, descs[hyper], value);
  }
  return values;
}

}  // namespace tenon::optim
