// SPDX-License-Identifier: Apache-2.0
// sdk/tools/operands.cc: from sample text to values.
#include "operands.h"

#include <tenon/sdk/plugin/draw.hpp>
#include <tenon/sdk/plugin/sample_value.hpp>

namespace tenon::tools {
namespace {

std::vector<unsigned char> contents_of(const sdk::SampleTensor& tensor, uint64_t seed,
                                       uint64_t number) {
  const auto count = static_cast<size_t>(tensor.element_count());
  std::vector<unsigned char> bytes;
  sdk::dispatch_dtype(sdk::sample_dtype(tensor.dtype), [&]<class T>() {
    bytes.resize(count * sizeof(T));
    for (size_t i = 0; i < count; ++i) {
      sdk::store(bytes.data() + i * sizeof(T), sdk::sample_element<T>(tensor, seed, number, i));
    }
  });
  return bytes;
}

}  // namespace

Operands::Operands(const Session& session, const tenon_op* op, const std::string& sample,
                   const OperandOptions& options)
    : session_(session), options_(options) {
  try {
    sample_ = sdk::parse_sample(sample);
  } catch (const std::runtime_error& error) {
    throw Failure{error.what(), kUsage};
  }
  try {
    for (const sdk::SampleInput& given : sample_.inputs) inputs_.push_back(input(given));
    for (const auto& [name, value] : sample_.attrs) set_attr(op, name, value);
    if (options_.seed) fill();
  } catch (...) {
    for (tenon_tensor* tensor : tensors_) tenon_tensor_release(tensor);
    throw;
  }
}

Operands::~Operands() {
  for (tenon_tensor* tensor : tensors_) tenon_tensor_release(tensor);
}

tenon_tensor* Operands::make(const sdk::SampleTensor& tensor) {
  tensors_.reserve(tensors_.size() + 1);
  tenon_tensor* made = nullptr;
  session_.check(tenon_tensor_create(session_.context(), sdk::sample_dtype(tensor.dtype),
                                     options_.device, static_cast<int32_t>(tensor.dims.size()),
                                     tensor.dims.data(), &made));
  tensors_.push_back(made);
  texts_.push_back(&tensor);
  return made;
}

void Operands::fill() const {
  for (size_t i = 0; i < tensors_.size(); ++i) {
    const std::vector<unsigned char> bytes = contents_of(*texts_[i], *options_.seed, i);
    session_.check(
        tenon_tensor_set_data(session_.context(), tensors_[i], bytes.data(), bytes.size()));
  }
}

tenon_value Operands::input(const sdk::SampleInput& given) {
  tenon_value value{};
  switch (given.kind) {
    case sdk::SampleInput::Kind::None:
      break;
    case sdk::SampleInput::Kind::Scalar:
      return sdk::sample_value(given.scalar);
    case sdk::SampleInput::Kind::Tensor:
      value.tag = TENON_VALUE_TENSOR;
      value.as.tensor = make(given.tensor);
      break;
    case sdk::SampleInput::Kind::List: {
      auto& list = lists_.emplace_back();
      for (const sdk::SampleTensor& item : given.list) list.push_back(make(item));
      value.tag = TENON_VALUE_TENSOR_LIST;
      value.count = static_cast<uint32_t>(list.size());
      value.as.tensors = list.data();
      break;
    }
  }
  return value;
}

void Operands::set_attr(const tenon_op* op, const std::string& name,
                        const sdk::SampleValue& value) {
  uint32_t index = 0;
  session_.check(tenon_op_find_attribute(session_.context(), op, name.data(), name.size(), &index));
  if (index >= attrs_.size()) attrs_.resize(index + 1);
  attrs_[index] = sdk::sample_attribute(value);
}

}  // namespace tenon::tools
