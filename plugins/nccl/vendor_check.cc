// SPDX-License-Identifier: Apache-2.0
// plugins/nccl/vendor_check.cc: vendor.h says what NVIDIA's own headers say. Compiled where they
// are found; makes no code.
#include <cuda.h>
#include <nccl.h>

#include <cstddef>

#include "vendor.h"

namespace tenon::nccl {

static_assert(kSuccess == ncclSuccess && kRemoteError == ncclRemoteError);
static_assert(kInProgress == ncclInProgress);
static_assert(sizeof(Result) == sizeof(ncclResult_t));
static_assert(sizeof(Comm) == sizeof(ncclComm_t));
static_assert(sizeof(UniqueId) == sizeof(ncclUniqueId));
static_assert(sizeof(DataType) == sizeof(ncclDataType_t));
static_assert(kInt8 == ncclInt8 && kUint8 == ncclUint8 && kInt32 == ncclInt32);
static_assert(kInt64 == ncclInt64 && kFloat16 == ncclFloat16 && kFloat32 == ncclFloat32);
static_assert(kFloat64 == ncclFloat64 && kBfloat16 == ncclBfloat16);
static_assert(kSum == ncclSum && sizeof(ReduceOp) == sizeof(ncclRedOp_t));
static_assert(offsetof(Config, size) == offsetof(ncclConfig_t, size));
static_assert(offsetof(Config, magic) == offsetof(ncclConfig_t, magic));
static_assert(offsetof(Config, version) == offsetof(ncclConfig_t, version));
static_assert(offsetof(Config, blocking) == offsetof(ncclConfig_t, blocking));
static_assert(sizeof(Config) <= sizeof(ncclConfig_t));

static_assert(kSuccess == CUDA_SUCCESS && kNotReady == CUDA_ERROR_NOT_READY);
static_assert(kStreamNonBlocking == CU_STREAM_NON_BLOCKING);
static_assert(kMemoryType == CU_POINTER_ATTRIBUTE_MEMORY_TYPE);
static_assert(kDeviceOrdinal == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL);
static_assert(kMemoryOfDevice == CU_MEMORYTYPE_DEVICE);
static_assert(sizeof(DevicePointer) == sizeof(CUdeviceptr) && sizeof(Stream) == sizeof(CUstream));
static_assert(sizeof(Code) == sizeof(CUresult) && sizeof(CudaContext) == sizeof(CUcontext));

}  // namespace tenon::nccl
