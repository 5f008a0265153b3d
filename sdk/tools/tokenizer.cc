// SPDX-License-Identifier: Apache-2.0
// sdk/tools/tokenizer.cc: `tenon tokenizer`: makes tokenizers, and turns text into tokens and back.
#include <tenon/ext/draft/tokenizers.h>

#include <charconv>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <span>
#include <sstream>

#include "command.h"
#include "known_files.h"

namespace tenon::tools {
namespace {

// "-" is standard input.
std::string read_text(const std::string& path) {
  std::ostringstream text;
  if (path == "-") {
    text << std::cin.rdbuf();
    return text.str();
  }
  std::ifstream stream(path, std::ios::binary);
  if (!stream || std::filesystem::is_directory(path)) throw Failure{path + ": cannot be read"};
  text << stream.rdbuf();
  return text.str();
}

using Tokens = std::unique_ptr<tenon_tensor, decltype(&tenon_tensor_release)>;

// Failures are about a file.
void check(const Session& session, const std::string& path, tenon_status status) {
  try {
    session.check(status);
  } catch (const Failure& failure) {
    throw Failure{path + ": " + failure.text};
  }
}

tenon_string borrowed(std::string_view text) { return {text.data(), text.size()}; }

// Options of a tokenizer, as the command line gives them.
class Settings {
 public:
  // name  of the tokenizer; empty: options are looked for in all there are
  Settings(const Session& session, const std::string& name,
           const std::vector<std::string>& settings) {
    for (const std::string& each : settings) {
      const size_t equals = each.find('=');
      if (equals == std::string::npos || equals == 0) {
        throw Failure{"--set " + each + ": expected name=value"};
      }
      texts_.push_back(each.substr(0, equals));
      std::string value = each.substr(equals + 1);
      texts_.push_back(value.starts_with('@') ? read_text(value.substr(1)) : std::move(value));
    }
    for (size_t i = 0; i < texts_.size(); i += 2) {
      names_.push_back(borrowed(texts_[i]));
      values_.push_back(value_of(texts_[i], texts_[i + 1], type_of(session, name, texts_[i])));
    }
  }
  Settings(const Settings&) = delete;
  Settings& operator=(const Settings&) = delete;

  const tenon_string* names() const { return names_.data(); }
  const tenon_value* values() const { return values_.data(); }
  uint32_t size() const { return static_cast<uint32_t>(names_.size()); }

 private:
  // "str", "bool", "int"; of an option that is not known the host says so.
  static std::string type_of(const Session& session, const std::string& name,
                             const std::string& option) {
    for (const Json& each : session.query("tokenizers")) {
      if (!name.empty() && each.at("name") != name) continue;
      for (const Json& found : each.at("options")) {
        if (found.at("name") == option) return found.at("type");
      }
    }
    return "str";
  }

  static tenon_value value_of(const std::string& name, const std::string& text,
                              const std::string& type) {
    tenon_value value{TENON_VALUE_STRING, static_cast<uint32_t>(text.size()), {}};
    value.as.string = text.data();
    if (type == "str") return value;
    value.count = 0;
    value.as.i64 = text == "true" ? 1 : 0;
    value.tag = TENON_VALUE_BOOL;
    if (type == "bool" && (text == "true" || text == "false")) return value;
    const char* const end = text.data() + text.size();
    const auto [after, error] = std::from_chars(text.data(), end, value.as.i64);
    value.tag = TENON_VALUE_I64;
    if (type == "int" && error == std::errc() && after == end) return value;
    throw Failure{"--set " + name + "=" + text + ": expected " +
                  (type == "bool" ? "true or false" : "a whole number")};
  }

  std::deque<std::string> texts_;  // names and values, by turns
  std::vector<tenon_string> names_;
  std::vector<tenon_value> values_;
};

Tokenizer read_tokenizer(const Session& session, const TokenizerRequest& request) {
  tenon_tokenizer* made = nullptr;
  const Settings settings(session, request.name, request.settings);
  if (request.file == "byte") {
    session.check(tenon_tokenizer_create(session.context(), "tenon.bytes", TENON_NUL, nullptr, 0,
                                         settings.names(), settings.values(), settings.size(),
                                         &made));
    return Tokenizer(made);
  }
  const std::string file = absolute_path(request.file);
  session.check(tenon_tokenizer_load(session.context(), file.data(), file.size(),
                                     request.name.empty() ? nullptr : request.name.data(),
                                     request.name.size(), settings.names(), settings.values(),
                                     settings.size(), &made));
  return Tokenizer(made);
}

// Of a text. `vocabulary` is for pairs alone.
Tokenizer learnt(const Session& session, const std::string& path, const std::string& kind,
                 int64_t vocabulary) {
  const std::string text = read_text(path);
  const tenon_string names[] = {borrowed("text"), borrowed("vocabulary")};
  tenon_value values[] = {{TENON_VALUE_STRING, static_cast<uint32_t>(text.size()), {}},
                          {TENON_VALUE_I64, 0, {}}};
  values[0].as.string = text.data();
  values[1].as.i64 = vocabulary;
  const bool pairs = kind == "pairs";
  const std::string_view name = pairs ? "tenon.pairs" : "tenon.characters";
  tenon_tokenizer* made = nullptr;
  check(session, path,
        tenon_tokenizer_create(session.context(), name.data(), name.size(), nullptr, 0, names,
                               values, pairs ? 2 : 1, &made));
  return Tokenizer(made);
}

int64_t size_of(const Session& session, const Tokenizer& tokenizer) {
  tenon_tokenizer_info info{};
  info.struct_size = sizeof info;
  session.check(tenon_tokenizer_get_info(session.context(), tokenizer.get(), &info));
  return info.size;
}

std::vector<int64_t> read_tokens(const std::string& path) {
  std::istringstream words(read_text(path));
  std::vector<int64_t> tokens;
  std::string word;
  while (words >> word) {
    int64_t token = 0;
    const char* const end = word.data() + word.size();
    const auto [after, error] = std::from_chars(word.data(), end, token);
    if (error != std::errc() || after != end) {
      throw Failure{path + ": number " + std::to_string(tokens.size() + 1) +
                    " is not a token: expected whole numbers between white space"};
    }
    tokens.push_back(token);
  }
  return tokens;
}

}  // namespace

int tokenizer_train(const Options& options, const std::string& text_path, const std::string& kind,
                    int64_t vocabulary, const std::string& output, bool as_json) {
  const Session session(options);
  const Tokenizer made = learnt(session, text_path, kind, vocabulary);
  const std::string file = absolute_path(output);
  session.check(tenon_tokenizer_save(session.context(), made.get(), file.data(), file.size()));
  const int64_t tokens = size_of(session, made);
  if (as_json) {
    print_json(Json{{"file", file}, {"kind", kind}, {"tokens", tokens}});
  } else {
    print(file + ": " + count_text(static_cast<size_t>(tokens), "token") + "\n");
  }
  return kGood;
}

int tokenizer_encode(const Options& options, const TokenizerRequest& request, bool as_json) {
  const Session session(options);
  const Tokenizer tokenizer = read_tokenizer(session, request);
  const std::string text = read_text(request.input);
  const uint32_t flags = (request.add_special ? TENON_TOKENIZER_ADD_SPECIAL : 0) |
                         (request.read_special ? TENON_TOKENIZER_READ_SPECIAL : 0);
  tenon_tensor* made = nullptr;
  check(session, request.input,
        tenon_tokenizer_call(session.context(), tokenizer.get(), text.data(), text.size(), flags,
                             request.limit, &made));
  const Tokens owned(made, tenon_tensor_release);
  tenon_view view{};
  session.check(tenon_tensor_get_view(session.context(), made, &view));
  const std::span tokens(static_cast<const int64_t*>(view.data),
                         static_cast<size_t>(view.shape[0]));
  if (as_json) {
    print_json(Json{{"tokens", tokens}});
    return kGood;
  }
  std::string line;
  for (const int64_t token : tokens) line += (line.empty() ? "" : " ") + std::to_string(token);
  print(line + "\n");
  return kGood;
}

int tokenizer_decode(const Options& options, const TokenizerRequest& request, bool as_json) {
  const Session session(options);
  const Tokenizer tokenizer = read_tokenizer(session, request);
  const std::vector<int64_t> tokens = read_tokens(request.input);
  const auto n = static_cast<int64_t>(tokens.size());
  tenon_tensor* list = nullptr;
  session.check(tenon_tensor_create_from(session.context(), TENON_DTYPE_I64, nullptr, 1, &n,
                                         tokens.data(), tokens.size() * sizeof(int64_t), &list));
  const Tokens owned(list, tenon_tensor_release);
  tenon_text* made = nullptr;
  check(session, request.input,
        tenon_tokenizer_get_text(session.context(), tokenizer.get(), list,
                                 request.skip_special ? TENON_TOKENIZER_SKIP_SPECIAL : 0, &made));
  const std::string text = take_text(made);
  if (as_json) {
    print_json(Json{{"text", text}});
  } else {
    print(text);
  }
  return kGood;
}

}  // namespace tenon::tools
