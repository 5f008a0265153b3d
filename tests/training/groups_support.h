// SPDX-License-Identifier: Apache-2.0
// tests/training/groups_support.h: optimizers over groups of parameters, and what the registry says
// of each.
#pragma once

#include <tenon/ext/draft/groups.h>

#include <list>
#include <nlohmann/json.hpp>

#include "tests/training/training_support.h"

namespace tenon::tests {

// Another value of the same kind, within its bounds.
inline tenon_value other_than(const tenon_value& value, const nlohmann::json& hyper) {
  tenon_value other = value;
  if (value.tag == TENON_VALUE_BOOL) {
    other.as.i64 = 1 - value.as.i64;
  } else if (value.tag == TENON_VALUE_I64) {
    other.as.i64 += static_cast<double>(value.as.i64 + 1) <= hyper.at("maximum") ? 1 : -1;
  } else {
    const double minimum = hyper.at("minimum");
    const double half = value.as.f64 / 2;
    other.as.f64 = value.as.f64 != 0 && half >= minimum ? half : value.as.f64 + 0.125;
  }
  return other;
}

struct GroupOf {
  std::vector<tenon_tensor*> params;
  std::vector<Option> hypers;
};

class Groups : public Training {
 protected:
  nlohmann::json optimizers() {
    tenon_text* text = nullptr;
    must(tenon_runtime_query(context, "optimizers", TENON_NUL, &text));
    const char* data = nullptr;
    uint64_t length = 0;
    must(tenon_text_get(text, &data, &length));
    nlohmann::json list = nlohmann::json::parse(std::string_view(data, length));
    tenon_text_release(text);
    return list;
  }
  tenon_status create(std::string_view name, const std::vector<GroupOf>& groups,
                      const std::vector<Option>& hypers, tenon_optimizer** out) {
    std::list<Options> owned;
    std::list<tenon_optimizer_group> structs;
    std::vector<const tenon_optimizer_group*> pointers;
    for (const GroupOf& each : groups) {
      const Options& own = owned.emplace_back(each.hypers);
      pointers.push_back(&structs.emplace_back(tenon_optimizer_group{
          sizeof(tenon_optimizer_group), 0, each.params.data(), own.names.data(), own.values.data(),
          static_cast<uint32_t>(each.params.size()), static_cast<uint32_t>(own.names.size())}));
    }
    const Options all(hypers);
    return tenon_optimizer_create_groups(
        context, name.data(), name.size(), pointers.data(), static_cast<uint32_t>(pointers.size()),
        all.names.data(), all.values.data(), static_cast<uint32_t>(all.names.size()), out);
  }
  Optimizer grouped(std::string_view name, const std::vector<GroupOf>& groups,
                    const std::vector<Option>& hypers = {}) {
    tenon_optimizer* made = nullptr;
    must(create(name, groups, hypers, &made));
    return Optimizer(made);
  }
  std::string refused_groups(const std::vector<GroupOf>& groups, tenon_status expected,
                             const std::vector<Option>& hypers = {}) {
    tenon_optimizer* made = nullptr;
    std::string words = refused(create("tenon.sgd", groups, hypers, &made), expected);
    EXPECT_EQ(made, nullptr);
    return words;
  }

  void step(const Optimizer& optimizer) {
    must(tenon_optimizer_run(context, optimizer.get(), TENON_OPTIMIZER_CLEAR_GRAD));
  }
  void set_grad(const Tensor& param, const Tensor& grad) {
    must(tenon_tensor_set_grad(context, param.get(), grad.get()));
  }
  void set_wanted(const Tensor& param, bool wanted) {
    must(tenon_tensor_set_requires_grad(context, param.get(), wanted ? 1 : 0));
  }
  tenon_status set(const Optimizer& optimizer, uint32_t group, std::string_view name,
                   const tenon_value& value) {
    return tenon_optimizer_set_group(context, optimizer.get(), group, name.data(), name.size(),
                                     &value);
  }
  tenon_status set(const Optimizer& optimizer, std::string_view name, const tenon_value& value) {
    return tenon_optimizer_set(context, optimizer.get(), name.data(), name.size(), &value);
  }
  tenon_value value_of(const Optimizer& optimizer, uint32_t group, std::string_view name) {
    tenon_value value{};
    must(tenon_optimizer_get_group(context, optimizer.get(), group, name.data(), name.size(),
                                   &value));
    return value;
  }
  double number(const Optimizer& optimizer, uint32_t group, std::string_view name) {
    return value_of(optimizer, group, name).as.f64;
  }
  tenon_tensor* state(const Optimizer& optimizer, size_t index, const std::string& name) {
    tenon_tensor* out = nullptr;
    must(tenon_optimizer_get_state(context, optimizer.get(), static_cast<uint32_t>(index),
                                   name.data(), name.size(), &out));
    return out;
  }
  uint64_t launches() {
    tenon_stats stats{};
    stats.struct_size = sizeof stats;
    must(tenon_runtime_get_stats(context, &stats));
    return stats.launches;
  }
};

}  // namespace tenon::tests
