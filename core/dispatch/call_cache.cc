// SPDX-License-Identifier: Apache-2.0
// core/dispatch/call_cache.cc: calls that are like one the context has seen before.
#include "core/dispatch/call_cache.h"

#include <algorithm>
#include <cstring>

namespace tenon::dispatch {

registry::Op& OpNames::find(std::string_view name, Runtime& runtime) {
  // Names are told apart by where they lie; equal ones from two places have two entries.
  const uint64_t place = reinterpret_cast<uintptr_t>(name.data()) * 0x9e3779b97f4a7c15ull;
  Set& set = sets_[place >> 58];
  // Read before the op is looked up: whatever removes the op meanwhile advances the epoch.
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

CallCache::CallCache(Context& context)
    : context_(context), call_(context, CallbackState::Launch, nullptr, nullptr) {}

ResolvedCall* CallCache::find(const CallKey& key) {
  const std::span<const uint64_t> words = key.words();
  for (ResolvedCall* resolved = buckets_[key.hash() >> 56].get(); resolved;
       resolved = resolved->next.get()) {
    if (resolved->hash == key.hash() && std::ranges::equal(words, resolved->kind.words)) {
      return resolved;
    }
  }
  return nullptr;
}

bool CallCache::has_seen(const CallKey& key) {
  static_assert(kBuckets == 256);
  auto& seen = seen_[key.hash() >> 56];
  const uint32_t tag = static_cast<uint32_t>(key.hash() >> 24);
  if (std::find(seen.begin(), seen.end(), tag) != seen.end()) return true;
  std::copy_backward(seen.begin(), seen.end() - 1, seen.end());
  seen.front() = tag;
  return false;
}

void CallCache::clear() {
  for (auto& bucket : buckets_) {
    while (bucket) bucket = std::move(bucket->next);
  }
  latest_.fill({});
  count_ = 0;
}

ResolvedCall::~ResolvedCall() = default;

namespace {

int64_t elements_of(const tenon_meta& meta) { return tensor::count(tensor::shape_of(meta)); }

bool can_be_kept(const Invocation& call, const Resolution& resolution) {
  if ((!resolution.launch && !resolution.view) || !call.made.empty()) return false;
  if (call.n_outputs() > ResolvedCall::kMaxOutputs) return false;
  for (uint32_t i = 0; i < call.operands.size(); ++i) {
    const Operand& operand = call.operands[i];
    if (operand.tensor && operand.tensor->elements() == 0) return false;
    // Whether a number fits an integer depends on the number.
    const registry::TypeTerm& type = call.schema.inputs[call.input_of(i)].type;
    if (!operand.tensor && !tensor::is_float(call.type_of(type))) return false;
  }
  return std::ranges::find(call.outputs, 0, elements_of) == call.outputs.end();
}

// `a` is written. An elementwise op may read the very elements it writes.
ResolvedCall::Pair pair_of(std::span<const Item> items, size_t a, size_t b, bool elementwise) {
  const Item& x = items[a];
  const Item& y = items[b];
  const int64_t size_x = tensor::size_of(x.dtype);
  const int64_t size_y = tensor::size_of(y.dtype);
  const auto [low_x, high_x] = tensor::extent(x.dims(), x.steps());
  const auto [low_y, high_y] = tensor::extent(y.dims(), y.steps());
  return {static_cast<uint32_t>(a), static_cast<uint32_t>(b),
          low_x * size_x - (high_y + 1) * size_y, (high_x + 1) * size_x - low_y * size_y,
          elementwise && y.role == TENON_SLOT_IN && x.dtype == y.dtype && x.strides == y.strides};
}

// New outputs share nothing with anybody.
Small<ResolvedCall::Pair, 2> pairs_of(const Invocation& call, std::span<const Item> items,
                                      bool outputs_are_new) {
  Small<ResolvedCall::Pair, 2> pairs;
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

void set_view(ResolvedCall& resolved, const Invocation& call, const Tensor& view) {
  tensor::Fresh& made = resolved.made.emplace_back(tensor::fresh_like(call.outputs[0]));
  std::copy_n(view.strides_, made.rank, made.strides.begin());
  made.flags = view.view.flags;
  resolved.offset = view.offset - call.operands[0].tensor->offset;
  resolved.reach = tensor::extent(view.shape(), view.strides());
}

// Where each view's address comes from.
void set_places(ResolvedCall& resolved, const Invocation& call, std::span<const Item> items) {
  const uint32_t n_operands = static_cast<uint32_t>(call.operands.size());
  for (uint32_t i = 0; i < items.size(); ++i) {
    const Item& item = items[i];
    const uint32_t from = item.source < 0 ? n_operands + static_cast<uint32_t>(~item.source)
                                          : static_cast<uint32_t>(item.source);
    (item.tensor ? resolved.places : resolved.numbers).push_back({i, from});
    if (item.tensor && item.role != TENON_SLOT_IN) resolved.written.push_back(from);
  }
}

[[gnu::cold]] void set_launch(ResolvedCall& resolved, const Invocation& call,
                              Resolution& resolution, bool writes) {
  const std::span<const Item> items(resolution.items.data(), resolution.items.size());
  resolved.block = std::move(resolution.launch);
  resolved.block->scratch_bytes = resolution.needs.scratch_bytes;
  resolved.prepared = resolution.needs.prepared;
  resolved.prepares = resolved.block->kernel->desc.prepare != nullptr;
  set_places(resolved, call, items);
  resolved.apart = pairs_of(call, items, !writes);
  for (uint32_t i = 0; i < call.n_outputs(); ++i) {
    if (writes) continue;  // they are there already
    resolved.made.push_back(call.wanted >> i & 1 ? tensor::fresh_like(call.outputs[i])
                                                 : tensor::Fresh());
  }
}

// New outputs, until the caller has them.
struct Outputs {
  ~Outputs() {
    for (size_t i = 0; i < count; ++i) {
      if (all[i]) all[i]->release();
    }
  }
  Tensor* all[ResolvedCall::kMaxOutputs];
  size_t count = 0;
};

[[gnu::always_inline]] inline void fill_in(const ResolvedCall& resolved, const Operand* all) {
  tenon_view* const views = resolved.block->views.data();
  for (const ResolvedCall::Place& place : resolved.places) {
    views[place.view].data = all[place.from].tensor->view.data;
  }
  for (const ResolvedCall::Place& place : resolved.numbers) {
    const tenon_view& view = views[place.view];
    const uint64_t bits = scalar_bits(*all[place.from].number, view.dtype);
    std::memcpy(view.data, &bits, sizeof bits);
  }
}

[[gnu::always_inline]] inline bool are_apart(const ResolvedCall& resolved) {
  const tenon_view* const views = resolved.block->views.data();
  for (const ResolvedCall::Pair& pair : resolved.apart) {
    const int64_t distance = reinterpret_cast<intptr_t>(views[pair.second].data) -
                             reinterpret_cast<intptr_t>(views[pair.first].data);
    if (distance <= pair.below || distance >= pair.above) continue;
    if (!pair.same_allowed || distance != 0) return false;
  }
  return true;
}

inline void make_outputs(const ResolvedCall& resolved, Outputs& outputs) {
  for (const tensor::Fresh& like : resolved.made) {
    const bool wanted = like.dtype != TENON_DTYPE_NONE;
    outputs.all[outputs.count++] = wanted ? Tensor::create(*resolved.device, like) : nullptr;
  }
}

// Finds what `prepare` made; false if that is gone.
bool set_prepared(ResolvedCall& resolved, std::shared_ptr<const Prepared>& held) {
  held = resolved.prepared.lock();
  if (held) resolved.block->launch.prepared = held->object;
  return held != nullptr;
}

bool take_view(Context& context, const ResolvedCall& resolved, std::span<const Operand> operands,
               Tensor*& output) {
  const Tensor& base = *operands[0].tensor;
  const tensor::Fresh& like = resolved.made[0];
  const int64_t offset = base.offset + resolved.offset;
  if (offset + resolved.reach.low < 0 ||
      static_cast<uint64_t>(offset + resolved.reach.high + 1) * tensor::size_of(like.dtype) >
          base.storage->bytes) {
    return false;
  }
  base.storage->retain();
  Ref view(Tensor::create(base.storage, like.dtype,
                          {like.shape.data(), static_cast<size_t>(like.rank)}, like.strides.data(),
                          offset, like.form, like.flags));
  Tensor* const flat[1] = {view.get()};
  tape::Recording record;
  if (resolved.signature) record.begin(context, *resolved.signature, operands);
  record.reserve(flat);
  record.end(flat, true);
  output = view.take();
  return true;
}

}  // namespace

void CallCache::add(const CallKey& key, const Invocation& call, Resolution& resolution,
                    uint64_t epoch) {
  if (epoch != epoch_ || !can_be_kept(call, resolution)) return;
  if (count_ == kMaxCalls) clear();
  auto resolved = std::make_unique<ResolvedCall>();
  resolved->kind = key.kind();
  resolved->hash = key.hash();
  resolved->op = &call.op;
  resolved->head = key.head();
  resolved->device = call.device;
  if (resolution.view) {
    set_view(*resolved, call, *resolution.view);
  } else {
    set_launch(*resolved, call, resolution, !key.request().given.empty());
  }
  resolved->signature = std::move(resolution.signature);
  auto& bucket = buckets_[resolved->hash >> 56];
  resolved->next = std::move(bucket);
  bucket = std::move(resolved);
  ++count_;
}

[[gnu::always_inline]] inline void CallCache::launch(ResolvedCall& resolved, const Operand* all) {
  const launch::Launch& block = *resolved.block;
  const registry::Kernel& kernel = *block.kernel;
  const launch::Scratch scratch(*resolved.device, block.scratch_bytes);
  call_.plugin = kernel.plugin;
  call_.self = kernel.plugin->self;
  call_.op = resolved.op;
  call_.scratch = scratch.block.data;
  call_.scratch_bytes = block.scratch_bytes;
  call_.stream = resolved.device->stream;
  call_.may_stop = block.may_stop;
  ++context_.launches;
  tenon_status status = TENON_OK;
  {
    const Enqueueing entry(*resolved.device, resolved.op->name.c_str(), context_.sequence,
                           context_.id);
    status = call_.enter_unwatched(
        "kernel", [&](tenon_call* handed) { return kernel.desc.launch(handed, &block.launch); });
  }
  // A kernel that failed half-way has written: versions move all the same.
  for (const uint32_t index : resolved.written) {
    all[index].tensor->storage->written(&resolved.op->name, context_.scope_path());
  }
  if (status == TENON_OK && call_.is_clean()) return;
  const CallbackScope::Cleaned cleaned(call_);
  launch::check_launch(call_, status, *resolved.device, context_.sequence);
}

[[gnu::always_inline]] inline void CallCache::launch_recorded(ResolvedCall& resolved,
                                                              std::span<const Operand> operands,
                                                              const Operand* all,
                                                              std::span<Tensor* const> outputs) {
  tape::Recording record;
  record.begin(context_, *resolved.signature, operands);
  record.reserve(outputs);
  launch(resolved, all);
  record.end(outputs, false);
}

// Onto outputs that are there; NULL if not wanted. `all` ends in the same outputs.
[[gnu::always_inline]] inline bool CallCache::launch_onto(ResolvedCall& resolved,
                                                          std::span<const Operand> operands,
                                                          Operand* all,
                                                          std::span<Tensor* const> outputs) {
  std::shared_ptr<const Prepared> prepared;
  if (resolved.prepares && !set_prepared(resolved, prepared)) return false;
  fill_in(resolved, all);
  if (!are_apart(resolved)) return false;
  if (resolved.signature) {
    launch_recorded(resolved, operands, all, outputs);
  } else {
    launch(resolved, all);
  }
  return true;
}

[[gnu::always_inline]] inline bool CallCache::launch_anew(ResolvedCall& resolved, CallKey& key,
                                                          std::span<Tensor*> outputs) {
  const std::span<const Operand> operands = key.operands();
  Outputs made;
  make_outputs(resolved, made);
  for (size_t i = 0; i < made.count; ++i) key.all()[operands.size() + i].tensor = made.all[i];
  if (!launch_onto(resolved, operands, key.all(), {made.all, made.count})) return false;
  for (size_t i = 0; i < outputs.size(); ++i) outputs[i] = std::exchange(made.all[i], nullptr);
  return true;
}

[[gnu::always_inline]] inline bool CallCache::run_resolved(ResolvedCall& resolved, CallKey& key,
                                                           std::span<Tensor*> outputs) {
  resolved.device->require_alive();
  if (!resolved.block) return take_view(context_, resolved, key.operands(), outputs[0]);
  const std::span<Tensor* const> given = key.request().given;
  if (given.empty()) return launch_anew(resolved, key, outputs);
  return launch_onto(resolved, key.operands(), key.all(), given);
}

[[gnu::always_inline]] inline bool CallCache::Latest::is(const CallKey& key) const {
  const Request& request = key.request();
  if (!resolved || resolved->op != &request.op || resolved->head != key.head()) return false;
  const std::span<const uint64_t> given = key.forms();
  for (size_t i = 0; i < given.size(); ++i) {
    if (given[i] != forms[i]) return false;
  }
  return request.attrs.empty() || key.has_attrs(resolved->kind);
}

[[gnu::always_inline]] inline ResolvedCall* CallCache::find_by_forms(const CallKey& key) const {
  const Set& set = latest_[key.form_hash() >> 58];
  for (size_t way = 0; way < kWays; ++way) {
    if (set.keys[way] == key.form_hash() && set.latest[way].is(key))
      return set.latest[way].resolved;
  }
  return nullptr;
}

void CallCache::remember(const CallKey& key, ResolvedCall& resolved) {
  Set& set = latest_[key.form_hash() >> 58];
  const size_t way = ++oldest_ % kWays;
  set.keys[way] = key.form_hash();
  set.latest[way].resolved = &resolved;
  std::copy(key.forms().begin(), key.forms().end(), set.latest[way].forms.begin());
}

CallCache::Outcome CallCache::run(CallKey& key, std::span<Tensor*> outputs) {
  const uint64_t epoch = context_.runtime->registry.epoch();
  if (epoch_ != epoch) {
    clear();
    epoch_ = epoch;
  }
  const bool has_forms = key.read_forms();
  if (has_forms) {
    ResolvedCall* const resolved = find_by_forms(key);
    if (resolved && run_resolved(*resolved, key, outputs)) return Outcome::Ran;
  }
  if (!key.read_words()) return Outcome::Unusual;
  ResolvedCall* const resolved = find(key);
  if (!resolved) return Outcome::New;
  if (run_resolved(*resolved, key, outputs)) {
    if (has_forms) remember(key, *resolved);
    return Outcome::Ran;
  }
  return resolved->is_stale() ? Outcome::New : Outcome::Unusual;
}

}  // namespace tenon::dispatch
