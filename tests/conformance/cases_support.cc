// SPDX-License-Identifier: Apache-2.0
// tests/conformance/cases_support.cc: calls made from the registry's samples.
#include <algorithm>
#include <cmath>
#include <tenon/sdk/plugin/dtypes.hpp>
#include <tenon/sdk/plugin/sample_value.hpp>

#include "tests/conformance/conformance_support.h"

namespace tenon::tests {
namespace {

using sdk::SampleInput;
using sdk::SampleScalar;
using sdk::SampleTensor;

// Integers stay integers: a double could not hold all of them.
template <class T>
T element_of(const SampleScalar& scalar) {
  return std::visit([](auto value) { return sdk::convert<T>(value); }, scalar);
}

template <class T>
T drawn(const SampleTensor& tensor, std::mt19937_64& random) {
  // By hand: the standard's distributions differ between libraries.
  const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
  const double value = tensor.low + unit * (tensor.high - tensor.low);
  if constexpr (std::is_same_v<T, sdk::Bool>) return sdk::Bool(unit < 0.5);
  if constexpr (std::is_integral_v<T>) return static_cast<T>(std::floor(value));
  return sdk::convert<T>(value);
}

Array make_array(const SampleTensor& tensor, std::mt19937_64& random) {
  Array array{dtype_named(tensor.dtype), tensor.dims, {}};
  array.bytes.resize(array.count() * size_of(array.dtype));
  for (size_t i = 0; i < array.count(); ++i) {
    sdk::dispatch_dtype(array.dtype, [&]<class T>() {
      sdk::store(array.bytes.data() + i * sizeof(T), tensor.explicit_values
                                                         ? element_of<T>(tensor.values[i])
                                                         : drawn<T>(tensor, random));
    });
  }
  return array;
}

void retype(SampleTensor& tensor, tenon_dtype floats, tenon_dtype integers) {
  static constexpr std::pair<tenon_dtype, const char*> names[] = {{TENON_DTYPE_F16, "f16"},
                                                                  {TENON_DTYPE_BF16, "bf16"},
                                                                  {TENON_DTYPE_F32, "f32"},
                                                                  {TENON_DTYPE_F64, "f64"},
                                                                  {TENON_DTYPE_I64, "i64"}};
  const tenon_dtype dtype = dtype_named(tensor.dtype);
  if (dtype == TENON_DTYPE_BOOL) return;
  const tenon_dtype wanted = is_float(dtype) ? floats : integers;
  for (const auto& [known, name] : names) {
    if (known == wanted) tensor.dtype = name;
  }
}

// Of several revisions the newest comes last, and is what a name finds.
const Json& op_named(const std::string& name) {
  const auto found = std::find_if(ops().rbegin(), ops().rend(),
                                  [&](const Json& op) { return op.at("name") == name; });
  if (found == ops().rend()) throw std::runtime_error("a sample of an unknown op: " + name);
  return *found;
}

}  // namespace

bool Case::mutates() const { return std::count(mutated.begin(), mutated.end(), true) != 0; }

Bound::Bound(const Session& session, const Case& from, std::span<const Array> arrays,
             std::span<const Layout> layouts)
    : from_(&from) {
  for (size_t i = 0; i < arrays.size(); ++i) {
    tensors_.push_back(std::make_unique<Placed>(session, arrays[i], layouts[i]));
    handles_.push_back(tensors_.back()->get());
  }
  build(from);
}

Bound::Bound(const Session& session, const Case& from)
    : Bound(session, from, from.arrays, std::vector<Layout>(from.arrays.size(), Layout::RowMajor)) {
}

void Bound::replace(size_t index, tenon_tensor* tensor) {
  handles_[index] = tensor;
  build(*from_);
}

void Bound::build(const Case& from) {
  inputs_.clear();
  size_t next = 0;
  for (const SampleInput& input : from.sample.inputs) {
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

tenon_status attributes(const Session& session, const tenon_op* op, const sdk::Sample& sample,
                        std::vector<tenon_value>& out) {
  for (const auto& [name, value] : sample.attrs) {
    uint32_t index = 0;
    const tenon_status status =
        tenon_op_find_attribute(session, op, name.data(), name.size(), &index);
    if (status != TENON_OK) return status;
    if (index >= out.size()) out.resize(index + 1);
    out[index] = sdk::sample_attribute(value);
  }
  return TENON_OK;
}

tenon_status call(const Session& session, const Case& from, std::span<const tenon_value> inputs,
                  uint32_t n_outputs, std::vector<Tensor>& out) {
  const tenon_op* op = session.find(from.op);
  std::vector<tenon_value> attrs;
  if (const tenon_status status = attributes(session, op, from.sample, attrs)) return status;
  std::vector<tenon_tensor*> made(n_outputs, nullptr);
  const tenon_status status =
      tenon_op_call(session, op, inputs.data(), static_cast<uint32_t>(inputs.size()), attrs.data(),
                    static_cast<uint32_t>(attrs.size()), made.data(), n_outputs);
  for (tenon_tensor* tensor : made) {
    if (tensor) out.emplace_back(tensor);
  }
  return status;
}

tenon_status apply(const Session& session, const Case& from, std::span<const tenon_value> inputs,
                   std::span<tenon_tensor* const> outputs) {
  const tenon_op* op = session.find(from.op);
  std::vector<tenon_value> attrs;
  if (const tenon_status status = attributes(session, op, from.sample, attrs)) return status;
  return tenon_op_call_into(session, op, inputs.data(), static_cast<uint32_t>(inputs.size()),
                            attrs.data(), static_cast<uint32_t>(attrs.size()), outputs.data(),
                            static_cast<uint32_t>(outputs.size()));
}

Outcome run(const Session& session, const Case& from, const Bound& bound) {
  session.must(tenon_context_set_counter(session, 0));
  std::vector<Tensor> made;
  session.must(call(session, from, bound.inputs(), from.n_outputs, made));
  Outcome outcome;
  for (const Tensor& tensor : made) outcome.outputs.push_back(contents_of(session, tensor.get()));
  for (const auto& placed : bound.tensors()) outcome.operands.push_back(placed->read());
  return outcome;
}

const Json& ops() {
  static const Json list = Session().query("ops");
  return list;
}

const std::vector<SampleEntry>& samples() {
  static const std::vector<SampleEntry> list = [] {
    std::vector<SampleEntry> made;
    for (const Json& entry : Session().query("samples")) {
      made.push_back({entry.at("op"), entry.at("text"), entry.at("fragment"), entry.at("expect")});
    }
    return made;
  }();
  return list;
}

Case make_case(const SampleEntry& sample, tenon_dtype floats, tenon_dtype integers) {
  Case made;
  made.op = sample.op;
  made.sample = sdk::parse_sample(sample.text);
  made.label = sample.op + "(" + sample.text + ")";
  if (floats != TENON_DTYPE_NONE) made.label += " floats 0x" + std::to_string(floats);
  if (integers != TENON_DTYPE_NONE) made.label += " integers 0x" + std::to_string(integers);
  made.label += " seed " + std::to_string(kSeed);
  const Json& op = op_named(sample.op);
  std::vector<bool> marks;
  for (const Json& input : op.at("inputs")) marks.push_back(input.at("mutated"));
  marks.resize(std::max(marks.size(), made.sample.inputs.size()));
  std::mt19937_64 random(kSeed);
  const auto add = [&](SampleTensor& tensor, bool mutated) {
    retype(tensor, floats, integers);
    made.arrays.push_back(make_array(tensor, random));
    made.mutated.push_back(mutated);
  };
  for (size_t i = 0; i < made.sample.inputs.size(); ++i) {
    SampleInput& input = made.sample.inputs[i];
    if (input.kind == SampleInput::Kind::Tensor) add(input.tensor, marks[i]);
    for (SampleTensor& item : input.list) add(item, marks[i]);
  }
  for (const Json& output : op.at("outputs")) {
    ++made.n_outputs;
    made.n_plain_outputs += output.at("aux") ? 0 : 1;
  }
  return made;
}

namespace {

bool same_dtypes(const Case& a, const Case& b) {
  for (size_t i = 0; i < a.arrays.size(); ++i) {
    if (a.arrays[i].dtype != b.arrays[i].dtype) return false;
  }
  return true;
}

// Does the schema allow the dtypes? A call refused for another reason counts as allowed, and then
// fails in the tests.
bool is_allowed(const Session& session, const Case& from) {
  const NoGrad off(session);
  const Bound bound(session, from);
  std::vector<Tensor> made;
  return call(session, from, bound.inputs(), from.n_outputs, made) != TENON_E_DTYPE;
}

}  // namespace

const std::vector<Case>& good_cases() {
  static const std::vector<Case> cases = [] {
    const Session session;
    std::vector<Case> made;
    for (const SampleEntry& sample : samples()) {
      if (sample.expect != TENON_OK) continue;
      const size_t first = made.size();
      made.push_back(make_case(sample));
      const auto add = [&](Case&& other) {
        for (size_t i = first; i < made.size(); ++i) {
          if (same_dtypes(made[i], other)) return;
        }
        if (is_allowed(session, other)) made.push_back(std::move(other));
      };
      for (const tenon_dtype dtype :
           {TENON_DTYPE_F64, TENON_DTYPE_F32, TENON_DTYPE_F16, TENON_DTYPE_BF16}) {
        add(make_case(sample, dtype));
      }
      add(make_case(sample, TENON_DTYPE_NONE, TENON_DTYPE_I64));
    }
    return made;
  }();
  return cases;
}

}  // namespace tenon::tests
