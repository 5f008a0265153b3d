// SPDX-License-Identifier: Apache-2.0
// core/processes/shares.cc: shares of buckets, and what all processes make of them.
#include "core/processes/shares.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/launch/moves.h"
#include "core/processes/leaf_grads.h"

namespace tenon::processes {

Shares::Shares(std::shared_ptr<Group> group, const std::vector<Ref>& params)
    : group_(std::move(group)), params_(params) {
  for (uint32_t i = 0; i < params_.size(); ++i) index_.emplace(params_[i].get(), i);
  places_.assign(params_.size(), {});
  any_.assign(params_.size(), false);
  parts_.resize(params_.size());
}

Shares::Range Shares::range_of(uint32_t param, int64_t rank) const {
  const Place& place = places_[param];
  const int64_t share = buckets_[static_cast<size_t>(place.bucket)].size / processes();
  const int64_t begin = std::max<int64_t>(rank * share - place.begin, 0);
  const int64_t end = std::min((rank + 1) * share - place.begin, params_[param]->elements());
  return {begin, std::max(begin, end)};
}

Ref Shares::window_of(uint32_t param, Range range) const {
  return tensor::elements(*params_[param], range.begin, range.end - range.begin);
}

Ref Shares::make_leaf(uint32_t param) const {
  const Part& part = parts_[param];
  Ref leaf = window_of(param, {part.begin, part.end});
  tape::link_of(*leaf).requires_grad = true;
  return leaf;
}

void Shares::cut(std::span<const Bucket> buckets) {
  for (const Bucket& bucket : buckets) {
    const auto number = static_cast<int64_t>(buckets_.size());
    buckets_.push_back({bucket.params(), bucket.size()});
    for (size_t i = 0; i < bucket.params().size(); ++i) {
      const uint32_t param = bucket.params()[i];
      places_[param] = {number, bucket.begin_of(i)};
      const Range ours = range_of(param, group_->members().rank);
      parts_[param] = {Ref(), ours.begin, ours.end};
      if (!ours.empty()) parts_[param].leaf = make_leaf(param);
    }
  }
}

void Shares::cut_off(size_t first) noexcept {
  for (; buckets_.size() > first; buckets_.pop_back()) {
    for (const uint32_t param : buckets_.back().params) {
      places_[param] = {};
      parts_[param] = {};
    }
  }
}

const optim::Parts::Part* Shares::of(const Tensor& param) const {
  const auto found = index_.find(&param);
  return found != index_.end() && is_parted(found->second) ? &parts_[found->second] : nullptr;
}

bool Shares::any_gradient() const { return std::ranges::find(any_, true) != any_.end(); }

void Shares::clear_gradients() {
  any_.assign(any_.size(), false);
  for (const Part& part : parts_) {
    if (part.leaf) take_grads(*part.leaf);
  }
}

// Rows of a parameter as elements of our part of it, which are rows of one element.
tape::RowGrad Shares::rows_of_part(Context& context, uint32_t param,
                                   const tape::RowGrad& rows) const {
  const int64_t n = rows.indices->elements();
  const int64_t width = n == 0 ? 0 : rows.values->elements() / n;
  const auto* const numbers = static_cast<const int64_t*>(rows.indices->view.data);
  std::vector<int64_t> from;
  std::vector<int64_t> to;
  for (int64_t row = 0; row < n; ++row) {
    for (int64_t i = 0; i < width; ++i) {
      const int64_t element = numbers[row] * width + i;
      if (element < parts_[param].begin || element >= parts_[param].end) continue;
      from.push_back(row * width + i);
      to.push_back(element - parts_[param].begin);
    }
  }
  // None is a gradient, too: a step counts for all of the parameter.
  const auto count = std::ssize(to);
  tape::RowGrad part{
      new_host_tensor(context, TENON_DTYPE_I64, {count}),
      Ref(Tensor::create(device_of(*rows.values), rows.values->view.dtype, {&count, 1}))};
  std::ranges::copy(to, static_cast<int64_t*>(part.indices->view.data));
  const auto* const values = static_cast<const char*>(rows.values->view.data);
  auto* const ours = static_cast<char*>(part.values->view.data);
  const size_t bytes = rows.values->element_size();
  for (size_t i = 0; i < from.size(); ++i) {
    std::memcpy(ours + i * bytes, values + static_cast<size_t>(from[i]) * bytes, bytes);
  }
  return part;
}

void Shares::give(Context& context, const std::vector<Given>& given,
                  const std::vector<Bucket>& buckets, std::vector<tape::Gradient>& grads) {
  const int64_t rank = group_->members().rank;
  std::vector<tape::Gradient> parts(params_.size());
  std::vector<bool> any(params_.size());
  for (uint32_t i = 0; i < params_.size(); ++i) {
    any[i] = given[i] != Given::Nothing;
    if (!is_parted(i)) continue;
    const tape::Gradient whole = std::exchange(grads[i], {});
    if (!parts_[i].leaf) continue;
    // The parameter's memory may be another one since.
    if (parts_[i].leaf->storage != params_[i]->storage) parts_[i].leaf = make_leaf(i);
    if (given[i] == Given::Rows) parts[i].rows = rows_of_part(context, i, whole.rows);
    if (given[i] != Given::Dense) continue;
    const auto bucket = static_cast<size_t>(places_[i].bucket);
    const Tensor& ours = *buckets[bucket].part();
    const int64_t first = places_[i].begin + parts_[i].begin - rank * ours.elements();
    parts[i].dense = tensor::elements(ours, first, parts_[i].end - parts_[i].begin);
  }
  for (uint32_t i = 0; i < params_.size(); ++i) {
    if (parts_[i].leaf) set_grads(context, *parts_[i].leaf, std::move(parts[i]));
  }
  any_ = std::move(any);
}

// Ours of one bucket leaves.
Shares::Gathering Shares::begin(Context& context, size_t bucket) const {
  const Layout& layout = buckets_[bucket];
  const Tensor& like = *params_[layout.params[0]];
  const int64_t share = layout.size / processes();
  const int64_t rank = group_->members().rank;
  const int64_t shape[] = {processes(), share};
  const Ref ours(Tensor::create(device_of(like), like.view.dtype, {&share, 1}));
  Gathering made{bucket, Ref(Tensor::create(device_of(like), like.view.dtype, shape)), {}};
  int64_t filled = 0;
  for (const uint32_t param : layout.params) {
    const Part& part = parts_[param];
    if (!part.leaf) continue;
    const int64_t first = places_[param].begin + part.begin - rank * share;
    const int64_t count = part.end - part.begin;
    launch::copy_into(context, *part.leaf, *tensor::elements(*ours, first, count));
    filled = first + count;
  }
  if (const int64_t rest = share - filled) {
    launch::fill(context, *tensor::elements(*ours, filled, rest), {TENON_VALUE_F64, 0, {}});
  }
  made.transfer = group_->begin(context, {{TENON_COLLECTIVE_ALL_GATHER, 0, ours, made.values}}, 0);
  return made;
}

void Shares::end(Context& context, const Gathering& gathering) const {
  gathering.transfer->end(&context);
  const Layout& layout = buckets_[gathering.bucket];
  for (const uint32_t param : layout.params) {
    const Range all{0, params_[param]->elements()};
    const Range ours{parts_[param].begin, parts_[param].end};
    const Range before{0, ours.empty() ? all.end : ours.begin};
    const Range after{ours.empty() ? all.end : ours.end, all.end};
    for (const Range& each : {before, after}) {
      if (each.empty()) continue;
      const Ref from = tensor::elements(*gathering.values, places_[param].begin + each.begin,
                                        each.end - each.begin);
      launch::copy_into(context, *from, *window_of(param, each));
    }
  }
}

// Two buckets are under way at a time: one travels while the one before is written.
void Shares::gather_values(Context& context) const {
  const GradMode off(context, false);
  Gathering before;
  for (size_t i = 0; i < buckets_.size(); ++i) {
    // Nothing has changed without a gradient.
    const auto& params = buckets_[i].params;
    if (std::ranges::none_of(params, [&](uint32_t param) { return any_[param]; })) continue;
    Gathering next = begin(context, i);
    if (before.transfer) end(context, before);
    before = std::move(next);
  }
  if (before.transfer) end(context, before);
}

void Shares::begin(Context& context) {
  step_ = group_->begin_step("what all do: a step of the optimizer whose states they share\n");
  try {
    group_->begin(context, {{}}, 0)->end(&context);
  } catch (...) {
    group_->end_step(step_);
    throw;
  }
}

// Those whose step has failed take part, so that the others need not wait for them.
void Shares::gather(Context& context, bool failed) {
  struct Step {
    Group& group;
    uint64_t number;
    ~Step() { group.end_step(number); }
  } const step{*group_, step_};
  const Ref mine = new_host_tensor(context, TENON_DTYPE_U8, {1});
  const Ref all = new_host_tensor(context, TENON_DTYPE_U8, {processes(), 1});
  *static_cast<uint8_t*>(mine->view.data) = failed ? 1 : 0;
  const auto told = group_->begin(context, {{TENON_COLLECTIVE_ALL_GATHER, 0, mine, all}}, 0);
  gather_values(context);
  told->end(&context);
  const auto* const states = static_cast<const uint8_t*>(all->view.data);
  const auto* const found = std::find(states, states + processes(), uint8_t{1});
  if (failed || found == states + processes()) return;
  const std::string rank = "rank " + std::to_string(found - states);
  fail(TENON_E_PEER, "data parallel: the optimizer's step has failed in " + rank, rank,
       "a step in all processes", "one that has failed", "the error of that process says why");
}

}  // namespace tenon::processes
