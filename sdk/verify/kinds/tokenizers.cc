// SPDX-License-Identifier: Apache-2.0
// sdk/verify/kinds/tokenizers.cc: tokenizers: what they give for their samples, what they refuse,
// and that it is the same another time and in other threads.
#include <algorithm>
#include <array>
#include <initializer_list>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "kinds/checks.h"
#include "kinds/tokenizer_checks.h"

namespace tenon::verify {
namespace {

// Of a vocabulary, these many tokens from its first on are looked at, and these many of its last.
constexpr int64_t kFirstTokens = 1024, kLastTokens = 64;

std::string bytes_of_hex(const std::string& hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

// In a context of any thread.
tenon_status encode_in(tenon_context* context, const Tokenizer& tokenizer, std::string_view text,
                       uint32_t flags, int64_t limit, Tokens& out) {
  tenon_tensor* made = nullptr;
  tenon_status status =
      tenon_tokenizer_call(context, tokenizer.get(), text.data(), text.size(), flags, limit, &made);
  const Tensor owned(made);
  if (status != TENON_OK) return status;
  tenon_tensor_info info{};
  info.struct_size = sizeof info;
  status = tenon_tensor_get_info(context, made, &info);
  if (status != TENON_OK) return status;
  out.resize(static_cast<size_t>(info.elements));
  return tenon_tensor_get_data(context, made, out.data(), out.size() * sizeof(int64_t));
}

}  // namespace

TokenizerSample tokenizer_sample_of(const Json& entry, uint32_t number) {
  TokenizerSample sample;
  sample.number = number;
  sample.text = entry.at("text");
  sample.fragment = entry.at("fragment");
  sample.expect = entry.at("expect");
  sample.lossy = entry.at("lossy");
  if (entry.contains("file_hex")) sample.file = bytes_of_hex(entry.at("file_hex"));
  const std::string options = entry.at("options");
  try {
    if (!options.empty()) sample.options = sdk::parse_sample("| " + options);
  } catch (const std::runtime_error& error) {
    throw Failure{"sample " + std::to_string(number) + ", options \"" + options +
                  "\": " + error.what()};
  }
  const std::string stated = entry.at("tokens");
  std::istringstream numbers(stated);
  for (int64_t token = 0; numbers >> token;) sample.tokens.push_back(token);
  if (!numbers.eof()) {
    throw Failure{"sample " + std::to_string(number) + ": its tokens \"" + stated +
                  "\" are not numbers between spaces"};
  }
  return sample;
}

std::string tokens_text(const Tokens& tokens) {
  constexpr size_t kLimit = 32;
  std::string text = "[";
  for (size_t i = 0; i < std::min(tokens.size(), kLimit); ++i) {
    text += (i == 0 ? "" : " ") + std::to_string(tokens[i]);
  }
  return text + (tokens.size() > kLimit ? " ...]" : "]");
}

std::string as_json(std::string_view text) {
  return Json(text).dump(-1, ' ', true, Json::error_handler_t::replace);
}

// ---- Calls --------------------------------------------------------------------------------------

tenon_status TokenizerChecks::create(const sdk::Sample& options,
                                     const std::optional<std::string>& file, Tokenizer& out) const {
  const NamedValues given(options);
  tenon_tokenizer* tokenizer = nullptr;
  const tenon_status status = tenon_tokenizer_create(
      session_.context(), name_.data(), name_.size(), file ? file->data() : nullptr,
      file ? file->size() : 0, given.names.data(), given.values.data(), given.size(), &tokenizer);
  out.reset(tokenizer);
  return status;
}

Tokenizer TokenizerChecks::made(const TokenizerSample& sample) const {
  Tokenizer tokenizer;
  session_.check(create(sample.options, sample.file, tokenizer));
  return tokenizer;
}

tenon_status TokenizerChecks::encode(const Tokenizer& tokenizer, std::string_view text,
                                     uint32_t flags, int64_t limit, Tokens& out) const {
  return encode_in(session_.context(), tokenizer, text, flags, limit, out);
}

Tokens TokenizerChecks::encoded(const Tokenizer& tokenizer, std::string_view text,
                                uint32_t flags) const {
  Tokens tokens;
  session_.check(encode(tokenizer, text, flags, 0, tokens));
  return tokens;
}

tenon_status TokenizerChecks::decode(const Tokenizer& tokenizer, const Tokens& tokens,
                                     uint32_t flags, std::string& out) const {
  const auto n = static_cast<int64_t>(tokens.size());
  tenon_tensor* list = nullptr;
  session_.check(tenon_tensor_create_from(session_.context(), TENON_DTYPE_I64, nullptr, 1, &n,
                                          tokens.data(), tokens.size() * sizeof(int64_t), &list));
  const Tensor owned(list);
  tenon_text* text = nullptr;
  const tenon_status status =
      tenon_tokenizer_get_text(session_.context(), tokenizer.get(), list, flags, &text);
  if (status == TENON_OK) out = tools::take_text(text);
  return status;
}

std::string TokenizerChecks::decoded(const Tokenizer& tokenizer, const Tokens& tokens,
                                     uint32_t flags) const {
  std::string text;
  session_.check(decode(tokenizer, tokens, flags, text));
  return text;
}

tenon_tokenizer_info TokenizerChecks::info_of(const Tokenizer& tokenizer) const {
  tenon_tokenizer_info info{};
  info.struct_size = sizeof info;
  session_.check(tenon_tokenizer_get_info(session_.context(), tokenizer.get(), &info));
  return info;
}

std::string TokenizerChecks::spelling_of(const Tokenizer& tokenizer, int64_t token) const {
  tenon_text* spelling = nullptr;
  session_.check(
      tenon_tokenizer_get_token(session_.context(), tokenizer.get(), token, &spelling, nullptr));
  return tools::take_text(spelling);
}

std::string TokenizerChecks::saved(const Tokenizer& tokenizer) const {
  const std::string file = folder_.file("saved");
  session_.check(
      tenon_tokenizer_save(session_.context(), tokenizer.get(), file.data(), file.size()));
  return bytes_of(file);
}

// ---- What it says -------------------------------------------------------------------------------

// Those of a vocabulary that are looked at.
Tokens TokenizerChecks::tokens_of(const Tokenizer& tokenizer) const {
  const int64_t size = info_of(tokenizer).size;
  Tokens tokens;
  for (int64_t token = 0; token < std::min(size, kFirstTokens); ++token) tokens.push_back(token);
  for (int64_t token = std::max(size - kLastTokens, kFirstTokens); token < size; ++token) {
    tokens.push_back(token);
  }
  return tokens;
}

TokenizerChecks::Said TokenizerChecks::all_of(const Tokenizer& tokenizer,
                                              const std::string& text) const {
  Said said;
  const tenon_tokenizer_info info = info_of(tokenizer);
  said.info = {info.size, info.unknown, info.begin, info.end, info.pad};
  said.tokens = encoded(tokenizer, text);
  said.with_special = encoded(tokenizer, text, TENON_TOKENIZER_ADD_SPECIAL);
  said.text = decoded(tokenizer, said.tokens);
  for (const int64_t token : tokens_of(tokenizer)) {
    said.spellings.push_back(spelling_of(tokenizer, token));
  }
  if (saves_) said.file = saved(tokenizer);
  return said;
}

std::string TokenizerChecks::Said::difference(const Said& other) const {
  if (info != other.info) {
    return "size, unknown, begin, end and pad are " + tokens_text(other.info) + ", before " +
           tokens_text(info);
  }
  if (tokens != other.tokens) {
    return "the tokens are " + tokens_text(other.tokens) + ", before " + tokens_text(tokens);
  }
  if (with_special != other.with_special) {
    return "with special tokens they are " + tokens_text(other.with_special) + ", before " +
           tokens_text(with_special);
  }
  if (text != other.text) return "the text is " + as_json(other.text) + ", before " + as_json(text);
  for (size_t i = 0; i < std::min(spellings.size(), other.spellings.size()); ++i) {
    if (spellings[i] == other.spellings[i]) continue;
    return "a token is spelt " + as_json(other.spellings[i]) + ", before " + as_json(spellings[i]);
  }
  return file == other.file ? "" : "its file has other bytes";
}

// ---- Samples ------------------------------------------------------------------------------------

std::optional<Finding> TokenizerChecks::refused(const TokenizerSample& sample) const {
  Tokenizer tokenizer;
  Tokens tokens;
  tenon_status status = create(sample.options, sample.file, tokenizer);
  if (status == TENON_OK) status = encode(tokenizer, sample.text, 0, 0, tokens);
  return refusal(status, sample.expect, sample.fragment);
}

std::optional<Finding> TokenizerChecks::tokens(const TokenizerSample& sample) const {
  Tokens found;
  const Tokenizer tokenizer = made(sample);
  const tenon_status status = encode(tokenizer, sample.text, 0, 0, found);
  // What the host refuses to believe is wrong, too.
  const std::string words = status == TENON_OK ? tokens_text(found) : failure_of(session_, status);
  if (status == TENON_OK && found == sample.tokens) return std::nullopt;
  return Finding{&causes::kWrongValue, as_json(sample.text) + " gives " + words + ", stated are " +
                                           tokens_text(sample.tokens)};
}

std::optional<Finding> TokenizerChecks::text(const TokenizerSample& sample) const {
  const Tokenizer tokenizer = made(sample);
  const Tokens tokens = encoded(tokenizer, sample.text);
  std::string text;
  const tenon_status status = decode(tokenizer, tokens, 0, text);
  if (status != TENON_OK) {
    return Finding{&causes::kNotReadBack,
                   "its own tokens are not decoded: " + failure_of(session_, status)};
  }
  if (!sample.lossy && text != sample.text) {
    return Finding{&causes::kNotReadBack, as_json(sample.text) + " comes back as " + as_json(text)};
  }
  const Tokens more = encoded(tokenizer, sample.text, TENON_TOKENIZER_ADD_SPECIAL);
  const std::string bare = decoded(tokenizer, tokens, TENON_TOKENIZER_SKIP_SPECIAL);
  const std::string skipped = decoded(tokenizer, more, TENON_TOKENIZER_SKIP_SPECIAL);
  if (skipped == bare) return std::nullopt;
  return Finding{&causes::kNotReadBack, "with special tokens added and skipped it is " +
                                            as_json(skipped) + ", without them " + as_json(bare)};
}

std::optional<Finding> TokenizerChecks::limits(const TokenizerSample& sample) const {
  const Tokenizer tokenizer = made(sample);
  const tenon_tokenizer_info info = info_of(tokenizer);
  const size_t plain = encoded(tokenizer, sample.text).size();
  for (const uint32_t flags : {0u, TENON_TOKENIZER_ADD_SPECIAL}) {
    const Tokens all = encoded(tokenizer, sample.text, flags);
    const size_t added = all.size() - std::min(plain, all.size());
    // Where there is not even room for the special tokens, it may do as it likes.
    for (size_t limit = std::max<size_t>(added, 1); limit <= all.size() + 1; ++limit) {
      Tokens some;
      const tenon_status status =
          encode(tokenizer, sample.text, flags, static_cast<int64_t>(limit), some);
      const auto wrong = [&](const std::string& words) {
        return Finding{&causes::kWrongValue, "of " + tokens_text(all) + " at most " +
                                                 std::to_string(limit) + ": " + words};
      };
      if (status != TENON_OK) return wrong(failure_of(session_, status));
      const bool starts = added != 0 || std::equal(some.begin(), some.end(), all.begin());
      if (some.size() != std::min(limit, all.size()) || !starts) return wrong(tokens_text(some));
      if (added == 0 || some.empty()) continue;
      const bool begins = all.front() != info.begin || some.front() == info.begin;
      const bool ends = all.back() != info.end || some.back() == info.end;
      if (!begins || !ends) return wrong(tokens_text(some) + " lacks special tokens");
    }
  }
  return std::nullopt;
}

std::optional<Finding> TokenizerChecks::vocabulary(const TokenizerSample& sample) const {
  const Tokenizer tokenizer = made(sample);
  const tenon_tokenizer_info info = info_of(tokenizer);
  for (const int32_t named : {info.unknown, info.begin, info.end, info.pad}) {
    if (named < 0 || !spelling_of(tokenizer, named).empty()) continue;
    return Finding{&causes::kWrongValue, "token " + std::to_string(named) +
                                             ", of which it says what it is for, has no spelling"};
  }
  for (const int64_t token : tokens_of(tokenizer)) {
    const std::string spelling = spelling_of(tokenizer, token);
    if (spelling.empty()) continue;
    int64_t found = -1;
    const tenon_status status = tenon_tokenizer_find_token(
        session_.context(), tokenizer.get(), spelling.data(), spelling.size(), &found);
    const std::string words =
        status == TENON_OK ? std::to_string(found) : failure_of(session_, status);
    // Of several tokens that are spelt alike any will do.
    if (status == TENON_OK && (found == token || spelling_of(tokenizer, found) == spelling)) {
      continue;
    }
    return Finding{&causes::kWrongValue, "token " + std::to_string(token) + " is spelt " +
                                             as_json(spelling) + "; found by that is " + words};
  }
  return std::nullopt;
}

std::optional<Finding> TokenizerChecks::repeated(const TokenizerSample& sample) const {
  const Tokenizer tokenizer = made(sample);
  const Said first = all_of(tokenizer, sample.text);
  const auto differs = [&](const Tokenizer& other, const std::string& which) {
    const std::string words = first.difference(all_of(other, sample.text));
    return words.empty() ? std::nullopt
                         : std::optional(Finding{&causes::kNondeterministic, which + words});
  };
  if (auto finding = differs(tokenizer, "another time ")) return finding;
  const Tokenizer other = made(sample);
  if (auto finding = differs(other, "of one that was made alike ")) return finding;
  return differs(tokenizer, "after another one was made ");
}

// Several threads at once, each with a context of its own.
std::optional<Finding> TokenizerChecks::threads(const TokenizerSample& sample) const {
  constexpr int kTimes = 32;
  const Tokenizer tokenizer = made(sample);
  const std::string text = sample.text + sample.text;
  Tokens expected;
  // Two texts, one after the other, may be what it refuses.
  const tenon_status status = encode(tokenizer, text, 0, 0, expected);
  struct Work {
    tenon_status status = TENON_OK;
    Tokens tokens;
  };
  std::array<Work, 4> work;
  std::vector<std::thread> threads;
  for (Work& each : work) {
    threads.emplace_back([&] {
      tenon_context* context = nullptr;
      each.status = tenon_context_create(session_.runtime(), nullptr, &context);
      for (int i = 0; context && i < kTimes; ++i) {
        each.tokens.clear();
        each.status = encode_in(context, tokenizer, text, 0, 0, each.tokens);
        if (each.status != status || each.tokens != expected) break;
      }
      tenon_context_release(context);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Work& each : work) {
    if (each.status == status && each.tokens == expected) continue;
    return Finding{&causes::kThreads, "beside other threads " + as_json(text) + " gives " +
                                          tokens_text(each.tokens) + " (" +
                                          tenon_status_get_name(each.status) + "), alone " +
                                          tokens_text(expected)};
  }
  return std::nullopt;
}

void TokenizerChecks::check(const TokenizerSample& sample) {
  if (sample.expect != TENON_OK) {
    return each_case(sample.number, Form::Error, "", [&] { return refused(sample); });
  }
  using Look = std::optional<Finding> (TokenizerChecks::*)(const TokenizerSample&) const;
  using List = std::initializer_list<std::pair<const char*, Look>>;
  const auto all = [&](Form form, const List& list) {
    for (const auto& each : list) {
      each_case(sample.number, form, each.first, [&] { return (this->*each.second)(sample); });
    }
  };
  all(Form::Returned, {{"tokens", &TokenizerChecks::tokens},
                       {"text", &TokenizerChecks::text},
                       {"limits", &TokenizerChecks::limits},
                       {"vocabulary", &TokenizerChecks::vocabulary},
                       {"special", &TokenizerChecks::special}});
  all(Form::Repeated, {{"", &TokenizerChecks::repeated}});
  all(Form::Threads, {{"", &TokenizerChecks::threads}});
  if (saves_) all(Form::Returned, {{"saved", &TokenizerChecks::read_back}});
  all(Form::Error, {{"texts", &TokenizerChecks::any_text}, {"garbage", &TokenizerChecks::garbage}});
  if (!sample.file && !saves_) return;
  all(Form::Error, {{"cut", &TokenizerChecks::cut_short}, {"changed", &TokenizerChecks::changed}});
}

void check_tokenizer(Subject& subject, Recorder& recorder, const Request&, const Json& entry) {
  const std::string tokenizer = entry.at("name");
  TokenizerChecks checks(subject, recorder, entry);
  checks.check_declared(entry);
  uint32_t number = 0;
  for (const Json& sample : entry.at("samples")) {
    if (recorder.wants(tokenizer, number)) checks.check(tokenizer_sample_of(sample, number));
    ++number;
  }
}

}  // namespace tenon::verify
