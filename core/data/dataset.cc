// SPDX-License-Identifier: Apache-2.0
// core/data/dataset.cc: dataset objects.
#include "core/data/dataset.h"

#include <algorithm>

#include "core/registry/values.h"

namespace tenon::data {

using tensor::Ref;
using tensor::Tensor;

Dataset::Dataset(Context& context, const registry::Entry& kind, std::span<const NamedValue> given)
    : Object(context, kind, given) {
  describe(context);
}

void Dataset::describe(Context& context) {
  ask(context, "length", [&](tenon_call* call) { return desc().length(call, object_, &length_); });
  uint32_t count = 0;
  fields_.resize(16);
  ask(context, "fields", [&](tenon_call* call) {
    return desc().fields(call, object_, fields_.data(), static_cast<uint32_t>(fields_.size()),
                         &count);
  });
  if (length_ < 0 || count == 0 || count > fields_.size()) {
    fail_plugin(kind_->name, kind_->plugin->id, "gives an impossible length or number of fields");
  }
  fields_.resize(count);
  for (const tenon_dataset_field& field : fields_) {
    names_.emplace_back(registry::text_view(field.name));
    if (field.sample.rank < 0 || field.sample.rank >= TENON_MAX_RANK ||
        !tensor::is_known(field.sample.dtype)) {
      fail_plugin(kind_->name, kind_->plugin->id,
                  "field \"" + names_.back() + "\" has an impossible shape or dtype",
                  names_.back());
    }
  }
}

std::vector<Ref> Dataset::get(Context& context, const tenon_batch& batch) const {
  for (int64_t i = 0; i < batch.n; ++i) {
    if (batch.samples[i] >= 0 && batch.samples[i] < length_) continue;
    fail_in(kind_->name, TENON_E_ARGUMENT,
            "sample index out of range at position " + std::to_string(i), "indices",
            "0 to " + std::to_string(length_ - 1), std::to_string(batch.samples[i]));
  }
  std::vector<Ref> out;
  std::vector<void*> destinations;
  for (const tenon_dataset_field& field : fields_) {
    tensor::Dims shape{};
    shape[0] = batch.n;
    std::copy_n(field.sample.shape, field.sample.rank, shape.begin() + 1);
    const tensor::DimSpan dims(shape.data(), static_cast<size_t>(field.sample.rank) + 1);
    tensor::checked_count(dims, tensor::size_of(field.sample.dtype));
    out.push_back(Ref(Tensor::create(runtime_->host_device(), field.sample.dtype, dims)));
    destinations.push_back(out.back()->view.data);
  }
  read(context, batch, destinations.data());
  return out;
}

void Dataset::read(Context& context, const tenon_batch& batch, void* const* destinations) const {
  const bool whole = desc().get_batch != nullptr;
  const auto some = [&](const tenon_batch& wanted) {
    ask(
        context, whole ? "get_batch" : "get",
        [&](tenon_call* call) {
          return whole ? desc().get_batch(call, object_, &wanted, destinations)
                       : desc().get(call, object_, wanted.samples, wanted.n, destinations);
        },
        wanted.n == 1 ? wanted.samples : nullptr);
  };
  try {
    some(batch);
  } catch (const Error& error) {
    // Which sample was it? Each is asked for alone; the first that fails again has the last word.
    if (batch.n < 2 || error.status == TENON_E_INTERRUPTED) throw;
    for (int64_t i = 0; i < batch.n; ++i) some({1, batch.samples + i, batch.seed, batch.epoch});
    throw;
  }
}

std::vector<int64_t> Dataset::lengths(Context& context, int64_t first, int64_t count) const {
  constexpr int64_t kPiece = int64_t{1} << 16;
  const auto callback = desc().lengths;
  if (callback == nullptr) {
    fail_with(TENON_E_UNSUPPORTED, kind_->name, kind_->plugin->id,
              kind_->name + ": does not say how long its samples are", "dataset",
              "a dataset with the callback `lengths`", "one without",
              "give the loader the lengths, or let its batches be of any length");
  }
  if (first < 0 || first > length_ || count < 0 || count > length_ - first) {
    fail_in(kind_->name, TENON_E_ARGUMENT, "lengths of samples that are not there", "first",
            "samples of 0 to " + std::to_string(length_ - 1),
            std::to_string(count) + " from " + std::to_string(first) + " on");
  }
  std::vector<int64_t> lengths(static_cast<size_t>(count));
  for (int64_t at = 0; at < count; at += kPiece) {
    ask(context, "lengths", [&](tenon_call* call) {
      return callback(call, object_, first + at, std::min(kPiece, count - at), lengths.data() + at);
    });
  }
  const auto is_negative = [](int64_t length) { return length < 0; };
  const auto wrong = std::find_if(lengths.begin(), lengths.end(), is_negative);
  if (wrong == lengths.end()) return lengths;
  fail_plugin(kind_->name, kind_->plugin->id,
              "says that sample " + std::to_string(first + (wrong - lengths.begin())) +
                  " has length " + std::to_string(*wrong),
              {}, "0 or more", std::to_string(*wrong));
}

}  // namespace tenon::data
