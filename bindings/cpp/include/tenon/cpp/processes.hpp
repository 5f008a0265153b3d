// SPDX-License-Identifier: Apache-2.0
// tenon/cpp/processes.hpp: groups of processes, what they send each other, and training steps that
// they share.
//
//   const processes::Group world = processes::join("tenon.mpi");
//   processes::DataParallel parallel(model, {.group = world, .shards = 8});
//   for (const auto& [images, labels] : loader.batches<2>()) {
//     for (processes::Shard& shard : parallel.shards()) {
//       shard.backward(cross_entropy(model(shard.part(images)), shard.part(labels)));
//     }
//     adam.step();
//   }
//
// With "tenon.self" it runs in one process, and gives the same bits. The ops of a group take its
// number: all_reduce(x, {.group = world.number()}).
#ifndef TENON_CPP_PROCESSES_HPP
#define TENON_CPP_PROCESSES_HPP

#include <tenon/ext/draft/data_parallel.h>
#include <tenon/ext/draft/processes.h>
#include <tenon/cpp/index.hpp>
#include <tenon/cpp/optimizer.hpp>

#include <chrono>
#include <iterator>

namespace tenon::processes {

// How long joining and each transfer may take; zero: ten minutes, or what the group has.
using Timeout = std::chrono::milliseconds;

// ---- Transfers ----------------------------------------------------------------------------------

enum class Collective : std::uint32_t {
  send = TENON_COLLECTIVE_SEND,
  receive = TENON_COLLECTIVE_RECEIVE,
  broadcast = TENON_COLLECTIVE_BROADCAST,
  all_gather = TENON_COLLECTIVE_ALL_GATHER,
  all_to_all = TENON_COLLECTIVE_ALL_TO_ALL,
  reduce_scatter = TENON_COLLECTIVE_REDUCE_SCATTER,
  all_reduce = TENON_COLLECTIVE_ALL_REDUCE,
  barrier = TENON_COLLECTIVE_BARRIER,
};

// One transfer of this process. The shapes are in tenon/ext/draft/processes.h.
struct Request {
  Collective collective;
  Tensor input = {};      // what is sent; none for receive, barrier, and broadcast but at `peer`
  Tensor output = {};     // where it arrives; none for send and barrier
  std::int32_t peer = 0;  // the partner of send and receive; whose data a broadcast is
};

// Something that is on its way. Until it has ended its inputs may not be written, and its outputs
// neither written nor read; it goes on without this object, too. Moved, not copied.
class Transfer {
 public:
  // Waits. Throws what went wrong, again each time it is called.
  void end() const {
    detail::State& state = detail::state();
    state.check(tenon_transfer_end(state.handle, owned_.get()));
  }
  // Whether it has ended, well or not.
  bool ended() const {
    detail::State& state = detail::state();
    std::uint32_t ended = 0;
    state.check(tenon_transfer_get_ended(state.handle, owned_.get(), &ended));
    return ended != 0;
  }
  tenon_transfer* handle() const { return owned_.get(); }

 private:
  friend class Group;
  explicit Transfer(tenon_transfer* made) : owned_(made) {}

  detail::Owned<tenon_transfer, tenon_transfer_release> owned_;
};

// ---- Groups -------------------------------------------------------------------------------------

// Processes that send each other tensors; `join` makes the group of all. A copy is another owner of
// the same group, which this process leaves with the last one.
class Group {
 public:
  std::int32_t rank() const { return rank_; }  // of this process, 0 to size() - 1
  std::int32_t size() const { return size_; }
  std::int64_t number() const { return number_; }  // for ops

  // What was sent so far.
  tenon_group_info info() const {
    detail::State& state = detail::state();
    tenon_group_info info{};
    info.struct_size = sizeof info;
    state.check(tenon_group_get_info(state.handle, shared_.get(), &info));
    return info;
  }
  // The group of all processes that give the same color, in the order of their keys, then of their
  // ranks. All processes of this group call it.
  Group split(std::int32_t color, std::int32_t key = 0) const {
    detail::State& state = detail::state();
    tenon_group* made = nullptr;
    state.check(tenon_group_split(state.handle, shared_.get(), color, key, &made));
    return Group(made);
  }
  // Begins a transfer and returns at once. No gradients flow through it; those of ops do.
  [[nodiscard]] Transfer begin(const Request& request, Timeout timeout = {}) const {
    return begin_these(std::span(&request, 1), timeout);
  }
  // The same for several, send and receive alone, which go on side by side.
  [[nodiscard]] Transfer begin_all(const std::vector<Request>& requests,
                                   Timeout timeout = {}) const {
    return begin_these(requests, timeout);
  }
  // Returns when all processes have come.
  void barrier(Timeout timeout = {}) const { begin({Collective::barrier}, timeout).end(); }
  tenon_group* handle() const { return shared_.get(); }

 private:
  friend Group join(std::string_view engine, const Options& options, Timeout timeout);

  explicit Group(tenon_group* made) : shared_(made, tenon_group_release) {
    const tenon_group_info found = info();
    rank_ = found.rank;
    size_ = found.size;
    number_ = found.number;
  }
  Transfer begin_these(std::span<const Request> requests, Timeout timeout) const {
    std::vector<tenon_transfer_request> given;
    std::vector<const tenon_transfer_request*> listed;
    given.reserve(requests.size());
    for (const Request& each : requests) {
      given.push_back({sizeof(tenon_transfer_request), 0,
                       static_cast<std::uint32_t>(each.collective), each.peer, each.input.handle(),
                       each.output.handle()});
      listed.push_back(&given.back());
    }
    detail::State& state = detail::state();
    tenon_transfer* made = nullptr;
    state.check(tenon_group_begin(state.handle, shared_.get(), listed.data(),
                                  static_cast<std::uint32_t>(listed.size()), timeout.count(),
                                  &made));
    return Transfer(made);
  }

  std::shared_ptr<tenon_group> shared_;
  std::int64_t number_ = 0;
  std::int32_t rank_ = 0;
  std::int32_t size_ = 0;
};

// All processes of the program, when they have joined.
// engine   the name of a registered one: "tenon.mpi", "tenon.nccl", or "tenon.self" for this
//          process alone
inline Group join(std::string_view engine, const Options& options = {}, Timeout timeout = {}) {
  detail::State& state = detail::state();
  const detail::OptionLists lists(options);
  tenon_group* made = nullptr;
  state.check(tenon_group_create(state.handle, engine.data(), engine.size(), lists.names.data(),
                                 lists.values.data(), lists.n, timeout.count(), &made));
  return Group(made);
}

// ---- Steps --------------------------------------------------------------------------------------

struct DataParallelOptions {
  std::optional<Group> group = {};  // none: this process alone
  // Of a batch, by all processes; 0: one for each process. The same number gives the same bits with
  // 1, 2, 4 and 8 processes.
  std::int64_t shards = 0;
  std::int64_t bucket_bytes = 0;  // of gradients that travel together; 0: 1 MiB
  // Such as running statistics, averaged over shards after each step. A layer's own are meant if
  // it is given a layer.
  std::vector<Tensor> buffers = {};
};

class Step;

// One shard of a step, while it is computed.
class Shard {
 public:
  Shard(const Shard&) = delete;
  Shard& operator=(const Shard&) = delete;

  std::int64_t number() const { return first_ + place_; }  // among all shards of the batch

  // Its rows of a batch [n, ...] that all processes read whole.
  // errors   TENON_E_SHAPE (n is no multiple of the number of shards)
  Tensor part(const Tensor& batch) const {
    const std::int64_t rows = batch.shape(0);
    if (rows % of_ != 0) {
      detail::refuse(TENON_E_SHAPE, "Shard::part", "batch",
                     "a multiple of " + std::to_string(of_) + " rows, a part for each shard",
                     std::to_string(rows) + " rows");
    }
    const std::int64_t size = rows / of_;
    return batch(Slice{.start = number() * size, .stop = (number() + 1) * size});
  }
  // Ends the shard: the backward of its loss, the mean over its samples. After the last shard of
  // this process the parameters have the gradients of all processes.
  void backward(const Tensor& loss);

 private:
  friend class Step;
  Shard(Step& step, const tenon_data_parallel_info& info)
      : step_(step), first_(info.first_shard), of_(info.shards) {}

  Step& step_;
  std::int64_t first_;
  std::int64_t of_;
  std::int64_t place_ = 0;  // among those of this process
};

// One step: the shards of this process, one after the other, in one `for`. It is given up at the
// end of its scope if it has begun and not ended: after an exception, `break` or `return`.
class [[nodiscard]] Step {
 public:
  class Iterator {
   public:
    explicit Iterator(Step* step) : step_(step) {}
    Shard& operator*() const { return step_->shard_; }
    Iterator& operator++() {
      step_->next();
      return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const Iterator& place, std::default_sentinel_t) { return place.over(); }

   private:
    bool over() const { return step_->over(); }

    Step* step_;
  };

  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;
  ~Step() { give_up(); }

  Iterator begin() {
    shard_.place_ = 0;
    begin_shard();
    return Iterator(this);
  }
  std::default_sentinel_t end() const { return {}; }

 private:
  friend class DataParallel;
  friend class Shard;
  Step(tenon_data_parallel* parallel, const tenon_data_parallel_info& info)
      : state_(detail::state().shared_from_this()),
        parallel_(parallel),
        n_shards_(info.n_shards),
        shard_(*this, info) {}

  bool over() const { return shard_.place_ == n_shards_; }
  void next() {
    if (open_) {
      detail::refuse(TENON_E_STATE, "DataParallel::shards", "shard",
                     "shard.backward(loss) before the next shard",
                     "none for shard " + std::to_string(shard_.number()));
    }
    ++shard_.place_;
    if (!over()) begin_shard();
  }
  void begin_shard() {
    check(tenon_data_parallel_begin(state_->handle, parallel_, shard_.place_));
    begun_ = open_ = true;
  }
  void end_shard(const Tensor& loss) {
    check(tenon_data_parallel_end(state_->handle, parallel_, loss.handle()));
    open_ = false;
    begun_ = shard_.place_ + 1 != n_shards_;
  }
  // At once, not at the end of the scope, where another step may have begun.
  void check(tenon_status status) {
    try {
      state_->check(status);
    } catch (...) {
      give_up();
      throw;
    }
  }
  void give_up() noexcept {
    if (begun_) tenon_data_parallel_give_up(state_->handle, parallel_);
    begun_ = false;
  }

  std::shared_ptr<detail::State> state_;  // whose random numbers are the shard's
  tenon_data_parallel* parallel_;
  std::int64_t n_shards_;
  Shard shard_;
  bool begun_ = false;  // and not ended: by this object, not by another one
  bool open_ = false;   // a shard has begun, and not ended
};

inline void Shard::backward(const Tensor& loss) { step_.end_shard(loss); }

// Training steps whose batch is cut into shards, which the processes of a group share. All of them
// make it, with the same options; parameters and buffers get the values that rank 0 has. Holds
// group, parameters and buffers. Moved, not copied.
class DataParallel {
 public:
  // Leaves that require gradients.
  explicit DataParallel(const Tensors& parameters, const DataParallelOptions& options = {}) {
    for (std::uint32_t i = 0; i < parameters.size(); ++i) {
      parameters_.push_back(Tensor::share(parameters.data()[i]));
    }
    make(options, [&](tenon_context* context, tenon_group* group,
                      const tenon_data_parallel_options* given, tenon_data_parallel** out) {
      return tenon_data_parallel_create(context, group, parameters.data(), parameters.size(), given,
                                        out);
    });
  }
  explicit DataParallel(std::initializer_list<detail::Borrowed> parameters,
                        const DataParallelOptions& options = {})
      : DataParallel(Tensors(parameters), options) {}
  // The parameters of a layer that require gradients, and its buffers.
  explicit DataParallel(const Layer& layer, const DataParallelOptions& options = {}) {
    for (Tensor& each : layer.parameters()) {
      if (each.requires_grad()) parameters_.push_back(std::move(each));
    }
    make(options, [&](tenon_context* context, tenon_group* group,
                      const tenon_data_parallel_options* given, tenon_data_parallel** out) {
      return tenon_data_parallel_create_for_layer(context, group, layer.handle(), given, out);
    });
  }

  // The shards of this process for one step, in order: end each by `shard.backward(loss)`. Drops
  // the gradients of the step before.
  //
  // A step that is left before its end, by an exception or `break`, is given up: random numbers,
  // buffers and `step()` are as before it, and no parameter has a gradient. The other processes get
  // a TENON_E_PEER in their next transfer; after that all may go on.
  Step shards() {
    for (Tensor& each : parameters_) each.set_grad();
    return Step(owned_.get(), info());
  }

  tenon_data_parallel_info info() const {
    detail::State& state = detail::state();
    tenon_data_parallel_info info{};
    info.struct_size = sizeof info;
    state.check(tenon_data_parallel_get_info(state.handle, owned_.get(), &info));
    return info;
  }
  // The number of the step that runs, or of the next, from 0.
  std::int64_t step() const { return info().step; }
  // For a run that goes on from a checkpoint, so that its random numbers do.
  void set_step(std::int64_t number) {
    detail::State& state = detail::state();
    state.check(tenon_data_parallel_set_step(state.handle, owned_.get(), number));
  }

  // Lets each process hold a size-th of the optimizer's state, from the next step on. All processes
  // call it, and then `optimizer.step()` after each step. A parameter has no gradient then: `clip`
  // makes them shorter.
  void share_states(const Optimizer& optimizer) {
    detail::State& state = detail::state();
    state.check(tenon_data_parallel_share_states(state.handle, owned_.get(), optimizer.handle()));
  }
  // Gives rank `root` the whole states of the optimizer until its next step: to be read, or saved
  // with a checkpoint. All processes call it.
  void gather_states(std::int32_t root = 0) {
    detail::State& state = detail::state();
    state.check(tenon_data_parallel_gather_states(state.handle, owned_.get(), root));
  }
  // Makes all gradients together no longer than `max_norm`, before `optimizer.step()`; returns
  // their norm. The same bits for any number of processes. All of them call it.
  double clip(double max_norm) {
    detail::State& state = detail::state();
    double norm = 0;
    state.check(tenon_data_parallel_clip(state.handle, owned_.get(), max_norm, &norm));
    return norm;
  }
  tenon_data_parallel* handle() const { return owned_.get(); }

 private:
  template <class Create>
  void make(const DataParallelOptions& options, Create create) {
    const Tensors buffers(options.buffers);
    tenon_data_parallel_options given{};
    given.struct_size = sizeof given;
    given.shards = options.shards;
    given.bucket_bytes = options.bucket_bytes;
    given.buffers = buffers.data();
    given.n_buffers = buffers.size();
    detail::State& state = detail::state();
    tenon_data_parallel* made = nullptr;
    state.check(
        create(state.handle, options.group ? options.group->handle() : nullptr, &given, &made));
    owned_.reset(made);
  }

  std::vector<Tensor> parameters_;
  detail::Owned<tenon_data_parallel, tenon_data_parallel_release> owned_;
};

}  // namespace tenon::processes

#endif  // TENON_CPP_PROCESSES_HPP
