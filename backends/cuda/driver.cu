// SPDX-License-Identifier: Apache-2.0
// backends/cuda/driver.cu: the table of driver.h from the CUDA runtime.
//
// The runtime is linked statically and opens the driver's library at its first call, so that this
// plugin loads on a machine without one.
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <tenon/plugin.h>

#include <cstdio>

#include "driver.h"

namespace tenon::cuda {

namespace {

static_assert(kOutOfMemory == cudaErrorMemoryAllocation);
static_assert(kDriverTooOld == cudaErrorInsufficientDriver);
static_assert(kNoDevice == cudaErrorNoDevice);
static_assert(kNotReady == cudaErrorNotReady);

// The runtime keeps the code of a failed call for cudaGetLastError(), which others of the process
// may ask: it is taken back.
Code done(cudaError_t code) {
  if (code != cudaSuccess) cudaGetLastError();
  return static_cast<Code>(code);
}

cudaStream_t stream_of(void* stream) { return static_cast<cudaStream_t>(stream); }
cudaEvent_t event_of(void* event) { return static_cast<cudaEvent_t>(event); }

Code versions(int32_t* out_driver, int32_t* out_runtime) {
  const cudaError_t code = cudaDriverGetVersion(out_driver);
  return code != cudaSuccess ? done(code) : done(cudaRuntimeGetVersion(out_runtime));
}
Code device_count(int32_t* out_count) { return done(cudaGetDeviceCount(out_count)); }

Code facts(int32_t index, DeviceFacts* out) {
  cudaDeviceProp properties;
  const cudaError_t code = cudaGetDeviceProperties(&properties, index);
  if (code != cudaSuccess) return done(code);
  std::snprintf(out->name, sizeof out->name, "%s", properties.name);
  out->major = properties.major;
  out->minor = properties.minor;
  out->has_pools = properties.memoryPoolsSupported;
  if (!out->has_pools) return kSuccess;
  // What was given back stays with the pool: the next allocation asks the system for nothing.
  cudaMemPool_t pool = nullptr;
  const cudaError_t found = cudaDeviceGetDefaultMemPool(&pool, index);
  if (found != cudaSuccess) return done(found);
  uint64_t keep = UINT64_MAX;
  return done(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
}

Code use(int32_t index) { return done(cudaSetDevice(index)); }

Code alloc(void** out_data, uint64_t bytes, void* stream) {
  return done(stream ? cudaMallocAsync(out_data, bytes, stream_of(stream))
                     : cudaMalloc(out_data, bytes));
}
Code free(void* data, void* stream) {
  return done(stream ? cudaFreeAsync(data, stream_of(stream)) : cudaFree(data));
}
Code pinned_alloc(void** out_data, uint64_t bytes) {
  return done(cudaHostAlloc(out_data, bytes, cudaHostAllocPortable | cudaHostAllocMapped));
}
Code pinned_free(void* data) { return done(cudaFreeHost(data)); }

Code copy(void* destination, const void* source, uint64_t bytes, uint32_t direction, void* stream) {
  constexpr cudaMemcpyKind kinds[] = {cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost,
                                      cudaMemcpyDeviceToDevice};
  return done(cudaMemcpyAsync(destination, source, bytes, kinds[direction], stream_of(stream)));
}

Code stream_create(void** out_stream) {
  cudaStream_t stream = nullptr;
  const Code code = done(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  if (code == kSuccess) *out_stream = stream;
  return code;
}
Code stream_release(void* stream) { return done(cudaStreamDestroy(stream_of(stream))); }
Code stream_wait(void* stream) { return done(cudaStreamSynchronize(stream_of(stream))); }

Code event_create(void** out_event) {
  cudaEvent_t event = nullptr;
  const Code code = done(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  if (code == kSuccess) *out_event = event;
  return code;
}
Code event_release(void* event) { return done(cudaEventDestroy(event_of(event))); }
Code event_record(void* event, void* stream) {
  return done(cudaEventRecord(event_of(event), stream_of(stream)));
}
Code event_wait(void* event, void* stream) {
  return done(cudaStreamWaitEvent(stream_of(stream), event_of(event), 0));
}
Code event_query(void* event) { return done(cudaEventQuery(event_of(event))); }

Code launch(const Launching* l) {
  return done(cudaLaunchKernel(l->kernel, dim3(l->grid.x, l->grid.y, l->grid.z),
                               dim3(l->block.x, l->block.y, l->block.z), l->arguments,
                               l->shared_bytes, stream_of(l->stream)));
}

Code capture_begin(void* stream) {
  return done(cudaStreamBeginCapture(stream_of(stream), cudaStreamCaptureModeThreadLocal));
}
Code capture_end(void* stream, void** out_graph) {
  cudaGraph_t graph = nullptr;
  const Code ended = done(cudaStreamEndCapture(stream_of(stream), &graph));
  if (ended != kSuccess) return ended;
  cudaGraphExec_t executable = nullptr;
  const Code made = done(cudaGraphInstantiate(&executable, graph, 0));
  cudaGraphDestroy(graph);
  if (made == kSuccess) *out_graph = executable;
  return made;
}
Code graph_run(void* graph, void* stream) {
  return done(cudaGraphLaunch(static_cast<cudaGraphExec_t>(graph), stream_of(stream)));
}
Code graph_release(void* graph) {
  return done(cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(graph)));
}

// cuBLASLt of the runtime this is compiled with, or the one before: what blas.cc asks of it did not
// change. It is never closed.
void* blas_function(const char* name) {
  static void* const library = [] {
    void* opened = nullptr;
    for (const char* file :
         {"libcublasLt.so.13", "libcublasLt.so.12", "/usr/local/cuda/lib64/libcublasLt.so.13",
          "/usr/local/cuda/lib64/libcublasLt.so.12"}) {
      if (!opened) opened = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    }
    return opened;
  }();
  return library ? dlsym(library, name) : nullptr;
}

const char* name(Code code) { return cudaGetErrorName(static_cast<cudaError_t>(code)); }
const char* text(Code code) { return cudaGetErrorString(static_cast<cudaError_t>(code)); }

}  // namespace

const Driver& driver() {
  static constexpr Driver runtime = {
      .versions = versions,
      .device_count = device_count,
      .facts = facts,
      .use = use,
      .alloc = alloc,
      .free = free,
      .pinned_alloc = pinned_alloc,
      .pinned_free = pinned_free,
      .copy = copy,
      .stream_create = stream_create,
      .stream_release = stream_release,
      .stream_wait = stream_wait,
      .event_create = event_create,
      .event_release = event_release,
      .event_record = event_record,
      .event_wait = event_wait,
      .event_query = event_query,
      .launch = launch,
      .capture_begin = capture_begin,
      .capture_end = capture_end,
      .graph_run = graph_run,
      .graph_release = graph_release,
      .blas_function = blas_function,
      .name = name,
      .text = text,
  };
  return runtime;
}

}  // namespace tenon::cuda
