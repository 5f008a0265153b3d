// SPDX-License-Identifier: Apache-2.0
// core/dispatch/compose.cc: an op's composition in place of its kernel.
#include "core/dispatch/compose.h"

#include <tenon/ext/draft/dynamic.h>
#include <tenon/ext/draft/narrow.h>

#include <algorithm>

#include "core/dispatch/operands.h"
#include "core/dispatch/outputs.h"
#include "core/dispatch/written.h"
#include "core/launch/moves.h"
#include "core/runtime/callback.h"
#include "core/tape/graph.h"

namespace tenon::dispatch {

namespace {

// May output `i` of a composition be given away as it is? Not memory that somebody else knows.
bool is_new(const Invocation& call, std::span<const Ref> composed, size_t i) {
  const Tensor& made = *composed[i];
  for (size_t other = 0; other < i; ++other) {
    if (composed[other].get() == &made) return false;
  }
  return !is_in_place(call, made) && made.storage->refs.load() == 1 && !made.storage->external &&
         made.contiguous();
}

// Is it what the shape rule says? Of a DYNAMIC_OUT op that is the most there can be.
bool fits(const Invocation& call, const Tensor& made, const tenon_meta& meta) {
  const bool dynamic = call.op.has(TENON_OP_DYNAMIC_OUT);
  const auto may_be = [dynamic](int64_t most, int64_t size) {
    return dynamic ? size <= most : size == most;
  };
  return made.dtype() == meta.dtype && &device_of(made) == call.device &&
         std::ranges::equal(tensor::shape_of(meta), made.shape(), may_be);
}

// A composition may write an operand before it has read all others. Those that share memory with
// it are copied first, as they are for a kernel; `outputs` are filled at the end.
[[gnu::cold]] void separate(Invocation& call, std::span<Tensor* const> outputs) {
  const auto is_mutated = [](const registry::Param& input) { return input.mutated; };
  if (outputs.size() < 2 && std::ranges::none_of(call.schema.inputs, is_mutated)) return;
  Small<Item, 8> items;
  for (uint32_t i = 0; i < call.operands.size(); ++i) {
    const uint32_t input = call.input_of(i);
    const bool written = call.schema.inputs[input].mutated;
    if (!call.operands[i].tensor) continue;
    items.push_back(
        make_item(*call.operands[i].tensor, input, written ? TENON_SLOT_INOUT : TENON_SLOT_IN));
    items.back().source = static_cast<int32_t>(i);
  }
  for (Tensor* out : outputs) {
    if (out) items.push_back(make_item(*out, call.n_inputs(), TENON_SLOT_OUT));
  }
  const std::span<const Item> all(items.data(), items.size());
  const Written written(all);
  check_aliases(call, all, written);
  for (const Item& item : items) {
    if (writes(item.role)) continue;
    const auto is_operand = [&](size_t which) { return items[which].role == TENON_SLOT_INOUT; };
    if (!written.has(tensor::addresses_of(item.tensor->view), is_operand)) continue;
    call.made.push_back(Ref(launch::copy(call.cx, *item.tensor)));
    call.operands[static_cast<size_t>(item.source)].tensor = call.made.back().get();
  }
}

// The op in terms of others: what its composition made, if it was wanted.
std::vector<Ref> composed(Invocation& call, std::span<Tensor* const> outputs) {
  if (!call.op.has(TENON_OP_NARROW)) widen(call);
  separate(call, outputs);
  const size_t n_outputs = outputs.size();
  CallbackScope window(call.cx, CallbackState::Compose, call.op.plugin, &call.op);
  window.composed.resize(call.n_outputs());
  Small<tenon_value, 8> inputs;
  std::vector<std::vector<tenon_tensor*>> lists;
  for (uint32_t input = 0; input < call.n_inputs(); ++input) {
    tenon_value value{};
    if (call.schema.inputs[input].list) {
      auto& list = lists.emplace_back();
      for (uint32_t i = call.begin[input]; i < call.begin[input + 1]; ++i) {
        list.push_back(tensor::handle(call.operands[i].tensor));
      }
      value = registry::tensors_value(list.data(), list.size());
    } else if (call.count(input) == 1) {
      const Operand& operand = call.operands[call.begin[input]];
      value = operand.tensor ? tensor_value(*operand.tensor) : *operand.number;
    }
    inputs.push_back(value);
  }
  const DefaultDevice here(call.cx, call.device->id);
  window.run("compose", [&](tenon_call* handed) {
    return call.op.desc.compose(handed, inputs.data(), call.n_inputs(), call.attrs.data(),
                                static_cast<uint32_t>(call.attrs.size()));
  });
  for (size_t i = 0; i < n_outputs; ++i) {
    const Ref& made = window.composed[i];
    if (!made && call.schema.outputs[i].aux && !(call.wanted >> i & 1)) continue;
    const tenon_meta& meta = call.outputs[i];
    if (!made || !fits(call, *made, meta)) {
      const std::string found = made ? tensor::describe(*made) : "nothing";
      const std::string expected = tensor::describe(meta);
      fail_plugin(call.op.name, call.op.plugin->id,
                  "its composition gave " + found + " as " + output_name(call, i) + ", not " +
                      (call.op.has(TENON_OP_DYNAMIC_OUT) ? "at most " : "") + expected,
                  output_name(call, i), expected, found);
    }
  }
  return std::move(window.composed);
}

// Fills outputs that are NULL and wanted, copies into those that are not NULL. If those are
// `fresh`, nobody having seen them yet, new results take their places.
void give(Invocation& call, std::span<Ref> all, std::span<Tensor*> outputs,
          std::vector<Ref>* fresh = nullptr) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    Ref& made = all[i];
    if (!outputs[i]) {
      if (call.wanted >> i & 1) outputs[i] = made.take();
      continue;
    }
    if (fresh && is_new(call, all, i)) {
      (*fresh)[i] = made;
      outputs[i] = made.get();
      continue;
    }
    launch::copy_into(call.cx, *made, *outputs[i]);
    outputs[i]->storage->written(&call.op.name, call.cx.scope_path());
    const tape::Link* link = tape::find_link(*made);
    if (link && link->node) {
      tape::attach(*outputs[i], *link->node, link->output, false);
    }
  }
}

}  // namespace

void compose(Invocation& call, std::span<Tensor*> outputs, std::vector<Ref>* fresh) {
  std::vector<Ref> all = composed(call, outputs);
  give(call, all, outputs, fresh);
}

void compose_dynamic(Invocation& call, std::span<Tensor*> outputs, bool recording) {
  if (call.cx.capture) {
    fail_in(call.op.name, TENON_E_CAPTURE, "the sizes of its outputs depend on data", {},
            "ops whose shapes say how large their outputs are", "a call while capturing",
            "call it before tenon_capture_begin or after tenon_capture_end");
  }
  const GradMode mode(call.cx, recording);
  std::vector<Ref> all = composed(call, outputs);
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i]) continue;
    call.outputs[i] = tensor::meta_of(*all[i]);
    check_given_output(call, i, *outputs[i]);
  }
  give(call, all, outputs);
}

}  // namespace tenon::dispatch
