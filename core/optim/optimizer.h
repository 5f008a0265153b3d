// SPDX-License-Identifier: Apache-2.0
// core/optim/optimizer.h: an optimizer object: parameters, named state, hyper-parameters by group
// of parameters, and the step op that a plugin brought. Knows no update rule.
#pragma once

#include <tenon/ext/draft/optimizers.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/small.h"
#include "core/optim/hypers.h"
#include "core/optim/parts.h"
#include "core/plan/frozen.h"
#include "core/runtime/deciders.h"
#include "core/runtime/kind_object.h"
#include "core/tape/graph.h"

namespace tenon::plan {
class Recorder;
}

namespace tenon::optim {

using tensor::Ref;
using tensor::Tensor;

// Parameters that share their hyper-parameters, as a program gives them.
struct GivenGroup {
  std::vector<Ref> params;
  std::vector<NamedValue> values{};  // in place of those that all groups are given
};

// A list of parameters that are to be trained, or groups, in which some may be frozen.
enum class Given : uint8_t { List, Groups };

class Optimizer final : public KindObject<tenon_optimizer_desc>, public Decider {
 public:
  // Throws Error where a parameter is not what may be given, or a value does not fit.
  Optimizer(Context& context, const registry::Entry& kind, std::vector<GivenGroup> groups,
            std::span<const NamedValue> values, Given form);
  ~Optimizer() { delist(); }

  // Updates every parameter that requires a gradient and has one; lists are cut by
  // hyper-parameters, device, dtype, and rows or dense.
  void run(Context& context, bool clear_grads);
  // Of one group, or of all.
  void set(Context& context, std::optional<uint32_t> group, std::string_view name,
           const tenon_value& value);
  void check(std::string_view name, const tenon_value& value) const;  // throws what set would
  // Without a group it must be the same in all.
  tenon_value get(std::optional<uint32_t> group, std::string_view name) const;
  uint32_t n_groups() const { return static_cast<uint32_t>(groups_.size()); }
  size_t size_of_group(uint32_t group) const { return groups_[group].n_params; }
  Tensor* state(uint32_t param, std::string_view name) const;  // NULL before the first step
  // From the next run on states are those of parts; it must be `by_element`. None is captured then.
  void set_parts(std::shared_ptr<Parts> parts);
  bool by_element() const { return desc().flags & TENON_OPTIMIZER_BY_ELEMENT; }
  Tensor& param(uint32_t index) const { return *params_[index].tensor; }
  // Whether those of this parameter are of a part; those that there are, of the part or not; whole
  // ones for `state`, until the next run.
  bool is_parted(uint32_t param) const { return params_[param].parted; }
  const std::vector<Ref>& states(uint32_t param) const { return params_[param].states; }
  void keep_whole(std::vector<std::vector<Ref>> states);  // [params]
  // Copies `values` into a state, which is made if it is not there yet. All or nothing.
  void set_state(Context& context, uint32_t param, std::string_view name, const Tensor& values);
  // What a parameter's states are before its first step: not there, or at their initial values.
  bool make_states(Context& context, uint32_t param);  // false if they are there
  void drop_states(uint32_t param) { params_[param].states.clear(); }
  void reset_states(Context& context, uint32_t param);
  tenon_meta state_meta(uint32_t param, const tenon_state_desc& state) const;
  size_t size() const { return params_.size(); }
  HyperDescs hyper_descs() const { return {desc().hypers, desc().n_hypers}; }
  std::span<const tenon_state_desc> state_descs() const { return {desc().states, desc().n_states}; }
  const std::string& name() const { return kind_->name; }
  // Its kind, hyper-parameters and parameters, if it updates one of the step's.
  void tell(const SharedStep& step, std::string& lines) const override;

 private:
  struct Param {
    Ref tensor;
    std::vector<Ref> states;
    uint32_t group = 0;
    bool parted = false;  // the states are those of a part
  };
  struct Group {
    std::vector<tenon_value> hypers;
    size_t n_params = 0;
    uint32_t like = 0;  // the first group with the same hyper-parameters
  };
  struct Dynamic {  // 0-d tensors that replays read
    uint32_t group = 0;
    Device* device = nullptr;
    std::vector<Ref> values;  // per hyper; empty for static ones
  };
  // In place for a small model, so that its steps allocate nothing.
  struct Work {
    Small<size_t, 16> params;
    uint32_t group = 0;  // whose hyper-parameters it takes
    bool rows = false;
  };
  using Works = Small<Work, 2>;
  using Grads = Small<tape::Gradient, 16>;  // [params]
  using Handles = Small<tenon_tensor*, 16>;

  using GroupRange = std::pair<uint32_t, uint32_t>;  // first and end

  void add(GivenGroup given, std::span<const NamedValue> values, Given form);
  GroupRange range_of(std::optional<uint32_t> group) const;
  void fill_dynamics(Context& context, GroupRange groups, size_t hyper, const tenon_value& value);
  void find_equal_groups();
  size_t state_index(uint32_t param, std::string_view name) const;
  // The plan that is captured uses the static hyper-parameters as they are.
  [[gnu::cold]] void freeze(plan::Recorder& recorder);
  size_t n_fixed(size_t end) const;
  [[gnu::cold]] void note_gradients(plan::Recorder& recorder);
  const Dynamic& dynamic(Context& context, uint32_t group, Device& device);
  Works gather(bool capturing, Grads& grads);
  [[noreturn]] void refuse_no_gradient() const;
  void run_step(Context& context, bool clear_grads);
  void run_parts(Context& context, bool clear_grads);
  // What the states are of; NULL: no element of it is updated here.
  Tensor* target(const Param& param) const;
  void part_states(Context& context);
  Ref part_of_state(const Param& param, size_t state, const Tensor& whole) const;
  const registry::Op& op_of(const Work& work) const {
    return work.rows && rows_op_ ? *rows_op_ : *step_op_;
  }
  void step(Context& context, const Work& work, const Grads& grads);
  [[gnu::cold]] void follow(Context& context, Param& param);

  const registry::Op* step_op_;
  const registry::Op* rows_op_ = nullptr;
  std::vector<Param> params_;
  std::vector<Group> groups_;    // their parameters lie in the same order
  bool hypers_changed_ = false;  // since find_equal_groups
  // So far, runs of captured steps among them.
  const std::shared_ptr<uint64_t> runs_ = std::make_shared<uint64_t>(0);
  std::vector<Dynamic> dynamics_;
  std::shared_ptr<Parts> parts_;
  std::optional<std::vector<std::vector<Ref>>> whole_;  // [params], of those that are parted
  // The hyper-parameters, and whether processes share the states; from the first captured step on.
  std::shared_ptr<plan::Frozen> frozen_;
  std::shared_ptr<plan::Frozen> sharing_;
};

}  // namespace tenon::optim
