// SPDX-License-Identifier: Apache-2.0
// core/processes/shares.h: which elements of the parameters each process updates: in each bucket as
// many as every other, in the order of the ranks.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "core/optim/optimizer.h"
#include "core/processes/buckets.h"
#include "core/processes/group.h"

namespace tenon::processes {

class Shares final : public optim::Parts {
 public:
  Shares(std::shared_ptr<Group> group, const std::vector<Ref>& params);

  // The parameters of further buckets are parted from here on.
  void cut(std::span<const Bucket> buckets);
  // Those of buckets from number `first` on are whole again: no step has ended with them.
  void cut_off(size_t first) noexcept;
  bool is_cut() const { return !buckets_.empty(); }
  // A step's gradients: what all processes together have given for each parameter [params], ours
  // of whole ones, which the buckets hold, and those of rows [params].
  void give(Context& context, const std::vector<Given>& given, const std::vector<Bucket>& buckets,
            std::vector<tape::Gradient>& grads);
  // Elements [begin, end) of a parameter that travels in a bucket.
  struct Range {
    int64_t begin = 0;
    int64_t end = 0;
    bool empty() const { return begin >= end; }
  };
  Range range_of(uint32_t param, int64_t rank) const;
  bool is_parted(uint32_t param) const { return is_cut() && places_[param].bucket >= 0; }
  const Part& part(uint32_t param) const { return parts_[param]; }

  const Part* of(const Tensor& param) const override;
  bool any_gradient() const override;
  void clear_gradients() override;
  void begin(Context& context) override;
  void gather(Context& context, bool failed) override;

 private:
  struct Place {
    int64_t bucket = -1;  // -1: in none
    int64_t begin = 0;    // in it
  };
  struct Layout {
    std::vector<uint32_t> params;
    int64_t size = 0;
  };
  // The values of one bucket's parameters on their way.
  struct Gathering {
    size_t bucket = 0;
    Ref values;
    std::shared_ptr<Transfer> transfer;
  };

  Ref make_leaf(uint32_t param) const;
  tape::RowGrad rows_of_part(Context& context, uint32_t param, const tape::RowGrad& rows) const;
  Ref window_of(uint32_t param, Range range) const;
  Gathering begin(Context& context, size_t bucket) const;
  void end(Context& context, const Gathering& gathering) const;
  void gather_values(Context& context) const;
  int64_t processes() const { return group_->members().size; }

  const std::shared_ptr<Group> group_;
  uint64_t step_ = 0;  // the group's number of the update
  const std::vector<Ref> params_;
  std::unordered_map<const Tensor*, uint32_t> index_;
  std::vector<Layout> buckets_;
  std::vector<Place> places_;  // [params]
  std::vector<Part> parts_;    // [params]
  std::vector<bool> any_;      // [params]
};

}  // namespace tenon::processes
