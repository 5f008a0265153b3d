// SPDX-License-Identifier: Apache-2.0
// backends/cuda/driver.h: all that this backend asks of CUDA, as one table of functions.
//
// The plugin holds the table that driver.cu fills from the CUDA runtime, which is linked statically
// and itself opens the driver's library when it is first used. Tests put in another one: it counts
// the calls, answers any of them with any error, and runs the kernels on the processor. So nothing
// but driver.cu includes a header of CUDA's for the host, and all other host code runs and is
// tested without a GPU.
//
// Codes are those of the CUDA runtime (cudaError_t): 0 is success. Functions that enqueue return
// before the work is done. All are callable from any thread; those that concern a device concern
// the one that the calling thread has chosen with `use`.
#pragma once

#include <cstdint>

namespace tenon::cuda {

using Code = int32_t;
inline constexpr Code kSuccess = 0;
inline constexpr Code kOutOfMemory = 2;    // cudaErrorMemoryAllocation
inline constexpr Code kDriverTooOld = 35;  // cudaErrorInsufficientDriver
inline constexpr Code kNoDevice = 100;     // cudaErrorNoDevice
inline constexpr Code kNotReady = 600;     // cudaErrorNotReady: no failure, the answer of a query

struct Extent {
  uint32_t x = 1;
  uint32_t y = 1;
  uint32_t z = 1;
};

struct DeviceFacts {
  char name[128];
  int32_t major;  // compute capability
  int32_t minor;
  int32_t has_pools;  // stream-ordered allocation is there
};

// One launch of a kernel. `arguments` point to the kernel's parameters, which the driver copies.
struct Launching {
  const void* kernel;
  // Calls the kernel once, for drivers that run it on the processor; NULL in code for a GPU.
  void (*invoke)(const void* kernel, void** arguments);
  Extent grid;
  Extent block;
  uint32_t shared_bytes;  // of dynamic shared memory: 48 KiB at most
  void* stream;
  void** arguments;                // [n_arguments]
  const uint32_t* argument_bytes;  // [n_arguments]
  uint32_t n_arguments;
};

struct Driver {
  // CUDA's numbers: 13000 is 13.0. The driver's is 0 if none is installed.
  Code (*versions)(int32_t* out_driver, int32_t* out_runtime);
  Code (*device_count)(int32_t* out_count);
  Code (*facts)(int32_t index, DeviceFacts* out_facts);
  Code (*use)(int32_t index);

  // Memory of the chosen device. Ordered on `stream`, or at once where it is NULL.
  Code (*alloc)(void** out_data, uint64_t bytes, void* stream);
  Code (*free)(void* data, void* stream);
  // Host memory that devices reach under the same address.
  Code (*pinned_alloc)(void** out_data, uint64_t bytes);
  Code (*pinned_free)(void* data);
  Code (*copy)(void* destination, const void* source, uint64_t bytes, uint32_t direction,
               void* stream);  // direction: TENON_COPY_*

  Code (*stream_create)(void** out_stream);
  Code (*stream_release)(void* stream);
  Code (*stream_wait)(void* stream);
  Code (*event_create)(void** out_event);
  Code (*event_release)(void* event);
  Code (*event_record)(void* event, void* stream);
  Code (*event_wait)(void* event, void* stream);
  Code (*event_query)(void* event);  // kNotReady while the work before it goes on

  Code (*launch)(const Launching* launching);

  // What is enqueued on `stream` between begin and end is recorded instead of run; the result can
  // be run again and again. After a failed `end` the stream is usable again.
  Code (*capture_begin)(void* stream);
  Code (*capture_end)(void* stream, void** out_graph);
  Code (*graph_run)(void* graph, void* stream);
  Code (*graph_release)(void* graph);

  // A function of cuBLASLt, which is opened at the first call; NULL if it is not installed.
  void* (*blas_function)(const char* name);

  const char* (*name)(Code code);  // "cudaErrorIllegalAddress"
  const char* (*text)(Code code);  // "an illegal memory access was encountered"
};

// The table in use; constant from the first call on. Defined once for each library that is linked:
// in driver.cu, and in what tests put in its place.
const Driver& driver();

}  // namespace tenon::cuda
