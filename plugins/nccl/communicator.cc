// SPDX-License-Identifier: Apache-2.0
// plugins/nccl/communicator.cc: devices and communicators, made, waited for and left.
//
// Source: "NCCL Documentation", sections "Creating a communicator with options" and "Error
// handling and communicator abort".
#include "communicator.h"

#include <algorithm>

namespace tenon::nccl {

namespace {

constexpr std::chrono::milliseconds kGrace{1000};     // for one that leaves once its part is done
constexpr std::chrono::milliseconds kPatience{5000};  // for others when a group is left

int chosen_index(const Place& place) {
  int count = 0;
  nccl::check(driver().init(0), "cuInit");
  nccl::check(driver().device_count(&count), "cuDeviceGetCount");
  if (count == 0) {
    throw sdk::Failure{TENON_E_DEVICE, "the CUDA driver sees no device", "device",
                       "at least one device", "0"};
  }
  const bool only = count == 1 || place.size == 1;
  if (!place.device && !place.local_rank && !only) {
    throw sdk::Failure{TENON_E_STATE, "nothing says which of the CUDA devices is this process's",
                       "device",      "LOCAL_RANK in the environment, or that of mpirun or srun",
                       "none",        "give the option device"};
  }
  const int32_t index = place.device.value_or(only ? 0 : place.local_rank.value_or(0));
  if (index < count) return index;
  throw sdk::Failure{TENON_E_DEVICE,
                     "the machine has no such CUDA device",
                     "device",
                     "0 to " + std::to_string(count - 1),
                     std::to_string(index),
                     "start one process for each device, or give the option device"};
}

}  // namespace

Device::Device(const Place& place) : index_(chosen_index(place)) {
  int handle = 0;
  nccl::check(driver().device_get(&handle, index_), "cuDeviceGet");
  nccl::check(driver().context_retain(&context_, handle), "cuDevicePrimaryCtxRetain");
  try {
    use();
    nccl::check(driver().stream_create(&stream_, kStreamNonBlocking), "cuStreamCreate");
  } catch (...) {
    driver().context_release(handle);
    throw;
  }
}

Device::~Device() {
  driver().context_use(context_);
  if (scratch_) driver().free(scratch_);
  driver().stream_destroy(stream_);
  int handle = 0;
  if (driver().device_get(&handle, index_) == kSuccess) driver().context_release(handle);
}

bool Device::has(const void* memory) const {
  unsigned type = 0;
  const auto pointer = reinterpret_cast<DevicePointer>(memory);
  // The driver knows nothing of plain memory of the host.
  if (driver().pointer_get(&type, kMemoryType, pointer) != kSuccess) return false;
  if (type != kMemoryOfDevice) return false;
  int index = 0;
  nccl::check(driver().pointer_get(&index, kDeviceOrdinal, pointer), "cuPointerGetAttribute");
  if (index == index_) return true;
  throw sdk::Failure{TENON_E_DEVICE,
                     "the memory is on another CUDA device than the one this process joined with",
                     "device",
                     "cuda:" + std::to_string(index_),
                     "cuda:" + std::to_string(index),
                     "make tensors on that device, or join with the option device"};
}

char* Device::scratch(size_t bytes) {
  if (bytes > scratch_bytes_) {
    if (scratch_) nccl::check(driver().free(std::exchange(scratch_, 0)), "cuMemFree");
    scratch_bytes_ = 0;
    nccl::check(driver().alloc(&scratch_, bytes), "cuMemAlloc");
    scratch_bytes_ = bytes;
  }
  return reinterpret_cast<char*>(scratch_);
}

// ---- Communicators ------------------------------------------------------------------------------

Communicator::Communicator(const Device& device, const Wires& wires, std::vector<int32_t> ranks,
                           int32_t rank, const UniqueId& id, const Deadline& deadline)
    : device_(device), wires_(wires), ranks_(std::move(ranks)), rank_(rank) {
  device_.use();
  Config config;
  try {
    check(nccl().comm_init(&comm_, size(), id, rank_, &config), "ncclCommInitRankConfig");
    wait(deadline, "ncclCommInitRankConfig");
  } catch (...) {
    if (comm_) nccl().comm_abort(comm_);
    throw;
  }
}

Communicator::~Communicator() {
  try {
    device_.use();
    bool quiet = false;
    if (!failed_) {
      const auto begin = Clock::now();
      Result result = nccl().comm_finalize(comm_);
      while (result == kInProgress && Clock::now() - begin < kPatience) {
        sdk::give_way(begin);
        result = state();
      }
      quiet = result == kSuccess;
    }
    if (quiet) {
      nccl().comm_destroy(comm_);
    } else {
      nccl().comm_abort(comm_);
    }
  } catch (...) {
    // The device itself is lost, and with it all that is on it.
  }
}

UniqueId Communicator::new_id() {
  UniqueId id{};
  const Result result = nccl().get_unique_id(&id);
  if (result == kSuccess) return id;
  throw sdk::Failure{TENON_E_PEER,
                     std::string("ncclGetUniqueId has failed: ") + nccl().get_error_string(result),
                     "ncclGetUniqueId"};
}

Result Communicator::state() {
  Result state = kSuccess;
  const Result asked = nccl().comm_get_async_error(comm_, &state);
  return asked == kSuccess ? state : asked;
}

void Communicator::fail(Result result, const std::string& what) {
  failed_ = true;
  if (result == kRemoteError) {
    if (const auto gone = wires_.gone(others())) Wires::refuse_gone(*gone);
  }
  const char* const last = comm_ ? nccl().get_last_error(comm_) : nullptr;
  const std::string words = nccl().get_error_string(result);
  throw sdk::Failure{
      TENON_E_PEER,
      what + " has failed: " + words + (last && *last ? std::string(": ") + last : ""),
      what,
      "ncclSuccess",
      words,
      "NCCL_DEBUG=WARN in the environment makes NCCL say more"};
}

void Communicator::check(Result result, const char* function) {
  if (result != kSuccess && result != kInProgress) fail(result, function);
}

void Communicator::wait(const Deadline& deadline, const char* what) {
  const auto begin = Clock::now();
  std::optional<Clock::time_point> missed;  // since when somebody is gone
  for (;;) {
    const Result now = state();
    check(now, what);
    if (now == kSuccess) {
      const Code code = driver().stream_query(device_.stream());
      if (code == kSuccess) return;
      failed_ = failed_ || code != kNotReady;
      if (code != kNotReady) nccl::check(code, what);
    }
    if (deadline.over()) {
      failed_ = true;
      deadline.refuse(std::string(what) + " was not done");
    }
    sdk::give_way(begin);
    if (Clock::now() - begin < std::chrono::milliseconds(1)) continue;
    const auto gone = wires_.gone(others());
    if (!gone) continue;
    if (!missed) missed = Clock::now();
    if (Clock::now() - *missed < kGrace) continue;
    failed_ = true;
    Wires::refuse_gone(*gone);
  }
}

std::vector<int32_t> Communicator::others() const {
  std::vector<int32_t> others = ranks_;
  others.erase(others.begin() + rank_);
  return others;
}

}  // namespace tenon::nccl
