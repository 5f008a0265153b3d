// SPDX-License-Identifier: Apache-2.0
// core/data/tokenizer.h: a plugin's tokenizer object, as a public handle. Knows no tokenizer.
#pragma once

#include <tenon/ext/draft/tokenizers.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/data/callback.h"

namespace tenon::data {

class Tokenizer : public Object<tenon_tokenizer_desc> {
 public:
  // file  data NULL: none. Checks what the plugin says of the tokenizer it makes.
  Tokenizer(Context& context, const registry::Entry& kind, std::span<const char> file,
            std::span<const NamedValue> values);
  // Of the file at `path`; errors name it. kind  NULL: the one whose endings fit.
  static std::shared_ptr<const Tokenizer> load(Context& context, const registry::Entry* kind,
                                               const std::string& path,
                                               std::span<const NamedValue> values);

  using Tokens = std::vector<int32_t>;
  // limit  0: none
  Tokens encode(Context& context, std::string_view text, uint32_t flags, int64_t limit) const;
  // Throws Error{TENON_E_DATA} with the place of what is not a token.
  std::string decode(Context& context, std::span<const int64_t> tokens, uint32_t flags) const;
  // The spelling, and TENON_TOKEN_*.
  std::pair<std::string, uint32_t> token(Context& context, int64_t token) const;
  int32_t find(Context& context, std::string_view spelling) const;
  void save(Context& context, const std::string& path) const;
  const tenon_tokenizer_info& info() const { return info_; }

 private:
  void describe(Context& context);
  void require_token(int64_t token, tenon_status status, const std::string& where) const;
  [[noreturn]] void blame(const std::string& what) const;
  template <class Length, class Item, class Callback>
  std::vector<Item> collect(Context& context, const char* name, size_t guess,
                            Callback&& callback) const;

  tenon_tokenizer_info info_{};
};

}  // namespace tenon::data
