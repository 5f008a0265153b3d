// SPDX-License-Identifier: Apache-2.0
// core/processes/buckets.h: gradients that travel together.
#pragma once

#include <memory>
#include <vector>

#include "core/processes/group.h"

namespace tenon::processes {

// What has been given for one parameter in a step: nothing, rows of it alone, or all of it.
enum class Given : uint8_t { Nothing, Rows, Dense };

// Some parameters' gradients in one piece of memory, and for each how many processes have given
// one, and how many have given all of it; that is not there in a bucket whose parts stay with the
// processes that sum them.
class Bucket {
 public:
  Bucket(std::vector<uint32_t> params, const std::vector<Ref>& all, int64_t processes, bool parted);

  // Before the first gradient of a step.
  void begin(Context& context);
  // The gradient of the parameter at `place` of the list; given as rows here, or not.
  void put(Context& context, size_t place, const Tensor& grad, Given given);
  bool full() const { return missing_ == 0; }
  // Leaves, with zeros for what was not put.
  void send(Context& context, Group& group);
  // Waits. The sum of one parameter, and what all processes together have given for it; not of a
  // parted bucket.
  void wait(Context& context);
  Ref sum(size_t place) const { return piece(place); }
  Given given(size_t place) const;
  // Ours of a parted bucket [size / processes], after `wait`.
  const Ref& part() const { return part_; }
  void drop();
  // After a step that was given up: what is under way keeps its memory, others take new one.
  void abandon();
  const std::vector<uint32_t>& params() const { return params_; }
  // What this process has put.
  Given ours(size_t place) const { return put_[place]; }
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
  std::vector<Given> put_;
  size_t missing_ = 0;
  std::shared_ptr<Transfer> transfer_;
  Ref summed_;  // in host memory, for each parameter: how many have given, and how many all of it
};

// `order` of parameters, cut if dtype or device changes, or so many bytes are full.
std::vector<Bucket> make_buckets(const std::vector<Ref>& params, const std::vector<uint32_t>& order,
                                 int64_t bytes, int64_t processes, bool parted = false);

}  // namespace tenon::processes
