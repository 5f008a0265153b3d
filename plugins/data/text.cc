// SPDX-License-Identifier: Apache-2.0
// plugins/data/text.cc: the dataset tenon.text: windows of tokens, for models of language.
//
// Sample i starts at token i * stride. Fields: "tokens", i64[window]; "targets", i64[window]: the
// tokens one further. What is left at the end and fills no window is not a sample.
#include <tenon/ext/draft/tokenizers.h>
#include <tenon/sdk/plugin/plugin.hpp>

#include "data_file.hpp"

namespace {

namespace sdk = tenon::sdk;
using sdk::str;
using tenon::data::DataFile;

enum Option : uint32_t { kPath, kTokenizer, kWindow, kStride, kOptions };

struct Text {
  std::vector<int32_t> tokens;
  int64_t window = 0;
  int64_t stride = 0;

  int64_t length() const {
    const auto starts = static_cast<int64_t>(tokens.size()) - window;  // one after is a target
    return starts <= 0 ? 0 : (starts - 1) / stride + 1;
  }
};

const tenon_host_tokenizers& tokenizers_of(tenon_call* call) {
  const void* table = call->host->get_interface(call->host, TENON_HOST_TOKENIZERS, TENON_NUL);
  if (table != nullptr) return *static_cast<const tenon_host_tokenizers*>(table);
  throw sdk::Failure{TENON_E_UNSUPPORTED, "this host offers no tokenizers to plugins"};
}

// A tokenizer of any plugin.
class Tokenizer {
 public:
  // path  the text's, for messages
  Tokenizer(tenon_call* call, const std::string& name, const std::string& text,
            const std::string& path)
      : call_(call), host_(tokenizers_of(call)), path_(path) {
    if (name == "byte") {
      create("tenon.bytes", {});
    } else if (name == "char") {
      create("tenon.characters", text);
    } else {
      const tenon_string file = str(name);
      sdk::check(host_.load(call, &file, &made_));
    }
  }
  ~Tokenizer() { host_.release(made_); }
  Tokenizer(const Tokenizer&) = delete;
  Tokenizer& operator=(const Tokenizer&) = delete;

  std::vector<int32_t> encode(const std::string& text) const {
    std::vector<int32_t> tokens(text.size());
    for (;;) {
      const auto capacity = static_cast<int64_t>(tokens.size());
      int64_t count = 0;
      check_text(
          host_.encode(call_, made_, text.data(), text.size(), tokens.data(), capacity, &count));
      tokens.resize(static_cast<size_t>(count));
      if (count <= capacity) return tokens;
    }
  }

 private:
  // What the tokenizer said of the text is the cause.
  void check_text(tenon_status status) const {
    if (status == TENON_OK) return;
    throw sdk::Failure{status, tenon::data::file_words("text", path_) + ": it cannot be encoded",
                       "path"};
  }

  // learnt  data NULL: nothing
  void create(std::string_view name, std::string_view learnt) {
    const tenon_string kind = str(name);
    const tenon_string option = str("text");
    tenon_value text{TENON_VALUE_STRING, static_cast<uint32_t>(learnt.size()), {}};
    text.as.string = learnt.data();
    check_text(host_.create(call_, &kind, nullptr, 0, &option, &text,
                            learnt.data() == nullptr ? 0 : 1, &made_));
  }

  tenon_call* call_;
  const tenon_host_tokenizers& host_;
  const std::string& path_;
  tenon_tokenizer* made_ = nullptr;
};

int64_t positive(const tenon_value& value, int64_t otherwise, const char* option) {
  if (value.tag == TENON_VALUE_NONE) return otherwise;
  if (value.as.i64 < 1 || value.as.i64 > INT32_MAX) {
    throw sdk::Failure{TENON_E_ATTRIBUTE, std::string(option) + " is out of range", option,
                       "1 to " + std::to_string(INT32_MAX), std::to_string(value.as.i64)};
  }
  return value.as.i64;
}

tenon_status create(tenon_call* call, const tenon_value* values, void** out_object) {
  return sdk::guarded(call, [&] {
    auto made = std::make_unique<Text>();
    made->window = positive(values[kWindow], 0, "window");
    made->stride = positive(values[kStride], made->window, "stride");
    const std::string path = tenon::data::path_of(values[kPath], "path");
    const std::string text = DataFile("text", path).read_rest();
    const std::string name = tenon::data::path_of(values[kTokenizer], "tokenizer");
    made->tokens = Tokenizer(call, name, text, path).encode(text);
    *out_object = made.release();
  });
}

void release(void* object) { delete static_cast<Text*>(object); }

tenon_status length(tenon_call*, void* object, int64_t* out_length) {
  *out_length = static_cast<const Text*>(object)->length();
  return TENON_OK;
}

tenon_status fields(tenon_call*, void* object, tenon_dataset_field* out, uint32_t capacity,
                    uint32_t* out_count) {
  constexpr const char* kNames[] = {"tokens", "targets"};
  *out_count = 2;
  for (uint32_t f = 0; f < std::min(capacity, 2u); ++f) {
    out[f] = {str(kNames[f]), {}};
    out[f].sample.dtype = TENON_DTYPE_I64;
    out[f].sample.rank = 1;
    out[f].sample.shape[0] = static_cast<const Text*>(object)->window;
  }
  return TENON_OK;
}

tenon_status get(tenon_call*, void* object, const int64_t* indices, int64_t n,
                 void* const* destinations) {
  const Text& text = *static_cast<const Text*>(object);
  for (int64_t i = 0; i < n; ++i) {
    const int32_t* const start = text.tokens.data() + indices[i] * text.stride;
    for (int field = 0; field < 2; ++field) {
      std::copy_n(start + field, text.window,
                  static_cast<int64_t*>(destinations[field]) + i * text.window);
    }
  }
  return TENON_OK;
}

constexpr tenon_dataset_option kOptionList[kOptions] = {
    {str("path"), str("path of the text; plain or gzip, with or without '.gz'"), TENON_VALUE_STRING,
     1},
    {str("tokenizer"),
     str("`byte`; `char`, the characters of this text, which is UTF-8; or the path of a file of "
         "any "
         "tokenizer there is, by the ending of its name"),
     TENON_VALUE_STRING, 1},
    {str("window"), str("tokens of a sample"), TENON_VALUE_I64, 1},
    {str("stride"), str("tokens from one sample's start to the next; the window unless given"),
     TENON_VALUE_I64, 0}};

constexpr tenon_dataset_desc kDatasets[] = {
    {sizeof(tenon_dataset_desc), 0, str("tenon.text"),
     str("Windows of tokens of one text. Fields: `tokens`, i64[window], and `targets`, "
         "i64[window], the tokens one further."),
     kOptionList, kOptions, 0, create, release, length, fields, get, nullptr, nullptr}};

}  // namespace

TENON_UNIT(text) = {.datasets = kDatasets};
