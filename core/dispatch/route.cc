// SPDX-License-Identifier: Apache-2.0
// core/dispatch/route.cc: calls that are like one the context has seen before.
#include "core/dispatch/route.h"

#include <algorithm>
#include <cstring>

#include "core/dispatch/select.h"
#include "core/runtime/callback.h"

namespace tenon::dispatch {

registry::Op& OpNames::find(std::string_view name, Runtime& runtime) {
  // Names are told apart by where they lie; equal ones from two places have two entries.
  const uint64_t place = reinterpret_cast<uintptr_t>(name.data()) * 0x9e3779b97f4a7c15ull;
  Set& set = sets_[place >> 58];
  // Asked before the op is: what takes it away meanwhile moves the epoch on.
  const uint64_t epoch = runtime.registry.epoch();
  for (const Entry& entry : set.entries) {
    if (entry.place == name.data() && entry.epoch == epoch && entry.op->name == name) {
      return *entry.op;
    }
  }
  registry::Op& op = runtime.plugins.require_op(name, 0);
  set.entries[set.oldest++ % set.entries.size()] = {name.data(), &op, epoch};
  return op;
}

Routes::Routes(Context& context)
    : context_(context), call_(context, CallbackState::Launch, nullptr, nullptr) {}

Route* Routes::find(const Asked& asked) {
  const std::span<const uint64_t> words = asked.words();
  for (Route* route = buckets_[asked.hash() >> 56].get(); route; route = route->next.get()) {
    if (route->hash == asked.hash() &&
        std::equal(words.begin(), words.end(), route->kind.words.begin(),
                   route->kind.words.end())) {
      return route;
    }
  }
  return nullptr;
}

bool Routes::is_familiar(const Asked& asked) {
  static_assert(kBuckets == 256);
  auto& seen = familiar_[asked.hash() >> 56];
  const uint32_t tag = static_cast<uint32_t>(asked.hash() >> 24);
  if (std::find(seen.begin(), seen.end(), tag) != seen.end()) return true;
  std::copy_backward(seen.begin(), seen.end() - 1, seen.end());
  seen.front() = tag;
  return false;
}

void Routes::clear() {
  for (auto& bucket : buckets_) {
    while (bucket) bucket = std::move(bucket->next);
  }
  latest_.fill({});
  count_ = 0;
}

Route::~Route() = default;

namespace {

int64_t elements_of(const tenon_meta& meta) {
  return tensor::count({meta.shape, static_cast<size_t>(meta.rank)});
}

bool has_route(const Invocation& call, const Lesson& lesson) {
  if (!lesson.ordinary || (!lesson.kernel && !lesson.view) || !call.made.empty()) return false;
  if (call.n_outputs() > Route::kMostOutputs) return false;
  for (uint32_t i = 0; i < call.operands.size(); ++i) {
    const Operand& operand = call.operands[i];
    if (operand.tensor && operand.tensor->elements() == 0) return false;
    // Whether a number fits an integer depends on the number.
    const registry::TypeTerm& type = call.schema.inputs[call.input_of(i)].type;
    if (!operand.tensor && !tensor::is_float(call.type_of(type))) return false;
  }
  return std::none_of(call.outputs.begin(), call.outputs.end(),
                      [](const tenon_meta& meta) { return elements_of(meta) == 0; });
}

// `a` is written. An elementwise op may read the very elements it writes.
Route::Pair pair_of(std::span<const Item> items, size_t a, size_t b, bool elementwise) {
  const Item& x = items[a];
  const Item& y = items[b];
  const int64_t size_x = tensor::size_of(x.dtype);
  const int64_t size_y = tensor::size_of(y.dtype);
  int64_t low_x = 0, high_x = 0, low_y = 0, high_y = 0;
  tensor::extent(x.dims(), x.steps(), low_x, high_x);
  tensor::extent(y.dims(), y.steps(), low_y, high_y);
  return {static_cast<uint32_t>(a), static_cast<uint32_t>(b),
          low_x * size_x - (high_y + 1) * size_y, (high_x + 1) * size_x - low_y * size_y,
          elementwise && y.role == TENON_SLOT_IN && x.dtype == y.dtype && x.strides == y.strides};
}

// New outputs share nothing with anybody.
Small<Route::Pair, 2> pairs_of(const Invocation& call, std::span<const Item> items,
                               bool outputs_are_new) {
  Small<Route::Pair, 2> pairs;
  const auto is_new = [&](const Item& item) { return outputs_are_new && item.source < 0; };
  for (size_t a = 0; a < items.size(); ++a) {
    if (items[a].role == TENON_SLOT_IN || is_new(items[a])) continue;
    for (size_t b = 0; b < items.size(); ++b) {
      if (a == b || !items[b].tensor || is_new(items[b])) continue;
      if (items[b].role != TENON_SLOT_IN && b < a) continue;  // met before
      pairs.push_back(pair_of(items, a, b, call.op.has(TENON_OP_ELEMENTWISE)));
    }
  }
  return pairs;
}

void set_view(Route& route, const Invocation& call, const Tensor& view) {
  tensor::Fresh& made = route.made.emplace_back(tensor::fresh_like(call.outputs[0]));
  std::copy_n(view.strides_, made.rank, made.strides.begin());
  route.offset = view.offset - call.operands[0].tensor->offset;
  tensor::extent(view.shape(), view.strides(), route.low, route.high);
}

// Where each view's address comes from.
void set_places(Route& route, const Invocation& call, std::span<const Item> items) {
  const uint32_t n_operands = static_cast<uint32_t>(call.operands.size());
  for (uint32_t i = 0; i < items.size(); ++i) {
    const Item& item = items[i];
    const uint32_t from = item.source < 0 ? n_operands + static_cast<uint32_t>(~item.source)
                                          : static_cast<uint32_t>(item.source);
    (item.tensor ? route.places : route.numbers).push_back({i, from});
    if (item.tensor && item.role != TENON_SLOT_IN) route.written.push_back(from);
  }
}

[[gnu::cold]] void set_launch(Route& route, const Invocation& call, const Lesson& lesson,
                              bool writes) {
  const tenon_kernel_desc& desc = lesson.kernel->desc;
  const Block block(*call.device, {lesson.items.data(), lesson.items.size()}, desc.n_slots,
                    kernel_inputs(desc), {call.attrs.data(), desc.n_attrs}, desc.user);
  route.block = std::make_unique<launch::Launch>(call.op, *lesson.kernel, *call.device, block);
  route.block->scratch_bytes = lesson.needs.scratch_bytes;
  route.prepared = lesson.needs.prepared;
  route.prepares = desc.prepare != nullptr;
  set_places(route, call, {lesson.items.data(), lesson.items.size()});
  route.apart = pairs_of(call, {lesson.items.data(), lesson.items.size()}, !writes);
  for (uint32_t i = 0; i < call.n_outputs(); ++i) {
    if (writes) continue;  // they are there already
    route.made.push_back(call.wanted >> i & 1 ? tensor::fresh_like(call.outputs[i])
                                              : tensor::Fresh());
  }
}

}  // namespace

void Routes::learn(const Asked& asked, const Invocation& call, Lesson& lesson, uint64_t epoch) {
  if (epoch != epoch_ || !has_route(call, lesson)) return;
  if (count_ == kMost) clear();
  auto route = std::make_unique<Route>();
  route->kind = asked.kind();
  route->hash = asked.hash();
  route->op = &call.op;
  route->head = asked.head();
  route->device = call.device;
  if (lesson.view) {
    set_view(*route, call, *lesson.view);
  } else {
    set_launch(*route, call, lesson, !asked.request().given.empty());
  }
  route->signature = std::move(lesson.signature);
  auto& bucket = buckets_[route->hash >> 56];
  route->next = std::move(bucket);
  bucket = std::move(route);
  ++count_;
}

namespace {

// New outputs, until the caller has them.
struct Outputs {
  ~Outputs() {
    for (size_t i = 0; i < count; ++i) {
      if (all[i]) all[i]->release();
    }
  }
  Tensor* all[Route::kMostOutputs];
  size_t count = 0;
};

[[gnu::always_inline]] inline void fill_in(const Route& route, const Given* all) {
  tenon_view* const views = route.block->views.data();
  for (const Route::Place& place : route.places) {
    views[place.view].data = all[place.from].tensor->view.data;
  }
  for (const Route::Place& place : route.numbers) {
    const tenon_view& view = views[place.view];
    const uint64_t bits = scalar_bits(*all[place.from].number, view.dtype);
    std::memcpy(view.data, &bits, sizeof bits);
  }
}

[[gnu::always_inline]] inline bool are_apart(const Route& route) {
  const tenon_view* const views = route.block->views.data();
  for (const Route::Pair& pair : route.apart) {
    const int64_t distance = reinterpret_cast<intptr_t>(views[pair.second].data) -
                             reinterpret_cast<intptr_t>(views[pair.first].data);
    if (distance <= pair.below || distance >= pair.above) continue;
    if (!pair.same_allowed || distance != 0) return false;
  }
  return true;
}

inline void make_outputs(const Route& route, Outputs& outputs) {
  for (const tensor::Fresh& like : route.made) {
    const bool wanted = like.dtype != TENON_DTYPE_NONE;
    outputs.all[outputs.count++] = wanted ? Tensor::create(*route.device, like) : nullptr;
  }
}

// Finds what `prepare` made; false where that is gone.
bool set_prepared(Route& route, std::shared_ptr<const Prepared>& held) {
  held = route.prepared.lock();
  if (held) route.block->launch.prepared = held->object;
  return held != nullptr;
}

bool take_view(Context& context, const Route& route, std::span<const Given> operands,
               Tensor*& output) {
  const Tensor& base = *operands[0].tensor;
  const tensor::Fresh& like = route.made[0];
  const int64_t offset = base.offset + route.offset;
  if (offset + route.low < 0 ||
      static_cast<uint64_t>(offset + route.high + 1) * tensor::size_of(like.dtype) >
          base.storage->bytes) {
    return false;
  }
  base.storage->retain();
  Ref view(Tensor::create(base.storage, like.dtype,
                          {like.shape.data(), static_cast<size_t>(like.rank)}, like.strides.data(),
                          offset, like.form));
  Tensor* const flat[1] = {view.get()};
  tape::Recording record;
  if (route.signature) record.begin(context, *route.signature, operands);
  record.reserve(flat);
  record.end(flat, true);
  output = view.take();
  return true;
}

}  // namespace

[[gnu::always_inline]] inline void Routes::launch(Route& route, const Given* all) {
  const launch::Launch& block = *route.block;
  const registry::Kernel& kernel = *block.kernel;
  const launch::Scratch scratch(*route.device, block.scratch_bytes);
  call_.plugin = kernel.plugin;
  call_.self = kernel.plugin->self;
  call_.op = route.op;
  call_.scratch = scratch.block.data;
  call_.scratch_bytes = block.scratch_bytes;
  call_.stream = route.device->stream;
  ++context_.launches;
  tenon_status status = TENON_OK;
  {
    const Enqueueing entry(*route.device, route.op->name.c_str(), context_.sequence, context_.id);
    status = call_.enter_unwatched(
        "kernel", [&](tenon_call* handed) { return kernel.desc.launch(handed, &block.launch); });
  }
  // A kernel that failed half-way has written: versions move all the same.
  for (const uint32_t index : route.written) {
    all[index].tensor->storage->written(&route.op->name, context_.scope_path());
  }
  if (status == TENON_OK && call_.is_clean()) return;
  const CallbackScope::Cleaned cleaned(call_);
  launch::check_launch(call_, status, *route.device, context_.sequence);
}

[[gnu::always_inline]] inline void Routes::launch_recorded(Route& route,
                                                           std::span<const Given> operands,
                                                           const Given* all,
                                                           std::span<Tensor* const> outputs) {
  tape::Recording record;
  record.begin(context_, *route.signature, operands);
  record.reserve(outputs);
  launch(route, all);
  record.end(outputs, false);
}

// Onto outputs that are there; NULL where not wanted. `all` ends in the same outputs.
[[gnu::always_inline]] inline bool Routes::launch_onto(Route& route,
                                                       std::span<const Given> operands, Given* all,
                                                       std::span<Tensor* const> outputs) {
  std::shared_ptr<const Prepared> prepared;
  if (route.prepares && !set_prepared(route, prepared)) return false;
  fill_in(route, all);
  if (!are_apart(route)) return false;
  if (route.signature) {
    launch_recorded(route, operands, all, outputs);
  } else {
    launch(route, all);
  }
  return true;
}

[[gnu::always_inline]] inline bool Routes::launch_anew(Route& route, Asked& asked,
                                                       std::span<Tensor*> outputs) {
  const std::span<const Given> operands = asked.operands();
  Outputs made;
  make_outputs(route, made);
  for (size_t i = 0; i < made.count; ++i) asked.all()[operands.size() + i].tensor = made.all[i];
  if (!launch_onto(route, operands, asked.all(), {made.all, made.count})) return false;
  for (size_t i = 0; i < outputs.size(); ++i) outputs[i] = std::exchange(made.all[i], nullptr);
  return true;
}

[[gnu::always_inline]] inline bool Routes::run(Route& route, Asked& asked,
                                               std::span<Tensor*> outputs) {
  route.device->require_alive();
  if (!route.block) return take_view(context_, route, asked.operands(), outputs[0]);
  const std::span<Tensor* const> given = asked.request().given;
  if (given.empty()) return launch_anew(route, asked, outputs);
  return launch_onto(route, asked.operands(), asked.all(), given);
}

[[gnu::always_inline]] inline bool Routes::Latest::is(const Asked& asked) const {
  const Request& request = asked.request();
  if (!route || route->op != &request.op || route->head != asked.head()) return false;
  const std::span<const uint64_t> given = asked.forms();
  for (size_t i = 0; i < given.size(); ++i) {
    if (given[i] != forms[i]) return false;
  }
  return request.attrs.empty() || asked.has_attrs(route->kind);
}

[[gnu::always_inline]] inline Route* Routes::find_by_forms(const Asked& asked) const {
  const Set& set = latest_[asked.key() >> 58];
  for (size_t way = 0; way < kWays; ++way) {
    if (set.keys[way] == asked.key() && set.latest[way].is(asked)) return set.latest[way].route;
  }
  return nullptr;
}

void Routes::remember(const Asked& asked, Route& route) {
  Set& set = latest_[asked.key() >> 58];
  const size_t way = ++oldest_ % kWays;
  set.keys[way] = asked.key();
  set.latest[way].route = &route;
  std::copy(asked.forms().begin(), asked.forms().end(), set.latest[way].forms.begin());
}

Routes::Taken Routes::take(Asked& asked, std::span<Tensor*> outputs) {
  const uint64_t epoch = context_.runtime->registry.epoch();
  if (epoch_ != epoch) {
    clear();
    epoch_ = epoch;
  }
  const bool has_forms = asked.gather();
  if (has_forms) {
    Route* const route = find_by_forms(asked);
    if (route && run(*route, asked, outputs)) return Taken::Yes;
  }
  if (!asked.read()) return Taken::No;
  Route* const route = find(asked);
  if (!route) return Taken::Unknown;
  if (run(*route, asked, outputs)) {
    if (has_forms) remember(asked, *route);
    return Taken::Yes;
  }
  return route->is_stale() ? Taken::Unknown : Taken::No;
}

}  // namespace tenon::dispatch
