// SPDX-License-Identifier: Apache-2.0
// core/inspect/query.cc: the topics of tenon_runtime_query. Texts come from plugins and may hold
// any bytes; what is not UTF-8 is replaced when the answer is written.
#include "core/inspect/query.h"

#include <tenon/ext/draft/bits.h>
#include <tenon/ext/draft/dynamic.h>
#include <tenon/ext/draft/narrow.h>
#include <tenon/ext/draft/optimizers.h>

#include "core/inspect/entries.h"
#include "core/json/writer.h"
#include "core/plugin/sha256.h"
#include "core/registry/checks.h"
#include "core/registry/kinds/parts.h"
#include "core/runtime/context.h"
#include "core/tape/graph.h"

namespace tenon::inspect {

namespace {

using json::Writer;
using registry::Kernel;
using registry::Plugin;
using registry::text;
using registry::write_sample;

// ---- plugins ------------------------------------------------------------------------------------

// In the order of the enumerators.
constexpr const char* kStates[] = {"found", "refused", "open", "failed", "deactivated"};
constexpr const char* kStages[] = {"",        "manifest",  "policy", "requirement",
                                   "library", "handshake", "init",   "registration"};

// The members of an object, as write_memory and write_device.
void write_plugin(Writer& out, const Plugin& plugin) {
  // Acquired first: the members below it may be read once it is no longer Found.
  const registry::PluginState state = plugin.state.load(std::memory_order_acquire);
  const bool settled = state != registry::PluginState::Found;
  const registry::Manifest& manifest = plugin.manifest;
  out.member("id", plugin.id);
  out.member("version", manifest.version);
  out.member("license", manifest.license);
  out.member("folder", plugin.folder);
  out.member("library", plugin.library);
  out.member("sha256", manifest.sha256);
  out.member("state", kStates[static_cast<size_t>(state)]);
  out.member("stage", settled ? kStages[static_cast<size_t>(plugin.stage)] : "");
  out.member("reason", settled ? plugin.reason : "");
  out.member("report", settled ? plugin.report : std::vector<std::string>());
  out.objects("ops", manifest.ops, [&](const auto& op) {
    out.member("name", op.name);
    out.member("revision", op.revision);
    out.member("role", op.role);
  });
  out.objects("kernels", manifest.kernels, [&](const auto& entry) {
    out.member("device", entry.device);
    out.member("ops", entry.ops);
  });
  out.member("vjps", manifest.vjps);
  for (uint32_t kind = 0; kind < registry::kKindEnd; ++kind) {
    out.member(registry::kind_at(kind).plural, manifest.entries[kind]);
  }
  out.member("devices", manifest.devices);
  out.name("requires");
  out.begin_object();
  out.member("ops", manifest.required_ops);
  out.member("roles", manifest.required_roles);
  out.member("cpu_features", manifest.cpu_features);
  out.member("libraries", manifest.libraries);
  out.end_object();
}

void write_plugins(Context& context, Writer& out) {
  out.objects(context.runtime->plugins.plugins(),
              [&](const Plugin* plugin) { write_plugin(out, *plugin); });
}

void write_kinds(Context&, Writer& out) {
  out.objects(registry::kKindEnd, [&](uint32_t i) {
    const registry::Kind& kind = registry::kind_at(i);
    out.member("noun", kind.noun);
    out.member("topic", kind.plural);
    out.member("interface", kind.interface);
  });
}

void write_paths(Context& context, Writer& out) {
  out.objects(context.runtime->plugins.paths(), [&](const plugin::SearchPath& path) {
    out.member("folder", path.folder);
    out.member("origin", path.origin);
    out.member("problem", path.problem);
    out.member("found", path.found);
    out.member("refused", path.refused);
    out.member("unlisted", path.unlisted);
  });
}

// ---- devices ------------------------------------------------------------------------------------

bool has_kernel(const registry::Op& op, uint32_t kind) {
  return std::ranges::any_of(*op.kernels.load(std::memory_order_acquire),
                             [&](const Kernel* kernel) { return kernel->device_kind == kind; });
}

// Why a role cannot be played on a device kind; "" if it can.
std::string role_problem(Context& context, uint32_t role, uint32_t kind) {
  const registry::Op* op = context.runtime->registry.role(role);
  const std::string name(registry::name_of_role(role));
  if (!op) return "no op holds the role " + name;
  if (!has_kernel(*op, kind)) return "no kernel for " + op->name + " (role " + name + ")";
  return "";
}

void write_memory(Writer& out, const Device& device) {
  const memory::Stats stats = device.allocator->stats();
  out.member("index", device.id.index);
  out.member("live_bytes", stats.live_bytes);
  out.member("peak_bytes", stats.peak_bytes);
  out.member("reserved_bytes", stats.reserved_bytes);
  out.member("live_blocks", stats.live_blocks);
  out.member("allocations", stats.allocations);
  out.member("raw_allocations", stats.raw_allocations);
  out.member("pinned_bytes", device.pinned_bytes());
  out.member("lost", device.lost_message());
}

void write_device(Context& context, Writer& out, const registry::Backend& backend) {
  std::vector<std::string_view> present;
  std::vector<std::string_view> missing;
  std::string no_autograd;
  // Sums over processes are no device's.
  for (uint32_t role = 1; role <= TENON_ROLE_ISFINITE; ++role) {
    const std::string problem = role_problem(context, role, backend.kind);
    (problem.empty() ? present : missing).push_back(registry::name_of_role(role));
    if (role <= TENON_ROLE_SUM_TO && !problem.empty()) {
      no_autograd += (no_autograd.empty() ? "" : "; ") + problem;
    }
  }
  if (backend.count == 0) no_autograd = "no usable device";
  std::vector<const Device*> made;
  std::vector<std::string> lost;  // one message for each lost device
  for (const Device* device : context.runtime->devices()) {
    if (device->id.kind != backend.kind) continue;
    made.push_back(device);
    if (const std::string words = device->lost_message(); !words.empty()) lost.push_back(words);
  }
  const bool host = (backend.table->flags & TENON_BACKEND_HOST_MEMORY) != 0;
  const auto indices = static_cast<size_t>(backend.count);
  out.member("kind", backend.kind_name);
  out.member("doc", registry::text_of(backend.table->doc, "doc"));
  out.member("plugin", backend.plugin->id);
  out.member("host_memory", host);
  out.member("asynchronous", !host);
  out.member("pinned", find_table(backend, kPinnedId) != nullptr);
  out.member("usable", backend.count > 0 && (lost.empty() || lost.size() < indices));
  out.member("lost", lost);
  out.member("count", backend.count);
  out.member("why_none", backend.why_none);
  out.member("failed", backend.failed);
  out.name("roles");
  out.begin_object();
  out.member("present", present);
  out.member("missing", missing);
  out.end_object();
  out.member("autograd", no_autograd.empty());
  out.member("autograd_reason", no_autograd);
  out.objects("memory", made, [&](const Device* device) { write_memory(out, *device); });
}

void write_devices(Context& context, Writer& out) {
  out.objects(context.runtime->registry.backends(),
              [&](const registry::Backend* backend) { write_device(context, out, *backend); });
}

// ---- ops ----------------------------------------------------------------------------------------

// "f32 f64" for each row: one dtype for each type variable.
std::vector<std::string> rows_text(const tenon_kernel_desc& kernel) {
  std::vector<std::string> rows;
  for (uint32_t row = 0; row < kernel.n_rows; ++row) {
    const tenon_dtype* const first = kernel.dtype_rows + row * kernel.n_variables;
    rows.push_back(tensor::dtypes_text({first, kernel.n_variables}, " "));
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
  if (op.has(TENON_OP_NARROW)) words.emplace_back("narrow");
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

// ---- the runtime itself -------------------------------------------------------------------------

void write_stats(Context& context, Writer& out) {
  const Runtime& runtime = *context.runtime;
  out.begin_object();
  out.member("tensors", runtime.tensors.load());
  out.member("storages", runtime.storages.load());
  out.member("plans", runtime.plans.load());
  out.member("nodes", tape::graph_of(context).live_nodes);
  out.member("launches", context.launches);
  out.member("libraries_opened", runtime.plugins.libraries_opened());
  out.objects("devices", runtime.devices(), [&](const Device* device) {
    out.member("device", device->name());
    write_memory(out, *device);
  });
  out.end_object();
}

void write_environment(Context& context, Writer& out) {
  const Runtime& runtime = *context.runtime;
  std::vector<std::string_view> checks;
  for (const CheckName& check : kCheckNames) {
    if (runtime.config.checks & check.mode) checks.push_back(check.name);
  }
  static constexpr const char* policies[] = {"owned", "any", "allowlist"};
  const auto dotted = [](uint32_t major, uint32_t minor) {
    return std::to_string(major) + "." + std::to_string(minor);
  };
  out.begin_object();
  out.member("version", dotted(TENON_VERSION_MAJOR, TENON_VERSION_MINOR) + "." +
                            std::to_string(TENON_VERSION_PATCH));
  out.member("abi", dotted(TENON_ABI_MAJOR, TENON_ABI_MINOR));
  out.member("draft", TENON_ABI_DRAFT);
  out.member("threads", runtime.pool.threads());
  out.member("available_cpus", threads::Pool::available());
  out.member("checks", checks);
  out.member("policy", policies[runtime.config.plugins.policy]);
  out.member("memory_limit", runtime.config.memory_limit);
  out.member("excluded", runtime.config.plugins.exclude);
  out.member("trace_file", runtime.config.trace_file);
  out.end_object();
}

// Reads every library whole, so nobody asks for it by the way.
void write_hashes(Context& context, Writer& out) {
  out.begin_list();
  for (const Plugin* plugin : context.runtime->plugins.plugins()) {
    if (plugin->library.empty()) continue;
    std::string hash;
    std::string problem;
    try {
      hash = plugin::sha256_of_file(plugin->library);
    } catch (const Error& error) {
      problem = error.message;
    }
    out.begin_object();
    out.member("id", plugin->id);
    out.member("library", plugin->library);
    out.member("sha256", hash);
    out.member("problem", problem);
    out.end_object();
  }
  out.end_list();
}

void write_log(Context& context, Writer& out) { out.value(context.runtime->log_lines()); }

struct Topic {
  std::string_view name;
  void (*answer)(Context&, Writer&);
  bool opens_all;
};
constexpr Topic kTopics[] = {
    {"plugins", write_plugins, false},
    {"kinds", write_kinds, false},
    {"devices", write_devices, true},
    {"ops", write_ops, true},
    {"samples", write_samples, true},
    {"tolerances", write_tolerances, true},
    {"optimizer_samples", write_optimizer_samples, true},
    {"paths", write_paths, false},
    {"hashes", write_hashes, false},
    {"stats", write_stats, false},
    {"environment", write_environment, false},
    {"log", write_log, false},
};

// "ops/vendor.op", or "ops/vendor.op@2" for a revision.
constexpr std::string_view kOneOp = "ops/";

}  // namespace

std::string query(Context& context, std::string_view topic) {
  json::Writer out;
  if (topic.starts_with(kOneOp)) {
    write_op(context, out, require_revision(context, topic.substr(kOneOp.size()), "topic"));
    return out.take();
  }
  std::string known;
  const auto is_asked = [&](std::string_view name) {
    known.append(known.empty() ? "" : ", ").append(name);
    return name == topic;
  };
  for (const Topic& entry : kTopics) {
    if (!is_asked(entry.name)) continue;
    if (entry.opens_all) context.runtime->plugins.open_all();
    entry.answer(context, out);
    return out.take();
  }
  for (uint32_t kind = 0; kind < registry::kKindEnd; ++kind) {
    if (!is_asked(registry::kind_at(kind).plural)) continue;
    context.runtime->plugins.open_all();
    write_entries(context, kind, out);
    return out.take();
  }
  fail(TENON_E_NOT_FOUND, "there is no topic \"" + std::string(topic) + "\"; topics are " + known,
       "topic", known, std::string(topic));
}

}  // namespace tenon::inspect
