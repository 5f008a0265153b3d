// SPDX-License-Identifier: Apache-2.0
// core/dispatch/select.cc: kernel selection.
#include "core/dispatch/select.h"

#include <tenon/ext/draft/bits.h>
#include <tenon/ext/draft/narrow.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/base/words.h"
#include "core/dispatch/operands.h"

namespace tenon::dispatch {

using registry::Kernel;

size_t KernelKeyHash::operator()(const KernelKey& key) const noexcept {
  uint64_t hash = 0xcbf29ce484222325ull;  // FNV-1a over the words
  const auto mix = [&hash](uint64_t word) { hash = (hash ^ word) * 0x100000001b3ull; };
  mix(key.op);
  mix(key.kind);
  mix(key.arithmetic | uint64_t{key.wide} << 8 | uint64_t{key.used.outputs} << 16);
  mix(key.used.inputs | uint64_t{key.used.attrs} << 32);
  for (tenon_dtype type : key.types) mix(type);
  return hash;
}

namespace {

bool same_value(const tenon_value& a, const tenon_value& b) {
  if (a.tag != b.tag) return false;
  switch (a.tag) {
    case TENON_VALUE_NONE:
      return true;
    case TENON_VALUE_INT_LIST:
      return a.count == b.count && std::equal(a.as.ints, a.as.ints + a.count, b.as.ints);
    case TENON_VALUE_STRING:
      return a.count == b.count && std::memcmp(a.as.string, b.as.string, a.count) == 0;
    default:
      return a.as.dtype == b.as.dtype;  // all eight bytes
  }
}

Usage used_by(const Invocation& call) {
  return usage_of(call.schema, {call.begin.data(), call.begin.size()},
                  {call.attrs.data(), call.attrs.size()}, call.wanted);
}

std::string types_text(std::span<const tenon_dtype> types) {
  return "(" + tensor::dtypes_text(types, ",") + ")";
}

bool has_row(const Kernel& kernel, std::span<const tenon_dtype> types) {
  if (kernel.desc.n_variables == 0) return true;
  for (uint32_t row = 0; row < kernel.desc.n_rows; ++row) {
    const tenon_dtype* types_of_row = kernel.desc.dtype_rows + row * kernel.desc.n_variables;
    if (std::equal(types.begin(), types.end(), types_of_row)) return true;
  }
  return false;
}

// "" if the kernel may run, whatever the arithmetic policy.
std::string unfit(const Invocation& call, const Kernel& kernel) {
  if (kernel.device_kind != call.device->id.kind) {
    return "is for device " + call.cx.runtime->registry.name_of(kernel.device_kind);
  }
  if (!has_row(kernel, {call.types.data(), call.types.size()})) {
    return "has no row for dtypes " + types_text({call.types.data(), call.types.size()});
  }
  if (call.wide && !(kernel.desc.flags & TENON_KERNEL_INDEX_64)) {
    return "cannot index more than 2^31 - 1 elements";
  }
  const uint32_t inputs = kernel_inputs(kernel.desc);
  return built_before(call.schema, {inputs, kernel.desc.n_attrs, kernel.desc.n_slots - inputs},
                      used_by(call));
}

bool is_canonical(const Invocation& call) {
  return call.device->host_memory() && call.cx.arithmetic == TENON_ARITHMETIC_CANONICAL;
}

// Of the plugins that are open.
std::vector<Judged> judge_open(const Invocation& call) {
  const std::string pin = pinned_plugin(call);
  const bool composed = pin == kCompositionPin && call.op.desc.compose != nullptr;
  const bool canonical = is_canonical(call) && !call.op.has(TENON_OP_LIBRARY_BITS);
  std::vector<Judged> judged;
  for (const Kernel* kernel : *call.op.kernels.load(std::memory_order_acquire)) {
    std::string reason = unfit(call, *kernel);
    int rank = 1;
    if (!pin.empty() && kernel->plugin->id == pin) {
      rank = 0;
    } else if (canonical && !(kernel->desc.flags & TENON_KERNEL_CANONICAL)) {
      rank = 2;
      if (kernel->plugin != call.device->backend->plugin && reason.empty()) {
        reason = "does not give canonical bits: pin it, or choose fast arithmetic";
      }
    }
    if (composed && reason.empty()) reason = "the op's composition is pinned";
    if (!reason.empty()) rank += 4;  // what cannot run stands last
    judged.push_back({kernel, std::move(reason), rank});
  }
  std::ranges::stable_sort(judged, {}, &Judged::rank);
  return judged;
}

// What stays closed would be judged "does not give canonical bits": no choice depends on it.
void open_candidates(const Invocation& call) {
  plugin::PluginHost& plugins = call.cx.runtime->plugins;
  const uint32_t kind = call.device->id.kind;
  if (is_canonical(call)) {
    plugins.open_for_device(kind);
    plugins.open_pinned(pinned_plugin(call));
    if (call.op.has(TENON_OP_LIBRARY_BITS)) plugins.open_kernels(kind, call.op.name);
  } else {
    plugins.open_providers(kind);
  }
}

}  // namespace

bool takes_narrow(const Invocation& call, const Kernel& kernel) {
  for (uint32_t i = 0; call.narrow && i < call.operands.size(); ++i) {
    const tenon_slot_rule& slot = kernel.desc.slots[call.input_of(i)];
    if (is_narrow(call, i) && !(slot.flags & TENON_SLOT_NARROW)) return false;
  }
  return true;
}

Usage usage_of(const registry::Schema& schema, std::span<const uint32_t> begin,
               std::span<const tenon_value> attrs, uint64_t wanted) {
  Usage used{static_cast<uint32_t>(schema.inputs.size()), static_cast<uint32_t>(attrs.size()),
             static_cast<uint32_t>(std::bit_width(wanted))};
  while (used.inputs > 0 && schema.inputs[used.inputs - 1].optional &&
         begin[used.inputs] == begin[used.inputs - 1]) {
    --used.inputs;
  }
  while (used.attrs > 0 && !schema.attrs[used.attrs - 1].required() &&
         same_value(attrs[used.attrs - 1], registry::default_value(schema.attrs[used.attrs - 1]))) {
    --used.attrs;
  }
  return used;
}

std::string built_before(const registry::Schema& schema, const Usage& known, const Usage& used) {
  const auto words = [](const char* noun, const std::string& name) {
    return "was built before " + std::string(noun) + " \"" + name + "\" existed";
  };
  if (used.inputs > known.inputs) return words("operand", schema.inputs[known.inputs].name);
  if (used.attrs > known.attrs) return words("attribute", schema.attrs[known.attrs].name);
  if (used.outputs > known.outputs) return words("output", schema.outputs[known.outputs].name);
  return "";
}

std::string pinned_plugin(const Invocation& call) { return call.cx.runtime->pin_of(call.op.index); }

std::vector<Judged> judge(const Invocation& call) {
  call.cx.runtime->plugins.open_providers(call.device->id.kind);
  return judge_open(call);
}

const Candidates& candidates(const Invocation& call) {
  KernelCache& cache = static_cast<KernelCache&>(*call.cx.kernels);
  const uint64_t epoch = call.cx.runtime->registry.epoch();
  if (cache.epoch != epoch) {
    cache.map.clear();
    cache.epoch = epoch;
  }
  KernelKey key;
  key.op = call.op.index;
  key.kind = call.device->id.kind;
  key.arithmetic = call.cx.arithmetic;
  key.wide = call.wide;
  key.used = used_by(call);
  const bool cacheable = call.types.size() <= key.types.size();
  std::copy_n(call.types.begin(), std::min(call.types.size(), key.types.size()), key.types.begin());
  const auto found = cache.map.find(key);
  if (cacheable && found != cache.map.end()) return found->second;
  Candidates fresh;
  open_candidates(call);
  // Opening plugins may have advanced the epoch. Read before the kernels are judged: if another
  // context removes some meanwhile, what is cached here must belong to the epoch before.
  const uint64_t now = call.cx.runtime->registry.epoch();
  for (const Judged& each : judge_open(call)) {
    if (each.reason.empty()) fresh.push_back(each.kernel);
  }
  if (now != epoch) {
    cache.map.clear();
    cache.epoch = now;
  }
  return cache.map.insert_or_assign(key, std::move(fresh)).first->second;
}

void fail_no_kernel(const Invocation& call, const std::string& declined) {
  std::string found = base::joined(judge(call), "; ", [&](const Judged& each) {
    return each.kernel->plugin->id + ": " + (each.reason.empty() ? declined : each.reason);
  });
  const std::string types = types_text({call.types.data(), call.types.size()});
  if (found.empty()) found = "no plugin has a kernel for this op";
  fail_in(call.op.name, TENON_E_NO_KERNEL,
          "no kernel for device " + call.device->name() + " and dtypes " + types +
              ", and no composition: " + found,
          {}, "a kernel for " + call.device->name() + " " + types, found,
          "`tenon explain " + call.op.name + "` with a sample call lists the candidates");
}

}  // namespace tenon::dispatch
