// SPDX-License-Identifier: Apache-2.0
// core/processes/data_parallel.h: steps whose batch several processes share.
#pragma once

#include <tenon/ext/draft/data_parallel.h>

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/backward/vjp.h"
#include "core/processes/buckets.h"
#include "core/processes/group.h"
#include "core/processes/leaf_grads.h"
#include "core/processes/shares.h"
#include "core/processes/sums.h"

namespace tenon::processes {

class DataParallel : public OfRuntime, public std::enable_shared_from_this<DataParallel> {
 public:
  struct Options {
    int64_t shards = 0;
    int64_t bucket_bytes = 0;
    std::vector<Ref> buffers;
    std::vector<std::string> names{};  // of the parameters, for words; none: their places
  };

  // group  NULL: this process alone
  DataParallel(Context& context, std::shared_ptr<Group> group, std::vector<Ref> params,
               Options options);

  void begin(Context& context, int64_t shard);
  void end(Context& context, Tensor& loss);
  // Nothing if no step has begun.
  void give_up(Context& context) noexcept;
  void set_step(int64_t step);
  void share_states(Context& context, std::shared_ptr<optim::Optimizer> optimizer);
  void gather_states(Context& context, int32_t root);
  double clip(Context& context, double max_norm);  // returns the norm before
  tenon_data_parallel_info info() const;

 private:
  // What the shards of this process have given for one parameter in this step. As in a backward
  // of them all, it is rows as long as no shard has given all of it, whatever other steps had.
  struct Sum {
    Tree dense;
    int64_t terms = 0;  // of the tree, with zeros for shards that have given nothing
    std::vector<std::pair<int64_t, tape::RowGrad>> rows;  // with the shard that has given them
    Given given() const;
    void clear();
  };

  // Random numbers as they are outside a shard.
  struct Outside {
    uint64_t stream = 0;
    uint64_t counter = 0;
  };

  class Watching;  // hooks that see gradients while a backward runs
  class Replays;   // the runs of a captured step

  void share_values(Context& context);
  Ref all(Context& context, uint32_t collective, const Ref& input, const Ref& output) const;
  // [processes, ours.size()]: what each has; of int64_t or uint8_t.
  template <class Number>
  std::vector<Number> numbers_of_all(Context& context, const std::vector<Number>& ours) const {
    constexpr tenon_dtype kDtype = sizeof(Number) == 1 ? TENON_DTYPE_U8 : TENON_DTYPE_I64;
    const Ref mine = new_host_tensor(context, kDtype, {std::ssize(ours)});
    const Ref theirs = new_host_tensor(context, kDtype, {processes(), std::ssize(ours)});
    std::copy(ours.begin(), ours.end(), static_cast<Number*>(mine->view.data));
    all(context, TENON_COLLECTIVE_ALL_GATHER, mine, theirs);
    const auto* const first = static_cast<const Number*>(theirs->view.data);
    return {first, first + theirs->elements()};
  }
  void refuse_in_step(const char* operand) const;
  bool alone() const { return !group_ || group_->members().size == 1; }
  int64_t processes() const { return group_ ? group_->members().size : 1; }

  // What all processes must have alike in a step, as lines.
  std::string facts(const Context& context, const std::string& step) const;
  std::string options_text() const;
  std::string name_of(uint32_t param) const;
  void set_up(Context& context, const Options& options);
  // What all processes do at once: `alike` goes with the first transfer. If it fails here, the
  // others are told.
  void do_together(Context& context, const std::string& alike, const std::function<void()>& body);
  void begin_step(Context& context);
  void begin_shard(Context& context, int64_t shard);

  // data_parallel.cc: one shard.
  Ref seed_for(Context& context, const Tensor& loss) const;
  void run_backward(Context& context, Tensor& loss);
  void run_captured(Context& context, Tensor& loss);
  void see(Context& context, uint32_t param, Tensor& grad);
  void collect(Context& context);
  void add(Context& context, uint32_t param, tape::Gradient&& given);
  void add_dense(Context& context, uint32_t param, Ref dense);
  void add_terms(Context& context, uint32_t param, int64_t end);
  void begin_buffers(Context& context);
  void end_buffers(Context& context);
  void leave_streams(Context& context) const noexcept;

  // data_parallel_sums.cc: what all shards of all processes give.
  void finish(Context& context);
  Ref take_dense(Context& context, uint32_t param);
  std::vector<tape::Gradient> sum_all(Context& context);
  // [processes, params.size()]: what each process has of parameters that are in no bucket, or rows
  // all the same.
  std::vector<int64_t> tell_rows(Context& context, const std::vector<uint32_t>& params) const;
  // The largest that a process has of each: lists of the same length.
  std::vector<uint8_t> largest_of_all(Context& context, const std::vector<uint8_t>& ours) const;
  void sum_buckets(Context& context, size_t first, std::vector<Given>& given,
                   std::vector<tape::Gradient>& grads);
  void add_buckets(Context& context, const std::vector<uint32_t>& params);
  void find_places();
  void send_full(Context& context);
  void send_all(Context& context);
  void order_buckets(Context& context);
  tape::RowGrad sum_rows_of_all(Context& context, uint32_t param, const std::vector<int64_t>& told);
  void average_buffers(Context& context);
  void finish_captured(Context& context);
  std::vector<bool> agree_on_capture(Context& context);

  // data_parallel_shares.cc: states that the processes share.
  void share(Context& context, std::shared_ptr<optim::Optimizer> optimizer);
  void send_states(Context& context, uint32_t param, uint32_t at, int32_t root,
                   std::vector<Ref>& whole) const;

  const std::shared_ptr<Group> group_;
  const std::vector<Ref> params_;
  const std::vector<Ref> buffers_;
  const std::vector<std::string> names_;
  std::unordered_map<const Tensor*, uint32_t> index_;  // of params_
  int64_t shards_ = 1;
  int64_t n_shards_ = 1;
  int64_t first_shard_ = 0;
  int64_t bucket_bytes_ = 0;

  int64_t step_ = 0;
  int64_t shard_ = 0;            // the next one to begin, or the one that runs
  bool begun_ = false;           // the step has
  bool runs_ = false;            // a shard has
  bool has_order_ = false;       // the buckets are as backward makes the gradients
  std::vector<Sum> sums_;        // [params]
  std::vector<uint32_t> order_;  // [params], the same in all processes
  std::vector<uint32_t> seen_;   // by hooks, in this step
  // Of parameters of which a step so far had all, not rows alone. All processes have the same.
  std::vector<Bucket> buckets_;
  struct Place {
    static constexpr uint32_t kNone = UINT32_MAX;
    uint32_t bucket = kNone;
    uint32_t in_bucket = 0;
  };
  std::vector<Place> places_;       // [params]
  size_t next_bucket_ = 0;          // to be sent
  std::vector<Ref> first_buffers_;  // as the step begins
  std::vector<Tree> buffer_sums_;
  Outside outside_;
  Outside before_;                               // the step
  size_t n_before_ = 0;                          // buckets
  uint64_t group_step_ = 0;                      // the group's number of it
  int64_t captures_ = 0;                         // so far
  std::string clipped_;                          // the line of the last clipping
  uint64_t first_counter_ = 0;                   // at which each shard of the step begins to draw
  uint64_t drawn_ = 0;                           // by the shard that has drawn most
  std::shared_ptr<optim::Optimizer> optimizer_;  // whose states are shared
  std::shared_ptr<Shares> shares_;               // if there is somebody to share them with
};

}  // namespace tenon::processes
