// SPDX-License-Identifier: Apache-2.0
// core/dispatch/route.cc: calls that are like one the context has seen before.
#include "core/dispatch/route.h"

#include <algorithm>
#include <cstring>

#include "core/dispatch/call.h"
#include "core/dispatch/dispatch.h"
#include "core/dispatch/select.h"

namespace tenon::dispatch {

registry::Op& OpNames::find(std::string_view name, Runtime& runtime) {
  // Names are told apart by where they lie; equal ones from two places have two entries.
  const uint64_t place = reinterpret_cast<uintptr_t>(name.data()) * 0x9e3779b97f4a7c15ull;
  Entry& entry = entries_[place >> 58];
  if (!entry.op || entry.epoch != runtime.registry.epoch() || entry.op->name != name) {
    entry.op = &runtime.plugins.require_op(name, 0);
    entry.epoch = runtime.registry.epoch();
  }
  return *entry.op;
}

Route* Routes::find(Asked& asked, uint64_t epoch, bool& usual) {
  usual = true;
  if (epoch_ != epoch) {
    clear();
    epoch_ = epoch;
  }
  // Forward and backward mostly differ in that.
  const Request& request = asked.request();
  const size_t place = 2 * size_t{request.op.index} + (request.context.grad_enabled() ? 1 : 0);
  Route*& latest = latest_[place % latest_.size()];
  if (latest && !latest->is_stale() && asked.matches(latest->kind)) return latest;
  usual = asked.read();
  if (!usual) return nullptr;
  const uint64_t hash = asked.hash();
  const std::span<const uint64_t> words = asked.words();
  for (Route* route = buckets_[hash >> 56].get(); route; route = route->next.get()) {
    if (route->hash == hash && std::equal(words.begin(), words.end(), route->kind.words.begin(),
                                          route->kind.words.end())) {
      return latest = route;
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
  latest_ = {};
  count_ = 0;
}

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

Route::Made made_of(const tenon_meta& meta) {
  Route::Made made;
  made.dtype = meta.dtype;
  made.form = Tensor::new_form();
  made.rank = meta.rank;
  std::copy_n(meta.shape, meta.rank, made.shape.begin());
  tensor::row_major_strides({meta.shape, static_cast<size_t>(meta.rank)}, made.strides.data());
  made.bytes = static_cast<uint64_t>(elements_of(meta)) * tensor::size_of(meta.dtype);
  return made;
}

Route::Place place_of(const Item& item) {
  Route::Place place;
  place.output = item.source < 0;
  place.index = static_cast<uint32_t>(place.output ? ~item.source : item.source);
  place.number = item.tensor == nullptr;
  place.written = item.role != TENON_SLOT_IN;
  return place;
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
std::vector<Route::Pair> pairs_of(const Invocation& call, std::span<const Item> items,
                                  bool outputs_are_new) {
  std::vector<Route::Pair> pairs;
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
  Route::Made& made = route.made.emplace_back(made_of(call.outputs[0]));
  std::copy_n(view.strides_, made.rank, made.strides.begin());
  route.offset = view.offset - call.operands[0].tensor->offset;
  tensor::extent(view.shape(), view.strides(), route.low, route.high);
}

void set_launch(Route& route, const Invocation& call, const Lesson& lesson, bool writes) {
  const tenon_kernel_desc& desc = lesson.kernel->desc;
  const Block block(*call.device, {lesson.items.data(), lesson.items.size()}, desc.n_slots,
                    kernel_inputs(desc), {call.attrs.data(), desc.n_attrs}, desc.user);
  route.block = std::make_unique<plan::Launch>(call.op, *lesson.kernel, *call.device, block);
  route.block->scratch_bytes = lesson.scratch_bytes;
  route.prepared = lesson.prepared;
  for (const Item& item : lesson.items) route.places.push_back(place_of(item));
  route.apart = pairs_of(call, {lesson.items.data(), lesson.items.size()}, !writes);
  for (uint32_t i = 0; i < call.n_outputs(); ++i) {
    if (writes) continue;  // they are there already
    route.made.push_back(call.wanted >> i & 1 ? made_of(call.outputs[i]) : Route::Made());
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

const Tensor* tensor_at(const Route::Place& place, std::span<const Operand> operands,
                        std::span<Tensor* const> outputs) {
  return place.output ? outputs[place.index] : operands[place.index].tensor;
}

void fill_in(const Route& route, std::span<const Operand> operands,
             std::span<Tensor* const> outputs) {
  tenon_view* view = route.block->views.data();
  for (const Route::Place& place : route.places) {
    if (place.number) {
      const uint64_t bits = scalar_bits(operands[place.index].number, view->dtype);
      std::memcpy(view->data, &bits, sizeof bits);
    } else {
      view->data = tensor_at(place, operands, outputs)->view.data;
    }
    ++view;
  }
}

bool are_apart(const Route& route) {
  const tenon_view* const views = route.block->views.data();
  for (const Route::Pair& pair : route.apart) {
    const int64_t distance = reinterpret_cast<intptr_t>(views[pair.second].data) -
                             reinterpret_cast<intptr_t>(views[pair.first].data);
    if (distance <= pair.below || distance >= pair.above) continue;
    if (!pair.same_allowed || distance != 0) return false;
  }
  return true;
}

struct Scratch {
  Device& device;
  memory::Block block{};
  ~Scratch() {
    if (block.data) device.release(block);
  }
};

void launch(Context& context, const Route& route, std::span<const Operand> operands,
            std::span<Tensor* const> outputs) {
  const plan::Launch& block = *route.block;
  const registry::Kernel& kernel = *block.kernel;
  Scratch scratch{*route.device};
  if (block.scratch_bytes) scratch.block = route.device->allocate(block.scratch_bytes);
  Call call(context, CallState::Launch, kernel.plugin, route.op);
  call.scratch = scratch.block.data;
  call.scratch_bytes = block.scratch_bytes;
  call.stream = route.device->stream;
  ++context.launches;
  tenon_status status = TENON_OK;
  {
    const Enqueueing entry(*route.device, route.op->name.c_str(), context.sequence, context.id);
    status = call.enter(
        "kernel", [&](tenon_call* handed) { return kernel.desc.launch(handed, &block.launch); });
  }
  // A kernel that failed half-way has written: versions move all the same.
  for (const Route::Place& place : route.places) {
    if (!place.written) continue;
    tensor_at(place, operands, outputs)->storage->written(route.op, context.scope_path());
  }
  if (status != TENON_OK) check_launch(call, status, *route.device, context.sequence);
}

void launch_recorded(Context& context, const Route& route, std::span<const Operand> operands,
                     std::span<Tensor* const> outputs) {
  autograd::Recording record;
  record.begin(context, *route.signature, operands);
  record.reserve(outputs);
  launch(context, route, operands, outputs);
  record.end(outputs, false);
}

void make_outputs(const Route& route, Outputs& outputs) {
  for (const Route::Made& like : route.made) {
    Tensor* made = nullptr;
    if (like.dtype != TENON_DTYPE_NONE) {
      made = Tensor::create(tensor::Storage::create(*route.device, like.bytes), like.dtype,
                            {like.shape.data(), static_cast<size_t>(like.rank)},
                            like.strides.data(), 0, like.form);
    }
    outputs.all[outputs.count++] = made;
  }
}

// Finds what `prepare` made; false where that is gone.
bool set_prepared(Route& route, std::shared_ptr<const Prepared>& held) {
  held = route.prepared.lock();
  if (held) route.block->launch.prepared = held->object;
  return held != nullptr;
}

// Onto outputs that are there; NULL where not wanted.
bool launch_onto(Context& context, Route& route, std::span<const Operand> operands,
                 std::span<Tensor* const> outputs) {
  std::shared_ptr<const Prepared> prepared;
  if (route.block->kernel->desc.prepare && !set_prepared(route, prepared)) return false;
  fill_in(route, operands, outputs);
  if (!are_apart(route)) return false;
  if (route.signature) {
    launch_recorded(context, route, operands, outputs);
  } else {
    launch(context, route, operands, outputs);
  }
  return true;
}

bool launch_anew(Context& context, Route& route, std::span<const Operand> operands,
                 std::span<Tensor*> outputs) {
  Outputs made;
  make_outputs(route, made);
  if (!launch_onto(context, route, operands, {made.all, made.count})) return false;
  for (size_t i = 0; i < outputs.size(); ++i) outputs[i] = std::exchange(made.all[i], nullptr);
  return true;
}

bool take_view(Context& context, const Route& route, std::span<const Operand> operands,
               Tensor*& output) {
  const Tensor& base = *operands[0].tensor;
  const Route::Made& like = route.made[0];
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
  autograd::Recording record;
  if (route.signature) record.begin(context, *route.signature, operands);
  record.reserve(flat);
  record.end(flat, true);
  output = view.take();
  return true;
}

}  // namespace

bool take_route(Route& route, const Asked& asked, std::span<Tensor*> outputs) {
  const Request& request = asked.request();
  route.device->require_alive();
  if (!route.block) return take_view(request.context, route, asked.operands(), outputs[0]);
  if (request.given.empty()) {
    return launch_anew(request.context, route, asked.operands(), outputs);
  }
  return launch_onto(request.context, route, asked.operands(), request.given);
}

}  // namespace tenon::dispatch
