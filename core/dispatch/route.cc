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

Route* Routes::find(const Asked& asked, uint64_t epoch) {
  if (epoch_ != epoch) {
    clear();
    epoch_ = epoch;
  }
  const uint64_t hash = asked.hash();
  const std::span<const uint64_t> words = asked.words();
  for (Route* route = buckets_[hash >> 56].get(); route; route = route->next.get()) {
    if (route->hash == hash &&
        std::equal(words.begin(), words.end(), route->words.begin(), route->words.end())) {
      return route;
    }
  }
  return nullptr;
}

bool Routes::is_familiar(const Asked& asked) {
  static_assert(kBuckets == 256);
  const uint64_t hash = asked.hash();
  return std::exchange(familiar_[hash >> 56], hash) == hash;
}

void Routes::clear() {
  for (auto& bucket : buckets_) {
    while (bucket) bucket = std::move(bucket->next);
  }
  count_ = 0;
}

namespace {

int64_t elements_of(const tenon_meta& meta) {
  return tensor::count({meta.shape, static_cast<size_t>(meta.rank)});
}

bool has_route(const Invocation& call, const Lesson& lesson) {
  if (!lesson.ordinary || (!lesson.kernel && !lesson.view) || !call.made.empty()) return false;
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
  tensor::extent(item.dims(), item.steps(), place.low, place.high);
  place.low *= tensor::size_of(item.dtype);
  place.high = (place.high + 1) * tensor::size_of(item.dtype);
  return place;
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
  for (const Item& item : lesson.items) {
    const Route::Place& place = route.places.emplace_back(place_of(item));
    route.shares = route.shares || (place.written && (writes || !place.output));
  }
  for (uint32_t i = 0; i < call.n_outputs(); ++i) {
    route.made.push_back(call.wanted >> i & 1 ? made_of(call.outputs[i]) : Route::Made());
  }
}

}  // namespace

void Routes::learn(const Asked& asked, const Invocation& call, Lesson& lesson, uint64_t epoch) {
  if (epoch != epoch_ || !has_route(call, lesson)) return;
  if (count_ == kMost) clear();
  auto route = std::make_unique<Route>();
  const std::span<const uint64_t> words = asked.words();
  route->words.assign(words.begin(), words.end());
  route->hash = asked.hash();
  route->op = &call.op;
  route->device = call.device;
  if (lesson.view) {
    set_view(*route, call, *lesson.view);
  } else {
    set_launch(*route, call, lesson, asked.writes());
  }
  route->signature = std::move(lesson.signature);
  auto& bucket = buckets_[route->hash >> 56];
  route->next = std::move(bucket);
  bucket = std::move(route);
  ++count_;
}

namespace {

using Outputs = Small<Ref, 4>;

const Tensor* tensor_at(const Route::Place& place, std::span<const Operand> operands,
                        std::span<Tensor* const> outputs) {
  return place.output ? outputs[place.index] : operands[place.index].tensor;
}

void fill_in(const Route& route, std::span<const Operand> operands,
             std::span<Tensor* const> outputs) {
  for (size_t i = 0; i < route.places.size(); ++i) {
    const Route::Place& place = route.places[i];
    tenon_view& view = route.block->views[i];
    if (place.number) {
      const uint64_t bits = scalar_bits(operands[place.index].number, view.dtype);
      std::memcpy(view.data, &bits, sizeof bits);
    } else {
      view.data = tensor_at(place, operands, outputs)->view.data;
    }
  }
}

// Does a written operand share memory with another one, other than being the very same elements of
// an elementwise op?
bool shares_memory(const Route& route) {
  const auto& views = route.block->views;
  const bool elementwise = route.op->has(TENON_OP_ELEMENTWISE);
  for (size_t i = 0; i < views.size(); ++i) {
    const Route::Place& a = route.places[i];
    if (!a.written) continue;
    const intptr_t at_a = reinterpret_cast<intptr_t>(views[i].data);
    for (size_t j = 0; j < views.size(); ++j) {
      const Route::Place& b = route.places[j];
      if (j == i || b.number) continue;
      const intptr_t at_b = reinterpret_cast<intptr_t>(views[j].data);
      if (at_a + a.low >= at_b + b.high || at_b + b.low >= at_a + a.high) continue;
      const bool same = elementwise && !b.written && at_a == at_b &&
                        views[i].dtype == views[j].dtype &&
                        std::equal(views[i].strides, views[i].strides + views[i].rank,
                                   views[j].strides, views[j].strides + views[j].rank);
      if (!same) return true;
    }
  }
  return false;
}

struct Scratch {
  Device& device;
  memory::Block block{};
  ~Scratch() { device.release(block); }
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
  check_launch(call, status, *route.device, context.sequence);
}

bool take_launch(Context& context, Route& route, std::span<const Operand> operands,
                 std::span<Tensor* const> given, std::span<Tensor*> outputs) {
  std::shared_ptr<const Prepared> prepared;
  if (route.block->kernel->desc.prepare) {
    prepared = route.prepared.lock();
    if (!prepared) return false;
    route.block->launch.prepared = prepared->object;
  }
  Outputs made(route.made.size());
  Small<Tensor*, 4> flat(route.made.size(), nullptr);
  for (size_t i = 0; i < flat.size(); ++i) {
    const Route::Made& like = route.made[i];
    if (like.dtype == TENON_DTYPE_NONE) continue;
    if (i < given.size()) {
      flat[i] = given[i];
      continue;
    }
    made[i] = Ref(Tensor::create(tensor::Storage::create(*route.device, like.bytes), like.dtype,
                                 {like.shape.data(), static_cast<size_t>(like.rank)},
                                 like.strides.data(), 0));
    flat[i] = made[i].get();
  }
  const std::span<Tensor* const> all(flat.data(), flat.size());
  fill_in(route, operands, all);
  if (route.shares && shares_memory(route)) return false;
  autograd::Recording record;
  if (route.signature) record.begin(context, *route.signature, operands);
  record.reserve(all);
  launch(context, route, operands, all);
  record.end(all, false);
  for (size_t i = 0; i < outputs.size(); ++i) outputs[i] = made[i].take();
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
                          offset));
  Tensor* const flat[1] = {view.get()};
  autograd::Recording record;
  if (route.signature) record.begin(context, *route.signature, operands);
  record.reserve(flat);
  record.end(flat, true);
  output = view.take();
  return true;
}

}  // namespace

bool take_route(Context& context, Route& route, const Asked& asked, std::span<Tensor* const> given,
                std::span<Tensor*> outputs) {
  route.device->require_alive();
  if (!route.block) return take_view(context, route, asked.operands(), outputs[0]);
  return take_launch(context, route, asked.operands(), given, outputs);
}

}  // namespace tenon::dispatch
