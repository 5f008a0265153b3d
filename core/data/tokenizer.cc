// SPDX-License-Identifier: Apache-2.0
// core/data/tokenizer.cc: tokenizer objects. What a plugin says is checked before it is believed.
#include "core/data/tokenizer.h"

#include <algorithm>
#include <limits>

#include "core/data/tokenizer_files.h"
#include "core/files/image.h"
#include "core/files/replacement.h"
#include "core/json/writer.h"
#include "core/registry/checks.h"
#include "core/runtime/file_entries.h"

namespace tenon::data {

Tokenizer::Tokenizer(Context& context, const registry::Entry& kind, std::span<const char> file,
                     std::span<const NamedValue> given)
    : Object(context, kind, given, file.data(), file.size()) {
  describe(context);
}

std::shared_ptr<const Tokenizer> Tokenizer::load(Context& context, const registry::Entry* kind,
                                                 const std::string& path,
                                                 std::span<const NamedValue> values) {
  const registry::Entry& which = kind ? *kind
                                      : entry_for_file<tenon_tokenizer_desc>(
                                            *context.runtime, path, "tenon.pairs", kTokenizerFiles);
  const files::Image image(path, false);
  // An empty file is a file, too.
  const char* const bytes = image.size() == 0 ? "" : reinterpret_cast<const char*>(image.data());
  try {
    return std::make_shared<Tokenizer>(context, which, std::span(bytes, image.size()), values);
  } catch (Error& error) {
    if (error.status == TENON_E_DATA || error.status == TENON_E_UNSUPPORTED) {
      error.message = "file '" + path + "': " + error.message;
    }
    throw;
  }
}

void Tokenizer::describe(Context& context) {
  info_ = {sizeof info_, 0, 0, -1, -1, -1, -1};
  ask(context, "info", [&](tenon_call* call) { return desc().info(call, object_, &info_); });
  const bool possible =
      info_.size >= 0 && info_.size <= std::numeric_limits<int32_t>::max() &&
      std::ranges::all_of(
          std::initializer_list<int32_t>{info_.unknown, info_.begin, info_.end, info_.pad},
          [&](int32_t token) { return token >= -1 && token < info_.size; });
  if (!possible) blame("says impossible things of itself");
}

void Tokenizer::blame(const std::string& what) const {
  fail_plugin(kind_->name, kind_->plugin->id, what);
}

// What a callback gives that sets a length and writes as much as there is room for.
template <class Length, class Item, class Callback>
std::vector<Item> Tokenizer::collect(Context& context, const char* name, size_t guess,
                                     Callback&& callback) const {
  std::vector<Item> items(guess);
  for (int attempt = 0; attempt < 2; ++attempt) {
    Length length = 0;
    ask(context, name, [&](tenon_call* call) {
      return callback(call, items.data(), static_cast<Length>(items.size()), &length);
    });
    if (length < 0 || static_cast<uint64_t>(length) > items.max_size()) break;
    const auto size = static_cast<size_t>(length);
    const bool whole = size <= items.size();
    items.resize(size);
    if (whole) return items;
  }
  blame(std::string("`") + name + "` says another length each time");
}

Tokenizer::Tokens Tokenizer::encode(Context& context, std::string_view text, uint32_t flags,
                                    int64_t limit) const {
  const int64_t most = limit == 0 ? std::numeric_limits<int64_t>::max() : limit;
  // Of most texts there are no more tokens than bytes.
  const size_t guess = std::min(text.size() + 16, static_cast<size_t>(most));
  Tokens tokens = collect<int64_t, int32_t>(
      context, "encode", guess,
      [&](tenon_call* call, int32_t* out, int64_t capacity, int64_t* length) {
        return desc().encode(call, object_, text.data(), text.size(), flags, most, out, capacity,
                             length);
      });
  if (static_cast<uint64_t>(tokens.size()) > static_cast<uint64_t>(most)) {
    blame("gives more tokens than were asked for");
  }
  for (const int32_t token : tokens) {
    if (token < 0 || token >= info_.size) blame("gives " + std::to_string(token) + " as a token");
  }
  return tokens;
}

void Tokenizer::require_token(int64_t token, tenon_status status, const std::string& where) const {
  if (token >= 0 && token < info_.size) return;
  fail_in(kind_->name, status, where + "this is not a token: " + std::to_string(token), "token",
          info_.size == 0 ? "none: there are no tokens" : "0 to " + std::to_string(info_.size - 1),
          std::to_string(token));
}

std::string Tokenizer::decode(Context& context, std::span<const int64_t> given,
                              uint32_t flags) const {
  Tokens tokens;
  tokens.reserve(given.size());
  for (const int64_t token : given) {
    if (token < 0 || token >= info_.size) {
      require_token(token, TENON_E_DATA, "position " + std::to_string(tokens.size()) + ": ");
    }
    tokens.push_back(static_cast<int32_t>(token));
  }
  const auto text = collect<uint64_t, char>(
      context, "decode", tokens.size() * 8,
      [&](tenon_call* call, char* out, uint64_t capacity, uint64_t* length) {
        return desc().decode(call, object_, tokens.data(), static_cast<int64_t>(tokens.size()),
                             flags, out, capacity, length);
      });
  return {text.begin(), text.end()};
}

std::pair<std::string, uint32_t> Tokenizer::token(Context& context, int64_t token) const {
  require_token(token, TENON_E_NOT_FOUND, "");
  uint32_t flags = 0;
  const auto text = collect<uint64_t, char>(
      context, "token", 64, [&](tenon_call* call, char* out, uint64_t capacity, uint64_t* length) {
        return desc().token(call, object_, static_cast<int32_t>(token), out, capacity, length,
                            &flags);
      });
  return {{text.begin(), text.end()}, flags};
}

int32_t Tokenizer::find(Context& context, std::string_view spelling) const {
  int32_t found = -1;
  ask(context, "find", [&](tenon_call* call) {
    return desc().find(call, object_, spelling.data(), spelling.size(), &found);
  });
  if (found >= 0 && found < info_.size) return found;
  if (found != -1) blame("finds " + std::to_string(found) + " as a token");
  const std::string words =
      json::is_utf8(spelling) ? std::string(spelling) : registry::shown(spelling);
  fail_in(kind_->name, TENON_E_NOT_FOUND, "no token is spelt '" + words + "'", "spelling", {},
          words);
}

void Tokenizer::save(Context& context, const std::string& path) const {
  if (!desc().save) {
    fail_with(TENON_E_UNSUPPORTED, kind_->name, {}, kind_->name + " writes no files", "tokenizer",
              {}, {}, "keep the file it was made of, if there is one");
  }
  const auto bytes = collect<uint64_t, char>(
      context, "save", 1 << 16,
      [&](tenon_call* call, char* out, uint64_t capacity, uint64_t* length) {
        return desc().save(call, object_, out, capacity, length);
      });
  files::Replacement file(path);
  file.write(bytes.data(), bytes.size());
  file.commit();
}

}  // namespace tenon::data
