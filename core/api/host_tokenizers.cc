// SPDX-License-Identifier: Apache-2.0
// core/api/host_tokenizers.cc: "tenon.host.tokenizers/1": tokenizers for plugins that read text.
#include <tenon/ext/draft/tokenizers.h>

#include <algorithm>

#include "core/api/host_guard.h"
#include "core/api/host_tables.h"
#include "core/api/objects.h"

namespace tenon::host {
namespace {

using data::Tokenizer;

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

}  // namespace
}  // namespace tenon::host

const tenon_host_tokenizers& tenon::host_tokenizers() { return host::kTokenizers; }
