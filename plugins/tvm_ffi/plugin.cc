// SPDX-License-Identifier: Apache-2.0
// plugins/tvm_ffi/plugin.cc: a bridge: a plugin whose ops are functions of a library with the ABI
// of tvm-ffi. `tenon wrap` appends both the description of the ops and that library to this one;
// what they say is read once for each process. Nothing appended: a plugin without ops.
#include <dlfcn.h>
#include <tenon/ext/draft/shapes.h>
#include <tenon/sdk/plugin/appended.hpp>
#include <tenon/sdk/plugin/plugin_init.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <mutex>
#include <utility>
#include <vector>

#include "description.hpp"

namespace tenon::tvm_ffi {
namespace {

// The file that this code was loaded from.
std::string own_file() {
  Dl_info info{};
  const auto address = reinterpret_cast<const void*>(&own_file);
  if (dladdr(address, &info) == 0 || !info.dli_fname) {
    throw sdk::Failure{TENON_E_IO, "the loader does not say which file this library is"};
  }
  return info.dli_fname;
}

tenon_status run_rules(tenon_call* call, void* user) {
  return sdk::guarded(call, [&] {
    sdk::Vjp vjp(call);
    for (const Rule& rule : static_cast<const Described*>(user)->rules) rule.run(vjp);
  });
}

// An op's composition is called without anything that says which op it is of: the functions for
// the first, the second, ... are different ones.
constexpr size_t kMaxCompositions = 256;
tenon_compose_fn composition_at(size_t index);

// What the host is given lives as long as the process, as all tables of plugins do.
class Bridge {
 public:
  Bridge() {
    sdk::Appended appended = sdk::read_appended(own_file());
    if (appended.description.empty()) return;
    description_ = read_description(appended.description);
    bytes_ = std::move(appended.library);
    for (Described& described : description_.functions) add(described);
    unit_.ops = ops_;
    unit_.vjps = vjps_;
    unit_.kernels = kernels_;
    unit_.samples = samples_;
    unit_.tolerances = tolerances_;
    units_.push_back(&unit_);
  }
  Bridge(const Bridge&) = delete;
  Bridge& operator=(const Bridge&) = delete;

  sdk::About about() const {
    if (units_.empty()) return {"tenon.tvm_ffi", TENON_SDK_VERSION_TEXT, "Apache-2.0", {}};
    return {description_.id, description_.version, description_.license, units_};
  }

  // Opens the library and finds its functions, the first time.
  void open() {
    const std::lock_guard lock(mutex_);
    if (opened_ || units_.empty()) return;
    if (!library_.is_open()) library_.open(bytes_, description_.library);
    bytes_ = {};
    for (Described& described : description_.functions) {
      if (!described.has_outline) continue;
      described.function.kernels = &library_;
      described.function.address = library_.function(described.function.name);
    }
    opened_ = true;
  }

  const Described& composed(size_t index) const { return *composed_[index]; }

 private:
  void add(Described& described) {
    tenon_op_desc op{};
    op.struct_size = sizeof op;
    op.name = sdk::str(described.op);
    op.schema = sdk::str(described.schema);
    op.doc = sdk::str(described.doc);
    op.revision = described.revision;
    op.shape_rule = TENON_SHAPE_SCHEMA;
    if (!described.composition.empty()) {
      if (composed_.size() == kMaxCompositions) {
        throw sdk::Failure{TENON_E_DATA, described.op + ": composition: expected at most " +
                                             std::to_string(kMaxCompositions) + " in one plugin"};
      }
      op.compose = composition_at(composed_.size());
      composed_.push_back(&described);
    }
    ops_.push_back(op);
    for (const Sample& sample : described.samples) {
      samples_.push_back({sdk::str(described.op), sdk::str(sample.text), sdk::str(sample.says),
                          sample.expect, described.revision});
    }
    for (const Tolerance& each : described.tolerances) {
      tolerances_.push_back({sizeof(tenon_tolerance), 0, sdk::str(described.op),
                             sdk::str(each.reason), described.revision, each.dtype, each.ulp,
                             each.relative});
    }
    if (!described.has_outline) return;
    add_kernel(described);
    if (!described.rules.empty()) add_vjp(described);
  }

  void add_kernel(Described& described) {
    std::vector<tenon_slot_rule>& slots = slots_.emplace_back();
    for (const Input& input : described.outline.inputs) {
      slots.push_back({input.written ? TENON_SLOT_INOUT : TENON_SLOT_IN, 0, 0, 0});
    }
    slots.resize(described.outline.slots(), {TENON_SLOT_OUT, 0, 0, 0});
    tenon_kernel_desc kernel{};
    kernel.struct_size = sizeof kernel;
    kernel.flags = TENON_KERNEL_CAPTURE_SAFE | TENON_KERNEL_CANONICAL | TENON_KERNEL_INDEX_64;
    kernel.op = sdk::str(described.op);
    kernel.device = sdk::str("cpu");
    kernel.revision = described.revision;
    kernel.slots = slots.data();
    kernel.dtype_rows = described.rows.data();
    kernel.n_slots = described.outline.slots();
    kernel.n_attrs = static_cast<uint32_t>(described.outline.attributes.size());
    kernel.n_variables = static_cast<uint32_t>(described.outline.variables.size());
    kernel.n_rows = kernel.n_variables == 0
                        ? 1
                        : static_cast<uint32_t>(described.rows.size()) / kernel.n_variables;
    kernel.launch = launch;
    kernel.user = &described.function;
    kernels_.push_back(kernel);
  }

  void add_vjp(Described& described) {
    std::vector<tenon_vjp_need>& needs = needs_.emplace_back(described.outline.inputs.size());
    for (const Rule& rule : described.rules) {
      for (const uint32_t input : rule.targets) needs[input] = rule.need;
    }
    tenon_vjp_desc vjp{};
    vjp.struct_size = sizeof vjp;
    vjp.flags = described.twice ? TENON_VJP_TWICE : 0;
    vjp.op = sdk::str(described.op);
    vjp.revision = described.revision;
    vjp.n_inputs = static_cast<uint32_t>(described.outline.inputs.size());
    vjp.n_outputs = static_cast<uint32_t>(described.outline.outputs.size());
    vjp.n_attrs = static_cast<uint32_t>(described.outline.attributes.size());
    vjp.needs = needs.data();
    vjp.non_differentiable = described.without_gradient;
    vjp.vjp = run_rules;
    vjp.user = &described;
    vjps_.push_back(vjp);
  }

  Description description_;
  std::string bytes_;  // of the library, until it is open
  Kernels library_;
  std::mutex mutex_;
  bool opened_ = false;

  std::deque<std::vector<tenon_slot_rule>> slots_;
  std::deque<std::vector<tenon_vjp_need>> needs_;
  std::vector<const Described*> composed_;
  std::vector<tenon_op_desc> ops_;
  std::vector<tenon_vjp_desc> vjps_;
  std::vector<tenon_kernel_desc> kernels_;
  std::vector<tenon_sample> samples_;
  std::vector<tenon_tolerance> tolerances_;
  sdk::Unit unit_;
  std::vector<const sdk::Unit*> units_;
};

// Made by the first call that succeeds.
Bridge& bridge() {
  static Bridge* const made = new Bridge;
  return *made;
}

template <size_t index>
tenon_status compose(tenon_call* call, const tenon_value* inputs, uint32_t n_inputs,
                     const tenon_value* attrs, uint32_t n_attrs) {
  return sdk::guarded(call, [&] {
    sdk::Compose composition(call, inputs, n_inputs, attrs, n_attrs);
    for (const Rule& rule : bridge().composed(index).composition) rule.run(composition);
  });
}

template <size_t... indices>
constexpr std::array<tenon_compose_fn, sizeof...(indices)> compositions(
    std::index_sequence<indices...>) {
  return {compose<indices>...};
}

tenon_compose_fn composition_at(size_t index) {
  static constexpr auto all = compositions(std::make_index_sequence<kMaxCompositions>());
  return all[index];
}

struct Data {
  static sdk::About about() { return bridge().about(); }
};

tenon_status refuse(tenon_diag* diag, tenon_status status, const std::string& words) {
  diag->status = status;
  const size_t length = std::min(words.size(), sizeof diag->message - 1);
  std::memcpy(diag->message, words.data(), length);
  diag->message[length] = 0;
  diag->length = static_cast<int32_t>(length);
  return status;
}

// `body`, with what it throws as words in `diag`.
template <class Body>
tenon_status reported(tenon_diag* diag, Body&& body) noexcept {
  try {
    return body();
  } catch (const sdk::Failure& failure) {
    return refuse(diag, failure.status, failure.what);
  } catch (const std::bad_alloc&) {
    return refuse(diag, TENON_E_MEMORY, "out of memory");
  } catch (const std::exception& error) {
    return refuse(diag, TENON_E_PLUGIN, error.what());
  }
}

tenon_status init(const tenon_host* host, void** out_self, tenon_diag* diag) {
  return reported(diag, [&] {
    bridge().open();
    return sdk::statement<Data>().init(host, out_self, diag);
  });
}

}  // namespace
}  // namespace tenon::tvm_ffi

extern "C" TENON_EXPORT tenon_status tenon_plugin_query_v0(const tenon_host* host,
                                                           tenon_plugin* out, tenon_diag* diag) {
  using namespace tenon::tvm_ffi;
  return reported(diag, [&] {
    bridge();
    return tenon::sdk::query_with<init, Data>(host, out, diag);
  });
}
