// SPDX-License-Identifier: Apache-2.0
// core/dispatch/asked.cc: an op call in the words that decide how it runs.
#include "core/dispatch/asked.h"

#include <cstring>

#include "core/autograd/graph.h"

namespace tenon::dispatch {

bool Asked::put_all(const int64_t* words, size_t count) {
  if (count > kMostWords - count_) return false;
  for (size_t i = 0; i < count; ++i) put(static_cast<uint64_t>(words[i]));
  return true;
}

bool Asked::put_tensor(const Tensor& tensor, bool wants) {
  const tenon_view& view = tensor.view;
  if (tensor.runtime != runtime_) return false;
  const Device& device = tensor.device();
  if (!device_) {
    device_ = &device;
    if (!put(reinterpret_cast<uintptr_t>(&device))) return false;
  }
  if (&device != device_) return false;
  // What is not aligned to its element may need another kernel.
  if (reinterpret_cast<uintptr_t>(view.data) & (tensor.element_size() - 1)) return false;
  const size_t rank = static_cast<size_t>(view.rank);
  return put(uint64_t{TENON_VALUE_TENSOR} | uint64_t{view.flags} << 4 | uint64_t{wants} << 8 |
             rank << 16 | uint64_t{view.dtype} << 32) &&
         put_all(tensor.shape_, rank) && put_all(tensor.strides_, rank);
}

bool Asked::put_operand(const tenon_tensor* handle) {
  Tensor* const tensor = tensor::from_handle(handle);
  if (!tensor) return false;
  const bool wants = grad_ && autograd::requires_grad(*tensor);
  // Writing where gradients flow has rules of its own.
  if (wants && writes_) return false;
  operands_.push_back({tensor, {}, 0});
  return put_tensor(*tensor, wants);
}

bool Asked::put_input(const tenon_value& value) {
  switch (value.tag) {
    case TENON_VALUE_NONE:
      return put(value.tag);
    case TENON_VALUE_TENSOR:
      return put_operand(value.as.tensor);
    case TENON_VALUE_TENSOR_LIST:
      if (!value.as.tensors || !put(value.tag | uint64_t{value.count} << 32)) return false;
      for (uint32_t i = 0; i < value.count; ++i) {
        if (!put_operand(value.as.tensors[i])) return false;
      }
      return true;
    case TENON_VALUE_I64:
    case TENON_VALUE_F64:
    case TENON_VALUE_BOOL:
      operands_.push_back({nullptr, value, 0});
      return put(value.tag);
    default:
      return false;
  }
}

bool Asked::put_attr(const tenon_value& value) {
  if (!put(value.tag | uint64_t{value.count} << 32)) return false;
  switch (value.tag) {
    case TENON_VALUE_NONE:
      return true;
    case TENON_VALUE_I64:
    case TENON_VALUE_F64:
    case TENON_VALUE_BOOL:
    case TENON_VALUE_DTYPE:
      return put(static_cast<uint64_t>(value.as.i64));
    case TENON_VALUE_INT_LIST:
      return (value.as.ints || value.count == 0) && put_all(value.as.ints, value.count);
    case TENON_VALUE_STRING:
      if (!value.as.string && value.count != 0) return false;
      for (uint32_t at = 0; at < value.count; at += 8) {
        uint64_t word = 0;
        std::memcpy(&word, value.as.string + at, std::min<size_t>(8, value.count - at));
        if (!put(word)) return false;
      }
      return true;
    default:
      return false;
  }
}

bool Asked::read(Context& context, const registry::Op& op, std::span<const tenon_value> inputs,
                 std::span<const tenon_value> attrs, std::span<Tensor* const> given,
                 size_t n_outputs) {
  runtime_ = context.runtime;
  grad_ = context.grad_enabled();
  writes_ = !given.empty();
  put(reinterpret_cast<uintptr_t>(&op));
  put(inputs.size() | attrs.size() << 16 | n_outputs << 32 | uint64_t{writes_} << 48 |
      uint64_t{context.arithmetic} << 49);
  for (const tenon_value& value : inputs) {
    if (!put_input(value)) return false;
  }
  for (const tenon_value& value : attrs) {
    if (!put_attr(value)) return false;
  }
  for (Tensor* const out : given) {
    if (grad_ && autograd::requires_grad(*out)) return false;
    if (!put_tensor(*out, false)) return false;
  }
  return device_ != nullptr;
}

}  // namespace tenon::dispatch
