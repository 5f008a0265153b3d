// SPDX-License-Identifier: Apache-2.0
// plugins/nccl/vendor.h: what is called of NCCL and of the CUDA driver, whose libraries are opened
// at run time, so that nothing of NVIDIA's is needed to compile this.
//
// Written from "NVIDIA Collective Communication Library (NCCL) Documentation", chapter "NCCL API"
// (2.14 and later), and from "CUDA Driver API". vendor_check.cc compares the numbers with those of
// nccl.h and cuda.h where they are found.
#pragma once

#include <cstddef>

namespace tenon::nccl {

// ---- NCCL ---------------------------------------------------------------------------------------

constexpr int kOldestNccl = 21400;  // 2.14: communicators that do not block

using Result = int;  // ncclResult_t
constexpr Result kSuccess = 0;
constexpr Result kRemoteError = 6;
constexpr Result kInProgress = 7;  // ask again

using Comm = struct OpaqueComm*;  // ncclComm_t

struct UniqueId {  // passed by value
  char internal[128];
};

using DataType = int;  // ncclDataType_t
constexpr DataType kInt8 = 0;
constexpr DataType kUint8 = 1;
constexpr DataType kInt32 = 2;
constexpr DataType kInt64 = 4;
constexpr DataType kFloat16 = 6;
constexpr DataType kFloat32 = 7;
constexpr DataType kFloat64 = 8;
constexpr DataType kBfloat16 = 9;

using ReduceOp = int;  // ncclRedOp_t
constexpr ReduceOp kSum = 0;

// ncclConfig_t as 2.14 has it: later libraries read as much as `size` says.
struct Config {
  size_t size = sizeof(Config);
  unsigned magic = 0xcafebeef;
  unsigned version = kOldestNccl;
  int blocking = 0;
};

// ---- The CUDA driver ----------------------------------------------------------------------------

using Code = int;  // CUresult
constexpr Code kNotReady = 600;
constexpr unsigned kStreamNonBlocking = 1;
constexpr int kMemoryType = 2;     // CU_POINTER_ATTRIBUTE_MEMORY_TYPE
constexpr int kDeviceOrdinal = 9;  // CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
constexpr unsigned kMemoryOfDevice = 2;

using CudaContext = struct OpaqueContext*;
using Stream = struct OpaqueStream*;  // CUstream and cudaStream_t
using DevicePointer = unsigned long long;

// ---- Functions ----------------------------------------------------------------------------------

// X(member, name in the library, type of what it returns, types of parameters)
#define TENON_NCCL_FUNCTIONS(X)                                                                  \
  X(get_version, ncclGetVersion, Result, (int*))                                                 \
  X(get_unique_id, ncclGetUniqueId, Result, (UniqueId*))                                         \
  X(comm_init, ncclCommInitRankConfig, Result, (Comm*, int, UniqueId, int, Config*))             \
  X(comm_finalize, ncclCommFinalize, Result, (Comm))                                             \
  X(comm_destroy, ncclCommDestroy, Result, (Comm))                                               \
  X(comm_abort, ncclCommAbort, Result, (Comm))                                                   \
  X(comm_get_async_error, ncclCommGetAsyncError, Result, (Comm, Result*))                        \
  X(get_error_string, ncclGetErrorString, const char*, (Result))                                 \
  X(get_last_error, ncclGetLastError, const char*, (Comm))                                       \
  X(group_start, ncclGroupStart, Result, ())                                                     \
  X(group_end, ncclGroupEnd, Result, ())                                                         \
  X(send, ncclSend, Result, (const void*, size_t, DataType, int, Comm, Stream))                  \
  X(recv, ncclRecv, Result, (void*, size_t, DataType, int, Comm, Stream))                        \
  X(broadcast, ncclBroadcast, Result, (const void*, void*, size_t, DataType, int, Comm, Stream)) \
  X(all_gather, ncclAllGather, Result, (const void*, void*, size_t, DataType, Comm, Stream))     \
  X(reduce_scatter, ncclReduceScatter, Result,                                                   \
    (const void*, void*, size_t, DataType, ReduceOp, Comm, Stream))                              \
  X(all_reduce, ncclAllReduce, Result,                                                           \
    (const void*, void*, size_t, DataType, ReduceOp, Comm, Stream))

#define TENON_NCCL_DRIVER_FUNCTIONS(X)                                                        \
  X(init, cuInit, Code, (unsigned))                                                           \
  X(device_count, cuDeviceGetCount, Code, (int*))                                             \
  X(device_get, cuDeviceGet, Code, (int*, int))                                               \
  X(context_retain, cuDevicePrimaryCtxRetain, Code, (CudaContext*, int))                      \
  X(context_release, cuDevicePrimaryCtxRelease_v2, Code, (int))                               \
  X(context_use, cuCtxSetCurrent, Code, (CudaContext))                                        \
  X(pointer_get, cuPointerGetAttribute, Code, (void*, int, DevicePointer))                    \
  X(stream_create, cuStreamCreate, Code, (Stream*, unsigned))                                 \
  X(stream_destroy, cuStreamDestroy_v2, Code, (Stream))                                       \
  X(stream_query, cuStreamQuery, Code, (Stream))                                              \
  X(alloc, cuMemAlloc_v2, Code, (DevicePointer*, size_t))                                     \
  X(free, cuMemFree_v2, Code, (DevicePointer))                                                \
  X(copy_to_device, cuMemcpyHtoDAsync_v2, Code, (DevicePointer, const void*, size_t, Stream)) \
  X(copy_to_host, cuMemcpyDtoHAsync_v2, Code, (void*, DevicePointer, size_t, Stream))         \
  X(get_error_name, cuGetErrorName, Code, (Code, const char**))

}  // namespace tenon::nccl
