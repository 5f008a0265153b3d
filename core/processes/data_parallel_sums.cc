// SPDX-License-Identifier: Apache-2.0
// core/processes/data_parallel_sums.cc: the end of a step: sums over all shards.
#include <algorithm>
#include <cstring>

#include "core/backward/rows.h"
#include "core/backward/walk.h"
#include "core/dispatch/dispatch.h"
#include "core/launch/moves.h"
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

// One gradient is dense in all processes, or rows in all: rows only if nobody has it otherwise.
void DataParallel::agree_on_ways(Context& context) {
  std::vector<uint8_t> ways;
  for (const Sum& sum : sums_) ways.push_back(static_cast<uint8_t>(sum.way));
  ways = numbers_of_all(context, ways);
  for (uint32_t i = 0; i < params_.size(); ++i) {
    bool dense = false;
    bool rows = false;
    for (size_t at = i; at < ways.size(); at += params_.size()) {
      const auto way = static_cast<Way>(ways[at]);
      dense = dense || way == Way::Dense;
      rows = rows || way == Way::Rows;
    }
    Sum& sum = sums_[i];
    const bool turn = sum.way == Way::Rows && dense;
    sum.way = rows && !dense ? Way::Rows : Way::Dense;
    if (!turn) continue;
    const tenon_meta meta = tensor::meta_of(*params_[i]);
    for (const RowGrad& each : sum.rows) {
      sum.dense.add(context, backward::densify(context, meta, each));
      ++sum.terms;
    }
    sum.rows.clear();
  }
  has_ways_ = true;
}

void DataParallel::make_buckets() {
  std::vector<uint32_t> dense = order_;
  std::erase_if(dense, [&](uint32_t param) { return sums_[param].way != Way::Dense; });
  const bool parted = static_cast<bool>(shares_);
  buckets_ = processes::make_buckets(params_, dense, bucket_bytes_, processes(), parted);
  places_.assign(params_.size(), {0, 0});
  for (uint32_t b = 0; b < buckets_.size(); ++b) {
    const std::vector<uint32_t>& params = buckets_[b].params();
    for (uint32_t place = 0; place < params.size(); ++place) places_[params[place]] = {b, place};
  }
  next_bucket_ = 0;
  if (parted) shares_->cut(buckets_);
}

// What no hook has seen, and what of the buckets has not been sent.
void DataParallel::send_all(Context& context) {
  for (uint32_t i = 0; i < params_.size(); ++i) {
    Sum& sum = sums_[i];
    if (sum.way != Way::Dense || sum.dense.empty()) continue;
    const auto [bucket, place] = places_[i];
    buckets_[bucket].put(context, place, *sum.dense.take(context));
  }
  for (; next_bucket_ < buckets_.size(); ++next_bucket_) {
    buckets_[next_bucket_].send(context, *group_);
  }
}

// The rows of all shards of all processes, in the order of the shards. Lists of different lengths
// travel as the longest does.
std::vector<RowGrad> DataParallel::rows_of_all(Context& context, uint32_t param) {
  const std::vector<RowGrad>& ours = sums_[param].rows;
  if (alone()) return ours;
  int64_t count = 0;
  for (const RowGrad& each : ours) count += each.indices->elements();
  const std::vector<int64_t> lengths = numbers_of_all<int64_t>(context, {count});
  const int64_t longest = *std::ranges::max_element(lengths);
  if (longest == 0) return {};
  tenon_meta meta = tensor::meta_of(*params_[param]);
  meta.shape[0] = longest;
  const tensor::DimSpan shape = tensor::shape_of(meta);
  Device& device = device_of(*params_[param]);
  const Ref indices(Tensor::create(device, TENON_DTYPE_I64, {&longest, 1}));
  const Ref values(Tensor::create(device, meta.dtype, shape));
  launch::fill(context, *indices, {TENON_VALUE_I64, 0, {}});
  launch::fill(context, *values, {TENON_VALUE_F64, 0, {}});
  int64_t begin = 0;
  for (const RowGrad& each : ours) {
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
    const int64_t length = lengths[static_cast<size_t>(rank)];
    if (length == 0) continue;
    parts.push_back({rows_between(*row_of(*all_indices, rank), 0, length),
                     rows_between(*row_of(*all_values, rank), 0, length)});
  }
  return parts;
}

// What is true in some process: lists of the same length.
std::vector<bool> DataParallel::anywhere(Context& context, const std::vector<bool>& here) const {
  const std::vector<uint8_t> told = numbers_of_all<uint8_t>(context, {here.begin(), here.end()});
  std::vector<bool> any(here.size());
  for (size_t i = 0; i < told.size(); ++i) {
    if (told[i] != 0) any[i % here.size()] = true;
  }
  return any;
}

// The sums of the buckets, once all have arrived: of parameters, or of our shares of them.
void DataParallel::take_sums(Context& context, std::vector<tape::Gradient>& grads) {
  for (Bucket& bucket : buckets_) bucket.wait(context);
  if (!shares_) {
    for (const Bucket& bucket : buckets_) {
      for (size_t place = 0; place < bucket.params().size(); ++place) {
        grads[bucket.params()[place]].dense = bucket.sum(place);
      }
    }
    return;
  }
  std::vector<bool> any(params_.size());
  for (const Bucket& bucket : buckets_) {
    for (size_t place = 0; place < bucket.params().size(); ++place) {
      any[bucket.params()[place]] = bucket.has(place);
    }
  }
  any = anywhere(context, any);
  for (size_t i = 0; i < params_.size(); ++i) {
    if (grads[i].rows.indices) any[i] = true;
  }
  shares_->give(context, std::move(any), buckets_);
}

void DataParallel::finish(Context& context) {
  const GradMode off(context, false);
  const bool hooked = !alone() && has_ways_;
  if (!alone() && !has_ways_) {
    agree_on_ways(context);
    make_buckets();
    for (Bucket& bucket : buckets_) bucket.begin(context);
  }
  if (!alone()) send_all(context);
  std::vector<tape::Gradient> grads(params_.size());
  for (uint32_t i = 0; i < params_.size(); ++i) {
    if (sums_[i].way == Way::Rows) {
      const std::vector<RowGrad> parts = rows_of_all(context, i);
      if (parts.empty()) continue;
      RowGrad rows = backward::coalesce(context, tensor::meta_of(*params_[i]), parts);
      grads[i] = {Ref(), std::move(rows)};
    } else if (alone()) {
      grads[i].dense = sums_[i].dense.take(context);
    }
  }
  take_sums(context, grads);
  average_buffers(context);
  if (hooked && !has_order_) order_buckets(context);
  // Nothing fails from here on.
  for (size_t i = 0; i < params_.size(); ++i) {
    set_grads(context, *params_[i], std::move(grads[i]));
    sums_[i].clear();
  }
  for (Bucket& bucket : buckets_) bucket.drop();
}

// As rank 0 has seen its gradients come.
void DataParallel::order_buckets(Context& context) {
  const auto n = static_cast<int64_t>(order_.size());
  const Ref order = new_host_tensor(context, TENON_DTYPE_I32, {n});
  std::memcpy(order->view.data, order_.data(), order_.size() * 4);
  all(context, TENON_COLLECTIVE_BROADCAST, group_->members().rank == 0 ? order : Ref(), order);
  std::memcpy(order_.data(), order->view.data, order_.size() * 4);
  make_buckets();
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
  first_buffers_.clear();
}

// ---- In a capture -------------------------------------------------------------------------------

// A replay draws for a shard what it draws in one process: its own stream, from the counter at
// which all shards begin. So that must be one number.
void DataParallel::agree_on_counter(Context& context) const {
  if (alone() || drawn_ == 0) return;
  const std::vector<int64_t> ours = {static_cast<int64_t>(context.seed),
                                     static_cast<int64_t>(first_counter_)};
  const std::vector<int64_t> theirs = numbers_of_all(context, ours);
  for (int64_t rank = 0; rank < processes(); ++rank) {
    const std::span<const int64_t> found(&theirs[static_cast<size_t>(2 * rank)], 2);
    if (std::ranges::equal(found, ours)) continue;
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
}

// Each bucket is one launch of the op that holds the role ALL_REDUCE.
void DataParallel::finish_captured(Context& context) {
  const GradMode off(context, false);
  agree_on_counter(context);
  context.counter = std::max(context.counter, first_counter_ + drawn_);
  std::vector<uint32_t> order = order_;
  std::erase_if(order, [&](uint32_t param) { return sums_[param].terms == 0; });
  std::vector<Ref> grads(params_.size());
  for (const uint32_t param : order) grads[param] = sums_[param].dense.take(context);
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
  for (size_t i = 0; i < params_.size(); ++i) {
    if (grads[i]) set_grads(context, *params_[i], {std::move(grads[i])});
    sums_[i].clear();
  }
}

}  // namespace tenon::processes
