// SPDX-License-Identifier: Apache-2.0
// tests/nccl/nccl_support.h: processes that join through tenon.nccl, over the fake NCCL, with the
// emulated GPUs.
#pragma once

#include <tenon/ext/draft/processes.h>

#include <map>

#include "tests/cuda/cuda_support.h"
#include "tests/processes/processes_support.h"

namespace tenon::tests {

using Environment = std::map<std::string, std::string>;

// What a launcher says to one process, and where the fake libraries are. `more` comes last; a
// variable whose value is empty is taken away.
void set_environment(int rank, int n, int port, const Environment& more);
// At which nobody listens on this machine.
int free_port();
// Runs `body` in so many processes, see in_processes().
void in_ranks(int n, const std::function<void(int rank)>& body, const Environment& more = {},
              const std::vector<int>& die = {});

// One process, with two emulated GPUs.
class Member {
 public:
  Member() = default;
  ~Member();
  Member(const Member&) = delete;
  Member& operator=(const Member&) = delete;

  // The first that succeeds is the group.
  tenon_status join(const Named& options = {}, int64_t timeout = 20'000);
  void must_join();
  tenon_status move(uint32_t collective, tenon_tensor* input, tenon_tensor* output,
                    int32_t peer = 0, int64_t timeout = 0);
  Tensor there(const Shape& shape, const std::vector<float>& data) const {
    return session.f32(session.cuda, shape, data);
  }
  std::string text(const char* words) const { return words ? words : ""; }
  // The last failure: all of its words.
  std::string failure() const;

  CudaSession session;
  tenon_group* group = nullptr;
};

}  // namespace tenon::tests
