// SPDX-License-Identifier: Apache-2.0
// core/processes/data_parallel_sums.cc: the end of a step: sums over all shards.
#include <algorithm>
#include <cstring>

#include "core/backward/rows.h"
#include "core/backward/walk.h"
#include "core/dispatch/dispatch.h"
#include "core/launch/moves.h"
#include "core/plan/recorder.h"
#include "core/processes/data_parallel.h"
#include "core/processes/leaf_grads.h"
#include "core/processes/sums.h"
#include "core/registry/values.h"

namespace tenon::processes {

using tape::RowGrad;

// In their order, which is the same in all processes.
void DataParallel::send_full(Context& context) {
  while (next_bucket_ < buckets_.size() && buckets_[next_bucket_].full()) {
    buckets_[next_bucket_++].send(context, *group_);
  }
}

// Ours of one parameter, whole.
Ref DataParallel::take_dense(Context& context, uint32_t param) {
  add_terms(context, param, n_shards_);
  return sums_[param].dense.take(context);
}

// Parameters in their order; after a new bucket all know that these travel so.
void DataParallel::add_buckets(Context& context, const std::vector<uint32_t>& params) {
  const bool parted = static_cast<bool>(shares_);
  const auto first = std::ssize(buckets_);
  for (Bucket& each :
       processes::make_buckets(params_, params, bucket_bytes_, processes(), parted)) {
    buckets_.push_back(std::move(each));
    buckets_.back().begin(context);
  }
  find_places();
  if (parted) shares_->cut(std::span(buckets_).subspan(static_cast<size_t>(first)));
}

void DataParallel::find_places() {
  places_.assign(params_.size(), {});
  for (uint32_t b = 0; b < buckets_.size(); ++b) {
    const std::vector<uint32_t>& params = buckets_[b].params();
    for (uint32_t place = 0; place < params.size(); ++place) places_[params[place]] = {b, place};
  }
}

// What no hook has seen, and what of the buckets has not been sent.
void DataParallel::send_all(Context& context) {
  for (; next_bucket_ < buckets_.size(); ++next_bucket_) {
    Bucket& bucket = buckets_[next_bucket_];
    for (size_t place = 0; place < bucket.params().size(); ++place) {
      const uint32_t param = bucket.params()[place];
      const Given given = sums_[param].given();
      if (given == Given::Nothing || bucket.ours(place) != Given::Nothing) continue;
      // Its rows stay: they are asked for once more if nobody has given all of it.
      bucket.put(context, place, *take_dense(context, param), given);
    }
    bucket.send(context, *group_);
  }
}

namespace {

// What is told of a parameter: kNothing, kDense, or how many rows and one more.
constexpr int64_t kNothing = 0;
constexpr int64_t kDense = -1;

}  // namespace

std::vector<int64_t> DataParallel::tell_rows(Context& context,
                                             const std::vector<uint32_t>& params) const {
  std::vector<int64_t> ours;
  for (const uint32_t param : params) {
    const Sum& sum = sums_[param];
    int64_t told = sum.rows.empty() ? kNothing : 1;
    for (const auto& [shard, each] : sum.rows) told += each.indices->elements();
    if (sum.rows.empty() && sum.terms != 0) told = kDense;
    ours.push_back(told);
  }
  return numbers_of_all(context, ours);
}

// The rows of all shards of all processes, in the order of the shards, summed. Lists of different
// lengths travel as the longest does.
RowGrad DataParallel::sum_rows_of_all(Context& context, uint32_t param,
                                      const std::vector<int64_t>& told) {
  const int64_t longest = *std::ranges::max_element(told) - 1;
  tenon_meta meta = tensor::meta_of(*params_[param]);
  meta.shape[0] = longest;
  const tensor::DimSpan shape = tensor::shape_of(meta);
  Device& device = device_of(*params_[param]);
  const Ref indices(Tensor::create(device, TENON_DTYPE_I64, {&longest, 1}));
  const Ref values(Tensor::create(device, meta.dtype, shape));
  launch::fill(context, *indices, {TENON_VALUE_I64, 0, {}});
  launch::fill(context, *values, {TENON_VALUE_F64, 0, {}});
  int64_t begin = 0;
  for (const auto& [shard, each] : sums_[param].rows) {
    const int64_t n = each.indices->elements();
    launch::copy_into(context, *each.indices, *rows_between(*indices, begin, n));
    launch::copy_into(context, *each.values, *rows_between(*values, begin, n));
    begin += n;
  }
  tensor::Dims stacked{};
  stacked[0] = processes();
  std::copy(shape.begin(), shape.end(), stacked.begin() + 1);
  const int64_t all_shape[] = {processes(), longest};
  const Ref all_indices(Tensor::create(device, TENON_DTYPE_I64, all_shape));
  const Ref all_values(Tensor::create(device, meta.dtype, {stacked.data(), shape.size() + 1}));
  all(context, TENON_COLLECTIVE_ALL_GATHER, indices, all_indices);
  all(context, TENON_COLLECTIVE_ALL_GATHER, values, all_values);
  std::vector<RowGrad> parts;
  for (int64_t rank = 0; rank < processes(); ++rank) {
    const int64_t number = told[static_cast<size_t>(rank)];
    if (number == kNothing) continue;
    parts.push_back({rows_between(*row_of(*all_indices, rank), 0, number - 1),
                     rows_between(*row_of(*all_values, rank), 0, number - 1)});
  }
  return backward::coalesce(context, tensor::meta_of(*params_[param]), parts);
}

// Buckets from number `first` on, once they have arrived: of parameters, or of our shares of them.
void DataParallel::sum_buckets(Context& context, size_t first, std::vector<Given>& given,
                               std::vector<tape::Gradient>& grads) {
  const std::span<Bucket> buckets = std::span(buckets_).subspan(first);
  for (Bucket& bucket : buckets) bucket.wait(context);
  if (buckets.empty()) return;
  if (shares_) {
    std::vector<uint8_t> largest(params_.size());
    for (const Bucket& bucket : buckets) {
      for (size_t place = 0; place < bucket.params().size(); ++place) {
        largest[bucket.params()[place]] = static_cast<uint8_t>(bucket.ours(place));
      }
    }
    largest = largest_of_all(context, largest);
    for (const Bucket& bucket : buckets) {
      for (const uint32_t param : bucket.params())
        given[param] = static_cast<Given>(largest[param]);
    }
    return;
  }
  for (const Bucket& bucket : buckets) {
    for (size_t place = 0; place < bucket.params().size(); ++place) {
      const uint32_t param = bucket.params()[place];
      given[param] = bucket.given(place);
      if (given[param] == Given::Dense) grads[param].dense = bucket.sum(place);
    }
  }
}

// What all processes have given together. A gradient is rows if nobody has given all of it: that is
// known of buckets when they have arrived, and told before of what is in none.
std::vector<tape::Gradient> DataParallel::sum_all(Context& context) {
  std::vector<tape::Gradient> grads(params_.size());
  std::vector<Given> given(params_.size(), Given::Nothing);
  std::vector<uint32_t> loose;
  for (uint32_t i = 0; i < params_.size(); ++i) {
    if (places_[i].bucket == Place::kNone) loose.push_back(i);
  }
  send_all(context);
  std::vector<int64_t> numbers;
  if (!loose.empty()) numbers = tell_rows(context, loose);
  const auto told_of = [&](size_t place, size_t count) {
    std::vector<int64_t> told;
    for (size_t at = place; at < numbers.size(); at += count) told.push_back(numbers[at]);
    return told;
  };
  std::vector<uint32_t> fresh;  // all of it for the first time
  for (size_t i = 0; i < loose.size(); ++i) {
    const std::vector<int64_t> told = told_of(i, loose.size());
    if (std::ranges::find(told, kDense) != told.end()) {
      fresh.push_back(loose[i]);
    } else if (std::ranges::any_of(told, [](int64_t each) { return each != kNothing; })) {
      given[loose[i]] = Given::Rows;
      grads[loose[i]].rows = sum_rows_of_all(context, loose[i], told);
    }
  }
  const size_t n_before = buckets_.size();
  sum_buckets(context, 0, given, grads);
  if (!fresh.empty()) {
    std::vector<uint32_t> ordered = order_;
    std::erase_if(ordered,
                  [&](uint32_t param) { return std::ranges::find(fresh, param) == fresh.end(); });
    add_buckets(context, ordered);
    send_all(context);
    sum_buckets(context, n_before, given, grads);
  }
  std::vector<uint32_t> late;  // of a bucket, and this time rows
  for (uint32_t i = 0; i < params_.size(); ++i) {
    if (places_[i].bucket != Place::kNone && given[i] == Given::Rows) late.push_back(i);
  }
  if (!late.empty()) numbers = tell_rows(context, late);
  for (size_t i = 0; i < late.size(); ++i) {
    grads[late[i]].rows = sum_rows_of_all(context, late[i], told_of(i, late.size()));
  }
  if (shares_) shares_->give(context, given, buckets_, grads);
  return grads;
}

void DataParallel::finish(Context& context) {
  const GradMode off(context, false);
  const bool hooked = !buckets_.empty();
  std::vector<tape::Gradient> grads;
  if (alone()) {
    grads.resize(params_.size());
    for (uint32_t i = 0; i < params_.size(); ++i) {
      const Given given = sums_[i].given();
      if (given == Given::Dense) grads[i].dense = take_dense(context, i);
      if (given != Given::Rows) continue;
      std::vector<RowGrad> parts;
      for (const auto& [shard, each] : sums_[i].rows) parts.push_back(each);
      grads[i].rows = backward::coalesce(context, tensor::meta_of(*params_[i]), parts);
    }
  } else {
    grads = sum_all(context);
  }
  average_buffers(context);
  if (hooked && !has_order_) order_buckets(context);
  // Nothing fails from here on.
  for (size_t i = 0; i < params_.size(); ++i) {
    set_grads(context, *params_[i], std::move(grads[i]));
    sums_[i].clear();
  }
  for (Bucket& bucket : buckets_) bucket.drop();
  first_buffers_.clear();
}

// As rank 0 has seen its gradients come.
void DataParallel::order_buckets(Context& context) {
  std::erase_if(order_,
                [&](uint32_t param) { return std::ranges::find(seen_, param) != seen_.end(); });
  order_.insert(order_.end(), seen_.begin(), seen_.end());
  const auto n = static_cast<int64_t>(order_.size());
  const Ref order = new_host_tensor(context, TENON_DTYPE_I32, {n});
  std::memcpy(order->view.data, order_.data(), order_.size() * 4);
  all(context, TENON_COLLECTIVE_BROADCAST, group_->members().rank == 0 ? order : Ref(), order);
  std::memcpy(order_.data(), order->view.data, order_.size() * 4);
  std::vector<uint32_t> ordered = order_;
  std::erase_if(ordered, [&](uint32_t param) { return places_[param].bucket == Place::kNone; });
  buckets_ = processes::make_buckets(params_, ordered, bucket_bytes_, processes());
  find_places();
  has_order_ = true;
}

void DataParallel::average_buffers(Context& context) {
  for (size_t i = 0; i < buffers_.size(); ++i) {
    if (!tensor::is_float(buffers_[i]->view.dtype) || shards_ == 1) continue;
    const Ref sum = buffer_sums_[i].take(context);
    if (!alone()) all(context, TENON_COLLECTIVE_ALL_REDUCE, sum, sum);
    scale(context, sum, 1.0 / static_cast<double>(shards_));
    launch::copy_into(context, *sum, *buffers_[i]);
  }
  for (Tree& sum : buffer_sums_) sum.clear();
}

std::vector<uint8_t> DataParallel::largest_of_all(Context& context,
                                                  const std::vector<uint8_t>& ours) const {
  const std::vector<uint8_t> told = numbers_of_all(context, ours);
  std::vector<uint8_t> largest(ours.size());
  for (size_t i = 0; i < told.size(); ++i) {
    uint8_t& each = largest[i % ours.size()];
    each = std::max(each, told[i]);
  }
  return largest;
}

// ---- In a capture -------------------------------------------------------------------------------

// A replay sums what was there at the capture, and draws for a shard what it draws in one process:
// its own stream, from the counter at which all shards begin. So all processes tell each other
// which parameters have a gradient, and where random numbers begin. Returns the former.
std::vector<bool> DataParallel::agree_on_capture(Context& context) {
  std::vector<int64_t> ours = {static_cast<int64_t>(context.seed),
                               static_cast<int64_t>(first_counter_), static_cast<int64_t>(drawn_)};
  constexpr size_t kNumbers = 3;
  for (const Sum& sum : sums_) ours.push_back(sum.terms != 0 ? 1 : 0);
  const std::vector<int64_t> all = alone() ? ours : numbers_of_all(context, ours);
  const auto of = [&](int64_t rank) {
    return std::span(all).subspan(static_cast<size_t>(rank) * ours.size(), ours.size());
  };
  std::vector<bool> any(params_.size());
  for (int64_t rank = 0; rank < processes(); ++rank) {
    drawn_ = std::max(drawn_, static_cast<uint64_t>(of(rank)[2]));
    for (size_t i = 0; i < any.size(); ++i) any[i] = any[i] || of(rank)[kNumbers + i] != 0;
  }
  for (int64_t rank = 0; rank < processes() && drawn_ != 0; ++rank) {
    const std::span<const int64_t> found = of(rank).first(2);
    if (std::ranges::equal(found, std::span(ours).first(2))) continue;
    const auto words = [](std::span<const int64_t> each) {
      return "seed " + std::to_string(static_cast<uint64_t>(each[0])) + ", counter " +
             std::to_string(static_cast<uint64_t>(each[1]));
    };
    fail(TENON_E_PEER,
         "data parallel: rank " + std::to_string(rank) +
             " draws other random numbers in the captured step",
         "rank " + std::to_string(rank), words(ours), words(found),
         "set the same seed in all processes before the capture");
  }
  return any;
}

// A run of a captured step is told as a step is: which one, and how often it has run.
class DataParallel::Replays final : public plan::Bracket {
 public:
  explicit Replays(std::shared_ptr<DataParallel> of)
      : of_(std::move(of)), capture_(of_->captures_), draws_(of_->drawn_ != 0) {}
  void begin(Context& context) override {
    std::string lines =
        "captured step: " + std::to_string(capture_) + "\nrun: " + std::to_string(runs_) + "\n";
    if (draws_) lines += "counter of random numbers: " + std::to_string(context.counter) + "\n";
    step_ = of_->group_->begin_step(of_->facts(context, lines));
  }
  void end(Context& context, bool failed) noexcept override {
    if (failed) return of_->group_->give_up(context, step_);
    ++runs_;
    of_->group_->end_step(step_);
  }

 private:
  const std::shared_ptr<DataParallel> of_;
  const int64_t capture_;
  const bool draws_;
  int64_t runs_ = 0;  // that have ended well
  uint64_t step_ = 0;
};

// Each bucket is one launch of the op that holds the role ALL_REDUCE.
void DataParallel::finish_captured(Context& context) {
  const GradMode off(context, false);
  const std::vector<bool> any = agree_on_capture(context);
  context.counter = std::max(context.counter, first_counter_ + drawn_);
  std::vector<uint32_t> order = order_;
  std::erase_if(order, [&](uint32_t param) { return !any[param]; });
  std::vector<Ref> grads(params_.size());
  for (const uint32_t param : order) grads[param] = take_dense(context, param);
  if (!alone()) {
    const registry::Op& op = context.runtime->plugins.require_role(TENON_ROLE_ALL_REDUCE);
    const tenon_value number = registry::int_value(group_->number());
    for (const Bucket& bucket :
         processes::make_buckets(params_, order, bucket_bytes_, processes())) {
      std::vector<tenon_tensor*> list;
      for (const uint32_t param : bucket.params()) {
        list.push_back(tensor::handle(grads[param].get()));
      }
      const tenon_value input = registry::tensors_value(list.data(), list.size());
      dispatch::call(context, op, {&input, 1}, {&number, 1}, {});
    }
  }
  ++captures_;
  plan::Recorder* const recorder = plan::recorder_of(context);
  if (recorder && !alone()) recorder->run_in(std::make_shared<Replays>(shared_from_this()));
  for (size_t i = 0; i < params_.size(); ++i) {
    if (grads[i]) set_grads(context, *params_[i], {std::move(grads[i])});
    sums_[i].clear();
  }
}

}  // namespace tenon::processes
