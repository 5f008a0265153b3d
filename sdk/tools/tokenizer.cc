// SPDX-License-Identifier: Apache-2.0
// sdk/tools/tokenizer.cc: `tenon tokenizer`: makes tokenizers, and turns text into tokens and back.
#include <tenon/ext/draft/tokenizers.h>

#include <charconv>
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

Tokenizer read_tokenizer(const Session& session, const std::string& path) {
  tenon_tokenizer* made = nullptr;
  if (path == "byte") {
    session.check(tenon_tokenizer_create(session.context(), "tenon.bytes", TENON_NUL, nullptr, 0,
                                         nullptr, nullptr, 0, &made));
    return Tokenizer(made);
  }
  const std::string file = absolute_path(path);
  session.check(tenon_tokenizer_load(session.context(), file.data(), file.size(), nullptr, 0,
                                     nullptr, nullptr, 0, &made));
  return Tokenizer(made);
}

tenon_string borrowed(std::string_view text) { return {text.data(), text.size()}; }

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

int tokenizer_encode(const Options& options, const std::string& tokenizer_path,
                     const std::string& text_path, bool as_json) {
  const Session session(options);
  const Tokenizer tokenizer = read_tokenizer(session, tokenizer_path);
  const std::string text = read_text(text_path);
  tenon_tensor* made = nullptr;
  check(session, text_path,
        tenon_tokenizer_call(session.context(), tokenizer.get(), text.data(), text.size(), 0, 0,
                             &made));
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

int tokenizer_decode(const Options& options, const std::string& tokenizer_path,
                     const std::string& tokens_path, bool as_json) {
  const Session session(options);
  const Tokenizer tokenizer = read_tokenizer(session, tokenizer_path);
  const std::vector<int64_t> tokens = read_tokens(tokens_path);
  const auto n = static_cast<int64_t>(tokens.size());
  tenon_tensor* list = nullptr;
  session.check(tenon_tensor_create_from(session.context(), TENON_DTYPE_I64, nullptr, 1, &n,
                                         tokens.data(), tokens.size() * sizeof(int64_t), &list));
  const Tokens owned(list, tenon_tensor_release);
  tenon_text* made = nullptr;
  check(session, tokens_path,
        tenon_tokenizer_get_text(session.context(), tokenizer.get(), list, 0, &made));
  const std::string text = take_text(made);
  if (as_json) {
    print_json(Json{{"text", text}});
  } else {
    print(text);
  }
  return kGood;
}

}  // namespace tenon::tools
