// SPDX-License-Identifier: Apache-2.0
// core/plan/plan.h: a captured step: the resolved launches of a whole step, replayed in order.
//
// Temporaries lie in an arena of the plan's; every other storage that a launch touches is held by
// it, so addresses stay good. Random launches read their counter relative to a word the plan
// advances.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/plan/frozen.h"
#include "core/plan/graph.h"
#include "core/plan/temporaries.h"
#include "core/runtime/context.h"
#include "core/tape/graph.h"

namespace tenon::plan {

using tensor::Ref;
using tensor::Tensor;

// The addresses a view touches. A device with memory of its own counts them apart.
struct Range : tensor::Addresses {
  const Device* memory = nullptr;  // NULL: the host's
  bool meets(const Range& other) const { return memory == other.memory && meet(other); }
};

Range range_of(const Device& device, const tenon_view& view);
inline Range range_of(const Tensor& tensor) { return range_of(device_of(tensor), tensor.view); }

// Throws Error{TENON_E_ALIAS}; `what` it shares memory with.
[[noreturn, gnu::cold]] void refuse_shared(size_t index, const std::string& what,
                                           const Tensor& tensor);

// What a captured step does to the gradients of leaves. They are state between steps, not results:
// a run finds them as an eager step would, and leaves them so. One leaf's gradient from the first
// time that the step needs or changes it. Plain assignments, so that they may follow what can fail.
struct LeafState {
  static constexpr size_t kNoInput = SIZE_MAX;

  Ref leaf;
  size_t input = kNoInput;  // a leaf that is this input: a run means what is bound to it then
  bool met = false;
  bool replaced = false;  // given up or set before anything needed it
  bool adds = false;      // the first thing is an addition, for which none is as good as zeros
  bool rows = false;      // that addition is one of rows alone
  Ref begin;  // where launches look for what is there when a run begins; or there is none
  Ref end;    // what is there when it ends
  Ref given;  // a copy of it, which the capture has left to a leaf that is an input
  // While it is captured: the gradient that was made because there was none, by the launches up to
  // this one.
  Ref made;
  Launches::iterator maker;

  void needs(const tape::Link& link, bool to_add) noexcept {
    if (met) return;
    met = true;
    adds = to_add;
    begin = link.grad.dense;
  }
  void adds_rows_to(const Ref& sum) noexcept {
    rows = true;
    begin = sum;
  }
  void replaces() noexcept {
    replaced = replaced || !met;
    met = true;
  }
  void makes(const tape::Link& link, Launches::iterator last) noexcept {
    if (begin || replaced || made || !adds) return;
    made = link.grad.dense;
    maker = last;
  }
};

// The one number that changes no sum, not even the sign of a zero. Rows are added to zeros, eagerly
// too, and what they leave out is one.
inline tenon_value nothing_to_add(bool rows) { return registry::float_value(rows ? 0.0 : -0.0); }

// A leaf that a captured step has used: what it hangs on beside its values.
struct LeafUse {
  Ref leaf;
  size_t input = LeafState::kNoInput;
  bool looked = false;  // at whether it requires a gradient, and
  bool wanted = false;  // it did when the capture ended
  bool led = false;     // a backward leads to it
};

// What every run of a plan is a part of.
class Bracket : NoCopy {
 public:
  virtual ~Bracket() = default;
  virtual void begin(Context& context) = 0;  // if it throws, nothing has run
  virtual void end(Context& context, bool failed) noexcept = 0;
};

struct Plan : NoCopy {
  explicit Plan(Context& context);
  [[gnu::cold]] ~Plan();

  void run(Context& context);
  [[gnu::cold]] void set(uint32_t index, Tensor& tensor);
  [[gnu::cold]] std::string text() const;

  struct Patch {
    Launch* launch;
    size_t view;
    int64_t byte_offset;  // from the input's first element
  };
  struct Input {
    Ref tensor;  // what is bound now
    tenon_meta meta{};
    tensor::Dims strides{};
    void* data = nullptr;
    std::vector<Patch> patches;
    bool written = false;
  };

  Runtime* runtime;
  Launches launches;
  std::vector<Input> inputs;
  std::unique_ptr<Temporaries> temporaries;
  std::vector<Storage*> storages;                                 // held
  std::vector<std::pair<Storage*, const registry::Op*>> written;  // each once, with its last writer
  std::vector<Range> writes;  // by launches, except for temporaries and what inputs stand for
  // What launches have taken over as numbers, as it was then.
  struct Taken {
    std::shared_ptr<const Frozen> source;
    uint64_t changes = 0;
    Frozen::Values values;
  };
  std::vector<Taken> taken;
  std::vector<std::shared_ptr<Bracket>> brackets;
  std::vector<LeafState> leaves;
  std::vector<LeafUse> uses;  // those of inputs first
  size_t n_input_uses = 0;
  uint64_t changes = 0;   // of the runtime, when everything was as this plan takes it
  uint64_t counters = 0;  // random counters one run consumes
  // What decided which kernels there are: pinned plugins of the ops called, "" for none; policies.
  std::vector<std::pair<const registry::Op*, std::string>> pins;
  uint32_t arithmetic = TENON_ARITHMETIC_CANONICAL;
  // The context's, where the step has used it.
  const Device* default_device = nullptr;
  struct DeviceState {
    Device* device = nullptr;
    memory::Block counter{};  // the word device_base points to, on devices of other memory
  };
  std::vector<DeviceState> devices;
  uint64_t host_counter = 0;
  uint64_t runs = 0;  // begun so far
  std::atomic<bool> running{false};
  uint64_t epoch = 0;  // of the registry, when the launches were last seen to be runnable

 private:
  // Throws if something is not as it was, before anything has run.
  void check_current(Context& context) {
    if (runtime->registry.epoch() != epoch) check_registry();
    if (runtime->changes.load(std::memory_order_acquire) != changes) check_changes();
    if (context.arithmetic != arithmetic) check_arithmetic(context);
    if (default_device) check_default_device(context);
    if (!inputs_checked_) check_inputs();
  }
  [[gnu::cold]] void check_registry();
  [[gnu::cold]] void check_changes();
  [[gnu::cold]] void check_arithmetic(const Context& context) const;
  [[gnu::cold]] void check_default_device(Context& context) const;
  [[gnu::cold]] void check_inputs();
  void check_taken();
  void check_moves() const;
  void check_uses(size_t count) const;  // of the first so many
  tape::Link* link_of(const LeafState& state) const;
  void run_whole(Context& context);
  void run_in(Context& context, size_t bracket);
  void begin_leaves(Context& context);
  void end_leaves(Context& context);
  [[gnu::cold]] void run_compared(Context& context);  // throws Error{TENON_E_CHECK}
  void run_launch(Context& context, Launch& launch, uint64_t position);
  void run_launches(Context& context);
  void run_watched(Context& context);
  void run_image(Context& context);
  [[gnu::cold]] void make_image();
  bool run_as_graph(Context& context);
  // What a replay needs of a launch, in order.
  struct Step {
    tenon_status (*run)(tenon_call* call, const tenon_launch* launch);
    const tenon_launch* arguments;
    registry::Plugin* plugin;
    const registry::Op* op;
    Device* device;
    const Launch* launch;
  };
  std::vector<Step> image_;       // made by the first run that nothing watches
  std::unique_ptr<Graph> graph_;  // if one device that records has all launches
  bool looked_for_graph_ = false;
  bool inputs_checked_ = true;  // since one of them was exchanged
  DeviceState& state_of(Device& device);
  friend class Recorder;
};

struct PlanSlot : base::SlotHeader {
  Plan* plan = nullptr;
};
using PlanSlab = base::Slab<PlanSlot, kPlanKind>;

}  // namespace tenon::plan
