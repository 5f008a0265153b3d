// SPDX-License-Identifier: Apache-2.0
// plugins/formats/safetensors.cc: the format tenon.safetensors.
//
// https://huggingface.co/docs/safetensors:
//
//   8 bytes    N, little-endian: the header's length, at most 100,000,000
//   N bytes    JSON, begins with '{', may end with spaces:
//              {"__metadata__": {"key": "text"},
//               "name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [begin, end]}}
//   the rest   tensors, row-major, little-endian; the offsets count from here, and together they
//              cover every byte once
#include <algorithm>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "file.hpp"

namespace {

namespace sdk = tenon::sdk;
using namespace tenon::formats;
using sdk::str;

constexpr uint64_t kMaxHeaderBytes = 100'000'000;
constexpr uint64_t kAlignment = 8;
constexpr const char* kMetadata = "__metadata__";

// All that safetensors 0.8 knows; those that Tenon has not are foreign.
struct DtypeName {
  std::string_view name;
  tenon_dtype dtype;
  uint32_t bits;
};
constexpr DtypeName kDtypes[] = {{"BOOL", TENON_DTYPE_BOOL, 8},
                                 {"U8", TENON_DTYPE_U8, 8},
                                 {"I8", TENON_DTYPE_I8, 8},
                                 {"I16", TENON_DTYPE_I16, 16},
                                 {"I32", TENON_DTYPE_I32, 32},
                                 {"I64", TENON_DTYPE_I64, 64},
                                 {"F16", TENON_DTYPE_F16, 16},
                                 {"BF16", TENON_DTYPE_BF16, 16},
                                 {"F32", TENON_DTYPE_F32, 32},
                                 {"F64", TENON_DTYPE_F64, 64},
                                 {"U16", TENON_DTYPE_NONE, 16},
                                 {"U32", TENON_DTYPE_NONE, 32},
                                 {"U64", TENON_DTYPE_NONE, 64},
                                 {"C64", TENON_DTYPE_NONE, 64},
                                 {"F4", TENON_DTYPE_NONE, 4},
                                 {"F6_E2M3", TENON_DTYPE_NONE, 6},
                                 {"F6_E3M2", TENON_DTYPE_NONE, 6},
                                 {"F8_E4M3", TENON_DTYPE_NONE, 8},
                                 {"F8_E5M2", TENON_DTYPE_NONE, 8},
                                 {"F8_E8M0", TENON_DTYPE_NONE, 8},
                                 {"F8_E4M3FNUZ", TENON_DTYPE_NONE, 8},
                                 {"F8_E5M2FNUZ", TENON_DTYPE_NONE, 8}};

const DtypeName* find_dtype(std::string_view name) {
  const auto* found = std::find_if(std::begin(kDtypes), std::end(kDtypes),
                                   [&](const DtypeName& entry) { return entry.name == name; });
  return found == std::end(kDtypes) ? nullptr : found;
}

std::string_view name_of(tenon_dtype dtype) {
  return std::find_if(std::begin(kDtypes), std::end(kDtypes),
                      [dtype](const DtypeName& entry) { return entry.dtype == dtype; })
      ->name;
}

// ---- Reading ------------------------------------------------------------------------------------

// Told of the header's values one by one, so that no nesting and no repetition gets past it. What
// a later version may say of a tensor besides is passed over, as the reference does.
class Header : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Header(Contents& out) : out_(out) {}

  bool null() override {
    const bool no_metadata = where_ == Where::Root && key_ == kMetadata;
    return passed_over() || no_metadata || stray("null");
  }
  bool boolean(bool) override { return passed_over() || stray("true or false"); }
  bool number_integer(int64_t number) override {
    return passed_over() || stray(std::to_string(number));
  }
  bool number_float(double, const std::string& text) override {
    return passed_over() || stray(text);
  }
  bool binary(binary_t&) override { return stray("bytes"); }
  bool number_unsigned(uint64_t number) override {
    if (passed_over()) return true;
    if (where_ == Where::Shape) {
      shape_.push_back(number);
    } else if (where_ == Where::Offsets) {
      offsets_.push_back(number);
    } else {
      stray(std::to_string(number));
    }
    return true;
  }
  bool string(std::string& text) override {
    if (passed_over()) return true;
    if (where_ == Where::Metadata) {
      out_.metadata.emplace_back(key_, text);
    } else if (where_ == Where::Tensor && key_ == "dtype") {
      dtype_ = text;
    } else {
      stray("a text");
    }
    return true;
  }
  bool start_object(size_t) override {
    if (passed_over(1)) return true;
    if (where_ == Where::Start) {
      where_ = Where::Root;
    } else if (where_ == Where::Root) {
      where_ = key_ == kMetadata ? Where::Metadata : Where::Tensor;
      members_.clear();
      shape_.clear();
      offsets_.clear();
    } else {
      stray("an object");
    }
    return true;
  }
  bool start_array(size_t) override {
    if (passed_over(1)) return true;
    if (where_ == Where::Tensor && key_ == "shape") {
      where_ = Where::Shape;
    } else if (where_ == Where::Tensor && key_ == "data_offsets") {
      where_ = Where::Offsets;
    } else {
      stray("a list");
    }
    return true;
  }
  bool end_array() override {
    if (depth_ > 0) return leave();
    where_ = Where::Tensor;
    return true;
  }
  bool key(std::string& text) override {
    if (depth_ > 0) return true;
    const bool is_known = text == "dtype" || text == "shape" || text == "data_offsets";
    pass_over_ = where_ == Where::Tensor && !is_known;
    if (pass_over_) return true;
    std::set<std::string>& names = where_ == Where::Root ? names_ : members_;
    if (!names.insert(text).second) {
      refuse_data(place() + " has the member \"" + text + "\" twice");
    }
    if (where_ == Where::Root) name_ = text;
    key_ = text;
    return true;
  }
  bool end_object() override {
    if (depth_ > 0) return leave();
    if (where_ == Where::Tensor) add();
    where_ = Where::Root;
    return true;
  }
  bool parse_error(size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    refuse_data("its header is not JSON at its byte " + std::to_string(position));
  }

 private:
  enum class Where : uint8_t { Start, Root, Metadata, Tensor, Shape, Offsets };

  std::string place() const {
    if (where_ == Where::Metadata) return "its metadata";
    return where_ == Where::Start || where_ == Where::Root ? "its header" : tensor_words(name_);
  }

  // Whether a value belongs to a member that is passed over; `deeper` if others lie in it.
  bool passed_over(uint64_t deeper = 0) {
    if (depth_ == 0 && !pass_over_) return false;
    pass_over_ = false;
    depth_ += deeper;
    return true;
  }
  bool leave() {
    --depth_;
    return true;
  }

  [[noreturn]] bool stray(const std::string& found) const {
    switch (where_) {
      case Where::Root:
        refuse_data(key_ == kMetadata ? "its metadata is not an object" : tensor_words(key_),
                    "an object", found);
      case Where::Metadata:
        refuse_data("its metadata \"" + key_ + "\" is wrong", "a text", found);
      case Where::Shape:
        refuse_data(place() + " has a wrong shape", "whole numbers from 0", found);
      case Where::Offsets:
        refuse_data(place() + " has wrong data_offsets", "whole numbers from 0", found);
      default:
        refuse_data(place() + " has a wrong \"" + key_ + "\"",
                    key_ == "dtype" ? "a text" : "a list", found);
    }
  }

  void add() {
    const std::string what = tensor_words(name_);
    for (const char* member : {"dtype", "shape", "data_offsets"}) {
      if (!members_.contains(member)) refuse_data(what + " has no \"" + member + "\"");
    }
    if (offsets_.size() != 2 || offsets_[0] > offsets_[1]) {
      refuse_data(what + " has wrong data_offsets", "where it begins and where it ends",
                  std::to_string(offsets_.size()) + " numbers" +
                      (offsets_.size() == 2 ? ", the end before the beginning" : ""));
    }
    const uint64_t found = offsets_[1] - offsets_[0];
    const DtypeName* const dtype = find_dtype(dtype_);
    if (dtype != nullptr && bytes_of_shape(dtype->bits, what) != found) {
      refuse_data(what + " has data_offsets that do not fit its shape",
                  bytes_text(bytes_of_shape(dtype->bits, what)), bytes_text(found));
    }
    tenon_format_entry entry{};
    std::string foreign;
    const bool is_flat = shape_.size() <= TENON_MAX_RANK;
    if (dtype != nullptr && is_flat) entry.meta.dtype = dtype->dtype;
    if (entry.meta.dtype == TENON_DTYPE_NONE) foreign = dtype_.empty() ? "no dtype" : dtype_;
    if (is_flat) {
      set_shape(entry.meta, shape_, what);
    } else {
      foreign += " of " + std::to_string(shape_.size()) + " dimensions";
    }
    entry.bytes = found;
    entry.offset = offsets_[0];
    out_.add(entry, name_, std::move(foreign));
  }

  uint64_t bytes_of_shape(uint32_t bits, const std::string& what) const {
    if (bits % 8 == 0) return checked_product(bits / 8, shape_, what);
    const uint64_t all = checked_product(bits, shape_, what);
    if (all % 8 != 0) {
      refuse_data(what + " does not fill its last byte", "a multiple of 8 bits",
                  std::to_string(all) + " bits");
    }
    return all / 8;
  }

  Contents& out_;
  Where where_ = Where::Start;
  std::string key_, name_, dtype_;
  std::set<std::string> names_, members_;
  std::vector<uint64_t> shape_, offsets_;
  bool pass_over_ = false;  // the next value
  uint64_t depth_ = 0;      // of what is being passed over
};

// Every byte belongs to one tensor. Turns offsets into those of the file.
void check_cover(Contents& contents, uint64_t data_begin, uint64_t data_bytes) {
  std::vector<tenon_format_entry*> order;
  for (tenon_format_entry& entry : contents.entries) order.push_back(&entry);
  std::sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return a->offset != b->offset ? a->offset < b->offset : a->bytes < b->bytes;
  });
  uint64_t end = 0;
  for (tenon_format_entry* entry : order) {
    const std::string what = tensor_words(view(entry->name));
    if (entry->offset > data_bytes || entry->bytes > data_bytes - entry->offset) {
      refuse_data(what + " ends after the file", "at most byte " + std::to_string(data_bytes),
                  "byte " + std::to_string(entry->offset + entry->bytes));
    }
    if (entry->offset != end) {
      refuse_data(what + (entry->offset < end ? " overlaps the tensor before it"
                                              : " leaves a gap to the tensor before it"),
                  "byte " + std::to_string(end), "byte " + std::to_string(entry->offset));
    }
    end = entry->offset + entry->bytes;
    entry->offset += data_begin;
  }
  if (end != data_bytes) {
    refuse_data("bytes follow the last tensor", bytes_text(end), bytes_text(data_bytes));
  }
}

tenon_status read(tenon_call* call, const void* bytes, uint64_t length, void** out_object) {
  return sdk::guarded(call, [&] {
    uint64_t header = 0;
    if (length < sizeof header) {
      refuse_data("it is too short for a header", "8 bytes or more", bytes_text(length));
    }
    std::memcpy(&header, bytes, sizeof header);
    if (header > kMaxHeaderBytes) {
      refuse_data("its header's length is too large", "at most " + bytes_text(kMaxHeaderBytes),
                  bytes_text(header));
    }
    const uint64_t data_begin = sizeof header + header;
    if (length < data_begin) {
      refuse_data("it ends within its header", bytes_text(data_begin) + " or more",
                  bytes_text(length));
    }
    const char* text = static_cast<const char*>(bytes) + sizeof header;
    if (header == 0 || *text != '{') refuse_data("its header does not begin with '{'");
    // JSON has none, and the parser would take it for the end.
    if (std::memchr(text, 0, header) != nullptr) refuse_data("its header holds a zero byte");
    auto contents = std::make_unique<Contents>();
    Header handler(*contents);
    nlohmann::json::sax_parse(text, text + header, &handler);
    check_cover(*contents, data_begin, length - data_begin);
    *out_object = contents.release();
  });
}

// ---- Writing ------------------------------------------------------------------------------------

std::string quoted(const tenon_string& text) {
  return nlohmann::json(std::string(view(text))).dump();
}

std::string header_of(const tenon_format_content& content, const std::vector<uint32_t>& order) {
  std::string text = "{";
  for (uint32_t i = 0; i < content.n_metadata; ++i) {
    text += (i ? "," : "\"" + std::string(kMetadata) + "\":{") + quoted(content.metadata[i].key) +
            ":" + quoted(content.metadata[i].value);
  }
  if (content.n_metadata != 0) text += "}";
  uint64_t at = 0;
  for (const uint32_t index : order) {
    const tenon_format_entry& entry = content.entries[index];
    const uint64_t end = at + entry.bytes;
    text += (text.size() > 1 ? "," : "") + quoted(entry.name) + ":{\"dtype\":\"" +
            std::string(name_of(entry.meta.dtype)) + "\",\"shape\":" +
            sdk::shape_text({entry.meta.shape, static_cast<size_t>(entry.meta.rank)}) +
            ",\"data_offsets\":[" + std::to_string(at) + "," + std::to_string(end) + "]}";
    at = end;
  }
  text += "}";
  text.append((kAlignment - text.size() % kAlignment) % kAlignment, ' ');
  return text;
}

tenon_status layout(tenon_call* call, const tenon_format_content* content, void** out_layout) {
  return sdk::guarded(call, [&] {
    auto pieces = std::make_unique<HeadAndTensors>();
    for (uint32_t i = 0; i < content->n_entries; ++i) {
      if (view(content->entries[i].name) == kMetadata) {
        refuse_unsupported("a tensor cannot be named \"__metadata__\"", "another name", kMetadata,
                           "give the tensor another name");
      }
      pieces->order.push_back(i);
    }
    // The widest first, so that each is aligned for its dtype.
    std::stable_sort(pieces->order.begin(), pieces->order.end(), [&](uint32_t a, uint32_t b) {
      return sdk::size_of(content->entries[a].meta.dtype) >
             sdk::size_of(content->entries[b].meta.dtype);
    });
    const std::string header = header_of(*content, pieces->order);
    if (header.size() > kMaxHeaderBytes) {
      refuse_unsupported("names and metadata are too long for the header",
                         "at most " + bytes_text(kMaxHeaderBytes), bytes_text(header.size()),
                         "write several files");
    }
    const uint64_t length = header.size();
    pieces->head.assign(reinterpret_cast<const char*>(&length), sizeof length);
    pieces->head += header;
    *out_layout = static_cast<Pieces*>(pieces.release());
  });
}

constexpr tenon_format_desc kFormats[] = {
    {sizeof(tenon_format_desc), 0, str("tenon.safetensors"),
     str("Named tensors of every dtype and a list of texts, in the format of Hugging Face's "
         "safetensors. Mapped without a copy. Tensors of a dtype that Tenon has not (F8_E4M3, U16, "
         "C64) are given as bytes. Files with an overlap, a gap, a name twice or a "
         "header above 100 MB are refused."),
     str(".safetensors"), read, Contents::release, Contents::count, Contents::entry, Contents::pair,
     nullptr, layout, HeadAndTensors::piece, nullptr, Pieces::release, Contents::words}};

}  // namespace

TENON_UNIT(safetensors) = {.formats = kFormats};
