// SPDX-License-Identifier: Apache-2.0
// backends/onednn/job.h: a primitive over a batch of images, as parts that threads take.
//
// A part is some whole images, the same number in each, and one call of the primitive on one
// thread; parts follow from shapes alone. oneDNN chooses how the operands of a call lie; where that
// is not Tenon's row-major order, they are reordered before and after. What parts share, as
// weights, is reordered once; an output that they share is the sum of theirs, part by part.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "onednn.h"

namespace tenon::onednn {

// Below the kernels of tenon.cpu, which need no layouts of their own: these run where they are
// pinned.
inline constexpr int32_t kJobPriority = -1;

// An engine, and the attributes of a primitive whose scratch memory is given to it.
struct Engine {
  Engine() { attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user); }
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::primitive_attr attributes;
};

// Of f32.
dnnl::memory::desc row_major(const dnnl::memory::dims& sizes);

// How many parts a batch is cut into.
int64_t parts_of(int64_t images);

// An operand of a part.
struct Operand {
  int argument = 0;  // DNNL_ARG_SRC and the like
  bool is_output = false;
  bool is_shared = false;       // by the parts
  dnnl::memory::desc packed;    // in row-major order
  dnnl::memory::desc chosen{};  // by the primitive
};

class Job {
 public:
  using Data = std::array<void*, 4>;  // the operands' in the constructor's order

  Job(dnnl::engine engine, const dnnl::primitive& primitive, const dnnl::memory::desc& scratch,
      int64_t parts, const std::vector<Operand>& operands);

  uint64_t scratch_bytes() const;
  void run(const sdk::Launch& launch, const Data& data) const;

 private:
  struct Place {
    Operand operand;
    dnnl::reorder reorder{};  // none where the operand is used as it lies
    uint64_t part_bytes = 0;  // of a part, in row-major order
    uint64_t copy = 0;        // where it is in the scratch memory of a part, or of all
    bool is_copied() const { return static_cast<bool>(reorder); }
    bool is_summed() const { return operand.is_output && operand.is_shared; }
  };

  void reorder(const Place& place, void* packed, void* chosen) const;
  void run_part(int64_t part, const Data& data, std::byte* scratch) const;
  void add_parts(const sdk::Launch& launch, const Place& place, std::byte* scratch) const;
  std::byte* scratch_of(int64_t part, std::byte* scratch) const;

  dnnl::engine engine_;
  dnnl::primitive primitive_;
  dnnl::memory::desc scratch_;
  int64_t parts_;
  std::vector<Place> places_;
  uint64_t shared_bytes_ = 0;
  uint64_t part_bytes_ = 0;
  uint64_t primitive_scratch_ = 0;  // its place in the scratch memory of a part
};

// Calls oneDNN on this thread alone; its failures become Tenon's.
void in_onednn(const std::function<void()>& body);

// A kernel whose Op::job(args) makes the job, of which Op::data(launch) are the operands.
template <class Op>
tenon_status prepare_job(tenon_call* call, const tenon_launch* args, void** out_prepared) {
  return sdk::guarded(call, [&] { in_onednn([&] { *out_prepared = Op::job(sdk::Args(args)); }); });
}
void release_job(void* user, void* job);
uint64_t job_workspace(const sdk::Args& args);
template <class Op>
void launch_job(const sdk::Launch& launch) {
  static_cast<const Job*>(launch.launch().prepared)->run(launch, Op::data(launch));
}

inline constexpr tenon_dtype kJobTypes[] = {TENON_DTYPE_F32};

template <class Op>
constexpr tenon_kernel_desc job_kernel(std::string_view op, std::span<const tenon_slot_rule> slots,
                                       uint32_t n_attrs,
                                       decltype(tenon_kernel_desc::predicate) predicate) {
  return sdk::kernel({.op = op,
                      .device = kDevice,
                      .slots = slots,
                      .rows = kJobTypes,
                      .n_attrs = n_attrs,
                      .flags = TENON_KERNEL_CAPTURE_SAFE,
                      .priority = kJobPriority,
                      .launch = sdk::launch_fn<launch_job<Op>>,
                      .workspace = sdk::workspace_fn<job_workspace>,
                      .predicate = predicate,
                      .prepare = prepare_job<Op>,
                      .release_prepared = release_job});
}

}  // namespace tenon::onednn
