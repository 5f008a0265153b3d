// SPDX-License-Identifier: Apache-2.0
// core/api/host_drafts.cc: what plugins may ask of the host by tables that are drafts still: of
// layers, tokenizers, processes, and a context that is lent.
#include <tenon/ext/draft/layers.h>
#include <tenon/ext/draft/lending.h>
#include <tenon/ext/draft/processes.h>
#include <tenon/ext/draft/tokenizers.h>

#include <algorithm>

#include "core/api/host_guard.h"
#include "core/api/host_tables.h"
#include "core/api/objects.h"
#include "core/launch/moves.h"
#include "core/layers/layer.h"
#include "core/processes/group.h"
#include "core/tensor/external.h"

namespace tenon::host {
namespace {

using data::Tokenizer;
using layers::Layer;
using processes::Group;
using tensor::Ref;

// ---- tenon.host.layers/1: what a layer's callbacks may ask of the host.

// The layer whose callback runs; `state` is Infer in describe, Compose in forward.
Layer& layer_of(const CallbackScope& call, CallbackState state, const char* what) {
  require_state(call, {state}, what);
  if (call.subject) return static_cast<Layer&>(*call.subject);
  fail(TENON_E_STATE, std::string(what) + " is for the callbacks of layers");
}

tenon_status add_tensor(tenon_call* window, const tenon_layer_tensor_spec* spec) {
  return host_guard(window, "layers.add_tensor", [&](CallbackScope& call) {
    Layer& layer = layer_of(call, CallbackState::Infer, "add_tensor");
    require_pointer(spec, "a tensor's description");
    layer.add_tensor(*call.context, *spec);
  });
}

tenon_status add_child(tenon_call* window, const tenon_string* name, const tenon_string* kind,
                       const tenon_string* names, const tenon_value* values, uint32_t n_values) {
  return host_guard(window, "layers.add_child", [&](CallbackScope& call) {
    Layer& layer = layer_of(call, CallbackState::Infer, "add_child");
    if (n_values != 0) {
      require_pointer(names, "names");
      require_pointer(values, "values");
    }
    std::vector<layers::NamedValue> options;
    for (uint32_t i = 0; i < n_values; ++i) {
      options.emplace_back(text(&names[i], "an option's name"), values[i]);
    }
    layer.add_child(*call.context, text(name, "a child's name"), text(kind, "a layer's name"),
                    options);
  });
}

tenon_status get_tensor(tenon_call* window, const char* name, uint64_t name_length,
                        tenon_tensor** out_tensor) {
  return host_guard(window, "layers.get_tensor", [&](CallbackScope& call) {
    const Layer& layer = layer_of(call, CallbackState::Compose, "get_tensor");
    require_pointer(out_tensor, "out_tensor");
    Tensor* found = layer.use_tensor(*call.context, text(name, name_length, "a tensor's name"));
    *out_tensor = found ? tensor::handle(found) : nullptr;
  });
}

tenon_status set_buffer(tenon_call* window, const char* name, uint64_t name_length,
                        tenon_tensor* values) {
  return host_guard(window, "layers.set_buffer", [&](CallbackScope& call) {
    Layer& layer = layer_of(call, CallbackState::Compose, "set_buffer");
    layer.set_buffer(*call.context, text(name, name_length, "a buffer's name"),
                     require_tensor(call, values, "tensor"));
  });
}

tenon_status get_child_count(tenon_call* window, uint32_t* out_count) {
  return host_guard(window, "layers.get_child_count", [&](CallbackScope& call) {
    const Layer& layer = layer_of(call, CallbackState::Compose, "get_child_count");
    require_pointer(out_count, "out_count");
    *out_count = layer.child_count();
  });
}

tenon_status call_child(tenon_call* window, uint32_t index, const tenon_value* inputs,
                        uint32_t n_inputs, tenon_tensor** out_outputs, uint32_t n_outputs) {
  return host_guard(window, "layers.call_child", [&](CallbackScope& call) {
    Layer& layer = layer_of(call, CallbackState::Compose, "call_child");
    if (n_outputs != 0) require_pointer(out_outputs, "outputs");
    std::vector<Ref> made =
        layer.call_child(*call.context, index, values(inputs, n_inputs, "inputs"), n_outputs);
    call.owned.reserve(call.owned.size() + made.size());
    for (uint32_t i = 0; i < n_outputs; ++i) {
      out_outputs[i] = tensor::handle(made[i].get());
      call.owned.push_back(std::move(made[i]));
    }
  });
}

constexpr tenon_host_layers kLayers = {
    sizeof(tenon_host_layers), 0,         add_tensor, add_child, get_tensor, set_buffer,
    get_child_count,           call_child};

// ---- tenon.host.tokenizers/1: tokenizers for plugins that read text.

tenon_status create(tenon_call* window, const tenon_string* name, const void* file,
                    uint64_t file_length, const tenon_string* names, const tenon_value* values,
                    uint32_t n_values, tenon_tokenizer** out_tokenizer) {
  return host_guard(window, "tokenizers.create", [&](CallbackScope& call) {
    require_state(call, {CallbackState::Data}, "tokenizers.create");
    require_pointer(out_tokenizer, "out_tokenizer");
    if (file_length != 0) require_pointer(file, "file");
    *out_tokenizer = api::make_tokenizer(*call.context, text(name, "name"), file, file_length,
                                         names, values, n_values);
  });
}

tenon_status load(tenon_call* window, const tenon_string* path, tenon_tokenizer** out_tokenizer) {
  return host_guard(window, "tokenizers.load", [&](CallbackScope& call) {
    require_state(call, {CallbackState::Data}, "tokenizers.load");
    require_pointer(out_tokenizer, "out_tokenizer");
    const std::string_view given = text(path, "path");
    const std::string file = api::require_path(given.data(), given.size());
    *out_tokenizer = api::kTokenizers.give(Tokenizer::load(*call.context, nullptr, file, {}));
  });
}

tenon_status encode(tenon_call* window, tenon_tokenizer* tokenizer, const char* data,
                    uint64_t length, int32_t* tokens, int64_t capacity, int64_t* out_count) {
  return host_guard(window, "tokenizers.encode", [&](CallbackScope& call) {
    require_state(call, {CallbackState::Data}, "tokenizers.encode");
    if (length != 0) require_pointer(data, "text");
    if (capacity > 0) require_pointer(tokens, "tokens");
    require_pointer(out_count, "out_count");
    const auto& which = api::kTokenizers.require(*call.context, tokenizer);
    const Tokenizer::Tokens made =
        which->encode(*call.context, {data, static_cast<size_t>(length)}, 0, 0);
    *out_count = static_cast<int64_t>(made.size());
    std::copy_n(made.begin(), std::clamp<int64_t>(capacity, 0, *out_count), tokens);
  });
}

constexpr tenon_host_tokenizers kTokenizers = {sizeof(tenon_host_tokenizers), 0,     create, load,
                                               tenon_tokenizer_release,       encode};

// ---- tenon.host.processes/1: transfers that a kernel makes.

// The group of this process alone, which needs no engine.
constexpr int64_t kAlone = 0;

Ref wrap(Device& device, const tenon_view* view) {
  if (!view) return {};
  return Ref(tensor::wrap_external(device, {.first = view->data,
                                            .dtype = view->dtype,
                                            .shape = {view->shape, static_cast<size_t>(view->rank)},
                                            .strides = view->strides}));
}

// Every transfer of one process leaves all elements where they are, in row-major order.
void run_alone(Context& context, const Ref& from, const Ref& to) {
  if (!from || !to || from->view.data == to->view.data) return;
  const Ref same = tensor::window(*to, from->shape(), from->strides_, to->offset);
  launch::copy_into(context, *from, *same);
}

tenon_status members(tenon_call* window, int64_t number, tenon_members* out_members) {
  return host_guard(window, "processes.members", [&](CallbackScope& call) {
    require_pointer(out_members, "out_members");
    *out_members = number == kAlone ? tenon_members{0, 1}
                                    : Group::find(*call.context->runtime, number)->members();
  });
}

tenon_status run_alike(tenon_call* window, int64_t number, uint32_t collective, int32_t peer,
                       const tenon_view* from, const tenon_view* to, tenon_string alike) {
  return host_guard(window, "processes.run", [&](CallbackScope& call) {
    require_state(call, {CallbackState::Launch}, "a transfer");
    Context& context = *call.context;
    const tenon_view* const any = from ? from : to;
    Device& device = any ? context.runtime->device(any->device) : context.runtime->host_device();
    const CaptureSuspended suspended(context);
    const Ref input = wrap(device, from);
    const Ref output = wrap(device, to);
    if (number == kAlone) return run_alone(context, input, output);
    const std::shared_ptr<Group> group = Group::find(*context.runtime, number);
    if (const auto words = registry::text_view(alike); !words.empty()) {
      group->expect(std::string(words) + "\n");
    }
    // Its memory is the launch's: not to be left before the transfer has ended.
    group->begin(context, {{collective, peer, input, output}}, 0)->end(nullptr);
  });
}

tenon_status run(tenon_call* window, int64_t number, uint32_t collective, int32_t peer,
                 const tenon_view* from, const tenon_view* to) {
  return run_alike(window, number, collective, peer, from, to, {});
}

constexpr tenon_host_processes kProcesses = {sizeof(tenon_host_processes), 0, members, run,
                                             run_alike};

// ---- tenon.host.lending/1: a rule that is written with tenon.h.

tenon_status lend(tenon_call* window, tenon_lent_fn use, void* user) {
  tenon_status told = TENON_OK;  // what failed inside, with words in the call already
  const tenon_status status = host_guard(window, "lending.lend", [&](CallbackScope& call) {
    require_state(call, {CallbackState::Vjp, CallbackState::Compose}, "lending the context");
    if (!use) require_pointer(nullptr, "the function to lend the context to");
    Context& context = *call.context;
    const uint64_t failures = context.error.stored;
    tenon_status used = TENON_OK;
    {
      const Lent lent(context);
      used = use(context.handle, user);
    }
    if (used == TENON_OK) return;
    if (!call.is_clean()) {
      told = used;
      return;
    }
    Error error{.message = std::string("what the context was lent to has returned ") +
                           tenon_status_get_name(used)};
    if (context.error.stored != failures) error = context.error.error;
    error.status = used;
    throw error;
  });
  return status == TENON_OK ? told : status;
}

constexpr tenon_host_lending kLending = {sizeof(tenon_host_lending), 0, lend};

}  // namespace
}  // namespace tenon::host

const void* tenon::find_host_draft(std::string_view name) {
  if (name == TENON_HOST_LAYERS) return &host::kLayers;
  if (name == TENON_HOST_LENDING) return &host::kLending;
  if (name == TENON_HOST_PROCESSES) return &host::kProcesses;
  return name == TENON_HOST_TOKENIZERS ? &host::kTokenizers : nullptr;
}
