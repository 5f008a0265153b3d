// SPDX-License-Identifier: Apache-2.0
// core/optim/groups.cc: what an optimizer is made of: parameters in groups, and the
// hyper-parameters of each group.
#include <algorithm>
#include <bit>
#include <map>
#include <numeric>

#include "core/launch/moves.h"
#include "core/optim/optimizer.h"
#include "core/plan/recorder.h"
#include "core/registry/values.h"
#include "core/tape/graph.h"

namespace tenon::optim {

namespace {

const char* truth(bool value) { return value ? "true" : "false"; }

// How messages call parameter `index` of group `group`.
struct Place {
  std::string words;
  std::string operand;
};

Place place_of(uint32_t group, size_t index, Given form) {
  const std::string number = std::to_string(index);
  if (form == Given::List) return {"parameter " + number, "params[" + number + "]"};
  const std::string of = std::to_string(group);
  return {"parameter " + number + " of group " + of, "groups[" + of + "].params[" + number + "]"};
}

[[noreturn]] void refuse_param(const Tensor& tensor, const Place& place, Given form) {
  const bool leaf = tape::is_leaf(tensor);
  if (form == Given::Groups && leaf) {
    fail(TENON_E_GRAD, place.words + " cannot have a gradient", place.operand, "f16 bf16 f32 f64",
         tensor::describe(tensor));
  }
  fail(TENON_E_GRAD,
       place.words +
           (form == Given::Groups ? " is not a leaf" : " is not a leaf that requires a gradient"),
       place.operand, "a leaf with tenon_tensor_set_requires_grad",
       (leaf ? "a leaf without, " : "made by an op, ") + tensor::describe(tensor),
       leaf ? "a buffer of a layer is not trained: tenon_layer_get_parameter lists what is; "
              "else call tenon_tensor_set_requires_grad on it"
            : "give the leaf it was made from; or one of its values, by "
              "tenon_tensor_create_detached, and call tenon_tensor_set_requires_grad on it");
}

void check_param(const Tensor& tensor, const Place& place, Given form) {
  const bool may =
      form == Given::Groups ? tensor::is_float(tensor.dtype()) : tape::requires_grad(tensor);
  if (!may || !tape::is_leaf(tensor)) refuse_param(tensor, place, form);
}

void check_groups(std::span<const GivenGroup> groups, Given form) {
  std::map<const Tensor*, Place> seen;
  for (uint32_t group = 0; group < groups.size(); ++group) {
    const std::vector<Ref>& params = groups[group].params;
    if (params.empty() && form == Given::Groups) {
      fail(TENON_E_ARGUMENT, "group " + std::to_string(group) + " is empty",
           "groups[" + std::to_string(group) + "].params", "at least one parameter", "none");
    }
    for (size_t i = 0; i < params.size(); ++i) {
      const Place place = place_of(group, i, form);
      check_param(*params[i], place, form);
      const auto [known, fresh] = seen.emplace(params[i].get(), place);
      if (fresh) continue;
      fail(TENON_E_ARGUMENT, place.words + " is listed twice", place.operand, "each parameter once",
           "the same as " + known->second.operand, "give each once");
    }
  }
}

// Any order, in which values are equal that have the same bits. Their tags are those of the
// descriptors.
int order_of(const tenon_value& a, const tenon_value& b) {
  const auto x = std::bit_cast<int64_t>(a.as);
  const auto y = std::bit_cast<int64_t>(b.as);
  return x < y ? -1 : x > y;
}

int order_of(const std::vector<tenon_value>& a, const std::vector<tenon_value>& b) {
  for (size_t i = 0; i < a.size(); ++i) {
    if (const int order = order_of(a[i], b[i])) return order;
  }
  return 0;
}

}  // namespace

Optimizer::Optimizer(Context& context, const registry::Entry& kind, std::vector<GivenGroup> groups,
                     std::span<const NamedValue> values, Given form)
    : KindObject(context, kind) {
  step_op_ = &runtime_->plugins.require_op(registry::text_view(desc().step_op), 0);
  if (desc().rows_op.length != 0) {
    rows_op_ = &runtime_->plugins.require_op(registry::text_view(desc().rows_op), 0);
  }
  check_groups(groups, form);
  for (GivenGroup& group : groups) add(std::move(group), values, form);
  hypers_changed_ = groups_.size() > 1;
  enlist(context);
}

void Optimizer::add(GivenGroup given, std::span<const NamedValue> values, Given form) {
  const auto group = static_cast<uint32_t>(groups_.size());
  Group made{read_hypers(kind_->name, hyper_descs(), values), given.params.size(), group};
  try {
    for (const auto& [name, value] : given.values) {
      const size_t hyper = find_hyper(kind_->name, hyper_descs(), name);
      made.hypers[hyper] = checked_hyper(kind_->name, desc().hypers[hyper], value);
    }
  } catch (Error& error) {
    if (form == Given::List) throw;
    error.message += ", in group " + std::to_string(group);
    error.operand = "groups[" + std::to_string(group) + "]." + error.operand;
    throw;
  }
  groups_.push_back(std::move(made));
  for (Ref& param : given.params) params_.push_back({std::move(param), {}, group});
}

// ---- Hyper-parameters ---------------------------------------------------------------------------

Optimizer::GroupRange Optimizer::range_of(std::optional<uint32_t> group) const {
  if (!group) return {0, n_groups()};
  if (*group < n_groups()) return {*group, *group + 1};
  fail_in(kind_->name, TENON_E_NOT_FOUND, "the optimizer has no group " + std::to_string(*group),
          "group", "an index below " + std::to_string(n_groups()), std::to_string(*group));
}

void Optimizer::fill_dynamics(Context& context, GroupRange groups, size_t hyper,
                              const tenon_value& value) {
  for (const Dynamic& dynamic : dynamics_) {
    if (dynamic.group < groups.first || dynamic.group >= groups.second) continue;
    if (dynamic.values[hyper]) launch::fill(context, *dynamic.values[hyper], value);
  }
}

void Optimizer::set(Context& context, std::optional<uint32_t> group, std::string_view name,
                    const tenon_value& value) {
  const GroupRange range = range_of(group);
  const size_t hyper = find_hyper(kind_->name, hyper_descs(), name);
  const tenon_value fresh = checked_hyper(kind_->name, desc().hypers[hyper], value);
  const bool fixed = !(desc().hypers[hyper].flags & TENON_HYPER_DYNAMIC);
  if (fixed && context.capturing) {
    fail_in(kind_->name, TENON_E_CAPTURE,
            "hyper-parameter \"" + std::string(name) + "\" is fixed while a step is captured",
            std::string(name));
  }
  std::vector<std::string> texts;
  if (fixed && frozen_) texts.assign(range.second - range.first, registry::value_text(fresh));
  const CaptureSuspended suspended(context);
  fill_dynamics(context, range, hyper, fresh);
  for (uint32_t i = range.first; i < range.second; ++i) groups_[i].hypers[hyper] = fresh;
  hypers_changed_ = groups_.size() > 1;
  for (size_t i = 0; i < texts.size(); ++i) {
    frozen_->set((range.first + i) * n_fixed(desc().n_hypers) + n_fixed(hyper),
                 std::move(texts[i]));
  }
}

void Optimizer::check(std::string_view name, const tenon_value& value) const {
  const size_t hyper = find_hyper(kind_->name, hyper_descs(), name);
  checked_hyper(kind_->name, desc().hypers[hyper], value);
}

tenon_value Optimizer::get(std::optional<uint32_t> group, std::string_view name) const {
  const GroupRange range = range_of(group);
  const size_t hyper = find_hyper(kind_->name, hyper_descs(), name);
  const tenon_value first = groups_[range.first].hypers[hyper];
  for (uint32_t i = range.first + 1; i < range.second; ++i) {
    const tenon_value& other = groups_[i].hypers[hyper];
    if (order_of(first, other) == 0) continue;
    fail_in(kind_->name, TENON_E_STATE,
            "hyper-parameter \"" + std::string(name) + "\" is not the same in all groups",
            std::string(name), registry::value_text(first) + ", as in group 0",
            registry::value_text(other) + " in group " + std::to_string(i),
            "ask each group, with tenon_optimizer_get_group");
  }
  return first;
}

// Groups that are alike in all numbers step together, as those of the first of them.
void Optimizer::find_equal_groups() {
  std::vector<uint32_t> order(groups_.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, [&](uint32_t a, uint32_t b) {
    return order_of(groups_[a].hypers, groups_[b].hypers) < 0;
  });
  for (size_t i = 0; i < order.size(); ++i) {
    Group& group = groups_[order[i]];
    const bool like_last = i > 0 && order_of(groups_[order[i - 1]].hypers, group.hypers) == 0;
    group.like = like_last ? groups_[order[i - 1]].like : order[i];
  }
  hypers_changed_ = false;
}

void Optimizer::set_parts(std::shared_ptr<Parts> parts) {
  parts_ = std::move(parts);
  if (sharing_) sharing_->set(0, truth(parts_ != nullptr));
}

void Optimizer::tell(const SharedStep& step, std::string& lines) const {
  std::string params;
  bool updates = false;
  for (size_t i = 0; i < params_.size(); ++i) {
    const Param& param = params_[i];
    const auto found = step.params.find(param.tensor.get());
    updates = updates || found != step.params.end();
    if (i != 0 && params_[i - 1].group != param.group) params += " |";
    params += found == step.params.end() ? " another" : " " + std::to_string(found->second);
  }
  if (!updates) return;
  lines += "parameters of " + kind_->name + ":" + params + "\n";
  lines += "runs of " + kind_->name + ": " + std::to_string(*runs_) + "\n";
  for (uint32_t group = 0; group < n_groups(); ++group) {
    const std::string where = n_groups() > 1 ? " in group " + std::to_string(group) : "";
    for (uint32_t i = 0; i < desc().n_hypers; ++i) {
      lines += std::string(registry::text_view(desc().hypers[i].name)) + " of " + kind_->name +
               where + ": " + registry::value_text(groups_[group].hypers[i]) + "\n";
    }
  }
}

// How many of the first `end` hyper-parameters a plan takes over as numbers.
size_t Optimizer::n_fixed(size_t end) const {
  const auto hypers = std::span(desc().hypers, end);
  return static_cast<size_t>(std::ranges::count_if(
      hypers, [](const tenon_hyper_desc& each) { return !(each.flags & TENON_HYPER_DYNAMIC); }));
}

void Optimizer::freeze(plan::Recorder& recorder) {
  if (!frozen_) {
    plan::Frozen::Values values;
    for (uint32_t group = 0; group < n_groups(); ++group) {
      const std::string where = n_groups() > 1 ? " in group " + std::to_string(group) : "";
      for (uint32_t i = 0; i < desc().n_hypers; ++i) {
        if (desc().hypers[i].flags & TENON_HYPER_DYNAMIC) continue;
        const std::string name(registry::text_view(desc().hypers[i].name));
        values.emplace_back("hyper-parameter \"" + name + "\" of " + kind_->name + where,
                            registry::value_text(groups_[group].hypers[i]));
      }
    }
    frozen_ = std::make_shared<plan::Frozen>(*runtime_, std::move(values));
  }
  recorder.depend_on(frozen_);
  if (!sharing_) {
    sharing_ = std::make_shared<plan::Frozen>(
        *runtime_,
        plan::Frozen::Values{{"sharing of the states of " + kind_->name + " by processes",
                              truth(parts_ != nullptr)}},
        false);
  }
  recorder.depend_on(sharing_);
}

}  // namespace tenon::optim
