// SPDX-License-Identifier: Apache-2.0
// tenon/cpp/tokenizer.hpp: texts as tokens and back.
#ifndef TENON_CPP_TOKENIZER_HPP
#define TENON_CPP_TOKENIZER_HPP

#include <tenon/ext/draft/tokenizers.h>
#include <tenon/cpp/tensor.hpp>

namespace tenon {

struct EncodeOptions {
  bool add_special = false;   // beginning and end, as the tokenizer has them
  bool read_special = false;  // spellings of special tokens in the text stand for these
  std::int64_t limit = 0;     // the most tokens; the text's end is left out then. 0: no limit
};
struct EncodeBatchOptions {
  bool add_special = false;
  bool read_special = false;
  std::int64_t limit = 0;
  std::int64_t pad = -1;  // fills rows up; -1: the tokenizer's own
  bool pad_left = false;
  bool pad_to_limit = false;
};

// A tokenizer of the registry. Moved, not copied.
// threads  encoding and decoding: any number at once
class Tokenizer {
 public:
  // By its name, of the bytes of its file if it has one.
  explicit Tokenizer(std::string_view name, const Options& options = {},
                     std::string_view file = {}) {
    detail::State& state = detail::state();
    const detail::OptionLists lists(options);
    tenon_tokenizer* made = nullptr;
    state.check(tenon_tokenizer_create(state.handle, name.data(), name.size(), file.data(),
                                       file.size(), lists.names.data(), lists.values.data(),
                                       lists.n, &made));
    owned_.reset(made);
  }
  // That of a file, by the ending of its name.
  static Tokenizer load(std::string_view path, const Options& options = {}) {
    detail::State& state = detail::state();
    const detail::OptionLists lists(options);
    tenon_tokenizer* made = nullptr;
    state.check(tenon_tokenizer_load(state.handle, path.data(), path.size(), nullptr, 0,
                                     lists.names.data(), lists.values.data(), lists.n, &made));
    return Tokenizer(made);
  }
  void save(std::string_view path) const {
    detail::State& state = detail::state();
    state.check(tenon_tokenizer_save(state.handle, owned_.get(), path.data(), path.size()));
  }

  // i64[n]
  Tensor encode(std::string_view text, const EncodeOptions& options = {}) const {
    detail::State& state = detail::state();
    tenon_tensor* tokens = nullptr;
    state.check(tenon_tokenizer_call(state.handle, owned_.get(), text.data(), text.size(),
                                     flags_of(options), options.limit, &tokens));
    return Tensor::adopt(tokens);
  }
  // Tokens i64[n, T] and mask bool[n, T], true where a token is the text's.
  std::pair<Tensor, Tensor> encode_batch(std::span<const std::string> texts,
                                         const EncodeBatchOptions& options = {}) const {
    detail::State& state = detail::state();
    std::vector<tenon_string> strings;
    for (const std::string& each : texts) strings.push_back({each.data(), each.size()});
    const std::uint32_t flags = flags_of(options) |
                                (options.pad_left ? TENON_TOKENIZER_PAD_LEFT : 0u) |
                                (options.pad_to_limit ? TENON_TOKENIZER_PAD_TO_LIMIT : 0u);
    tenon_tensor *tokens = nullptr, *mask = nullptr;
    state.check(tenon_tokenizer_call_batch(state.handle, owned_.get(), strings.data(),
                                           static_cast<std::uint32_t>(strings.size()), flags,
                                           options.limit, options.pad, &tokens, &mask));
    return {Tensor::adopt(tokens), Tensor::adopt(mask)};
  }
  // The text of tokens [n]; it need not be UTF-8, since a token may be a part of a character.
  std::string decode(const Tensor& tokens, bool skip_special = false) const {
    detail::State& state = detail::state();
    tenon_text* text = nullptr;
    state.check(tenon_tokenizer_get_text(state.handle, owned_.get(), tokens.handle(),
                                         skip_special ? TENON_TOKENIZER_SKIP_SPECIAL : 0, &text));
    return detail::take_text(text);
  }

  // How many tokens there are, and which of them are special.
  tenon_tokenizer_info info() const {
    detail::State& state = detail::state();
    tenon_tokenizer_info info{};
    info.struct_size = sizeof info;
    state.check(tenon_tokenizer_get_info(state.handle, owned_.get(), &info));
    return info;
  }
  std::string token(std::int64_t number) const {
    detail::State& state = detail::state();
    tenon_text* text = nullptr;
    state.check(tenon_tokenizer_get_token(state.handle, owned_.get(), number, &text, nullptr));
    return detail::take_text(text);
  }
  std::int64_t find(std::string_view spelling) const {
    detail::State& state = detail::state();
    std::int64_t found = 0;
    state.check(tenon_tokenizer_find_token(state.handle, owned_.get(), spelling.data(),
                                           spelling.size(), &found));
    return found;
  }
  tenon_tokenizer* handle() const { return owned_.get(); }

 private:
  explicit Tokenizer(tenon_tokenizer* made) : owned_(made) {}

  template <class Given>
  static std::uint32_t flags_of(const Given& options) {
    return (options.add_special ? TENON_TOKENIZER_ADD_SPECIAL : 0u) |
           (options.read_special ? TENON_TOKENIZER_READ_SPECIAL : 0u);
  }

  detail::Owned<tenon_tokenizer, tenon_tokenizer_release> owned_;
};

}  // namespace tenon

#endif  // TENON_CPP_TOKENIZER_HPP
