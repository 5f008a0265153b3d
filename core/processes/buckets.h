// SPDX-License-Identifier: Apache-2.0
// core/processes/buckets.h: gradients that travel together.
#pragma once

#include <memory>
#include <vector>

#include "core/processes/group.h"

namespace tenon::processes {

// Some parameters' gradients in one piece of memory, and for each how many processes have one; that
// is not there in a bucket whose parts stay with the processes that sum them.
class Bucket {
 public:
  Bucket(std::vector<uint32_t> params, const std::vector<Ref>& all, int64_t processes, bool parted);

  // Before the first gradient of a step.
  void begin(Context& context);
  // The gradient of the parameter at `place` of the list.
  void put(Context& context, size_t place, const Tensor& grad);
  bool full() const { return missing_ == 0; }
  // Leaves, with zeros for what was not put.
  void send(Context& context, Group& group);
  // Waits. The sum of one parameter; empty if no process has put one.
  void wait(Context& context);
  Ref sum(size_t place) const;
  // Ours of a parted bucket [size / processes], after `wait`.
  const Ref& part() const { return part_; }
  void drop();
  const std::vector<uint32_t>& params() const { return params_; }
  bool has(size_t place) const { return put_[place]; }
  // Elements: where a parameter begins, and all, a multiple of the processes.
  int64_t begin_of(size_t place) const { return begins_[place]; }
  int64_t size() const { return size_; }

 private:
  Ref piece(size_t place) const;

  std::vector<uint32_t> params_;
  std::vector<tenon_meta> metas_;
  std::vector<int64_t> begins_;
  int64_t processes_;
  bool parted_;
  int64_t counts_ = 0;  // where the numbers of processes begin
  int64_t size_ = 0;
  Device* device_ = nullptr;
  Ref memory_;
  Ref part_;
  std::vector<bool> put_;
  size_t missing_ = 0;
  std::shared_ptr<Transfer> transfer_;
  Ref summed_;  // numbers of processes, for each parameter, in host memory
};

// `order` of parameters, cut if dtype or device changes, or so many bytes are full.
std::vector<Bucket> make_buckets(const std::vector<Ref>& params, const std::vector<uint32_t>& order,
                                 int64_t bytes, int64_t processes, bool parted = false);

}  // namespace tenon::processes
