// SPDX-License-Identifier: Apache-2.0
// core/inspect/query_entries.cc: the topics of tenon_runtime_query about what plugins registered.
#include "core/inspect/query_entries.h"

#include <tenon/ext/draft/bits.h>
#include <tenon/ext/draft/dynamic.h>
#include <tenon/ext/draft/optimizers.h>

#include "core/registry/kinds/parts.h"
#include "core/registry/values.h"
#include "core/runtime/context.h"
#include "core/tensor/dtype.h"

namespace tenon::inspect {

using json::Writer;
using registry::Kernel;
using registry::text;
using registry::write_sample;

namespace {

// ---- ops ----------------------------------------------------------------------------------------

// "f32 f64" for each row: one dtype for each type variable.
std::vector<std::string> rows_text(const tenon_kernel_desc& kernel) {
  std::vector<std::string> rows;
  for (uint32_t row = 0; row < kernel.n_rows; ++row) {
    std::string line;
    for (uint32_t i = 0; i < kernel.n_variables; ++i) {
      line += (i ? " " : "");
      line += tensor::name_of(kernel.dtype_rows[row * kernel.n_variables + i]);
    }
    rows.push_back(std::move(line));
  }
  return rows;
}

// "in strided zero_stride" for each slot: what the kernel says it takes.
std::vector<std::string> slots_text(const tenon_kernel_desc& kernel) {
  static constexpr const char* roles[] = {"in", "out", "inout", "accum"};
  static constexpr const char* layouts[] = {"contiguous", "inner_contiguous", "dense", "strided"};
  static constexpr std::pair<uint32_t, const char*> flags[] = {
      {TENON_SLOT_ZERO_STRIDE, " zero_stride"},
      {TENON_SLOT_NEGATIVE_STRIDE, " negative_stride"},
      {TENON_SLOT_HOST_SCALAR, " host_scalar"},
      {TENON_SLOT_UNALIGNED, " unaligned"}};
  std::vector<std::string> slots;
  for (uint32_t i = 0; i < kernel.n_slots; ++i) {
    const tenon_slot_rule& rule = kernel.slots[i];
    std::string line = std::string(roles[rule.role]) + " " + layouts[rule.layout];
    for (const auto& [flag, word] : flags) {
      if (rule.flags & flag) line += word;
    }
    slots.push_back(std::move(line));
  }
  return slots;
}

void write_kernels(Writer& out, const registry::Op& op) {
  out.objects(*op.kernels.load(std::memory_order_acquire), [&](const Kernel* kernel) {
    out.member("plugin", kernel->plugin->id);
    out.member("device", text(kernel->desc.device));
    out.member("priority", kernel->desc.priority);
    out.member("canonical", (kernel->desc.flags & TENON_KERNEL_CANONICAL) != 0);
    out.member("capture_safe", (kernel->desc.flags & TENON_KERNEL_CAPTURE_SAFE) != 0);
    out.member("index_64", (kernel->desc.flags & TENON_KERNEL_INDEX_64) != 0);
    out.member("dtypes", rows_text(kernel->desc));
    out.member("slots", slots_text(kernel->desc));
  });
}

std::vector<std::string_view> flag_words(const registry::Op& op) {
  std::vector<std::string_view> words;
  if (op.has(TENON_OP_ELEMENTWISE)) words.emplace_back("elementwise");
  if (op.has(TENON_OP_RANDOM)) words.emplace_back("random");
  if (op.has(TENON_OP_EFFECT)) words.emplace_back("effect");
  if (op.has(TENON_OP_LINEAR)) words.emplace_back("linear");
  if (op.has(TENON_OP_TRANSFER)) words.emplace_back("transfer");
  if (op.has(TENON_OP_DYNAMIC_OUT)) words.emplace_back("dynamic-out");
  if (op.has(TENON_OP_WRITES_GRADIENTS)) words.emplace_back("writes-gradients");
  if (op.has(TENON_OP_LIBRARY_BITS)) words.emplace_back("library-bits");
  if (op.desc.view) words.emplace_back("view");
  return words;
}

// The names of those that a mask has; an output without a name is "output 0".
template <class Operand>
void write_masked(Writer& out, const char* member, const std::vector<Operand>& operands,
                  uint64_t mask) {
  out.name(member);
  out.begin_list();
  for (size_t i = 0; i < operands.size(); ++i) {
    if ((mask >> i & 1) == 0) continue;
    out.value(operands[i].name.empty() ? "output " + std::to_string(i) : operands[i].name);
  }
  out.end_list();
}

// What the gradient of each input needs, as the rule declares it; null without a rule.
void write_needs(Writer& out, const registry::Schema& schema, const registry::VjpRule* rule) {
  if (rule == nullptr) return out.value(nullptr);
  out.objects(rule->desc.n_inputs, [&](uint32_t i) {
    const tenon_vjp_need& need = rule->desc.needs[i];
    out.member("input", schema.inputs[i].name);
    out.member("differentiable", (rule->desc.non_differentiable >> i & 1) == 0);
    write_masked(out, "inputs", schema.inputs, need.inputs);
    write_masked(out, "outputs", schema.outputs, need.outputs);
    write_masked(out, "input_metas", schema.inputs, need.input_metas);
    write_masked(out, "output_metas", schema.outputs, need.output_metas);
  });
}

// Null for "".
void write_name_or_null(Writer& out, std::string_view name, std::string_view text) {
  out.name(name);
  if (text.empty()) {
    out.value(nullptr);
  } else {
    out.value(text);
  }
}

}  // namespace

void write_op(Context& context, Writer& out, const registry::Op& op) {
  const registry::VjpRule* rule = op.best_rule();
  out.begin_object();
  out.member("name", op.name);
  out.member("revision", op.desc.revision);
  out.member("schema", op.schema_text);
  registry::write_schema(out, op.schema);
  out.member("doc", op.doc);
  out.member("flags", flag_words(op));
  write_name_or_null(out, "role", registry::name_of_role(op.desc.role));
  out.member("plugin", op.plugin->id);
  out.name("kernels");
  write_kernels(out, op);
  write_name_or_null(out, "vjp", rule ? rule->plugin->id : std::string_view());
  out.member("vjp_twice", rule && (rule->desc.flags & TENON_VJP_TWICE) != 0);
  out.name("vjp_needs");
  write_needs(out, op.schema, rule);
  out.member("compose", op.desc.compose != nullptr);
  out.member("report", context.runtime->registry.report_of(op));
  out.end_object();
}

void write_ops(Context& context, Writer& out) {
  out.begin_list();
  for (const registry::Op* op : context.runtime->registry.ops()) write_op(context, out, *op);
  out.end_list();
}

// ---- entries of kinds, samples ------------------------------------------------------------------

void write_entries(Context& context, uint32_t kind, Writer& out) {
  const registry::Kind& which = registry::kind_at(kind);
  out.objects(context.runtime->registry.entries(kind), [&](const registry::Entry* entry) {
    const auto& desc = entry->as<tenon_entry_desc>();
    out.member("name", entry->name);
    out.member("doc", text(desc.doc));
    out.member("plugin", entry->plugin->id);
    if (which.write != nullptr) which.write(out, desc);
  });
}

void write_samples(Context& context, Writer& out) {
  out.objects(context.runtime->registry.samples(), [&](const registry::Sample& entry) {
    out.member("op", text(entry.desc.op));
    out.member("revision", entry.desc.revision);
    write_sample(out, entry.desc);
    out.member("plugin", entry.plugin->id);
  });
}

void write_tolerances(Context& context, Writer& out) {
  out.objects(context.runtime->registry.tolerances(), [&](const registry::Tolerance& entry) {
    out.member("op", text(entry.desc.op));
    out.member("revision", entry.desc.revision);
    out.member("dtype", tensor::name_of(entry.desc.dtype));
    out.member("ulp", entry.desc.ulp);
    out.member("relative", entry.desc.relative);
    out.member("reason", text(entry.desc.reason));
    out.member("plugin", entry.plugin->id);
  });
}

void write_optimizer_samples(Context& context, Writer& out) {
  out.objects(context.runtime->registry.optimizer_samples(),
              [&](const registry::OptimizerSample& entry) {
                out.member("optimizer", text(entry.desc.optimizer));
                out.member("text", text(entry.desc.text));
                out.member("steps", entry.desc.steps);
                out.member("expect", entry.desc.expect);
                out.member("fragment", text(entry.desc.fragment));
                out.member("plugin", entry.plugin->id);
              });
}

}  // namespace tenon::inspect
