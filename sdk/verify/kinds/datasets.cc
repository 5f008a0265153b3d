// SPDX-License-Identifier: Apache-2.0
// sdk/verify/kinds/datasets.cc: datasets: length, fields, every sample, read again in other batches
// and by another object, how long it is said to be, what must be refused; against golden files if
// there are some.
#include <tenon/ext/draft/loaders.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <set>

#include "case/oracle.h"
#include "case/sample_call.h"
#include "case/stated_values.h"
#include "kinds/checks.h"
#include "kinds/part_checks.h"

namespace tenon::verify {
namespace {

struct ReleaseDataset {
  void operator()(tenon_dataset* dataset) const { tenon_dataset_release(dataset); }
};
using Dataset = std::unique_ptr<tenon_dataset, ReleaseDataset>;

struct Field {
  std::string name;
  tenon_dtype dtype = TENON_DTYPE_F32;
  Shape shape;
  bool operator==(const Field&) const = default;
};
using Sample = std::vector<Array>;  // one for each field
using Indices = std::vector<int64_t>;

std::string text_of(const std::vector<Field>& fields) {
  std::string text;
  for (const Field& field : fields) {
    text += (text.empty() ? "" : ", ") + field.name + " " + dtype_name(field.dtype) +
            dims_text(field.shape);
  }
  return text.empty() ? "none" : text;
}

// Row `row` of a batch of `n` samples.
Array row_of(const Array& batch, size_t row, size_t n) {
  const size_t size = batch.bytes.size() / n;
  const auto first = batch.bytes.begin() + static_cast<ptrdiff_t>(row * size);
  return {batch.dtype,
          Shape(batch.shape.begin() + 1, batch.shape.end()),
          {first, first + static_cast<ptrdiff_t>(size)}};
}

// All if there are few; of many the first, the last and some spread between.
constexpr int64_t kFew = 4096, kSome = 1024;
constexpr int64_t kMuch = int64_t{1} << 26;  // bytes

Indices indices_of(int64_t length, const std::vector<Field>& fields) {
  int64_t bytes = 1;
  for (const Field& field : fields) {
    bytes += static_cast<int64_t>(make_array(field.dtype, field.shape).bytes.size());
  }
  const int64_t most = std::max<int64_t>(kMuch / bytes, 2);
  const int64_t count = std::min({length, length <= kFew ? kFew : kSome, most});
  Indices indices;
  for (int64_t i = 0; i < count; ++i) {
    // Products of two such numbers fit for every length there can be in memory.
    indices.push_back(count == length ? i : i * ((length - 1) / (count - 1)));
  }
  if (count != length) indices.back() = length - 1;
  return indices;
}

// How long a sample is, as tenon/ext/draft/datasets.h defines it; none if no field tells.
std::optional<int64_t> length_of_sample(const std::vector<Field>& fields, const Sample& sample) {
  for (size_t f = 0; f < fields.size(); ++f) {
    if (fields[f] != Field{"length", TENON_DTYPE_I64, {}}) continue;
    int64_t length = 0;
    std::memcpy(&length, sample[f].bytes.data(), sizeof length);
    return length;
  }
  const auto sized =
      std::ranges::find_if(fields, [](const Field& field) { return !field.shape.empty(); });
  if (sized == fields.end()) return std::nullopt;
  return sized->shape[0];
}

class DatasetChecks : PartChecks {
 public:
  DatasetChecks(Subject& subject, Recorder& recorder, const Json& dataset)
      : PartChecks(subject, recorder, dataset), says_lengths_(dataset.at("lengths").get<bool>()) {}

  void check_declared(const Json& dataset);
  // One case of a golden file, or one that states nothing.
  void check(uint32_t number, const Json& stated, const std::string& folder);
  // Whether any case stated samples.
  bool witnessed() const { return witnessed_; }

 private:
  tenon_status create(const StatedValues& options, Dataset& out) const;
  Dataset made(const StatedValues& options) const;
  int64_t length_of(const Dataset& dataset) const;
  std::vector<Field> fields_of(const Dataset& dataset) const;
  std::vector<Sample> read(const Dataset& dataset, const Indices& indices) const;
  void leave_marks(const std::vector<Field>& fields, size_t n) const;
  std::string held() const;

  std::optional<Finding> refused(const StatedValues& options, const Json& stated) const;
  std::optional<Finding> opened(const StatedValues& options, const Json& stated) const;
  std::optional<Finding> samples(const StatedValues& options, const Json& stated) const;
  std::optional<Finding> repeated(const StatedValues& options) const;
  std::optional<Finding> lengths(const StatedValues& options) const;
  std::optional<Finding> beyond(const StatedValues& options) const;
  std::optional<Finding> counters(const StatedValues& options) const;

  const bool says_lengths_;
  bool witnessed_ = false;
};

// ---- Through the C API --------------------------------------------------------------------------

tenon_status DatasetChecks::create(const StatedValues& options, Dataset& out) const {
  tenon_dataset* dataset = nullptr;
  const tenon_status status = tenon_dataset_create(
      session_.context(), name_.data(), name_.size(), options.names().data(),
      options.values().data(), static_cast<uint32_t>(options.values().size()), &dataset);
  out.reset(dataset);
  return status;
}

Dataset DatasetChecks::made(const StatedValues& options) const {
  Dataset dataset;
  session_.check(create(options, dataset));
  return dataset;
}

int64_t DatasetChecks::length_of(const Dataset& dataset) const {
  int64_t length = 0;
  session_.check(tenon_dataset_get_length(session_.context(), dataset.get(), &length));
  return length;
}

std::vector<Field> DatasetChecks::fields_of(const Dataset& dataset) const {
  std::vector<Field> fields;
  while (true) {
    tenon_meta meta{};
    const char* name = nullptr;
    const tenon_status status = tenon_dataset_get_field(
        session_.context(), dataset.get(), static_cast<uint32_t>(fields.size()), &meta, &name);
    if (status == TENON_E_NOT_FOUND) return fields;
    session_.check(status);
    fields.push_back({name, meta.dtype, Shape(meta.shape, meta.shape + meta.rank)});
  }
}

std::vector<Sample> DatasetChecks::read(const Dataset& dataset, const Indices& indices) const {
  std::vector<tenon_tensor*> tensors(fields_of(dataset).size());
  const tenon_status status = tenon_dataset_call(
      session_.context(), dataset.get(), indices.data(), static_cast<int64_t>(indices.size()),
      tensors.data(), static_cast<uint32_t>(tensors.size()));
  const std::vector<Tensor> owned(tensors.begin(), tensors.end());
  session_.check(status);
  std::vector<Sample> samples(indices.size());
  for (const Tensor& tensor : owned) {
    const Array batch = contents_of(session_, tensor.get());
    for (size_t i = 0; i < samples.size(); ++i) {
      samples[i].push_back(row_of(batch, i, samples.size()));
    }
  }
  return samples;
}

// Memory of the sizes that the next batch wants was last full of kUnwritten.
void DatasetChecks::leave_marks(const std::vector<Field>& fields, size_t n) const {
  std::vector<Tensor> marks;
  for (const Field& field : fields) {
    Shape shape{static_cast<int64_t>(n)};
    shape.insert(shape.end(), field.shape.begin(), field.shape.end());
    // Of a bool only 0 and 1 can be handed to Tenon.
    const bool flags = field.dtype == TENON_DTYPE_BOOL;
    Array array = make_array(flags ? TENON_DTYPE_U8 : field.dtype, shape);
    std::fill(array.bytes.begin(), array.bytes.end(), kUnwritten);
    tenon_tensor* mark = nullptr;
    session_.check(tenon_tensor_create_from(session_.context(), array.dtype, nullptr,
                                            static_cast<int32_t>(shape.size()), shape.data(),
                                            array.bytes.data(), array.bytes.size(), &mark));
    marks.emplace_back(mark);
  }
}

std::string DatasetChecks::held() const {
  tenon_stats now{};
  now.struct_size = sizeof now;
  session_.check(tenon_runtime_get_stats(session_.context(), &now));
  const std::filesystem::directory_iterator open("/proc/self/fd"), end;
  return std::to_string(now.tensors) + " tensors, " + std::to_string(now.storages) + " storages, " +
         std::to_string(std::distance(open, end)) + " files";
}

// ---- What is asked ------------------------------------------------------------------------------

void DatasetChecks::check_declared(const Json& dataset) {
  each_case(0, Form::Declared, "", [&]() -> std::optional<Finding> {
    if (dataset.at("doc").get<std::string>().empty()) {
      return Finding{&causes::kNoDocumentation, "its `doc` is empty"};
    }
    for (const Json& option : dataset.at("options")) {
      if (!option.at("doc").get<std::string>().empty()) continue;
      return Finding{&causes::kNoDocumentation,
                     "option " + option.at("name").get<std::string>() + " has an empty `doc`"};
    }
    return std::nullopt;
  });
}

std::optional<Finding> DatasetChecks::refused(const StatedValues& options,
                                              const Json& stated) const {
  Dataset dataset;
  const tenon_status status = create(options, dataset);
  const std::string name = stated.at("expect"), fragment = stated.value("fragment", "");
  const std::string expected =
      "expected " + name + " with words that contain \"" + fragment + "\", found ";
  if (status == TENON_OK) return Finding{&causes::kNotRefused, expected + "success"};
  const std::string words = failure_of(session_, status);
  const bool says = words.find(fragment) != std::string::npos;
  if (tenon_status_get_name(status) == name && says) return std::nullopt;
  return Finding{&causes::kErrorStatus, expected + words};
}

std::vector<Field> stated_fields(const Json& stated) {
  std::vector<Field> fields;
  for (const Json& field : stated) {
    const Array like = stated_array({{"dtype", field.at("dtype")}, {"shape", {0}}, {"values", {}}});
    fields.push_back({field.at("name"), like.dtype, field.at("shape").get<Shape>()});
  }
  return fields;
}

std::optional<Finding> DatasetChecks::opened(const StatedValues& options,
                                             const Json& stated) const {
  const Dataset first = made(options), second = made(options);
  const int64_t length = length_of(first);
  const std::vector<Field> fields = fields_of(first);
  const std::string counted = std::to_string(length) + " samples";
  if (length_of(second) != length) {
    return Finding{&causes::kWrongLength, "opened another time it has " +
                                              std::to_string(length_of(second)) + " samples, not " +
                                              std::to_string(length)};
  }
  if (fields_of(second) != fields) {
    return Finding{&causes::kWrongShape, "opened another time it has the fields " +
                                             text_of(fields_of(second)) + ", not " +
                                             text_of(fields)};
  }
  const Json expected = stated.value("length", Json());
  if (expected.is_number() && expected != length) {
    return Finding{&causes::kWrongLength, "expected " + expected.dump() + ", found " + counted};
  }
  if (!stated.contains("fields")) return std::nullopt;
  const std::vector<Field> right = stated_fields(stated.at("fields"));
  if (right == fields) return std::nullopt;
  return Finding{&causes::kWrongShape,
                 "expected the fields " + text_of(right) + ", found " + text_of(fields)};
}

// "sample 3, field label: ..."; empty if they are the same.
std::string difference_of(const std::vector<Field>& fields, int64_t index, const Sample& expected,
                          const Sample& found) {
  for (size_t f = 0; f < fields.size() && f < expected.size(); ++f) {
    const auto off = compare(expected[f], found[f]);
    if (!off) continue;
    return "sample " + std::to_string(index) + ", field " + fields[f].name + ", " + off->words;
  }
  return "";
}

std::optional<Finding> DatasetChecks::samples(const StatedValues& options,
                                              const Json& stated) const {
  const Dataset dataset = made(options);
  const std::vector<Field> fields = fields_of(dataset);
  for (const Json& each : stated.at("samples")) {
    const int64_t index = each.at("index");
    const Json& values = each.at("values");
    if (values.size() != fields.size()) {
      return Finding{&causes::kWrongShape, "values of " + std::to_string(values.size()) +
                                               " fields are expected, there are " +
                                               text_of(fields)};
    }
    Sample expected;
    for (size_t f = 0; f < fields.size(); ++f) {
      expected.push_back(stated_array({{"dtype", dtype_name(fields[f].dtype)},
                                       {"shape", fields[f].shape},
                                       {"values", values[f]}}));
    }
    const std::string words = difference_of(fields, index, expected, read(dataset, {index})[0]);
    if (!words.empty()) return Finding{&causes::kWrongValue, words};
  }
  return std::nullopt;
}

// Does memory that held nothing but marks still hold them?
bool is_unwritten(const Sample& sample) {
  return std::any_of(sample.begin(), sample.end(), [](const Array& array) {
    return !array.bytes.empty() &&
           std::all_of(array.bytes.begin(), array.bytes.end(),
                       [](unsigned char byte) { return byte == kUnwritten; });
  });
}

// Each sample alone, then all in one batch, then backwards by another object.
std::optional<Finding> DatasetChecks::repeated(const StatedValues& options) const {
  const Dataset dataset = made(options), other = made(options);
  const std::vector<Field> fields = fields_of(dataset);
  const Indices indices = indices_of(length_of(dataset), fields);
  if (indices.empty()) return std::nullopt;
  std::vector<Sample> alone;
  for (const int64_t index : indices) alone.push_back(read(dataset, {index})[0]);
  const Indices backwards(indices.rbegin(), indices.rend());
  const auto differing = [&](const std::vector<Sample>& found, bool reversed,
                             const std::string& how) -> std::optional<Finding> {
    for (size_t i = 0; i < indices.size(); ++i) {
      const Sample& sample = found[reversed ? indices.size() - 1 - i : i];
      const std::string words = difference_of(fields, indices[i], alone[i], sample);
      if (words.empty()) continue;
      const Cause& cause = is_unwritten(sample) ? causes::kUnwritten : causes::kNondeterministic;
      return Finding{&cause, "read alone and " + how + ": " + words};
    }
    return std::nullopt;
  };
  leave_marks(fields, indices.size());
  if (auto finding = differing(read(dataset, indices), false, "in a batch")) return finding;
  leave_marks(fields, indices.size());
  if (auto finding = differing(read(other, backwards), true, "backwards by another object")) {
    return finding;
  }
  return differing(read(dataset, indices), false, "in a batch again");
}

// What it says of all samples at once against each as it is read; and of each alone the same.
std::optional<Finding> DatasetChecks::lengths(const StatedValues& options) const {
  const Dataset dataset = made(options);
  const std::vector<Field> fields = fields_of(dataset);
  const auto said = [&](int64_t first, int64_t count) {
    Indices found(static_cast<size_t>(count));
    session_.check(
        tenon_dataset_get_lengths(session_.context(), dataset.get(), first, count, found.data()));
    return found;
  };
  const Indices all = said(0, length_of(dataset));
  for (const int64_t index : indices_of(length_of(dataset), fields)) {
    const std::string sample = "sample " + std::to_string(index) + ": ";
    const std::string length = std::to_string(all[static_cast<size_t>(index)]);
    const auto right = length_of_sample(fields, read(dataset, {index})[0]);
    if (!right) {
      return Finding{
          &causes::kSampleLength,
          sample + "`lengths` says " + length + ", and no field has a length: expected " +
              "a field \"length\", i64, or one with a dimension, found " + text_of(fields)};
    }
    if (*right != all[static_cast<size_t>(index)]) {
      return Finding{&causes::kSampleLength, sample + "`lengths` says " + length +
                                                 ", it is read as " + std::to_string(*right)};
    }
    const int64_t alone = said(index, 1)[0];
    if (alone == *right) continue;
    return Finding{&causes::kSampleLength, sample + "`lengths` says " + length + " among all, " +
                                               std::to_string(alone) + " when asked alone"};
  }
  return std::nullopt;
}

// The host refuses these; a length that grew or a host that did not look would not.
std::optional<Finding> DatasetChecks::beyond(const StatedValues& options) const {
  const Dataset dataset = made(options);
  const int64_t length = length_of(dataset);
  std::vector<tenon_tensor*> tensors(fields_of(dataset).size());
  for (const int64_t index : {int64_t{-1}, length, INT64_MIN, INT64_MAX}) {
    const tenon_status status =
        tenon_dataset_call(session_.context(), dataset.get(), &index, 1, tensors.data(),
                           static_cast<uint32_t>(tensors.size()));
    if (status == TENON_E_ARGUMENT) continue;
    const std::string found = status == TENON_OK ? "success" : failure_of(session_, status);
    for (tenon_tensor* tensor : tensors) tenon_tensor_release(tensor);
    return Finding{&causes::kNotRefused, "index " + std::to_string(index) + " of " +
                                             std::to_string(length) +
                                             " samples: expected TENON_E_ARGUMENT, found " + found};
  }
  return std::nullopt;
}

std::optional<Finding> DatasetChecks::counters(const StatedValues& options) const {
  const auto live = [&] {
    const Dataset dataset = made(options);
    if (length_of(dataset) > 0) read(dataset, {0});
  };
  live();  // what is made once is there now
  const std::string before = held();
  live();
  const std::string after = held();
  if (before == after) return std::nullopt;
  return Finding{&causes::kLeak,
                 "expected after its life " + before + " as before it, found " + after};
}

void DatasetChecks::check(uint32_t number, const Json& stated, const std::string& folder) {
  const StatedValues options(stated.value("options", Json::object()), folder);
  if (stated.contains("expect")) {
    return each_case(number, Form::Error, "", [&] { return refused(options, stated); });
  }
  bool opens = true;
  each_case(number, Form::Returned, "opened", [&] {
    opens = false;
    auto finding = opened(options, stated);
    opens = true;
    return finding;
  });
  if (!opens) return;
  const bool states = stated.contains("samples") && !stated.at("samples").empty();
  if (states) {
    each_case(number, Form::Returned, "samples", [&] { return samples(options, stated); });
  }
  witnessed_ = witnessed_ || states;
  each_case(number, Form::Repeated, "", [&] { return repeated(options); });
  if (says_lengths_) each_case(number, Form::Returned, "lengths", [&] { return lengths(options); });
  each_case(number, Form::Error, "beyond", [&] { return beyond(options); });
  each_case(number, Form::Repeated, "counters", [&] { return counters(options); });
}

// Begun, and not filled in.
bool is_skeleton(const Json& stated) {
  return !stated.contains("expect") && stated.value("length", Json()).is_null() &&
         stated.value("samples", Json::array()).empty();
}

}  // namespace

void check_dataset(Subject& subject, Recorder& recorder, const Request& request,
                   const Json& entry) {
  const std::string dataset = entry.at("name");
  DatasetChecks checks(subject, recorder, entry);
  checks.check_declared(entry);
  Goldens goldens(request, subject.folder());
  std::string folder;
  uint32_t number = 0;
  bool skeleton = false;
  for (const Json& stated : goldens.cases_of("datasets", dataset, folder)) {
    if (is_skeleton(stated)) {
      skeleton = true;
    } else if (recorder.wants(dataset, number)) {
      checks.check(number, stated, folder);
    }
    ++number;
  }
  const Json& options = entry.at("options");
  const auto required = std::find_if(options.begin(), options.end(), [](const Json& option) {
    return option.at("required").get<bool>();
  });
  if (number == 0 && required == options.end()) checks.check(0, {{"options", Json::object()}}, "");
  if (checks.witnessed()) return;
  recorder.unwitnessed(dataset, "samples",
                       skeleton ? "its golden file states no samples yet"
                       : required == options.end()
                           ? "no golden file states its length, fields and samples"
                           : "no golden file says how to open it, which takes the option " +
                                 required->at("name").get<std::string>());
}

}  // namespace tenon::verify
