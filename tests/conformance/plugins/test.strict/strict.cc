// SPDX-License-Identifier: Apache-2.0
// tests/conformance/plugins/test.strict/strict.cc: kernels that take row-major operands only.
//
// The reference backend's own kernels, opened from the plugin folder beside this build's test
// plugins and declared again with CONTIGUOUS slots and a higher priority. Each launch first proves
// that every operand really is row-major, aligned and in the device's memory, so the dispatcher's
// staging is exercised, and checked, through every op.

#include <dlfcn.h>

#include <filesystem>

#include <tenon/sdk/plugin/plugin.hpp>

namespace {

namespace sdk = tenon::sdk;

struct Strict {
  const tenon_kernel_desc* inner = nullptr;
  std::vector<tenon_slot_rule> slots;
  tenon_kernel_desc desc{};
};

// One runtime's reference backend and the kernels made of it.
struct State {
  tenon_plugin inner{};
  void* inner_self = nullptr;
  std::vector<std::unique_ptr<Strict>> kernels;
  std::vector<const tenon_kernel_desc*> descs;
  tenon_kernels_table table{};
};

bool is_row_major(const tenon_view& view) {
  int64_t step = 1;
  bool row_major = true;
  for (int32_t d = view.rank; d-- > 0;) {
    if (view.shape[d] == 0) return true;
    if (view.shape[d] != 1) row_major = row_major && view.strides[d] == step;
    step *= view.shape[d];
  }
  return row_major;
}

bool is_empty(const tenon_view& view) {
  for (int32_t d = 0; d < view.rank; ++d) {
    if (view.shape[d] == 0) return true;
  }
  return false;
}

tenon_status launch(tenon_call* call, const tenon_launch* args) {
  const Strict& strict = *static_cast<const Strict*>(args->user);
  for (uint32_t i = 0; i < args->slot_begin[args->n_slots]; ++i) {
    const tenon_view& view = args->views[i];
    const char* wrong = nullptr;
    if (view.flags & TENON_VIEW_HOST_SCALAR) {
      wrong = "an operand is a host scalar";
    } else if (!is_row_major(view)) {
      wrong = "an operand is not row-major";
    } else if (!is_empty(view) &&
               reinterpret_cast<uintptr_t>(view.data) % sdk::size_of(view.dtype) != 0) {
      wrong = "an operand is not aligned";
    }
    if (wrong) return call->base->fail(call, TENON_E_CHECK, wrong, TENON_NUL);
  }
  tenon_launch inner = *args;
  inner.user = strict.inner->user;
  return strict.inner->launch(call, &inner);
}

tenon_status workspace(tenon_call* call, const tenon_launch* args, uint64_t* out_bytes) {
  const Strict& strict = *static_cast<const Strict*>(args->user);
  tenon_launch inner = *args;
  inner.user = strict.inner->user;
  return strict.inner->workspace(call, &inner, out_bytes);
}

tenon_status predicate(tenon_call* call, const tenon_launch* args, uint32_t* out_accepts) {
  const Strict& strict = *static_cast<const Strict*>(args->user);
  tenon_launch inner = *args;
  inner.user = strict.inner->user;
  return strict.inner->predicate(call, &inner, out_accepts);
}

void add_kernel(State& state, const tenon_kernel_desc& inner) {
  // Callbacks that the wrapper does not forward would see the wrong `user`.
  if (inner.prepare) throw std::runtime_error("the strict plugin cannot wrap prepare");
  auto strict = std::make_unique<Strict>();
  strict->inner = &inner;
  for (uint32_t i = 0; i < inner.n_slots; ++i) {
    strict->slots.push_back({inner.slots[i].role, TENON_LAYOUT_CONTIGUOUS, 0, 0});
  }
  strict->desc = inner;
  strict->desc.priority = inner.priority + 1000;
  strict->desc.slots = strict->slots.data();
  strict->desc.launch = launch;
  strict->desc.workspace = inner.workspace ? workspace : nullptr;
  strict->desc.predicate = inner.predicate ? predicate : nullptr;
  strict->desc.user = strict.get();
  state.descs.push_back(&strict->desc);
  state.kernels.push_back(std::move(strict));
}

// <build>/test_plugins/<folder>/<id>/<id>.so  ->  <build>/plugins/tenon.ref/tenon.ref.so
std::string reference_path() {
  Dl_info here{};
  if (dladdr(reinterpret_cast<void*>(&add_kernel), &here) == 0) {
    throw std::runtime_error("dladdr does not know this library");
  }
  const std::filesystem::path library = std::filesystem::absolute(here.dli_fname);
  const auto build = library.parent_path().parent_path().parent_path().parent_path();
  return (build / "plugins" / "tenon.ref" / "tenon.ref.so").string();
}

std::unique_ptr<State> make_state(const tenon_host* host, tenon_diag* diag) {
  void* library = dlopen(reference_path().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) throw std::runtime_error(dlerror());
  const auto query =
      reinterpret_cast<tenon_plugin_query_fn>(dlsym(library, TENON_PLUGIN_QUERY_NAME));
  if (!query) throw std::runtime_error("the reference backend exports no query function");
  auto state = std::make_unique<State>();
  state->inner.struct_size = sizeof state->inner;
  if (query(host, &state->inner, diag) != TENON_OK ||
      state->inner.init(host, &state->inner_self, diag) != TENON_OK) {
    throw std::runtime_error("the reference backend does not start");
  }
  static constexpr std::string_view id = "tenon.kernels/1";
  const auto* table = static_cast<const tenon_kernels_table*>(
      state->inner.get_interface(state->inner_self, id.data(), id.size()));
  if (!table) throw std::runtime_error("the reference backend has no kernels");
  for (uint32_t i = 0; i < table->count; ++i) add_kernel(*state, *table->descs[i]);
  state->table = {sizeof state->table, static_cast<uint32_t>(state->descs.size()),
                  state->descs.data()};
  return state;
}

tenon_status init(const tenon_host* host, void** out_self, tenon_diag* diag) {
  try {
    *out_self = make_state(host, diag).release();
    return TENON_OK;
  } catch (const std::exception& error) {
    diag->status = TENON_E_PLUGIN;
    diag->length = std::snprintf(diag->message, sizeof diag->message, "%s", error.what());
    return TENON_E_PLUGIN;
  }
}

void release(void* self) {
  State* state = static_cast<State*>(self);
  state->inner.release(state->inner_self);
  delete state;
}

const void* get_interface(void* self, const char* id, uint64_t id_length) {
  const std::string_view name(id, id_length);
  return name == "tenon.kernels/1" ? &static_cast<State*>(self)->table : nullptr;
}

}  // namespace

extern "C" TENON_EXPORT tenon_status tenon_plugin_query_v0(const tenon_host*, tenon_plugin* out,
                                                           tenon_diag*) {
  out->struct_size = sizeof *out;
  out->built_major = TENON_ABI_MAJOR;
  out->built_minor = TENON_ABI_MINOR;
  out->required_minor = TENON_ABI_MINOR;
  out->fingerprint = sdk::fingerprint();
  out->id = sdk::str("test.strict");
  out->version = sdk::str("1.0.0");
  out->license = sdk::str("Apache-2.0");
  out->init = init;
  out->release = release;
  out->get_interface = get_interface;
  return TENON_OK;
}
