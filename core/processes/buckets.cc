// SPDX-License-Identifier: Apache-2.0
// core/processes/buckets.cc: gradients side by side in one tensor.
#include "core/processes/buckets.h"

#include <algorithm>

#include "core/launch/moves.h"
#include "core/processes/sums.h"

namespace tenon::processes {

using tensor::DimSpan;

Bucket::Bucket(std::vector<uint32_t> params, const std::vector<Ref>& all, int64_t processes,
               bool parted)
    : params_(std::move(params)), processes_(processes), parted_(parted) {
  for (const uint32_t param : params_) {
    begins_.push_back(size_);
    metas_.push_back(tensor::meta_of(*all[param]));
    size_ += all[param]->elements();
  }
  counts_ = size_;
  if (!parted_) size_ += 2 * static_cast<int64_t>(params_.size());
  size_ = (size_ + processes - 1) / processes * processes;  // equal parts need no copy
  device_ = &device_of(*all[params_[0]]);
}

Ref Bucket::piece(size_t place) const {
  const DimSpan shape = tensor::shape_of(metas_[place]);
  tensor::Dims strides{};
  tensor::row_major_strides(shape, strides.data());
  return tensor::window(*memory_, shape, strides.data(), begins_[place]);
}

void Bucket::begin(Context& context) {
  // Gradients of the last step that somebody still holds stay as they are.
  const bool free = memory_ && memory_->storage->refs.load() == 1;
  if (!free) memory_ = Ref(Tensor::create(*device_, metas_[0].dtype, {&size_, 1}));
  if (counts_ != size_)
    launch::fill(context, *tensor::elements(*memory_, counts_, size_ - counts_),
                 registry::float_value(0));
  put_.assign(params_.size(), Given::Nothing);
  missing_ = params_.size();
  transfer_.reset();
}

void Bucket::put(Context& context, size_t place, const Tensor& grad, Given given) {
  launch::copy_into(context, grad, *piece(place));
  if (!parted_) {
    const int64_t count = counts_ + 2 * static_cast<int64_t>(place);
    launch::fill(context, *tensor::elements(*memory_, count, given == Given::Dense ? 2 : 1),
                 registry::float_value(1));
  }
  if (put_[place] == Given::Nothing) --missing_;
  put_[place] = given;
}

void Bucket::send(Context& context, Group& group) {
  for (size_t place = 0; place < params_.size(); ++place) {
    if (put_[place] == Given::Nothing)
      launch::fill(context, *piece(place), registry::float_value(0));
  }
  if (!parted_) {
    transfer_ = group.begin(context, {{TENON_COLLECTIVE_ALL_REDUCE, 0, memory_, memory_}}, 0);
    return;
  }
  const int64_t count = size_ / processes_;
  const bool free = part_ && part_->storage->refs.load() == 1;
  if (!free) part_ = Ref(Tensor::create(*device_, metas_[0].dtype, {&count, 1}));
  const Ref rows = as_rows(*memory_, processes_);
  transfer_ = group.begin(context, {{TENON_COLLECTIVE_REDUCE_SCATTER, 0, rows, part_}}, 0);
}

void Bucket::wait(Context& context) {
  transfer_->end(&context);
  if (parted_) return;
  summed_ = launch::on_host(
      context, tensor::elements(*memory_, counts_, 2 * static_cast<int64_t>(params_.size())));
}

Given Bucket::given(size_t place) const {
  // Floats of any width: 0 is all bits 0.
  const size_t width = summed_->element_size();
  const auto any = [&](size_t at) {
    const auto* const bytes = static_cast<const unsigned char*>(summed_->view.data) + at * width;
    return std::any_of(bytes, bytes + width, [](unsigned char each) { return each != 0; });
  };
  if (any(2 * place + 1)) return Given::Dense;
  return any(2 * place) ? Given::Rows : Given::Nothing;
}

void Bucket::abandon() {
  drop();
  memory_ = {};
  part_ = {};
}

void Bucket::drop() {
  transfer_.reset();
  summed_ = {};
}

std::vector<Bucket> make_buckets(const std::vector<Ref>& params, const std::vector<uint32_t>& order,
                                 int64_t bytes, int64_t processes, bool parted) {
  std::vector<Bucket> buckets;
  std::vector<uint32_t> list;
  int64_t full = 0;
  const auto close = [&] {
    if (!list.empty()) buckets.emplace_back(std::move(list), params, processes, parted);
    list = {};
    full = 0;
  };
  for (const uint32_t param : order) {
    const Tensor& next = *params[param];
    const bool fits = list.empty() || (params[list[0]]->view.dtype == next.view.dtype &&
                                       &device_of(*params[list[0]]) == &device_of(next));
    if (!fits) close();
    list.push_back(param);
    full += next.elements() * next.element_size();
    if (full >= bytes) close();
  }
  close();
  return buckets;
}

}  // namespace tenon::processes
