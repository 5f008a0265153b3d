// SPDX-License-Identifier: Apache-2.0
// sdk/tools/tokenizer.cc: `tenon tokenizer`: makes tokenizers, and turns text into tokens and back.
#include <tenon/sdk/plugin/tokenizer_train.hpp>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>

#include "command.h"

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

// Failures of the SDK are about a file.
template <class Work>
auto about(const std::string& path, Work&& work) {
  try {
    return work();
  } catch (const sdk::Failure& failure) {
    throw Failure{path + ": " + failure.what + (failure.hint.empty() ? "" : "; " + failure.hint)};
  }
}

sdk::Tokenizer read_tokenizer(const std::string& path) {
  if (path == "byte") return sdk::Tokenizer::pairs({});
  const std::string file = read_text(path);
  return about(path, [&] { return sdk::Tokenizer::parse(file); });
}

std::vector<sdk::Token> read_tokens(const std::string& path) {
  std::istringstream words(read_text(path));
  std::vector<sdk::Token> tokens;
  std::string word;
  while (words >> word) {
    sdk::Token token = 0;
    const char* const end = word.data() + word.size();
    const auto [behind, error] = std::from_chars(word.data(), end, token);
    if (error != std::errc() || behind != end) {
      throw Failure{path + ": number " + std::to_string(tokens.size() + 1) +
                    " is not a token: expected whole numbers between white space"};
    }
    tokens.push_back(token);
  }
  return tokens;
}

}  // namespace

int tokenizer_train(const std::string& text_path, const std::string& kind, int64_t vocabulary,
                    const std::string& output, bool as_json) {
  const std::string text = read_text(text_path);
  const sdk::Tokenizer made = about(text_path, [&] {
    if (kind == "char") return sdk::Tokenizer::characters(text);
    return sdk::Tokenizer::pairs(sdk::PairTrainer(text).train(static_cast<sdk::Token>(vocabulary)));
  });
  const std::string file = absolute_path(output);
  write_file(file, made.file_text());
  if (as_json) {
    print_json(Json{{"file", file}, {"kind", kind}, {"tokens", made.size()}});
  } else {
    print(file + ": " + count_text(static_cast<size_t>(made.size()), "token") + "\n");
  }
  return kGood;
}

int tokenizer_encode(const std::string& tokenizer_path, const std::string& text_path,
                     bool as_json) {
  const sdk::Tokenizer tokenizer = read_tokenizer(tokenizer_path);
  const std::string text = read_text(text_path);
  const auto tokens = about(text_path, [&] { return tokenizer.encode(text); });
  if (as_json) {
    print_json(Json{{"tokens", tokens}});
    return kGood;
  }
  std::string line;
  for (const sdk::Token token : tokens) {
    line += (line.empty() ? "" : " ") + std::to_string(token);
  }
  print(line + "\n");
  return kGood;
}

int tokenizer_decode(const std::string& tokenizer_path, const std::string& tokens_path,
                     bool as_json) {
  const sdk::Tokenizer tokenizer = read_tokenizer(tokenizer_path);
  const std::vector<sdk::Token> tokens = read_tokens(tokens_path);
  const std::string text = about(tokens_path, [&] { return tokenizer.decode(tokens); });
  if (as_json) {
    print_json(Json{{"text", text}});
  } else {
    print(text);
  }
  return kGood;
}

}  // namespace tenon::tools
