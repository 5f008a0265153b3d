// SPDX-License-Identifier: Apache-2.0
// tenon/sdk/plugin/tokenizer.hpp: writing a tokenizer in one short file.
//
//   struct Letters {
//     Letters(const sdk::Attrs&, const sdk::TokenizerFile&);  // options by their position
//     tenon_tokenizer_info info() const;  // of sdk::tokenizer_info(size)
//     std::vector<int32_t> encode(std::string_view text, uint32_t flags, int64_t limit) const;
//     std::string decode(std::span<const int32_t> tokens, uint32_t flags) const;
//     sdk::Spelling token(int32_t token) const;
//     int32_t find(std::string_view spelling) const;  // -1: none
//     std::string save() const;  // may be left out
//   };
//   constexpr tenon_tokenizer_desc tokenizers[] = {
//       sdk::tokenizer<Letters>({.name = "acme.letters"})};
//   TENON_UNIT(letters) = {.tokenizers = tokenizers};
//
// The functions throw sdk::Failure (or any std::exception) for what does not fit. Those that are
// const may be called by several threads at once.
#pragma once

#include <tenon/ext/draft/tokenizers.h>
#include <tenon/sdk/plugin/base.hpp>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

namespace tenon::sdk {

using TokenizerFile = std::optional<std::string_view>;  // its bytes, valid for the constructor

struct Spelling {
  std::string text;
  uint32_t flags = 0;  // TENON_TOKEN_*
};

struct TokenizerSpec {
  std::string_view name;
  std::string_view doc;
  std::string_view endings{};
  std::span<const tenon_tokenizer_option> options{};
  std::span<const tenon_tokenizer_sample> samples{};
};

constexpr tenon_tokenizer_info tokenizer_info(int64_t size) {
  return {sizeof(tenon_tokenizer_info), 0, size, -1, -1, -1, -1};
}

constexpr tenon_tokenizer_option required_tokenizer_option(std::string_view name, uint32_t tag,
                                                           std::string_view doc) {
  return {str(name), str(doc), tag, 1, {}};
}
// Of the type of `initial`.
constexpr tenon_tokenizer_option tokenizer_option(std::string_view name, Value initial,
                                                  std::string_view doc) {
  return {str(name), str(doc), initial.tag, 0, initial};
}
// One that is not there unless it is given.
constexpr tenon_tokenizer_option optional_tokenizer_option(std::string_view name, uint32_t tag,
                                                           std::string_view doc) {
  return {str(name), str(doc), tag, 0, {}};
}

struct TokenizerSample {
  std::string_view options{};
  std::string_view file{};  // data NULL: none
  std::string_view text;
  std::string_view tokens{};
  bool lossy = false;
};

constexpr tenon_tokenizer_sample tokenizer_sample(const TokenizerSample& sample) {
  return {str(sample.options),
          str(sample.file),
          str(sample.text),
          str(sample.tokens),
          {},
          TENON_OK,
          sample.lossy ? TENON_TOKENIZER_SAMPLE_LOSSY : 0};
}
constexpr tenon_tokenizer_sample refused_tokenizer(const TokenizerSample& sample,
                                                   tenon_status expect, std::string_view fragment) {
  return {str(sample.options), str(sample.file), str(sample.text), {}, str(fragment), expect, 0};
}

// The file that a tokenizer cannot do without, or that one has no use for.
inline std::string_view required_file(const TokenizerFile& file) {
  if (file) return *file;
  throw Failure{TENON_E_ATTRIBUTE, "it is made of a file, and none was given", "file",
                "the bytes of a file", "none"};
}
inline void refuse_file(const TokenizerFile& file) {
  if (!file) return;
  throw Failure{TENON_E_ATTRIBUTE, "it is not made of a file, but one was given", "file", "none",
                std::to_string(file->size()) + " bytes"};
}

// How many tokens of a text a limit leaves beside so many special ones.
inline size_t room_beside(size_t special, int64_t limit) {
  const auto most = static_cast<uint64_t>(limit);
  if (most >= special) return static_cast<size_t>(most - special);
  throw Failure{TENON_E_ARGUMENT, "the limit leaves no room for the special tokens", "limit",
                "at least " + std::to_string(special), std::to_string(limit)};
}

// Writes as much as there is room for.
template <class Item, class Length>
void give_items(std::span<const Item> items, Item* out, Length capacity, Length* out_length) {
  *out_length = static_cast<Length>(items.size());
  std::copy_n(items.begin(), std::min(capacity, *out_length), out);
}

namespace detail {

template <class Made>
const Made& made(void* object) {
  return *static_cast<const Made*>(object);
}

// encode and decode.
template <class Made>
constexpr void set_text_callbacks(tenon_tokenizer_desc& desc) {
  desc.encode = [](tenon_call* call, void* object, const char* text, uint64_t length,
                   uint32_t flags, int64_t limit, int32_t* tokens, int64_t capacity,
                   int64_t* out_count) {
    return guarded(call, [&] {
      const std::vector<int32_t> all =
          made<Made>(object).encode({text, static_cast<size_t>(length)}, flags, limit);
      give_items<int32_t>(all, tokens, capacity, out_count);
    });
  };
  desc.decode = [](tenon_call* call, void* object, const int32_t* tokens, int64_t n, uint32_t flags,
                   char* text, uint64_t capacity, uint64_t* out_length) {
    return guarded(call, [&] {
      const std::string all = made<Made>(object).decode({tokens, static_cast<size_t>(n)}, flags);
      give_items<char>(all, text, capacity, out_length);
    });
  };
}

// What is asked of the vocabulary, and the file.
template <class Made>
constexpr void set_vocabulary_callbacks(tenon_tokenizer_desc& desc) {
  desc.info = [](tenon_call* call, void* object, tenon_tokenizer_info* out_info) {
    return guarded(call, [&] {
      tenon_tokenizer_info info = made<Made>(object).info();
      info.struct_size = std::min(info.struct_size, out_info->struct_size);
      std::memcpy(out_info, &info, info.struct_size);
    });
  };
  desc.token = [](tenon_call* call, void* object, int32_t token, char* spelling, uint64_t capacity,
                  uint64_t* out_length, uint32_t* out_flags) {
    return guarded(call, [&] {
      const Spelling found = made<Made>(object).token(token);
      give_items<char>(found.text, spelling, capacity, out_length);
      *out_flags = found.flags;
    });
  };
  desc.find = [](tenon_call* call, void* object, const char* spelling, uint64_t length,
                 int32_t* out_token) {
    return guarded(call, [&] {
      *out_token = made<Made>(object).find({spelling, static_cast<size_t>(length)});
    });
  };
  if constexpr (requires(const Made& object) { object.save(); }) {
    desc.save = [](tenon_call* call, void* object, void* file, uint64_t capacity,
                   uint64_t* out_length) {
      return guarded(call, [&] {
        give_items<char>(made<Made>(object).save(), static_cast<char*>(file), capacity, out_length);
      });
    };
  }
}

}  // namespace detail

template <class Made>
constexpr tenon_tokenizer_desc tokenizer(const TokenizerSpec& spec) {
  tenon_tokenizer_desc desc{};
  desc.struct_size = sizeof desc;
  desc.name = str(spec.name);
  desc.doc = str(spec.doc);
  desc.endings = str(spec.endings);
  desc.options = spec.options.data();
  desc.samples = spec.samples.data();
  desc.n_options = static_cast<uint32_t>(spec.options.size());
  desc.n_samples = static_cast<uint32_t>(spec.samples.size());
  desc.create = [](tenon_call* call, const void* file, uint64_t file_length,
                   const tenon_value* values, void** out_object) {
    return guarded(call, [&] {
      TokenizerFile bytes;
      if (file) bytes.emplace(static_cast<const char*>(file), static_cast<size_t>(file_length));
      *out_object = std::make_unique<Made>(Attrs(values, TENON_MAX_SLOTS), bytes).release();
    });
  };
  desc.release = [](void* object) { delete static_cast<Made*>(object); };
  detail::set_text_callbacks<Made>(desc);
  detail::set_vocabulary_callbacks<Made>(desc);
  return desc;
}

}  // namespace tenon::sdk
