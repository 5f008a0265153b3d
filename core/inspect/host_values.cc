// SPDX-License-Identifier: Apache-2.0
// core/inspect/host_values.cc: a tensor's elements where the host can read them.
#include "core/inspect/host_values.h"

#include <cstring>

#include "core/launch/moves.h"
#include "core/runtime/context.h"
#include "core/runtime/runtime.h"

namespace tenon::inspect {
namespace {

// Foreign memory may be aligned to less than an element.
template <class T>
T load(const unsigned char* first, int64_t offset) noexcept {
  T value;
  std::memcpy(&value, first + offset * static_cast<int64_t>(sizeof(T)), sizeof(T));
  return value;
}

}  // namespace

HostValues::HostValues(Context& context, const Tensor& tensor)
    : dtype_(tensor.dtype()), shape_(tensor.shape()), strides_(tensor.strides()) {
  const Tensor* source = &tensor;
  if (!device_of(tensor).host_memory()) {
    copy_ = Ref(Tensor::create(context.runtime->host_device(), tensor.dtype(), tensor.shape()));
    launch::copy_into(context, tensor, *copy_);
    source = copy_.get();
    strides_ = copy_->strides();
  } else {
    device_of(tensor).wait(context.id);
  }
  first_ = static_cast<const unsigned char*>(source->view.data);
}

double HostValues::real_at(int64_t offset) const noexcept {
  switch (dtype_) {
    case TENON_DTYPE_F16:
      return tensor::half_to_float(load<uint16_t>(first_, offset));
    case TENON_DTYPE_BF16:
      return tensor::bfloat_to_float(load<uint16_t>(first_, offset));
    case TENON_DTYPE_F32:
      return load<float>(first_, offset);
    case TENON_DTYPE_F64:
      return load<double>(first_, offset);
    default:
      return static_cast<double>(integer_at(offset));
  }
}

int64_t HostValues::integer_at(int64_t offset) const noexcept {
  switch (dtype_) {
    case TENON_DTYPE_BOOL:
      return load<uint8_t>(first_, offset) != 0 ? 1 : 0;
    case TENON_DTYPE_U8:
      return load<uint8_t>(first_, offset);
    case TENON_DTYPE_I8:
      return load<int8_t>(first_, offset);
    case TENON_DTYPE_I16:
      return load<int16_t>(first_, offset);
    case TENON_DTYPE_I32:
      return load<int32_t>(first_, offset);
    case TENON_DTYPE_I64:
      return load<int64_t>(first_, offset);
    default:
      return 0;
  }
}

}  // namespace tenon::inspect
