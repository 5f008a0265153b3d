// SPDX-License-Identifier: Apache-2.0
// plugins/nccl/communicator.h: one communicator of NCCL's, which never blocks, and the CUDA device
// that its processes' memory is on.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "library.h"
#include "wires.h"

namespace tenon::nccl {

// The CUDA device of this process, a stream on it and memory for what lies on the host.
class Device {
 public:
  // Throws TENON_E_DEVICE if the machine has no such device.
  explicit Device(const Place& place);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  // Of the calling thread, until somebody else chooses another.
  void use() const { check(driver().context_use(context_), "cuCtxSetCurrent"); }
  // Whether memory is this device's; false: the host's. Throws TENON_E_DEVICE for another device's.
  bool has(const void* memory) const;
  // At least so much memory, the same until more is asked for. Nothing may be under way then.
  char* scratch(size_t bytes);
  Stream stream() const { return stream_; }

 private:
  int index_ = 0;
  CudaContext context_ = nullptr;
  Stream stream_ = nullptr;
  DevicePointer scratch_ = 0;
  size_t scratch_bytes_ = 0;
};

class Communicator {
 public:
  // ranks  of the processes among all, in their order; `rank` is ours in this communicator
  Communicator(const Device& device, const Wires& wires, std::vector<int32_t> ranks, int32_t rank,
               const UniqueId& id, const Deadline& deadline);
  // Waits for a short while for others to be done with what they have begun.
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  static UniqueId new_id();

  // What a call of NCCL's has returned: throws TENON_E_PEER for a failure.
  void check(Result result, const char* function);
  // Waits for what is in the device's stream. Throws TENON_E_TIMEOUT, or TENON_E_PEER if NCCL says
  // that something has failed or if a process is gone.
  void wait(const Deadline& deadline, const char* what);

  operator Comm() const { return comm_; }
  const std::vector<int32_t>& ranks() const { return ranks_; }
  int32_t rank() const { return rank_; }
  int32_t size() const { return static_cast<int32_t>(ranks_.size()); }

 private:
  Result state();
  std::vector<int32_t> others() const;  // ranks among all
  [[noreturn]] void fail(Result result, const std::string& what);

  const Device& device_;
  const Wires& wires_;
  const std::vector<int32_t> ranks_;
  const int32_t rank_;
  Comm comm_ = nullptr;
  bool failed_ = false;  // what is under way may never end
};

}  // namespace tenon::nccl
