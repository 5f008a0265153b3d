// SPDX-License-Identifier: Apache-2.0
// sdk/verify/kinds/transforms.cc: transforms: what they accept and refuse; a sample's result
// depends on that sample alone, and is the same another time; all of it is written, and nothing
// else.
#include <tenon/ext/draft/transforms.h>

#include <cstring>
#include <numeric>
#include <stdexcept>
#include <tenon/sdk/plugin/sample_value.hpp>

#include "case/sample_call.h"
#include "kinds/checks.h"
#include "kinds/part_checks.h"

namespace tenon::verify {
namespace {

struct ReleaseTransform {
  void operator()(tenon_transform* transform) const { tenon_transform_release(transform); }
};
using Transform = std::unique_ptr<tenon_transform, ReleaseTransform>;

struct TransformSample {
  uint32_t number = 0;
  std::string text, fragment;
  tenon_status expect = TENON_OK;
  sdk::Sample parsed;
  Array field;
};

TransformSample transform_sample_of(const Json& entry, uint32_t number, uint64_t seed) {
  TransformSample sample;
  sample.number = number;
  sample.text = entry.at("text");
  sample.fragment = entry.at("fragment");
  sample.expect = entry.at("expect");
  try {
    sample.parsed = sdk::parse_sample(sample.text);
  } catch (const std::runtime_error& error) {
    throw Failure{"sample \"" + sample.text + "\": " + error.what()};
  }
  const auto& inputs = sample.parsed.inputs;
  if (inputs.size() != 1 || inputs[0].kind != sdk::SampleInput::Kind::Tensor ||
      inputs[0].tensor.dims.empty()) {
    throw Failure{"sample \"" + sample.text + "\": expected one tensor [n, ...] before '|'"};
  }
  sample.field = drawn(inputs[0].tensor, seed, 0);
  return sample;
}

size_t bytes_of_sample(const Array& batch) {
  const auto n = static_cast<size_t>(batch.shape[0]);
  return n == 0 ? 0 : batch.bytes.size() / n;
}

// Sample `i` of a batch, as a batch of one.
Array alone(const Array& batch, size_t i) {
  Array one = batch;
  one.shape[0] = 1;
  const size_t bytes = bytes_of_sample(batch);
  one.bytes.assign(batch.bytes.begin() + static_cast<ptrdiff_t>(i * bytes),
                   batch.bytes.begin() + static_cast<ptrdiff_t>((i + 1) * bytes));
  return one;
}

class TransformChecks : PartChecks {
 public:
  TransformChecks(Subject& subject, Recorder& recorder, const Json& transform)
      : PartChecks(subject, recorder, transform) {}

  using PartChecks::check_declared;
  void check(const TransformSample& sample);

 private:
  static constexpr uint64_t kSeed = 7;
  static constexpr int64_t kEpoch = 3;
  static constexpr int64_t kFirst = 11;  // number of the first sample

  tenon_status create(const TransformSample& sample, Transform& out) const;
  tenon_status call(const Transform& transform, const Array& field, int64_t first, Array& out,
                    bool* kept = nullptr) const;
  Array result(const TransformSample& sample, const Array& field, int64_t first) const;
  void fill_freed_memory(const Array& like, int pattern) const;

  std::optional<Finding> refused(const TransformSample& sample) const;
  std::optional<Finding> separate(const TransformSample& sample) const;
  std::optional<Finding> repeated(const TransformSample& sample) const;
  std::optional<Finding> empty(const TransformSample& sample) const;
  std::optional<Finding> unchanged(const TransformSample& sample) const;
};

tenon_status TransformChecks::create(const TransformSample& sample, Transform& out) const {
  const NamedValues options(sample.parsed);
  tenon_transform* transform = nullptr;
  const tenon_status status =
      tenon_transform_create(session_.context(), name_.data(), name_.size(), options.names.data(),
                             options.values.data(), options.size(), &transform);
  out.reset(transform);
  return status;
}

// kept: whether the field still holds what it held.
tenon_status TransformChecks::call(const Transform& transform, const Array& field, int64_t first,
                                   Array& out, bool* kept) const {
  std::vector<int64_t> samples(static_cast<size_t>(field.shape[0]));
  std::iota(samples.begin(), samples.end(), first);
  tenon_device host{};
  session_.check(tenon_device_find(session_.context(), backend_.data(), backend_.size(), 0, &host));
  const Placed placed(session_, field, row_major_for(field.shape), host);
  const tenon_batch batch = {field.shape[0], samples.data(), kSeed, kEpoch};
  tenon_tensor* made = nullptr;
  const tenon_status status =
      tenon_transform_call(session_.context(), transform.get(), &batch, placed.get(), &made);
  const Tensor owned(made);
  if (status == TENON_OK) out = contents_of(session_, made);
  Touched touched{};
  if (kept) *kept = placed.read(&touched) == field && touched == Touched::None;
  return status;
}

Array TransformChecks::result(const TransformSample& sample, const Array& field,
                              int64_t first) const {
  Transform transform;
  session_.check(create(sample, transform));
  Array out;
  session_.check(call(transform, field, first, out));
  return out;
}

// The memory that the next tensor of this size gets, as far as memory is given back that was freed
// last.
void TransformChecks::fill_freed_memory(const Array& like, int pattern) const {
  tenon_tensor* tensor = nullptr;
  session_.check(tenon_tensor_create(session_.context(), like.dtype, nullptr,
                                     static_cast<int32_t>(like.shape.size()), like.shape.data(),
                                     &tensor));
  const Tensor owned(tensor);
  tenon_view view{};
  session_.check(tenon_tensor_get_view(session_.context(), tensor, &view));
  std::memset(view.data, pattern, like.bytes.size());
}

std::optional<Finding> TransformChecks::refused(const TransformSample& sample) const {
  Transform transform;
  Array out;
  tenon_status status = create(sample, transform);
  if (status == TENON_OK) status = call(transform, sample.field, kFirst, out);
  return refusal(status, sample.expect, sample.fragment);
}

// Each sample alone gives what it gives in the batch, in another place of another one.
std::optional<Finding> TransformChecks::separate(const TransformSample& sample) const {
  const Array all = result(sample, sample.field, kFirst);
  if (all.shape.empty() || all.shape[0] != sample.field.shape[0]) {
    return Finding{&causes::kWrongShape, "the result is " + dtype_name(all.dtype) +
                                             dims_text(all.shape) + " for a batch of " +
                                             std::to_string(sample.field.shape[0])};
  }
  for (size_t i = 0; i < static_cast<size_t>(all.shape[0]); ++i) {
    const Array one = result(sample, alone(sample.field, i), kFirst + static_cast<int64_t>(i));
    if (one == alone(all, i)) continue;
    return Finding{&causes::kWrongValue,
                   "sample " + std::to_string(i) + " gives other bits in a batch of its own: " +
                       text_of(one) + ", in the batch " + text_of(alone(all, i))};
  }
  return std::nullopt;
}

std::optional<Finding> TransformChecks::repeated(const TransformSample& sample) const {
  const Array first = result(sample, sample.field, kFirst);
  for (const int pattern : {0x00, 0x7C, 0xFF}) {
    fill_freed_memory(first, pattern);
    const Array again = result(sample, sample.field, kFirst);
    if (again == first) continue;
    return Finding{&causes::kNondeterministic, "another time " + text_of(again) + ", before " +
                                                   text_of(first) +
                                                   "; what is not written looks so, too"};
  }
  return std::nullopt;
}

std::optional<Finding> TransformChecks::empty(const TransformSample& sample) const {
  Array none = sample.field;
  none.shape[0] = 0;
  none.bytes.clear();
  const Array made = result(sample, none, kFirst);
  Array expected = result(sample, sample.field, kFirst);
  expected.shape[0] = 0;
  if (made.shape == expected.shape && made.dtype == expected.dtype) return std::nullopt;
  return Finding{&causes::kWrongAtSizeZero,
                 "a batch of no samples gives " + dtype_name(made.dtype) + dims_text(made.shape) +
                     ", expected " + dtype_name(expected.dtype) + dims_text(expected.shape)};
}

std::optional<Finding> TransformChecks::unchanged(const TransformSample& sample) const {
  Transform transform;
  session_.check(create(sample, transform));
  Array out;
  bool kept = true;
  session_.check(call(transform, sample.field, kFirst, out, &kept));
  if (kept) return std::nullopt;
  return Finding{&causes::kInputChanged, "the field it was given holds other values now"};
}

void TransformChecks::check(const TransformSample& sample) {
  if (sample.expect != TENON_OK) {
    return each_case(sample.number, Form::Error, "", [&] { return refused(sample); });
  }
  each_case(sample.number, Form::Returned, "separate", [&] { return separate(sample); });
  each_case(sample.number, Form::Returned, "empty", [&] { return empty(sample); });
  each_case(sample.number, Form::Returned, "unchanged", [&] { return unchanged(sample); });
  each_case(sample.number, Form::Repeated, "", [&] { return repeated(sample); });
}

}  // namespace

void check_transform(Subject& subject, Recorder& recorder, const Request& request,
                     const Json& entry) {
  const std::string transform = entry.at("name");
  TransformChecks checks(subject, recorder, entry);
  checks.check_declared(entry);
  uint32_t number = 0;
  for (const Json& sample : entry.at("samples")) {
    if (recorder.wants(transform, number)) {
      checks.check(transform_sample_of(sample, number, request.seed));
    }
    ++number;
  }
}

}  // namespace tenon::verify
