// SPDX-License-Identifier: Apache-2.0
// plugins/formats/npz.cc: the format tenon.npz: named arrays, each an npy file in a zip archive.
//
// Zip as in PKWARE's APPNOTE.TXT 6.3: members stored or deflated; neither encrypted nor in several
// parts nor, for now, with the 64-bit extension that files above 4 GiB need. The directory at the
// end counts, not what stands before each member. A member's checksum is compared when its array
// is asked for, so arrays are copies always.
#include <zlib.h>

#include <algorithm>
#include <memory>

#include "npy_array.hpp"

namespace {

namespace sdk = tenon::sdk;
using namespace tenon::formats;
using sdk::str;

constexpr uint32_t kLocalMark = 0x04034b50;
constexpr uint32_t kDescriptorMark = 0x08074b50;
constexpr uint32_t kCentralMark = 0x02014b50;
constexpr uint32_t kEndMark = 0x06054b50;
constexpr uint64_t kLocalBytes = 30;
constexpr uint64_t kCentralBytes = 46;
constexpr uint64_t kEndBytes = 22;
constexpr uint64_t kMaxBytes = UINT32_MAX - 1;  // the greatest number says "see the extension"
constexpr uint16_t kStored = 0;
constexpr uint16_t kDeflated = 8;
constexpr uint64_t kMaxRatio = 1032;  // deflate makes no more of a byte
constexpr std::string_view kSuffix = ".npy";

template <class T>
T number_at(std::string_view bytes, uint64_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

// ---- Reading ------------------------------------------------------------------------------------

struct Member {
  std::string name;
  uint16_t method = kStored;
  uint32_t check_sum = 0;
  uint64_t begin = 0;  // of its local header, then of its bytes
  uint64_t packed_bytes = 0;
  uint64_t bytes = 0;
  NpyHeader header;
};

std::string words_of(const Member& member) { return "member \"" + member.name + "\""; }

// A member's bytes from the front, however it is stored.
class Reader {
 public:
  Reader(const Member& member, std::string_view file)
      : member_(member), packed_(file.substr(member.begin, member.packed_bytes)) {
    if (member_.method == kDeflated && inflateInit2(&stream_, -MAX_WBITS) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  ~Reader() {
    if (member_.method == kDeflated) inflateEnd(&stream_);
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  // As many bytes as there are, up to `wanted`.
  uint64_t read(void* out, uint64_t wanted) {
    if (member_.method == kStored) {
      const uint64_t got = std::min<uint64_t>(wanted, packed_.size());
      if (got != 0) std::memcpy(out, packed_.data(), got);
      packed_.remove_prefix(got);
      return got;
    }
    constexpr uint64_t kPiece = uint64_t{1} << 30;
    auto* at = static_cast<Bytef*>(out);
    uint64_t done = 0;
    while (done < wanted && !ended_) {
      const auto room = static_cast<uInt>(std::min(wanted - done, kPiece));
      const auto given = static_cast<uInt>(std::min<uint64_t>(packed_.size(), kPiece));
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed_.data()));
      stream_.avail_in = given;
      stream_.next_out = at + done;
      stream_.avail_out = room;
      const int status = inflate(&stream_, Z_NO_FLUSH);
      packed_.remove_prefix(given - stream_.avail_in);
      done += room - stream_.avail_out;
      ended_ = status == Z_STREAM_END;
      if (status == Z_MEM_ERROR) throw std::bad_alloc();
      if (status != Z_OK && !ended_) refuse_data(words_of(member_) + " is not intact deflate data");
    }
    return done;
  }
  // Nothing more comes, and nothing is left.
  bool at_end() {
    char more = 0;
    return read(&more, 1) == 0 && packed_.empty();
  }

 private:
  const Member& member_;
  std::string_view packed_;
  z_stream stream_{};
  bool ended_ = false;
};

struct Npz : Contents {
  std::string_view file;
  std::vector<Member> members;

  std::string_view find_directory(uint32_t& out_count, uint64_t& out_begin) const;
  void read_member(std::string_view central, uint64_t& at);
  void locate(Member& member, uint64_t directory) const;
  void read_header(Member& member);
  void check_apart() const;
};

// The end record may be followed by a comment, and by nothing else.
std::string_view Npz::find_directory(uint32_t& out_count, uint64_t& out_begin) const {
  const uint64_t most_comment = UINT16_MAX;
  for (uint64_t back = kEndBytes; back <= file.size() && back <= kEndBytes + most_comment; ++back) {
    const uint64_t at = file.size() - back;
    if (number_at<uint32_t>(file, at) != kEndMark) continue;
    if (number_at<uint16_t>(file, at + 20) != back - kEndBytes) continue;
    const auto count = number_at<uint16_t>(file, at + 10);
    const uint64_t bytes = number_at<uint32_t>(file, at + 12);
    const uint64_t begin = number_at<uint32_t>(file, at + 16);
    if (number_at<uint32_t>(file, at + 4) != 0 || number_at<uint16_t>(file, at + 8) != count) {
      refuse_unsupported("the archive is in several parts", "one file", "more");
    }
    if (count == UINT16_MAX || bytes > kMaxBytes || begin > kMaxBytes) {
      refuse_unsupported("the archive has the 64-bit extension", "less than 4 GiB", "more");
    }
    if (begin > at || bytes != at - begin) {
      refuse_data("its directory does not lie before its end", "byte " + std::to_string(at),
                  "byte " + std::to_string(begin + bytes));
    }
    out_count = count;
    out_begin = begin;
    return file.substr(begin, bytes);
  }
  refuse_data("it does not end as zip archives do");
}

void Npz::read_member(std::string_view central, uint64_t& at) {
  const uint64_t left = central.size() - at;
  if (left < kCentralBytes || number_at<uint32_t>(central, at) != kCentralMark) {
    refuse_data("its directory is damaged at member " + std::to_string(members.size()));
  }
  const uint64_t name_bytes = number_at<uint16_t>(central, at + 28);
  const uint64_t all = kCentralBytes + name_bytes + number_at<uint16_t>(central, at + 30) +
                       number_at<uint16_t>(central, at + 32);
  if (left < all) {
    refuse_data("its directory is damaged at member " + std::to_string(members.size()));
  }
  Member member;
  member.name = central.substr(at + kCentralBytes, name_bytes);
  member.method = number_at<uint16_t>(central, at + 10);
  member.check_sum = number_at<uint32_t>(central, at + 16);
  member.packed_bytes = number_at<uint32_t>(central, at + 20);
  member.bytes = number_at<uint32_t>(central, at + 24);
  member.begin = number_at<uint32_t>(central, at + 42);
  const std::string what = words_of(member);
  if ((number_at<uint16_t>(central, at + 8) & 1) != 0) {
    refuse_unsupported(what + " is encrypted", "plain data", "encrypted data");
  }
  if (member.method != kStored && member.method != kDeflated) {
    refuse_unsupported(what + " is compressed in an unknown way", "method 0 or 8",
                       std::to_string(member.method));
  }
  if (std::max({member.packed_bytes, member.bytes, member.begin}) > kMaxBytes) {
    refuse_unsupported(what + " has the 64-bit extension", "less than 4 GiB", "more");
  }
  const uint64_t most =
      member.method == kStored ? member.packed_bytes : member.packed_bytes * kMaxRatio;
  if (member.bytes > most || (member.method == kStored && member.bytes != most)) {
    refuse_data(what + " cannot hold what it claims", "at most " + bytes_text(most),
                bytes_text(member.bytes));
  }
  if (!member.name.ends_with(kSuffix)) {
    refuse_unsupported(what + " is not an array", "a name that ends in .npy", member.name);
  }
  members.push_back(std::move(member));
  at += all;
}

// From the local header, which must agree, to the bytes after it.
void Npz::locate(Member& member, uint64_t directory) const {
  const std::string what = words_of(member);
  if (member.begin > directory || directory - member.begin < kLocalBytes ||
      number_at<uint32_t>(file, member.begin) != kLocalMark) {
    refuse_data(what + " is not where the directory says");
  }
  const uint64_t name_bytes = number_at<uint16_t>(file, member.begin + 26);
  const uint64_t all = kLocalBytes + name_bytes + number_at<uint16_t>(file, member.begin + 28);
  if (directory - member.begin < all || directory - member.begin - all < member.packed_bytes) {
    refuse_data(what + " ends after the directory's beginning");
  }
  if (file.substr(member.begin + kLocalBytes, name_bytes) != member.name ||
      number_at<uint16_t>(file, member.begin + 8) != member.method) {
    refuse_data(what + " has another name or method where it lies");
  }
  member.begin += all;
}

void Npz::read_header(Member& member) {
  const std::string what = words_of(member);
  std::string front(std::min(member.bytes, kMaxNpyPrefixBytes), '\0');
  front.resize(Reader(member, file).read(front.data(), front.size()));
  member.header = NpyParser(front, what).read();
  if (member.bytes - member.header.data_begin != member.header.data_bytes) {
    refuse_data(what + " does not fit its shape",
                bytes_text(member.header.data_bytes) + " of elements",
                bytes_text(member.bytes - member.header.data_begin));
  }
  names.push_back(member.name.substr(0, member.name.size() - kSuffix.size()));
  tenon_format_entry entry{};
  entry.name = str(names.back());
  entry.meta = member.header.meta;
  entry.bytes = member.header.data_bytes;
  entry.flags = npy_flags(member.header) | TENON_FORMAT_PACKED;
  entries.push_back(entry);
}

// Two members in the same bytes are how small files unpack to huge ones.
void Npz::check_apart() const {
  std::vector<const Member*> order;
  for (const Member& member : members) order.push_back(&member);
  std::sort(order.begin(), order.end(),
            [](const Member* a, const Member* b) { return a->begin < b->begin; });
  for (size_t i = 1; i < order.size(); ++i) {
    if (order[i]->begin >= order[i - 1]->begin + order[i - 1]->packed_bytes) continue;
    refuse_data(words_of(*order[i]) + " overlaps the member before it");
  }
}

tenon_status read(tenon_call* call, const void* bytes, uint64_t length, void** out_object) {
  return sdk::guarded(call, [&] {
    auto npz = std::make_unique<Npz>();
    npz->file = {static_cast<const char*>(bytes), length};
    uint32_t count = 0;
    uint64_t directory = 0;
    const std::string_view central = npz->find_directory(count, directory);
    uint64_t at = 0;
    for (uint32_t i = 0; i < count; ++i) npz->read_member(central, at);
    if (at != central.size()) refuse_data("bytes follow the last member of its directory");
    for (Member& member : npz->members) npz->locate(member, directory);
    npz->check_apart();
    for (Member& member : npz->members) npz->read_header(member);
    *out_object = static_cast<Contents*>(npz.release());
  });
}

tenon_status unpack(tenon_call* call, void* object, uint32_t index, void* destination,
                    uint64_t bytes) {
  return sdk::guarded(call, [&] {
    const auto& npz = *static_cast<const Npz*>(static_cast<const Contents*>(object));
    const Member& member = npz.members[index];
    Reader reader(member, npz.file);
    std::string head(member.header.data_begin, '\0');
    const bool whole = reader.read(head.data(), head.size()) == head.size() &&
                       reader.read(destination, bytes) == bytes && reader.at_end();
    if (!whole) refuse_data(words_of(member) + " is not as long as it claims");
    uLong sum = crc32_z(0, reinterpret_cast<const Bytef*>(head.data()), head.size());
    if (bytes != 0) sum = crc32_z(sum, static_cast<const Bytef*>(destination), bytes);
    if (sum != member.check_sum) {
      refuse_data(words_of(member) + " has a wrong check sum", std::to_string(member.check_sum),
                  std::to_string(sum));
    }
    if (member.header.swap) {
      swap_elements(destination, bytes, sdk::size_of(member.header.meta.dtype));
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
                           bytes_text(view(entry.name).size()));
      }
      bytes += kLocalBytes + kCentralBytes + 2 * item.name.size() + item.bytes + 16;
      items_.push_back(std::move(item));
    }
    if (bytes > kMaxBytes || items_.size() >= UINT16_MAX) {
      refuse_unsupported("the tensors are too much for npz without the 64-bit extension",
                         "less than 4 GiB and 65535 tensors",
                         bytes_text(bytes) + " and " + std::to_string(items_.size()) + " tensors");
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
    constexpr uint16_t kUtf8 = 0x800;
    constexpr uint16_t kFirstOf1980 = 0x21;
    append<uint16_t>(out, kVersion);
    append<uint16_t>(out, kSumBehind | kUtf8);
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
                         "the key \"" + std::string(view(content->metadata[0].key)) + "\"");
    }
    *out_layout = static_cast<Pieces*>(std::make_unique<Zip>(*content).release());
  });
}

constexpr tenon_format_desc kFormats[] = {
    {sizeof(tenon_format_desc), 0, str("tenon.npz"),
     str("Named arrays in a zip archive, as NumPy's savez and savez_compressed write them; below "
         "4 GiB. Arrays are copies, and each one's check sum is compared when it is asked for. "
         "Written without compression."),
     str(".npz"), read, Contents::release, Contents::count, Contents::entry, Contents::pair, unpack,
     layout, Pieces::piece, Pieces::show, Pieces::release, nullptr}};

}  // namespace

TENON_UNIT(npz) = {.formats = kFormats};
