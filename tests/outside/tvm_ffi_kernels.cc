// SPDX-License-Identifier: Apache-2.0
// tests/outside/tvm_ffi_kernels.cc: functions as users of tvm-ffi write them, for tvm_ffi_test.py;
// and its headers' layouts, compared with those that the bridge declares.
#include <dlpack/dlpack.h>
#include <tvm/ffi/c_api.h>
#include <tvm/ffi/tvm_ffi.h>

#include <cstddef>

#include "plugins/tvm_ffi/abi.hpp"

namespace abi = tenon::tvm_ffi::abi;

#define SAME(ours, our_member, theirs, their_member)                           \
  static_assert(offsetof(ours, our_member) == offsetof(theirs, their_member)); \
  static_assert(sizeof(static_cast<ours*>(nullptr)->our_member) ==             \
                sizeof(static_cast<theirs*>(nullptr)->their_member))
SAME(abi::Tensor, data, DLTensor, data);
SAME(abi::Tensor, device_type, DLTensor, device.device_type);
SAME(abi::Tensor, device_id, DLTensor, device.device_id);
SAME(abi::Tensor, rank, DLTensor, ndim);
SAME(abi::Tensor, code, DLTensor, dtype.code);
SAME(abi::Tensor, bits, DLTensor, dtype.bits);
SAME(abi::Tensor, lanes, DLTensor, dtype.lanes);
SAME(abi::Tensor, shape, DLTensor, shape);
SAME(abi::Tensor, strides, DLTensor, strides);
SAME(abi::Tensor, byte_offset, DLTensor, byte_offset);
SAME(abi::Any, type, TVMFFIAny, type_index);
SAME(abi::Any, zero, TVMFFIAny, zero_padding);
SAME(abi::Any, integer, TVMFFIAny, v_int64);
SAME(abi::Any, real, TVMFFIAny, v_float64);
SAME(abi::Any, text, TVMFFIAny, v_c_str);
SAME(abi::Any, dtype, TVMFFIAny, v_dtype);
SAME(abi::Object, counts, TVMFFIObject, combined_ref_count);
SAME(abi::Object, type, TVMFFIObject, type_index);
SAME(abi::Object, deleter, TVMFFIObject, deleter);
SAME(abi::Bytes, data, TVMFFIByteArray, data);
SAME(abi::Bytes, size, TVMFFIByteArray, size);
static_assert(offsetof(abi::Error, kind) == sizeof(TVMFFIObject) + offsetof(TVMFFIErrorCell, kind));
static_assert(offsetof(abi::Error, message) ==
              sizeof(TVMFFIObject) + offsetof(TVMFFIErrorCell, message));
static_assert(sizeof(abi::Tensor) == sizeof(DLTensor) && sizeof(abi::Any) == sizeof(TVMFFIAny));
static_assert(abi::kHost == kDLCPU && abi::kNone == kTVMFFINone && abi::kInt == kTVMFFIInt);
static_assert(abi::kBool == kTVMFFIBool && abi::kFloat == kTVMFFIFloat);
static_assert(abi::kDtype == kTVMFFIDataType && abi::kTensor == kTVMFFIDLTensorPtr);
static_assert(abi::kText == kTVMFFIRawStr && abi::kError == kTVMFFIError);
static_assert(abi::kFirstObject == kTVMFFIStaticObjectBegin);

namespace {

using tvm::ffi::TensorView;

template <class Formula>
void each(TensorView x, TensorView y, Formula formula) {
  const auto* from = static_cast<const float*>(x.data_ptr());
  auto* to = static_cast<float*>(y.data_ptr());
  for (int64_t i = 0; i < x.numel(); ++i) to[i] = formula(from[i]);
}

void add_one(TensorView x, TensorView y) {
  each(x, y, [](float value) { return value + 1; });
}

// A fault: elements after the seventh are not computed.
void add_one_to_seven(TensorView x, TensorView y) {
  for (int64_t i = 0; i < x.numel() && i < 7; ++i) {
    static_cast<float*>(y.data_ptr())[i] = static_cast<const float*>(x.data_ptr())[i] + 1;
  }
}

void scaled(TensorView x, double factor, tvm::ffi::String mode, TensorView y) {
  if (mode != "plain") TVM_FFI_THROW(ValueError) << "the mode is \"" << mode << "\", not plain";
  if (factor == 0) TVM_FFI_THROW(RuntimeError) << "by zero";
  each(x, y, [&](float value) { return static_cast<float>(value * factor); });
}

tvm::ffi::String answers(TensorView x, TensorView y) {
  add_one(x, y);
  return "a text that is long enough to be an object";
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(add_one, add_one)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(add_one_cpu, add_one)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(add_one_to_seven, add_one_to_seven)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(scaled, scaled)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(answers, answers)
