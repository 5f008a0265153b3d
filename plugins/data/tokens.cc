// SPDX-License-Identifier: Apache-2.0
// plugins/data/tokens.cc: the dataset tenon.tokens: windows of tokens that were encoded before, in
// files that need not fit into memory.
//
// A document is what lies up to and with a separator, or else a file. Its window k starts at its
// token k * stride and lies within it, targets too. Fields: "tokens", i64[window]; "targets",
// i64[window], the tokens `ahead` further; with `pad` also "length", i64, how many of them there
// are.
#include <tenon/sdk/plugin/plugin.hpp>

#include "token_file.hpp"

namespace {

namespace sdk = tenon::sdk;
using sdk::str;
using tenon::data::TokenFile;

enum Option : uint32_t {
  kPaths,
  kWindow,
  kStride,
  kAhead,
  kDtype,
  kSeparator,
  kPad,
  kVocabulary,
  kOptions
};
constexpr int64_t kIgnored = -100;  // no target: what losses leave out, as in PyTorch

// Tokens [first, first + count) of a file; its windows are samples `start` and on.
struct Document {
  size_t file;
  int64_t first;
  int64_t count;
  int64_t start;
};

struct Tokens {
  std::vector<TokenFile> files;
  std::vector<Document> documents;
  int64_t window = 0;
  int64_t stride = 0;
  int64_t ahead = 1;
  int64_t separator = -1;  // -1: none
  int64_t pad = -1;
  int64_t vocabulary = INT64_MAX;
  int64_t samples = 0;
  int64_t longest = 0;  // document

  // Of a document of so many tokens. Padded, the last one is the first that reaches the end.
  int64_t windows_of(int64_t count) const {
    const int64_t targets = count - ahead;
    if (pad < 0) return targets < window ? 0 : (targets - window) / stride + 1;
    if (targets < 1) return 0;
    const int64_t reaching = targets <= window ? 0 : (targets - window + stride - 1) / stride;
    return std::min(reaching, (targets - 1) / stride) + 1;
  }
  void add(size_t file, int64_t first, int64_t count) {
    longest = std::max(longest, count);
    const int64_t windows = windows_of(count);
    if (windows == 0) return;
    documents.push_back({file, first, count, samples});
    samples += windows;
  }

  // Reads all of a file if somebody asks for what is in it.
  void add_file(TokenFile opened) {
    constexpr int64_t kPiece = int64_t{1} << 17;
    const size_t number = files.size();
    files.push_back(std::move(opened));
    const TokenFile& file = files.back();
    int64_t begin = 0;
    if (separator >= 0 || vocabulary != INT64_MAX) {
      std::vector<int64_t> piece(static_cast<size_t>(std::min(kPiece, file.count())));
      for (int64_t first = 0; first < file.count(); first += kPiece) {
        const int64_t n = std::min(kPiece, file.count() - first);
        file.read(first, n, piece.data());
        for (int64_t i = 0; i < n; ++i) {
          check(file, first + i, piece[static_cast<size_t>(i)]);
          if (piece[static_cast<size_t>(i)] != separator) continue;
          add(number, begin, first + i + 1 - begin);
          begin = first + i + 1;
        }
      }
    }
    add(number, begin, file.count() - begin);
  }
  void check(const TokenFile& file, int64_t place, int64_t token) const {
    if (vocabulary == INT64_MAX || (token >= 0 && token < vocabulary)) return;
    tenon::data::refuse_file("token", file.path(),
                             "token " + std::to_string(place) + " is not in the vocabulary",
                             "0 to " + std::to_string(vocabulary - 1), std::to_string(token));
  }

  const Document& document_of(int64_t index) const {
    const auto after =
        std::upper_bound(documents.begin(), documents.end(), index,
                         [](int64_t wanted, const Document& each) { return wanted < each.start; });
    return *(after - 1);
  }
  // Tokens of sample `index` that are not padding.
  int64_t tokens_of(const Document& document, int64_t index) const {
    return std::min(window, document.count - ahead - (index - document.start) * stride);
  }
  void get_lengths(int64_t first, int64_t count, int64_t* lengths) const {
    if (count == 0) return;
    const Document* document = &document_of(first);
    const Document* const end = documents.data() + documents.size();
    for (int64_t i = 0; i < count; ++i) {
      if (document + 1 != end && first + i == document[1].start) ++document;
      lengths[i] = tokens_of(*document, first + i);
    }
  }

  // One sample. `room` is for window + ahead tokens.
  void get(int64_t index, std::vector<int64_t>& room, int64_t* tokens, int64_t* targets,
           int64_t* length) const {
    const Document& document = document_of(index);
    const int64_t start = (index - document.start) * stride;
    const int64_t n = tokens_of(document, index);
    files[document.file].read(document.first + start, n + ahead, room.data());
    std::copy_n(room.data(), n, tokens);
    std::copy_n(room.data() + ahead, n, targets);
    std::fill(tokens + n, tokens + window, pad);
    std::fill(targets + n, targets + window, kIgnored);
    if (length != nullptr) *length = n;
  }
};

// ---- Options ------------------------------------------------------------------------------------

int64_t number(const tenon_value& value, const char* option, int64_t least, int64_t below,
               int64_t otherwise) {
  if (value.tag == TENON_VALUE_NONE) return otherwise;
  if (value.as.i64 < least || value.as.i64 >= below) {
    throw sdk::Failure{TENON_E_ATTRIBUTE, std::string(option) + " is out of range", option,
                       std::to_string(least) + " to " + std::to_string(below - 1),
                       std::to_string(value.as.i64)};
  }
  return value.as.i64;
}

tenon_status create(tenon_call* call, const tenon_value* values, void** out_object) {
  return sdk::guarded(call, [&] {
    constexpr int64_t most = INT32_MAX;
    auto made = std::make_unique<Tokens>();
    made->window = number(values[kWindow], "window", 1, most, 0);
    made->stride = number(values[kStride], "stride", 1, most, made->window);
    made->ahead = number(values[kAhead], "ahead", 0, most, 1);
    made->vocabulary = number(values[kVocabulary], "vocabulary", 1, INT64_MAX, INT64_MAX);
    made->separator = number(values[kSeparator], "separator", 0, made->vocabulary, -1);
    made->pad = number(values[kPad], "pad", 0, made->vocabulary, -1);
    const tenon_value& dtype = values[kDtype];
    const std::string form =
        dtype.tag == TENON_VALUE_NONE ? "" : std::string(dtype.as.string, dtype.count);
    for (std::string& path : tenon::data::paths_of(values[kPaths], "paths")) {
      made->add_file(TokenFile(std::move(path), form));
    }
    if (made->samples == 0) {
      const int64_t needed = made->ahead + (made->pad < 0 ? made->window : 1);
      throw sdk::Failure{TENON_E_ATTRIBUTE,
                         "no document is long enough for a window",
                         "window",
                         "a document of " + std::to_string(needed) + " tokens or more",
                         "the longest has " + std::to_string(made->longest),
                         "a shorter window fits, or `pad` fills windows up"};
    }
    *out_object = made.release();
  });
}

void release(void* object) { delete static_cast<Tokens*>(object); }

tenon_status length(tenon_call*, void* object, int64_t* out_length) {
  *out_length = static_cast<const Tokens*>(object)->samples;
  return TENON_OK;
}

tenon_status fields(tenon_call*, void* object, tenon_dataset_field* out, uint32_t capacity,
                    uint32_t* out_count) {
  const Tokens& tokens = *static_cast<const Tokens*>(object);
  constexpr const char* kNames[] = {"tokens", "targets", "length"};
  *out_count = tokens.pad < 0 ? 2 : 3;
  for (uint32_t f = 0; f < std::min(capacity, *out_count); ++f) {
    out[f] = {str(kNames[f]), {}};
    out[f].sample.dtype = TENON_DTYPE_I64;
    out[f].sample.rank = f < 2 ? 1 : 0;
    out[f].sample.shape[0] = f < 2 ? tokens.window : 0;
  }
  return TENON_OK;
}

tenon_status get(tenon_call* call, void* object, const int64_t* indices, int64_t n,
                 void* const* destinations) {
  return sdk::guarded(call, [&] {
    const Tokens& tokens = *static_cast<const Tokens*>(object);
    const auto at = [&](int field, int64_t place) {
      return static_cast<int64_t*>(destinations[field]) + place;
    };
    std::vector<int64_t> room(static_cast<size_t>(tokens.window + tokens.ahead));
    for (int64_t i = 0; i < n; ++i) {
      tokens.get(indices[i], room, at(0, i * tokens.window), at(1, i * tokens.window),
                 tokens.pad < 0 ? nullptr : at(2, i));
    }
  });
}

tenon_status lengths(tenon_call*, void* object, int64_t first, int64_t count, int64_t* lengths) {
  static_cast<const Tokens*>(object)->get_lengths(first, count, lengths);
  return TENON_OK;
}

constexpr tenon_dataset_option kOptionList[kOptions] = {
    {str("paths"),
     str("paths of the files, a line feed between two: numbers one after the other, little-endian, "
         "or npy files of one dimension; not compressed"),
     TENON_VALUE_STRING, 1},
    {str("window"), str("tokens of a sample"), TENON_VALUE_I64, 1},
    {str("stride"), str("tokens from one sample's start to the next; the window unless given"),
     TENON_VALUE_I64, 0},
    {str("ahead"), str("how far targets are from their tokens, 0 or more; 1 unless given"),
     TENON_VALUE_I64, 0},
    {str("dtype"), str("u16, u32, i32 or i64: how files that are not npy files store a token"),
     TENON_VALUE_STRING, 0},
    {str("separator"),
     str("the token that ends a document and belongs to it: no window reaches from one document "
         "into the next; unless given a file is one document"),
     TENON_VALUE_I64, 0},
    {str("pad"),
     str("the token that fills up a document's last window, whose targets are -100 there; unless "
         "given, tokens that fill no window are left out"),
     TENON_VALUE_I64, 0},
    {str("vocabulary"),
     str("how many tokens there are: files with any other number are refused when they are "
         "opened; unless given nothing is checked"),
     TENON_VALUE_I64, 0}};

constexpr tenon_dataset_desc kDatasets[] = {
    {sizeof(tenon_dataset_desc), 0, str("tenon.tokens"),
     str("Windows of tokens in files of token numbers, which are read as samples are. Fields: "
         "`tokens`, i64[window]; `targets`, i64[window], the tokens `ahead` further; with `pad` "
         "also `length`, i64, how many of them are not padding."),
     kOptionList, kOptions, 0, create, release, length, fields, get, lengths, nullptr}};

}  // namespace

TENON_UNIT(tokens) = {.datasets = kDatasets};
