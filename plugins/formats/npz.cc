// SPDX-License-Identifier: Apache-2.0
// plugins/formats/npz.cc: the format tenon.npz: named arrays, each an npy file in a zip archive.
//
// As NumPy does, a member that begins as an npy file is taken for an array whatever its name, and
// any other one is listed. A member's checksum is compared when its array is asked for, so arrays
// are copies always. Written without the 64-bit extension.
#include <algorithm>
#include <memory>
#include <set>

#include "npy_array.hpp"
#include "zip_file.hpp"

namespace {

namespace sdk = tenon::sdk;
using namespace tenon::formats;
using sdk::str;

constexpr std::string_view kSuffix = ".npy";
constexpr const char* kOtherName = "give the tensor another name, or write safetensors";
constexpr const char* kPackAgain = "write the archive again, stored or deflated and not encrypted";

// ---- Reading ------------------------------------------------------------------------------------

struct Npz : Contents {
  explicit Npz(std::string_view bytes) : zip(bytes) {
    for (const Member& member : zip.members()) {
      if (!member.name.ends_with(kSuffix)) taken.insert(member.name);
    }
    for (const Member& member : zip.members()) add_member(member);
  }

  void add_member(const Member& member);
  std::string read_header(const Member& member, NpyHeader& header) const;

  ZipFile zip;
  std::vector<NpyHeader> headers;             // of members; all zero if one is not an array
  std::set<std::string> member_names, taken;  // in the archive, and of entries
};

// What a member is that is not an array of Tenon's; empty if it is one. Reads its header.
std::string Npz::read_header(const Member& member, NpyHeader& header) const {
  if (member.encrypted) return "encrypted";
  if (!member.is_readable()) return "compressed by method " + std::to_string(member.method);
  if (member.name.ends_with('/')) return "a folder";
  const std::string what = words_of(member);
  std::string front(std::min(member.bytes, kMaxNpyPrefixBytes), '\0');
  front.resize(Reader(zip, member).read(front.data(), front.size()));
  if (!front.starts_with(kNpyMagic) && !member.name.ends_with(kSuffix)) {
    header.data_bytes = member.bytes;
    return "a file that is not an array";
  }
  header = NpyParser(front, what).describe();
  const uint64_t left = member.bytes - header.data_begin;
  if (!header.is_sized) header.data_bytes = left;
  if (left != header.data_bytes) {
    refuse_data(what + " does not fit its shape", bytes_text(header.data_bytes) + " of elements",
                bytes_text(left));
  }
  return header.foreign;
}

// Under its name without ".npy", unless another one has that.
void Npz::add_member(const Member& member) {
  if (!member_names.insert(member.name).second) {
    refuse_data("two members are named \"" + member.name + "\"");
  }
  NpyHeader& header = headers.emplace_back();
  std::string what = read_header(member, header);
  std::string name = member.name;
  if (name.ends_with(kSuffix)) {
    name.resize(name.size() - kSuffix.size());
    if (name.empty() || !taken.insert(name).second) name = member.name;
  }
  tenon_format_entry entry{};
  entry.meta = header.meta;
  entry.bytes = header.data_bytes;
  entry.flags = TENON_FORMAT_PACKED | (what.empty() ? npy_flags(header) : 0);
  add(entry, std::move(name), std::move(what));
}

tenon_status read(tenon_call* call, const void* bytes, uint64_t length, void** out_object) {
  return sdk::guarded(call, [&] {
    const std::string_view file(static_cast<const char*>(bytes), length);
    auto npz = std::make_unique<Npz>(file);
    *out_object = static_cast<Contents*>(npz.release());
  });
}

tenon_status unpack(tenon_call* call, void* object, uint32_t index, void* destination,
                    uint64_t bytes) {
  return sdk::guarded(call, [&] {
    const auto& npz = *static_cast<const Npz*>(static_cast<const Contents*>(object));
    const Member& member = npz.zip.members()[index];
    const NpyHeader& header = npz.headers[index];
    if (!member.is_readable()) {
      refuse_unsupported(words_of(member) + " cannot be unpacked", "stored or deflated bytes",
                         npz.foreign.at(index), kPackAgain);
    }
    Reader reader(npz.zip, member);
    std::string head(header.data_begin, '\0');
    const bool whole = reader.read(head.data(), head.size()) == head.size() &&
                       reader.read(destination, bytes) == bytes && reader.at_end();
    if (!whole) refuse_data(words_of(member) + " is not as long as it claims");
    uLong sum = crc32_z(0, reinterpret_cast<const Bytef*>(head.data()), head.size());
    if (bytes != 0) sum = crc32_z(sum, static_cast<const Bytef*>(destination), bytes);
    if (sum != member.check_sum) {
      refuse_data(words_of(member) + " has a wrong check sum", std::to_string(member.check_sum),
                  std::to_string(sum));
    }
    if (header.swap) {
      swap_elements(destination, bytes, sdk::size_of(header.meta.dtype));
    }
  });
}

// ---- Writing ------------------------------------------------------------------------------------

template <class T>
void append(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// Arrays are stored, each followed by its checksum, which is known only then.
class Zip : public Pieces {
 public:
  explicit Zip(const tenon_format_content& content) {
    uint64_t bytes = kEndBytes;
    for (uint32_t i = 0; i < content.n_entries; ++i) {
      const tenon_format_entry& entry = content.entries[i];
      Item item;
      item.name = std::string(view(entry.name)) + std::string(kSuffix);
      item.prefix = npy_prefix(entry.meta, tensor_words(view(entry.name)));
      item.bytes = item.prefix.size() + entry.bytes;
      if (item.name.size() > UINT16_MAX) {
        refuse_unsupported("the name of a tensor is too long for npz",
                           "at most " + bytes_text(UINT16_MAX - kSuffix.size()),
                           bytes_text(view(entry.name).size()), kOtherName);
      }
      if (item.name.find('\0') != std::string::npos) {
        refuse_unsupported(tensor_words(view(entry.name)) +
                               " has a zero byte in its name, at which "
                               "the names in an archive end",
                           "another name", "a zero byte", kOtherName);
      }
      bytes += kLocalBytes + kCentralBytes + 2 * item.name.size() + item.bytes + 16;
      items_.push_back(std::move(item));
    }
    if (bytes > kMaxBytes || items_.size() >= UINT16_MAX) {
      refuse_unsupported("the tensors are too much for npz without the 64-bit extension",
                         "less than 4 GiB and 65535 tensors",
                         bytes_text(bytes) + " and " + std::to_string(items_.size()) + " tensors",
                         "write safetensors, or several files");
    }
  }

  // For each array: what comes before it, the array, what comes after it; then the directory.
  tenon_format_piece next() override {
    const size_t step = step_++;
    const size_t item = step / 3;
    if (item == items_.size()) {
      if (step % 3 != 0) return {nullptr, 0, TENON_PIECE_END, 0};
      return bytes(directory());
    }
    if (step % 3 == 1) return {nullptr, 0, TENON_PIECE_TENSOR, static_cast<uint32_t>(item)};
    return bytes(step % 3 == 0 ? before(items_[item]) : behind(items_[item]));
  }
  void written(const void* data, uint64_t length) override {
    Item& item = items_[step_ / 3];
    if (length != 0) {
      item.check_sum =
          static_cast<uint32_t>(crc32_z(item.check_sum, static_cast<const Bytef*>(data), length));
    }
  }

 private:
  struct Item {
    std::string name, prefix;
    uint64_t bytes = 0;
    uint64_t begin = 0;
    uint32_t check_sum = 0;
  };

  tenon_format_piece bytes(std::string text) {
    text_ = std::move(text);
    at_ += text_.size();
    return {text_.data(), text_.size(), TENON_PIECE_BYTES, 0};
  }
  // What local header and directory have in common. Sizes and sum stand after the member.
  static void append_common(std::string& out, const Item& item, bool known) {
    constexpr uint16_t kVersion = 20;
    constexpr uint16_t kSumBehind = 0x8;
    constexpr uint16_t kFirstOf1980 = 0x21;
    append<uint16_t>(out, kVersion);
    append<uint16_t>(out, kSumBehind | kUtf8Names);
    append<uint16_t>(out, kStored);
    append<uint16_t>(out, 0);
    append<uint16_t>(out, kFirstOf1980);
    append<uint32_t>(out, known ? item.check_sum : 0);
    append<uint32_t>(out, known ? static_cast<uint32_t>(item.bytes) : 0);
    append<uint32_t>(out, known ? static_cast<uint32_t>(item.bytes) : 0);
    append<uint16_t>(out, static_cast<uint16_t>(item.name.size()));
    append<uint16_t>(out, 0);
  }
  std::string before(Item& item) {
    item.begin = at_;
    item.check_sum = static_cast<uint32_t>(
        crc32_z(0, reinterpret_cast<const Bytef*>(item.prefix.data()), item.prefix.size()));
    std::string out;
    append(out, kLocalMark);
    append_common(out, item, false);
    return out + item.name + item.prefix;
  }
  std::string behind(const Item& item) {
    at_ += item.bytes - item.prefix.size();
    std::string out;
    append(out, kDescriptorMark);
    append(out, item.check_sum);
    append(out, static_cast<uint32_t>(item.bytes));
    append(out, static_cast<uint32_t>(item.bytes));
    return out;
  }
  std::string directory() const {
    std::string out;
    for (const Item& item : items_) {
      append(out, kCentralMark);
      append<uint16_t>(out, 20);
      append_common(out, item, true);
      out.append(10, '\0');  // comment, part, attributes
      append(out, static_cast<uint32_t>(item.begin));
      out += item.name;
    }
    const auto length = static_cast<uint32_t>(out.size());
    append(out, kEndMark);
    append<uint32_t>(out, 0);
    append(out, static_cast<uint16_t>(items_.size()));
    append(out, static_cast<uint16_t>(items_.size()));
    append(out, length);
    append(out, static_cast<uint32_t>(at_));
    append<uint16_t>(out, 0);
    return out;
  }

  std::vector<Item> items_;
  std::string text_;
  uint64_t at_ = 0;  // bytes written so far
  size_t step_ = 0;
};

tenon_status layout(tenon_call* call, const tenon_format_content* content, void** out_layout) {
  return sdk::guarded(call, [&] {
    if (content->n_metadata != 0) {
      refuse_unsupported("an npz file holds no metadata", "no key",
                         "the key \"" + std::string(view(content->metadata[0].key)) + "\"",
                         "write safetensors, or leave the metadata out");
    }
    *out_layout = static_cast<Pieces*>(std::make_unique<Zip>(*content).release());
  });
}

constexpr tenon_format_desc kFormats[] = {
    {sizeof(tenon_format_desc), 0, str("tenon.npz"),
     str("Named arrays in a zip archive, as NumPy's savez and savez_compressed write them. Arrays "
         "are copies, and each one's check sum is compared when it is asked for. Elements that "
         "Tenon has not (u2, c8, texts, records) and other files are given as bytes. Written "
         "without compression, below 4 GiB."),
     str(".npz"), read, Contents::release, Contents::count, Contents::entry, Contents::pair, unpack,
     layout, Pieces::piece, Pieces::show, Pieces::release, Contents::words}};

}  // namespace

TENON_UNIT(npz) = {.formats = kFormats};
