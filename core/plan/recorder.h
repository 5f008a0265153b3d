// SPDX-License-Identifier: Apache-2.0
// core/plan/recorder.h: what is launched between the two ends of a capture becomes a plan.
#pragma once

#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/backward/walk.h"
#include "core/plan/plan.h"

namespace tenon::plan {

// Throws Error{TENON_E_CAPTURE}: the leaf's gradient, which the step reads, is held as rows.
[[noreturn, gnu::cold]] void refuse_rows(const Tensor& leaf);

// Collects launches between capture begin and end.
class Recorder final : public backward::StepCapture {
 public:
  [[gnu::cold]] Recorder(Context& context, std::vector<Ref> inputs);
  // Refuses kernels that cannot be replayed, before they run; the capture then fails as a whole.
  [[gnu::cold]] void admit(const registry::Op& op, const registry::Kernel& kernel) override;
  [[gnu::cold]] void add(const registry::Op& op, const registry::Kernel& kernel, Device& device,
                         const launch::Block& block,
                         std::shared_ptr<const launch::Prepared> prepared, uint64_t scratch_bytes,
                         const tenon_rng* rng, const std::string* scope) override;
  bool holds(const Storage& storage) const override;
  [[gnu::cold]] void expects(Context& context, Tensor& leaf) override;
  bool is_untouched(Tensor& leaf) override { return !this->leaf(leaf).met; }
  [[gnu::cold]] Ref zeros_of(Context& context, const Tensor& leaf) const override;
  [[gnu::cold]] void adds(Tensor& leaf, const tape::Link& link, bool rows, const Ref& sum) override;
  [[gnu::cold]] void made(Tensor& leaf) override;
  [[gnu::cold]] void calls(Context& context, const registry::Op& op, bool placed) override;
  [[gnu::cold]] void looks_at(Tensor& leaf) override;
  [[gnu::cold]] void leads_to(Tensor& leaf) override;
  // Launches of the step use these numbers: a plan whose numbers change later is stale.
  [[gnu::cold]] void depend_on(const std::shared_ptr<const Frozen>& source);
  [[gnu::cold]] void run_in(std::shared_ptr<Bracket> bracket) {
    plan_->brackets.push_back(std::move(bracket));
  }
  // What the step does to a leaf's gradient; good until it is called for another leaf. Throws if
  // the gradient is an input, too.
  [[gnu::cold]] LeafState& leaf(Tensor& leaf);
  // What `finish` needs memory for. May be called again after it has failed.
  [[gnu::cold]] void settle(Context& context);
  // The finished plan; throws what made the capture fail.
  std::unique_ptr<Plan> finish(Context& context);

 private:
  [[gnu::cold]] void note_buffers(Launch& launch, const launch::Block& block);
  [[gnu::cold]] void bind_inputs(Launch& launch, const launch::Block& block);
  bool is_exchanged(const Launch& launch, size_t view) const;
  LeafUse* use_of(Tensor& leaf);
  [[gnu::cold]] void settle_changes();
  void watch_changes() noexcept;
  [[gnu::cold]] void accumulate(Context& context, LeafState& state);
  [[gnu::cold]] void settle_leaves(Context& context);
  [[gnu::cold]] void settle_memory(Context& context);
  [[gnu::cold]] void settle_writes();
  std::unique_ptr<Plan> plan_;
  Buffers buffers_;
  std::vector<bool> temporary_;                     // which of them are, as of the last settle
  std::unordered_map<const Tensor*, size_t> used_;  // places in the plan's uses
  std::unordered_set<const registry::Op*> called_;
  std::unordered_set<const Frozen*> taken_;
  const uint64_t start_counter_;
  const uint64_t start_stream_;
  const std::optional<tenon_device> start_device_;
  std::unique_ptr<Error> failure_;
};

// NULL if nothing is captured just now.
inline Recorder* recorder_of(const Context& context) {
  return static_cast<Recorder*>(context.capture);
}

}  // namespace tenon::plan
