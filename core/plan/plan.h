// SPDX-License-Identifier: Apache-2.0
// core/plan/plan.h: a captured step: the resolved launches of a whole step, replayed in order.
//
// Every storage a launch touches is held by the plan, so addresses stay good; nothing is freed and
// reused inside. Random launches read their counter relative to a word the plan advances.
#pragma once

#include <tenon/plugin.h>

#include <list>
#include <memory>
#include <string>
#include <vector>

#include "core/api/context.h"
#include "core/dispatch/launch.h"
#include "core/dispatch/values.h"
#include "core/plan/frozen.h"
#include "core/plan/gradients.h"
#include "core/plan/graph.h"

namespace tenon::plan {

using tensor::Storage;

// One resolved launch; views, dims and attributes live here. Not movable.
struct Launch {
  [[gnu::cold]] Launch(const registry::Op& what, const registry::Kernel& with, Device& on,
                       const dispatch::Block& block);
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;

  const registry::Op* op;
  const registry::Kernel* kernel;
  Device* device;
  dispatch::ValueStore attrs;
  std::vector<int64_t> dims;
  std::vector<tenon_view> views;
  std::vector<uint32_t> slot_begin;
  std::vector<uint64_t> scalars;  // host scalars the views point to
  std::shared_ptr<const dispatch::Prepared> prepared;
  uint64_t scratch_bytes = 0;
  bool random = false;
  tenon_rng rng{};  // offset relative to the plan's start
  const std::string* scope = nullptr;
  tenon_launch launch{};
};

// The addresses a view touches, as numbers. A device with memory of its own counts them apart.
struct Range {
  const Device* memory = nullptr;  // NULL: the host's
  intptr_t begin = 0;
  intptr_t end = 0;  // begin where nothing is touched
  bool meets(const Range& other) const {
    return memory == other.memory && begin < other.end && other.begin < end && begin != end &&
           other.begin != other.end;
  }
};

Range range_of(const Device& device, const tenon_view& view);
inline Range range_of(const Tensor& tensor) { return range_of(tensor.device(), tensor.view); }

// Throws Error{TENON_E_ALIAS}; `what` it shares memory with.
[[noreturn, gnu::cold]] void refuse_shared(size_t index, const std::string& what,
                                           const Tensor& tensor);

// Throws Error{TENON_E_CAPTURE}: the leaf's gradient, which the step reads, is held as rows.
[[noreturn, gnu::cold]] void refuse_rows(const Tensor& leaf);

struct Plan {
  explicit Plan(Runtime& owner);
  [[gnu::cold]] ~Plan();
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

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
  std::vector<Storage*> storages;                                 // held
  std::vector<std::pair<Storage*, const registry::Op*>> written;  // each once, with its last writer
  std::vector<Range> writes;  // by launches, but for what inputs stand for
  // What launches have taken over as numbers, as it was then.
  struct Taken {
    std::shared_ptr<const Frozen> source;
    uint64_t changes = 0;
    Frozen::Values values;
  };
  std::vector<Taken> taken;
  std::vector<LeafState> leaves;
  uint64_t counters = 0;  // random counters one run consumes
  struct DeviceState {
    Device* device = nullptr;
    memory::Block scratch{};
    memory::Block counter{};  // the word device_base points to, on devices of other memory
  };
  std::vector<DeviceState> devices;
  uint64_t host_counter = 0;
  uint64_t runs = 0;  // begun so far
  std::atomic<bool> running{false};
  uint64_t epoch = 0;  // of the registry, when the launches were last seen to be runnable

 private:
  void check_plugins();
  void check_taken();
  [[gnu::cold]] void check_inputs_apart();
  autograd::Link* link_of(const LeafState& state) const;
  void begin_leaves(Context& context);
  void end_leaves(Context& context);
  void run_launch(Context& context, Launch& launch, uint64_t position);
  void run_launches(Context& context);
  bool run_as_graph(Context& context);
  std::unique_ptr<Graph> graph_;  // where one device that records has all launches
  bool looked_for_graph_ = false;
  bool inputs_checked_ = true;  // for memory that two of them share
  DeviceState& state_of(Device& device);
  friend class Recorder;
};

// Collects launches between capture begin and end.
class Recorder {
 public:
  [[gnu::cold]] Recorder(Context& context, std::vector<Ref> inputs);
  // Refuses kernels that cannot be replayed, before they run; the capture then fails as a whole.
  [[gnu::cold]] void admit(const registry::Op& op, const registry::Kernel& kernel);
  [[gnu::cold]] void add(const registry::Op& op, const registry::Kernel& kernel, Device& device,
                         const dispatch::Block& block,
                         std::shared_ptr<const dispatch::Prepared> prepared, uint64_t scratch_bytes,
                         const tenon_rng* rng, const std::string* scope);
  // Launches of the step use these numbers: a plan whose numbers change later is stale.
  [[gnu::cold]] void depend_on(const std::shared_ptr<const Frozen>& source);
  // What the step does to a leaf's gradient; good until it is called for another leaf. Throws where
  // the gradient is an input, too.
  [[gnu::cold]] LeafState& leaf(Tensor& leaf);
  // A gradient held as rows becomes a dense one, which a replay can add to.
  [[gnu::cold]] void expect_dense(Context& context, Tensor& leaf);
  // Where rows are the first thing that a leaf gets: a run begins with zeros, or what is there.
  [[gnu::cold]] Ref zeros_of(Context& context, const Tensor& leaf) const;
  // The leaf's gradient has been made by what was launched so far.
  [[gnu::cold]] void made(LeafState& state) noexcept;
  // Does the plan hold one of the storage's references?
  bool holds(const Storage& storage) const;
  // What `finish` needs memory for. May be called again after it has failed.
  [[gnu::cold]] void settle(Context& context);
  // The finished plan; throws what made the capture fail.
  std::unique_ptr<Plan> finish(Context& context);

 private:
  [[gnu::cold]] void hold(Storage& storage);
  [[gnu::cold]] void bind_inputs(Launch& launch, const dispatch::Block& block);
  bool is_exchanged(const Launch& launch, size_t view) const;
  [[gnu::cold]] void accumulate(Context& context, LeafState& state);
  [[gnu::cold]] void settle_leaves(Context& context);
  std::unique_ptr<Plan> plan_;
  uint64_t start_counter_;
  std::unique_ptr<Error> failure_;
};

struct PlanSlot : memory::SlotHeader {
  Plan* plan = nullptr;
};
using PlanSlab = memory::Slab<PlanSlot, kPlanKind>;

}  // namespace tenon::plan
