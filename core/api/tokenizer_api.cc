// SPDX-License-Identifier: Apache-2.0
// core/api/tokenizer_api.cc: public functions of a tokenizer.
#include <algorithm>
#include <cstring>

#include "core/api/guard.h"
#include "core/api/objects.h"

using namespace tenon;
using namespace tenon::api;
using data::Tokenizer;

namespace {

constexpr uint32_t kEncodeFlags = TENON_TOKENIZER_ADD_SPECIAL | TENON_TOKENIZER_READ_SPECIAL;
constexpr uint32_t kPadFlags = TENON_TOKENIZER_PAD_LEFT | TENON_TOKENIZER_PAD_TO_LIMIT;

void require_number(int64_t number, int64_t least, const char* name) {
  if (number >= least) return;
  fail(TENON_E_ARGUMENT, std::string(name) + " is too small", name,
       "at least " + std::to_string(least), std::to_string(number));
}

Ref new_tensor(Context& cx, tenon_dtype dtype, std::initializer_list<int64_t> shape) {
  const tensor::DimSpan dims(shape.begin(), shape.size());
  tensor::checked_count(dims, tensor::size_of(dtype));
  return Ref(Tensor::create(cx.runtime->host_device(), dtype, dims));
}

// ---- Batches ------------------------------------------------------------------------------------

struct Batch {
  std::vector<Tokenizer::Tokens> rows;
  int64_t length = 0;  // of every row
};

Batch encode_batch(Context& cx, const Tokenizer& tokenizer, std::span<const tenon_string> texts,
                   uint32_t flags, int64_t limit) {
  Batch batch;
  for (size_t i = 0; i < texts.size(); ++i) {
    try {
      const std::string_view text = require_text(texts[i].data, texts[i].length, "text");
      batch.rows.push_back(tokenizer.encode(cx, text, flags & kEncodeFlags, limit));
    } catch (Error& error) {
      error.message = "text " + std::to_string(i) + ": " + error.message;
      throw;
    }
    batch.length = std::max(batch.length, static_cast<int64_t>(batch.rows.back().size()));
  }
  if (flags & TENON_TOKENIZER_PAD_TO_LIMIT) batch.length = limit;
  return batch;
}

int64_t require_pad(const Tokenizer& tokenizer, const Batch& batch, int64_t given) {
  const tenon_tokenizer_info& info = tokenizer.info();
  const int64_t pad = given == -1 ? info.pad : given;
  const bool fills = std::ranges::any_of(batch.rows, [&](const Tokenizer::Tokens& row) {
    return static_cast<int64_t>(row.size()) < batch.length;
  });
  if ((given == -1 && !fills) || (pad >= 0 && pad < info.size)) return pad;
  const std::string& name = tokenizer.kind().name;
  if (given == -1) {
    fail_in(name, TENON_E_ARGUMENT,
            "a text has fewer tokens than a row, and no token fills rows up", "pad",
            "0 to " + std::to_string(info.size - 1), "-1",
            "give one; the mask tells which tokens are of a text");
  }
  fail_in(name, TENON_E_ARGUMENT, "pad is not a token", "pad",
          "0 to " + std::to_string(info.size - 1), std::to_string(given));
}

void fill(const Batch& batch, bool left, int64_t pad, int64_t* tokens, uint8_t* mask) {
  for (const Tokenizer::Tokens& row : batch.rows) {
    const int64_t start = left ? batch.length - static_cast<int64_t>(row.size()) : 0;
    std::fill_n(tokens, batch.length, pad);
    std::copy(row.begin(), row.end(), tokens + start);
    tokens += batch.length;
    if (!mask) continue;
    std::fill_n(mask, batch.length, uint8_t{0});
    std::fill_n(mask + start, row.size(), uint8_t{1});
    mask += batch.length;
  }
}

// ---- Tokens of a tensor -------------------------------------------------------------------------

void check_tokens(const Tensor& tensor) {
  const auto refuse = [&](tenon_status status, const char* what, const char* expected,
                          const char* hint) {
    fail(status, what, "tokens", expected,
         tensor::describe(tensor) + " on " + device_of(tensor).name(), hint);
  };
  if (!device_of(tensor).host_memory()) {
    refuse(TENON_E_DEVICE, "tokens are decoded in host memory", "a tensor on the host",
           "copy it to the host first");
  }
  if (tensor.view.rank != 1) {
    refuse(TENON_E_SHAPE, "the tokens of a text are one list", "[n]",
           "decode each row of a batch by itself");
  }
  if (!tensor::is_integer(tensor.view.dtype)) {
    refuse(TENON_E_DTYPE, "tokens are integers", "u8, i8, i16, i32 or i64", "");
  }
}

// Where they lie, by their strides: so tokens are decoded where there is no op that copies.
std::vector<int64_t> tokens_of(const Tensor& tensor) {
  check_tokens(tensor);
  const auto read = [&]<class Number>(Number number) {
    std::vector<int64_t> tokens;
    tokens.reserve(static_cast<size_t>(tensor.view.shape[0]));
    for (int64_t i = 0; i < tensor.view.shape[0]; ++i) {
      const auto* from = static_cast<const Number*>(tensor.view.data) + i * tensor.view.strides[0];
      std::memcpy(&number, static_cast<const void*>(from), sizeof number);  // of any alignment
      tokens.push_back(number);
    }
    return tokens;
  };
  switch (tensor.view.dtype) {
    case TENON_DTYPE_U8:
      return read(uint8_t{});
    case TENON_DTYPE_I8:
      return read(int8_t{});
    case TENON_DTYPE_I16:
      return read(int16_t{});
    case TENON_DTYPE_I32:
      return read(int32_t{});
    default:
      return read(int64_t{});
  }
}

}  // namespace

tenon_status tenon_tokenizer_create(tenon_context* context, const char* name, uint64_t name_length,
                                    const void* file, uint64_t file_length,
                                    const tenon_string* names, const tenon_value* values,
                                    uint32_t n_values, tenon_tokenizer** out_tokenizer) {
  return guard_out(context, out_tokenizer, "out_tokenizer", [&](Context& cx) {
    const std::string_view given = require_name(name, name_length);
    if (file_length != 0) require_pointer(file, "file");
    return make_tokenizer(cx, given, file, file_length, names, values, n_values);
  });
}

tenon_status tenon_tokenizer_load(tenon_context* context, const char* path, uint64_t path_length,
                                  const char* name, uint64_t name_length, const tenon_string* names,
                                  const tenon_value* values, uint32_t n_values,
                                  tenon_tokenizer** out_tokenizer) {
  return guard_out(context, out_tokenizer, "out_tokenizer", [&](Context& cx) {
    const std::string file = require_path(path, path_length);
    const auto options = read_named(names, values, n_values);
    const std::string_view given = require_text(name, name_length, "name");
    const registry::Entry* kind =
        given.empty() ? nullptr : &cx.runtime->plugins.require_entry<tenon_tokenizer_desc>(given);
    return kTokenizers.give(Tokenizer::load(cx, kind, file, options));
  });
}

void tenon_tokenizer_release(tenon_tokenizer* handle) { kTokenizers.release(handle); }

tenon_status tenon_tokenizer_save(tenon_context* context, tenon_tokenizer* tokenizer,
                                  const char* path, uint64_t path_length) {
  return guard(context, [&](Context& cx) {
    const auto& which = kTokenizers.require(cx, tokenizer);
    which->save(cx, require_path(path, path_length));
  });
}

tenon_status tenon_tokenizer_get_info(tenon_context* context, tenon_tokenizer* tokenizer,
                                      tenon_tokenizer_info* out_info) {
  return guard(context, [&](Context& cx) {
    fill_sized(out_info, kTokenizers.require(cx, tokenizer)->info());
  });
}

tenon_status tenon_tokenizer_get_token(tenon_context* context, tenon_tokenizer* tokenizer,
                                       int64_t token, tenon_text** out_spelling,
                                       uint32_t* out_flags) {
  return guard(context, [&](Context& cx) {
    const auto found = kTokenizers.require(cx, tokenizer)->token(cx, token);
    if (out_spelling) *out_spelling = make_text([&] { return found.first; });
    if (out_flags) *out_flags = found.second;
  });
}

tenon_status tenon_tokenizer_find_token(tenon_context* context, tenon_tokenizer* tokenizer,
                                        const char* spelling, uint64_t spelling_length,
                                        int64_t* out_token) {
  return guard_out(context, out_token, "out_token", [&](Context& cx) {
    const auto& which = kTokenizers.require(cx, tokenizer);
    return which->find(cx, require_text(spelling, spelling_length, "spelling"));
  });
}

tenon_status tenon_tokenizer_call(tenon_context* context, tenon_tokenizer* tokenizer,
                                  const char* text, uint64_t length, uint32_t flags, int64_t limit,
                                  tenon_tensor** out_tokens) {
  return guard_out(context, out_tokens, "out_tokens", [&](Context& cx) {
    const auto& which = kTokenizers.require(cx, tokenizer, "encoding a text");
    refuse_flags(flags, kEncodeFlags);
    require_number(limit, 0, "limit");
    const auto tokens = which->encode(cx, require_text(text, length, "text"), flags, limit);
    Ref made = new_tensor(cx, TENON_DTYPE_I64, {static_cast<int64_t>(tokens.size())});
    std::copy(tokens.begin(), tokens.end(), static_cast<int64_t*>(made->view.data));
    return tensor::handle(made.take());
  });
}

tenon_status tenon_tokenizer_call_batch(tenon_context* context, tenon_tokenizer* tokenizer,
                                        const tenon_string* texts, uint32_t n, uint32_t flags,
                                        int64_t limit, int64_t pad, tenon_tensor** out_tokens,
                                        tenon_tensor** out_mask) {
  return guard(context, [&](Context& cx) {
    require_pointer(out_tokens, "out_tokens");
    if (n != 0) require_pointer(texts, "texts");
    const auto& which = kTokenizers.require(cx, tokenizer, "encoding texts");
    refuse_flags(flags, kEncodeFlags | kPadFlags);
    require_number(limit, (flags & TENON_TOKENIZER_PAD_TO_LIMIT) != 0 ? 1 : 0, "limit");
    require_number(pad, -1, "pad");
    const Batch batch = encode_batch(cx, *which, {texts, n}, flags, limit);
    const int64_t filler = require_pad(*which, batch, pad);
    Ref tokens = new_tensor(cx, TENON_DTYPE_I64, {n, batch.length});
    Ref mask = out_mask ? new_tensor(cx, TENON_DTYPE_BOOL, {n, batch.length}) : Ref();
    fill(batch, (flags & TENON_TOKENIZER_PAD_LEFT) != 0, filler,
         static_cast<int64_t*>(tokens->view.data),
         out_mask ? static_cast<uint8_t*>(mask->view.data) : nullptr);
    *out_tokens = tensor::handle(tokens.take());
    if (out_mask) *out_mask = tensor::handle(mask.take());
  });
}

tenon_status tenon_tokenizer_get_text(tenon_context* context, tenon_tokenizer* tokenizer,
                                      tenon_tensor* tokens, uint32_t flags, tenon_text** out_text) {
  return guard_out(context, out_text, "out_text", [&](Context& cx) {
    const auto& which = kTokenizers.require(cx, tokenizer, "decoding tokens");
    const Tensor& from = require_tensor(cx, tokens, "tokens");
    refuse_flags(flags, TENON_TOKENIZER_SKIP_SPECIAL);
    const std::vector<int64_t> numbers = tokens_of(from);
    return make_text([&] { return which->decode(cx, numbers, flags); });
  });
}
