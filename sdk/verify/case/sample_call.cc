// SPDX-License-Identifier: Apache-2.0
// sdk/verify/case/sample_call.cc: see sample_call.h.
#include "case/sample_call.h"

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <tenon/sdk/plugin/draw.hpp>
#include <tenon/sdk/plugin/sample_value.hpp>

namespace tenon::verify {
namespace {

using sdk::SampleInput;
using sdk::SampleTensor;

// ---- Other dtypes -------------------------------------------------------------------------------

enum class Category : uint8_t { Bool, Integer, Float };

const sdk::detail::SampleDtypeRow& row_of(const std::string& dtype) {
  return *sdk::detail::find_sample_dtype(dtype);
}

Category category_of(const std::string& dtype) { return static_cast<Category>(row_of(dtype).kind); }

// Does the new dtype hold at least two numbers of the range, and nothing it cannot hold?
bool range_fits(const SampleTensor& tensor, const std::string& to) {
  if (category_of(to) != Category::Integer) return true;
  const auto& row = row_of(to);
  return tensor.low >= static_cast<double>(row.least) &&
         tensor.high - 1 <= static_cast<double>(row.greatest) && tensor.high - tensor.low >= 2;
}

bool value_fits(const sdk::SampleScalar& value, const std::string& to) {
  if (category_of(to) != Category::Integer) return true;
  const auto& row = row_of(to);
  if (const auto* whole = std::get_if<int64_t>(&value)) {
    return *whole >= row.least && *whole <= row.greatest;
  }
  const double* real = std::get_if<double>(&value);
  return real == nullptr || (std::isfinite(*real) && *real >= static_cast<double>(row.least) &&
                             *real <= static_cast<double>(row.greatest));
}

// Within a category the range stays as written, and drawn integers keep their low bits: so do
// golden files. False if given values do not fit.
bool retype(SampleTensor& tensor, const std::string& to) {
  const Category before = category_of(tensor.dtype);
  const bool same = before == category_of(to);
  const bool fits = same || (before != Category::Bool && range_fits(tensor, to));
  tensor.dtype = to;
  if (tensor.explicit_values) {
    return std::all_of(tensor.values.begin(), tensor.values.end(),
                       [&](const auto& value) { return value_fits(value, to); });
  }
  if (fits) return true;
  const bool whole = category_of(to) == Category::Integer;
  tensor.low = !whole ? -1 : row_of(to).least < 0 ? -5 : 0;
  tensor.high = whole ? 6 : 1;
  return true;
}

template <class T>
T element_of(const SampleTensor& tensor, uint64_t seed, uint64_t number, uint64_t index) {
  if constexpr (std::is_integral_v<T>) {
    if (!tensor.explicit_values) {
      const double unit = sdk::drawn_unit(seed, number, index);
      const double value = std::floor(tensor.low + unit * (tensor.high - tensor.low));
      return static_cast<T>(static_cast<int64_t>(value));
    }
  }
  return sdk::sample_element<T>(tensor, seed, number, index);
}

// "f32+=f16" to "i8+=i16": tensors of f32 are of i8, and attributes that state f16 state i16.
using Replacements = std::vector<std::pair<std::string, std::string>>;

Replacements replacements_in(const std::string& from, const std::string& to) {
  Replacements all;
  for (size_t at = 0, other = 0; at <= from.size();) {
    const size_t end = std::min(from.find('+', at), from.size());
    const size_t other_end = std::min(to.find('+', other), to.size());
    all.emplace_back(from.substr(at, end - at), to.substr(other, other_end - other));
    at = end + 1;
    other = std::min(other_end + 1, to.size());
  }
  return all;
}

bool is_known(const std::string& dtype) {
  return sdk::detail::find_sample_dtype(dtype.starts_with('=') ? dtype.substr(1) : dtype) !=
         nullptr;
}

bool replace_dtypes(SampleCall& call, const Replacements& all) {
  bool fits = true;
  const auto replace = [&](SampleTensor& tensor) {
    for (const auto& [from, to] : all) {
      if (tensor.dtype != from) continue;
      fits = retype(tensor, to) && fits;
      return;
    }
  };
  for (SampleInput& input : call.sample.inputs) {
    if (input.kind == SampleInput::Kind::Tensor) replace(input.tensor);
    for (SampleTensor& item : input.list) replace(item);
  }
  for (auto& [name, value] : call.sample.attrs) {
    auto* dtype = std::get_if<sdk::SampleDtype>(&value);
    for (const auto& [from, to] : all) {
      if (dtype == nullptr || '=' + dtype->name != from) continue;
      dtype->name = to.substr(1);
      break;
    }
  }
  return fits;
}

bool same_dtypes(const SampleCall& a, const SampleCall& b) {
  for (size_t i = 0; i < a.arrays.size(); ++i) {
    if (a.arrays[i].dtype != b.arrays[i].dtype) return false;
  }
  for (size_t i = 0; i < a.sample.attrs.size(); ++i) {
    const auto* one = std::get_if<sdk::SampleDtype>(&a.sample.attrs[i].second);
    const auto* two = std::get_if<sdk::SampleDtype>(&b.sample.attrs[i].second);
    if (one != nullptr && two != nullptr && one->name != two->name) return false;
  }
  return true;
}

// Of tensors "f32", of attributes "=f32"; in order of appearance.
std::vector<std::string> dtypes_in(const SampleCall& call) {
  std::vector<std::string> names;
  const auto add = [&names](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const Array& array : call.arrays) add(dtype_name(array.dtype));
  for (const auto& [name, value] : call.sample.attrs) {
    if (const auto* dtype = std::get_if<sdk::SampleDtype>(&value)) add("=" + dtype->name);
  }
  return names;
}

// The dtypes that may take the place of one of dtypes_in.
std::vector<std::string> others_of(const std::string& dtype) {
  std::vector<std::string> names;
  for (const auto& row : sdk::detail::sample_dtypes) {
    names.push_back((dtype.starts_with('=') ? "=" : "") + std::string(row.name));
  }
  return names;
}

}  // namespace

std::vector<Layout> SampleCall::row_major() const {
  std::vector<Layout> layouts;
  for (const Array& array : arrays) layouts.push_back(row_major_for(array.shape));
  return layouts;
}

bool SampleCall::mutates() const { return std::count(mutated.begin(), mutated.end(), true) != 0; }

bool SampleCall::has_size_zero() const {
  return std::any_of(arrays.begin(), arrays.end(),
                     [](const Array& array) { return array.count() == 0; });
}

bool SampleCall::has_non_finite() const {
  return std::any_of(arrays.begin(), arrays.end(), [](const Array& array) {
    for (size_t i = 0; sdk::is_float(array.dtype) && i < array.count(); ++i) {
      if (!std::isfinite(array.at(i))) return true;
    }
    return false;
  });
}

bool SampleCall::broadcasts() const {
  return op->has_flag("elementwise") &&
         std::any_of(arrays.begin(), arrays.end(),
                     [&](const Array& array) { return array.shape != arrays[0].shape; });
}

Array drawn(const sdk::SampleTensor& tensor, uint64_t seed, uint64_t number) {
  Array array = make_array(sdk::sample_dtype(tensor.dtype), tensor.dims);
  sdk::dispatch_dtype(array.dtype, [&]<class T>() {
    for (size_t i = 0; i < array.count(); ++i) {
      sdk::store(array.bytes.data() + i * sizeof(T), element_of<T>(tensor, seed, number, i));
    }
  });
  return array;
}

std::optional<SampleCall> make_call(const Entry& op, const SampleText& sample,
                                    const std::string& from, const std::string& to, uint64_t seed) {
  SampleCall call;
  call.number = sample.number;
  call.from = from;
  call.to = to;
  try {
    call.sample = sdk::parse_sample(sample.text);
  } catch (const std::runtime_error& error) {
    throw Failure{op.name + ", sample \"" + sample.text + "\": " + error.what()};
  }
  if (!from.empty()) {
    const Replacements all = replacements_in(from, to);
    for (const auto& [one, other] : all) {
      if (is_known(one) && is_known(other)) continue;
      throw Failure{"no dtypes to replace: '" + from + ">" + to + "'", tools::kUsage};
    }
    if (!replace_dtypes(call, all)) return std::nullopt;
  }
  draw_operands(call, op, seed);
  return call;
}

void draw_operands(SampleCall& call, const Entry& op, uint64_t seed) {
  call.op = &op;
  call.arrays.clear();
  call.mutated.clear();
  call.slot.clear();
  const Signature& signature = op.signature;
  call.n_outputs = static_cast<uint32_t>(signature.outputs.size());
  call.n_plain_outputs = signature.plain_outputs();
  for (uint32_t i = 0; i < call.sample.inputs.size(); ++i) {
    const auto add = [&](const SampleTensor& tensor) {
      call.arrays.push_back(drawn(tensor, seed, call.arrays.size()));
      call.mutated.push_back(i < signature.inputs.size() && signature.inputs[i].mutated);
      call.slot.push_back(i);
    };
    const SampleInput& input = call.sample.inputs[i];
    if (input.kind == SampleInput::Kind::Tensor) add(input.tensor);
    for (const SampleTensor& item : input.list) add(item);
  }
}

Json explained(const Session& session, const SampleCall& from, const Bound& bound) {
  tenon_text* text = nullptr;
  if (bound.status() != TENON_OK) return {};
  const tenon_status status =
      tenon_op_explain(session.context(), find_op(session, from.op->name), bound.inputs().data(),
                       static_cast<uint32_t>(bound.inputs().size()), bound.attrs().data(),
                       static_cast<uint32_t>(bound.attrs().size()), &text);
  return status == TENON_OK ? Json::parse(tools::take_text(text)) : Json();
}

Json explained(const Session& session, const SampleCall& from, const tenon_device& device) {
  return explained(session, from, Bound(session, from, device));
}

std::vector<SampleCall> replacements_of(const Entry& op, const SampleText& sample, uint64_t seed) {
  std::vector<SampleCall> calls;
  calls.push_back(*make_call(op, sample, "", "", seed));
  const auto add = [&](const std::string& from, const std::string& to) {
    std::optional<SampleCall> call = make_call(op, sample, from, to, seed);
    const bool known = call && std::any_of(calls.begin(), calls.end(), [&](const auto& other) {
                         return same_dtypes(other, *call);
                       });
    if (call && !known) calls.push_back(std::move(*call));
  };
  const std::vector<std::string> dtypes = dtypes_in(calls[0]);
  for (const std::string& from : dtypes) {
    for (const std::string& to : others_of(from)) add(from, to);
  }
  // Rows of two type variables, once for the op.
  const auto first = std::find_if(op.samples.begin(), op.samples.end(),
                                  [](const auto& other) { return other.expect == TENON_OK; });
  if (dtypes.size() < 2 || first->number != sample.number) return calls;
  for (const std::string& one : others_of(dtypes[0])) {
    for (const std::string& two : others_of(dtypes[1])) {
      add(dtypes[0] + "+" + dtypes[1], one + "+" + two);
    }
  }
  return calls;
}

std::vector<SampleCall> calls_of(const Session& session, const Entry& op, const SampleText& sample,
                                 const tenon_device& device, uint64_t seed) {
  std::vector<SampleCall> calls;
  for (SampleCall& call : replacements_of(op, sample, seed)) {
    if (!call.from.empty()) {
      const Json answer = explained(session, call, device);
      if (!answer.is_object() || answer.at("chosen").is_null()) continue;
    }
    calls.push_back(std::move(call));
  }
  return calls;
}

std::string checksum_of(const SampleCall& call) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const Array& array : call.arrays) {
    for (const unsigned char byte : array.bytes) hash = (hash ^ byte) * 0x100000001b3u;
  }
  char text[24];
  std::snprintf(text, sizeof text, "%016" PRIx64, hash);
  return text;
}

// ---- Bound --------------------------------------------------------------------------------------

Bound::Bound(const Session& session, const SampleCall& call, std::span<const Array> arrays,
             std::span<const Layout> layouts, const tenon_device& device)
    : call_(call) {
  for (size_t i = 0; i < arrays.size(); ++i) {
    tensors_.push_back(std::make_unique<Placed>(session, arrays[i], layouts[i], device));
  }
  begin(session, device);
}

Bound::Bound(const Session& session, const SampleCall& call, const tenon_device& device)
    : call_(call) {
  for (const Array& array : call.arrays) {
    tensors_.push_back(
        std::make_unique<Placed>(session, array, Layout::Contiguous, device, Guards::None));
  }
  begin(session, device);
}

void Bound::begin(const Session& session, const tenon_device& device) {
  session.check(tenon_context_set_device(session.context(), &device));
  for (const auto& placed : tensors_) handles_.push_back(placed->get());
  build();
  const tenon_op* op = find_op(session, call_.op->name);
  for (const auto& [name, value] : call_.sample.attrs) {
    uint32_t index = 0;
    status_ = tenon_op_find_attribute(session.context(), op, name.data(), name.size(), &index);
    if (status_ != TENON_OK) return;
    if (index >= attrs_.size()) attrs_.resize(index + 1);
    attrs_[index] = sdk::sample_attribute(value);
  }
}

void Bound::replace(size_t index, tenon_tensor* tensor) {
  handles_[index] = tensor;
  build();
}

void Bound::build() {
  inputs_.clear();
  size_t next = 0;
  for (const SampleInput& input : call_.sample.inputs) {
    tenon_value value{};
    if (input.kind == SampleInput::Kind::Scalar) value = sdk::sample_value(input.scalar);
    if (input.kind == SampleInput::Kind::Tensor) {
      value.tag = TENON_VALUE_TENSOR;
      value.as.tensor = handles_[next++];
    }
    if (input.kind == SampleInput::Kind::List) {
      value.tag = TENON_VALUE_TENSOR_LIST;
      value.count = static_cast<uint32_t>(input.list.size());
      value.as.tensors = handles_.data() + next;
      next += input.list.size();
    }
    inputs_.push_back(value);
  }
}

// ---- Calls --------------------------------------------------------------------------------------

const tenon_op* find_op(const Session& session, const std::string& name) {
  return session.op(name);
}

tenon_status call(const Session& session, const SampleCall& from, const Bound& bound,
                  uint32_t n_outputs, std::vector<Tensor>& out) {
  session.check(tenon_context_set_counter(session.context(), 0));
  return call_again(session, from, bound, n_outputs, out);
}

tenon_status call_again(const Session& session, const SampleCall& from, const Bound& bound,
                        uint32_t n_outputs, std::vector<Tensor>& out) {
  if (bound.status() != TENON_OK) return bound.status();
  std::vector<tenon_tensor*> made(n_outputs, nullptr);
  const tenon_status status =
      tenon_op_call(session.context(), find_op(session, from.op->name), bound.inputs().data(),
                    static_cast<uint32_t>(bound.inputs().size()), bound.attrs().data(),
                    static_cast<uint32_t>(bound.attrs().size()), made.data(), n_outputs);
  out.clear();
  for (tenon_tensor* tensor : made) {
    if (tensor != nullptr) out.emplace_back(tensor);
  }
  return status;
}

tenon_status apply(const Session& session, const SampleCall& from, const Bound& bound,
                   std::span<tenon_tensor* const> outputs) {
  if (bound.status() != TENON_OK) return bound.status();
  session.check(tenon_context_set_counter(session.context(), 0));
  return tenon_op_call_into(session.context(), find_op(session, from.op->name),
                            bound.inputs().data(), static_cast<uint32_t>(bound.inputs().size()),
                            bound.attrs().data(), static_cast<uint32_t>(bound.attrs().size()),
                            outputs.data(), static_cast<uint32_t>(outputs.size()));
}

tenon_error error_of(const Session& session) {
  tenon_error error{};
  error.struct_size = sizeof error;
  session.check(tenon_context_get_error(session.context(), &error));
  return error;
}

std::string failure_of(const Session& session, tenon_status status) {
  const tenon_error error = error_of(session);
  std::string words = std::string(tenon_status_get_name(status)) + ": " + error.message;
  const std::pair<const char*, const char*> parts[] = {
      {"operand", error.operand}, {"expected", error.expected}, {"found", error.found}};
  for (const auto& [name, value] : parts) {
    if (*value != 0) words += std::string("; ") + name + " " + value;
  }
  return words;
}

namespace {

// Releases `made`, and behind it memory of the same sizes full of kUnwritten, for the next call and
// its temporaries, of which there is one for each operand that is cast.
void leave_marks(const Session& session, const SampleCall& from, const tenon_device& device,
                 std::vector<Tensor>& made) {
  std::vector<Tensor> marks;
  for (const Tensor& tensor : made) {
    Array array = contents_of(session, tensor.get());
    std::fill(array.bytes.begin(), array.bytes.end(), kUnwritten);
    for (size_t i = 0; i <= from.arrays.size(); ++i) {
      tenon_tensor* mark = nullptr;
      session.check(tenon_tensor_create_from(
          session.context(), array.dtype, &device, static_cast<int32_t>(array.shape.size()),
          array.shape.data(), array.bytes.data(), array.bytes.size(), &mark));
      marks.emplace_back(mark);
    }
  }
  made.clear();
  marks.clear();
}

}  // namespace

Outcome outcome_of(const Session& session, const SampleCall& from, const tenon_device& device) {
  const Bound bound(session, from, device);
  Outcome outcome;
  std::vector<Tensor> made;
  // Devices may find bad data only while they run.
  const auto run = [&] {
    const tenon_status status = call(session, from, bound, from.n_outputs, made);
    return status == TENON_OK ? tenon_device_wait(session.context(), &device) : status;
  };
  outcome.status = run();
  if (outcome.status == TENON_OK && !from.mutates() && !from.op->has_flag("effect")) {
    leave_marks(session, from, device, made);
    outcome.status = run();
  }
  if (outcome.status != TENON_OK) {
    outcome.words = failure_of(session, outcome.status);
    return outcome;
  }
  for (const Tensor& tensor : made) outcome.results.push_back(contents_of(session, tensor.get()));
  for (size_t i = 0; i < from.arrays.size(); ++i) {
    if (from.mutated[i]) outcome.results.push_back(bound.tensors()[i]->read());
  }
  return outcome;
}

}  // namespace tenon::verify
