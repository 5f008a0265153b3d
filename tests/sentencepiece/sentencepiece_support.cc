// SPDX-License-Identifier: Apache-2.0
// tests/sentencepiece/sentencepiece_support.cc: see sentencepiece_support.h.
#include "tests/sentencepiece/sentencepiece_support.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/support/paths.h"

namespace tenon::tests {
namespace {

constexpr std::string_view kName = "tenon.sentencepiece";

std::string varint(uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  return out + static_cast<char>(value);
}

}  // namespace

Session::Session(tenon_runtime* runtime) {
  tenon_diag diag{};
  EXPECT_EQ(tenon_context_create(runtime, &diag, &context_), TENON_OK) << diag.message;
}

void Session::must(tenon_status status) const {
  if (status != TENON_OK) FAIL() << refused(status, status);
}

std::string Session::refused(tenon_status found, tenon_status expected) const {
  EXPECT_EQ(found, expected) << tenon_status_get_name(found);
  if (found == TENON_OK) return "not refused";
  tenon_error error{};
  error.struct_size = sizeof error;
  if (tenon_context_get_error(context_, &error) != TENON_OK) return "no error record";
  std::string all;
  for (const char* part : {error.message, error.operand, error.expected, error.found, error.hint}) {
    all += std::string(part) + "\n";
  }
  return all;
}

tenon_status Session::create(std::string_view file, Tokenizer& made) const {
  tenon_tokenizer* out = nullptr;
  const tenon_status status = tenon_tokenizer_create(
      context_, kName.data(), kName.size(), file.data(), file.size(), nullptr, nullptr, 0, &out);
  made.reset(out);
  return status;
}

Tokenizer Session::made(std::string_view file) const {
  Tokenizer made;
  must(create(file, made));
  return made;
}

std::string Session::refused_file(std::string_view file, tenon_status expected) const {
  Tokenizer made;
  const tenon_status status = create(file, made);
  EXPECT_EQ(made, nullptr);
  return refused(status, expected);
}

tenon_status Session::encode(const Tokenizer& tokenizer, std::string_view text, uint32_t flags,
                             int64_t limit, Tokens& tokens) const {
  tenon_tensor* out = nullptr;
  const tenon_status status =
      tenon_tokenizer_call(context_, tokenizer.get(), text.data(), text.size(), flags, limit, &out);
  if (status != TENON_OK) return status;
  tenon_view view{};
  must(tenon_tensor_get_view(context_, out, &view));
  const auto* first = static_cast<const int64_t*>(view.data);
  tokens.assign(first, first + view.shape[0]);
  tenon_tensor_release(out);
  return status;
}

Tokens Session::encoded(const Tokenizer& tokenizer, std::string_view text, uint32_t flags,
                        int64_t limit) const {
  Tokens tokens;
  must(encode(tokenizer, text, flags, limit, tokens));
  return tokens;
}

std::string Session::decoded(const Tokenizer& tokenizer, const Tokens& tokens,
                             uint32_t flags) const {
  const auto n = static_cast<int64_t>(tokens.size());
  tenon_tensor* tensor = nullptr;
  must(tenon_tensor_create_from(context_, TENON_DTYPE_I64, nullptr, 1, &n, tokens.data(),
                                tokens.size() * sizeof(int64_t), &tensor));
  tenon_text* text = nullptr;
  must(tenon_tokenizer_get_text(context_, tokenizer.get(), tensor, flags, &text));
  tenon_tensor_release(tensor);
  const char* data = nullptr;
  uint64_t length = 0;
  must(tenon_text_get(text, &data, &length));
  std::string out(data, length);
  tenon_text_release(text);
  return out;
}

tenon_tokenizer_info Session::info(const Tokenizer& tokenizer) const {
  tenon_tokenizer_info info{};
  info.struct_size = sizeof info;
  must(tenon_tokenizer_get_info(context_, tokenizer.get(), &info));
  return info;
}

int64_t Session::find(const Tokenizer& tokenizer, std::string_view spelling) const {
  int64_t token = -1;
  const tenon_status status = tenon_tokenizer_find_token(context_, tokenizer.get(), spelling.data(),
                                                         spelling.size(), &token);
  if (status == TENON_E_NOT_FOUND) return -1;
  must(status);
  return token;
}

void SentencePiece::SetUp() {
  if (!std::filesystem::exists(std::filesystem::path(plugin_dir()) / kName)) {
    GTEST_SKIP() << kName << " was not built: SentencePiece was not found";
  }
  const std::string plugins = plugin_dir();
  const tenon_string paths[] = {{plugins.data(), plugins.size()}};
  tenon_runtime_options options{};
  options.struct_size = sizeof options;
  options.flags = TENON_RUNTIME_NO_DEFAULT_PATHS;
  options.paths = paths;
  options.n_paths = 1;
  tenon_diag diag{};
  ASSERT_EQ(tenon_runtime_create(&options, &diag, &runtime), TENON_OK) << diag.message;
  session = std::make_unique<Session>(runtime);
}

void SentencePiece::TearDown() {
  session.reset();
  tenon_runtime_release(runtime);
}

std::string SentencePiece::model(const std::string& name) {
  const std::string path =
      std::string(source_dir()) + "/tests/sentencepiece/models/" + name + ".model";
  std::ifstream stream(path, std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(stream), {});
  EXPECT_FALSE(bytes.empty()) << path;
  return bytes;
}

std::string bytes_field(uint32_t number, std::string_view bytes) {
  return varint(uint64_t{number} << 3 | 2) + varint(bytes.size()) + std::string(bytes);
}
std::string number_field(uint32_t number, uint64_t value) {
  return varint(uint64_t{number} << 3) + varint(value);
}
std::string piece(std::string_view text, uint64_t type, float score) {
  char bits[sizeof score];
  std::memcpy(bits, &score, sizeof score);
  return bytes_field(
      1, bytes_field(1, text) + "\x15" + std::string(bits, sizeof bits) + number_field(3, type));
}
std::string small_pieces() {
  return piece("<unk>", 2) + piece("<s>", 3) + piece("</s>", 3) + piece("\xE2\x96\x81") +
         piece("a");
}

}  // namespace tenon::tests
