// SPDX-License-Identifier: Apache-2.0
// sdk/tools/operands.cc: from sample text to values.
#include "operands.h"

namespace tenon::tools {
namespace {

// The name has been checked by the sample's parser.
tenon_dtype dtype_of(const std::string& name) {
  struct Row {
    const char* name;
    tenon_dtype dtype;
  };
  static constexpr Row rows[] = {{"bool", TENON_DTYPE_BOOL}, {"u8", TENON_DTYPE_U8},
                                 {"i8", TENON_DTYPE_I8},     {"i16", TENON_DTYPE_I16},
                                 {"i32", TENON_DTYPE_I32},   {"i64", TENON_DTYPE_I64},
                                 {"f16", TENON_DTYPE_F16},   {"bf16", TENON_DTYPE_BF16},
                                 {"f32", TENON_DTYPE_F32},   {"f64", TENON_DTYPE_F64}};
  for (const Row& row : rows) {
    if (name == row.name) return row.dtype;
  }
  return TENON_DTYPE_NONE;
}

tenon_value scalar_value(const sdk::SampleScalar& scalar) {
  tenon_value value{};
  if (const auto* flag = std::get_if<bool>(&scalar)) {
    value.tag = TENON_VALUE_BOOL;
    value.as.i64 = *flag ? 1 : 0;
  } else if (const auto* integer = std::get_if<int64_t>(&scalar)) {
    value.tag = TENON_VALUE_I64;
    value.as.i64 = *integer;
  } else {
    value.tag = TENON_VALUE_F64;
    value.as.f64 = std::get<double>(scalar);
  }
  return value;
}

// Pointers lead into `given`.
tenon_value attr_value(const sdk::SampleValue& given) {
  tenon_value value{};
  if (std::holds_alternative<std::monostate>(given)) return value;
  if (const auto* text = std::get_if<std::string>(&given)) {
    value.tag = TENON_VALUE_STRING;
    value.count = static_cast<uint32_t>(text->size());
    value.as.string = text->data();
  } else if (const auto* ints = std::get_if<std::vector<int64_t>>(&given)) {
    value.tag = TENON_VALUE_INT_LIST;
    value.count = static_cast<uint32_t>(ints->size());
    value.as.ints = ints->data();
  } else if (const auto* dtype = std::get_if<sdk::SampleDtype>(&given)) {
    value.tag = TENON_VALUE_DTYPE;
    value.as.dtype = dtype_of(dtype->name);
  } else if (const auto* flag = std::get_if<bool>(&given)) {
    return scalar_value(*flag);
  } else if (const auto* integer = std::get_if<int64_t>(&given)) {
    return scalar_value(*integer);
  } else {
    return scalar_value(std::get<double>(given));
  }
  return value;
}

}  // namespace

Operands::Operands(const Session& session, const tenon_op* op, const std::string& sample)
    : session_(session) {
  try {
    sample_ = sdk::parse_sample(sample);
  } catch (const std::runtime_error& error) {
    throw Failure{error.what(), kUsage};
  }
  try {
    for (const sdk::SampleInput& given : sample_.inputs) inputs_.push_back(input(given));
    for (const auto& [name, value] : sample_.attrs) set_attr(op, name, value);
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
  session_.check(tenon_tensor_create(session_.context(), dtype_of(tensor.dtype), nullptr,
                                     static_cast<int32_t>(tensor.dims.size()), tensor.dims.data(),
                                     &made));
  tensors_.push_back(made);
  return made;
}

tenon_value Operands::input(const sdk::SampleInput& given) {
  tenon_value value{};
  switch (given.kind) {
    case sdk::SampleInput::Kind::None:
      break;
    case sdk::SampleInput::Kind::Scalar:
      return scalar_value(given.scalar);
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
  attrs_[index] = attr_value(value);
}

}  // namespace tenon::tools
