// SPDX-License-Identifier: Apache-2.0
// tests/nccl/fake/driver.cc: what tenon.nccl calls of the CUDA driver, for the devices of the
// emulated CUDA of tests/cuda, whose memory is the host's.
#include <cstdlib>
#include <cstring>
#include <map>
#include <vector>

#include "plugins/nccl/vendor.h"
#include "streams.h"
#include "tests/cuda/emulator/state.h"

namespace tenon::tests::fake {

using namespace tenon::nccl;

namespace {

constexpr Code kInvalidValue = 1;
constexpr Code kInvalidContext = 201;

std::mutex mutex;
std::map<char*, size_t> allocated;
thread_local CudaContext chosen = nullptr;

bool is_allocated(const void* data, size_t bytes) {
  const std::lock_guard lock(mutex);
  auto* const begin = static_cast<char*>(const_cast<void*>(data));
  auto found = allocated.upper_bound(begin);
  if (found == allocated.begin()) return false;
  --found;
  return begin + bytes <= found->first + found->second;
}

cuda::emulated::Block* emulated_block(const void* data, size_t bytes) {
  return cuda::emulated::state().find_block(data, bytes);
}

}  // namespace

Stream::Stream() : thread_([this] { work(); }) {}

Stream::~Stream() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Stream::put(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(work));
  }
  changed_.notify_one();
}

bool Stream::is_idle() {
  const std::lock_guard lock(mutex_);
  return waiting_.empty();
}

void Stream::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return ends_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const std::function<void()> work = waiting_.front();
    lock.unlock();
    work();
    lock.lock();
    waiting_.pop_front();
  }
}

bool is_device_memory(const void* data, size_t bytes) {
  if (is_allocated(data, bytes)) return true;
  const std::lock_guard lock(cuda::emulated::state().mutex);
  const auto* const block = emulated_block(data, bytes);
  return block && !block->pinned;
}

bool has_context() { return chosen != nullptr; }

bool fault(std::string_view name) {
  const char* const wanted = std::getenv("TEST_NCCL_FAULT");
  return wanted && wanted == name;
}

}  // namespace tenon::tests::fake

using namespace tenon::nccl;
using namespace tenon::tests;

extern "C" {

Code cuInit(unsigned) { return kSuccess; }

Code cuDeviceGetCount(int* count) {
  *count = fake::fault("no_device") ? 0 : tenon::cuda::emulated::kDevices;
  return kSuccess;
}

Code cuDeviceGet(int* handle, int index) {
  *handle = index;
  return kSuccess;
}

Code cuDevicePrimaryCtxRetain(CudaContext* context, int handle) {
  static char contexts[tenon::cuda::emulated::kDevices];
  *context = reinterpret_cast<CudaContext>(&contexts[handle]);
  return kSuccess;
}
Code cuDevicePrimaryCtxRelease_v2(int) { return kSuccess; }
Code cuCtxSetCurrent(CudaContext context) {
  fake::chosen = context;
  return kSuccess;
}

Code cuPointerGetAttribute(void* out, int what, DevicePointer pointer) {
  auto& state = tenon::cuda::emulated::state();
  const std::lock_guard lock(state.mutex);
  const auto* const block = fake::emulated_block(reinterpret_cast<void*>(pointer), 1);
  if (!block) return fake::kInvalidValue;
  const int type = block->pinned ? 1 : static_cast<int>(kMemoryOfDevice);
  *static_cast<int*>(out) = what == kMemoryType ? type : block->device;
  return kSuccess;
}

Code cuStreamCreate(Stream* stream, unsigned flags) {
  if (!fake::has_context()) return fake::kInvalidContext;
  if (flags != kStreamNonBlocking) return fake::kInvalidValue;
  *stream = reinterpret_cast<Stream>(new fake::Stream);
  return kSuccess;
}
Code cuStreamDestroy_v2(Stream stream) {
  delete reinterpret_cast<fake::Stream*>(stream);
  return kSuccess;
}
Code cuStreamQuery(Stream stream) {
  if (fake::fault("device_fails")) return 719;
  return reinterpret_cast<fake::Stream*>(stream)->is_idle() ? kSuccess : kNotReady;
}

Code cuMemAlloc_v2(DevicePointer* pointer, size_t bytes) {
  if (!fake::has_context()) return fake::kInvalidContext;
  auto* const memory = static_cast<char*>(std::malloc(bytes));
  const std::lock_guard lock(fake::mutex);
  fake::allocated[memory] = bytes;
  *pointer = reinterpret_cast<DevicePointer>(memory);
  return kSuccess;
}
Code cuMemFree_v2(DevicePointer pointer) {
  auto* const memory = reinterpret_cast<char*>(pointer);
  const std::lock_guard lock(fake::mutex);
  if (fake::allocated.erase(memory) == 0) return fake::kInvalidValue;
  std::free(memory);
  return kSuccess;
}

// Plain memory of the host is read before the call returns, and written before it does.
Code cuMemcpyHtoDAsync_v2(DevicePointer to, const void* from, size_t bytes, Stream stream) {
  auto* const memory = reinterpret_cast<char*>(to);
  if (!fake::has_context()) return fake::kInvalidContext;
  if (!fake::is_device_memory(memory, bytes)) return fake::kInvalidValue;
  const auto* const first = static_cast<const char*>(from);
  std::vector<char> copy(first, first + bytes);
  reinterpret_cast<fake::Stream*>(stream)->put(
      [=, copy = std::move(copy)] { std::memcpy(memory, copy.data(), copy.size()); });
  return kSuccess;
}
Code cuMemcpyDtoHAsync_v2(void* to, DevicePointer from, size_t bytes, Stream stream) {
  const auto* const memory = reinterpret_cast<const char*>(from);
  if (!fake::has_context()) return fake::kInvalidContext;
  if (!fake::is_device_memory(memory, bytes)) return fake::kInvalidValue;
  auto* const on = reinterpret_cast<fake::Stream*>(stream);
  on->put([=] { std::memcpy(to, memory, bytes); });
  while (!on->is_idle()) std::this_thread::yield();
  return kSuccess;
}

Code cuGetErrorName(Code code, const char** name) {
  *name = code == 719 ? "CUDA_ERROR_LAUNCH_FAILED" : "CUDA_ERROR_UNKNOWN";
  return kSuccess;
}

}  // extern "C"
