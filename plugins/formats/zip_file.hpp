// SPDX-License-Identifier: Apache-2.0
// plugins/formats/zip_file.hpp: what lies where in a zip archive, and the bytes of its members.
//
// As in PKWARE's APPNOTE.TXT 6.3: members stored or deflated, in one file, also with the 64-bit
// extension. The directory at the end counts, not what stands before each member; bytes before and
// after the archive are passed over. Nothing in the file is believed before it was compared.
#pragma once

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "zip_names.hpp"

namespace tenon::formats {

inline constexpr uint32_t kLocalMark = 0x04034b50;
inline constexpr uint32_t kDescriptorMark = 0x08074b50;
inline constexpr uint32_t kCentralMark = 0x02014b50;
inline constexpr uint32_t kEndMark = 0x06054b50;
inline constexpr uint32_t kWideEndMark = 0x06064b50;
inline constexpr uint32_t kLocatorMark = 0x07064b50;
inline constexpr uint64_t kLocalBytes = 30;
inline constexpr uint64_t kCentralBytes = 46;
inline constexpr uint64_t kEndBytes = 22;
inline constexpr uint64_t kWideEndBytes = 56;
inline constexpr uint64_t kLocatorBytes = 20;
inline constexpr uint16_t kWideExtra = 1;
// The greatest number says "see the extension".
inline constexpr uint64_t kMaxBytes = UINT32_MAX - 1;
inline constexpr uint16_t kStored = 0;
inline constexpr uint16_t kDeflated = 8;
inline constexpr uint64_t kMaxRatio = 1032;  // deflate makes no more of a byte

template <class T>
T number_at(std::string_view bytes, uint64_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

struct Member {
  std::string name;
  std::string raw_name;  // as it lies in the file
  uint16_t method = kStored;
  bool encrypted = false;
  uint32_t check_sum = 0;
  uint64_t begin = 0;  // of its local header, then of its bytes
  uint64_t packed_bytes = 0;
  uint64_t bytes = 0;

  bool is_readable() const { return !encrypted && (method == kStored || method == kDeflated); }
};

inline std::string words_of(const Member& member) { return "member \"" + member.name + "\""; }

// Where the list of members lies.
struct Directory {
  uint64_t count = 0;
  uint64_t begin = 0;
  uint64_t bytes = 0;
  uint64_t before = 0;  // bytes of the file that are not the archive's
};

// Numbers that 32 bits do not hold stand in an extra field, in this order.
inline void read_wide_sizes(std::string_view extra, Member& member) {
  while (extra.size() >= 4) {
    const auto id = number_at<uint16_t>(extra, 0);
    std::string_view field = extra.substr(4, number_at<uint16_t>(extra, 2));
    extra.remove_prefix(4 + field.size());
    if (id != kWideExtra) continue;
    for (uint64_t* number : {&member.bytes, &member.packed_bytes, &member.begin}) {
      if (*number <= kMaxBytes) continue;
      if (field.size() < sizeof *number) refuse_data(words_of(member) + " has no 64-bit sizes");
      *number = number_at<uint64_t>(field, 0);
      field.remove_prefix(sizeof *number);
    }
    return;
  }
}

inline void check_sizes(const Member& member) {
  if (!member.is_readable()) return;
  const bool stored = member.method == kStored;
  const uint64_t ratio = stored ? 1 : kMaxRatio;
  const uint64_t most =
      member.packed_bytes > UINT64_MAX / ratio ? UINT64_MAX : member.packed_bytes * ratio;
  if (member.bytes <= most && (!stored || member.bytes == most)) return;
  refuse_data(words_of(member) + " cannot hold what it claims", "at most " + bytes_text(most),
              bytes_text(member.bytes));
}

// Finds what is in an archive, and checks that it can be.
class ZipFile {
 public:
  explicit ZipFile(std::string_view bytes) : bytes_(bytes) {
    const Directory directory = find_directory();
    uint64_t at = 0;
    for (uint64_t i = 0; i < directory.count; ++i) read_member(directory, at);
    if (at != directory.bytes) refuse_data("bytes follow the last member of its directory");
    for (Member& member : members_) locate(member, directory);
    check_apart();
  }
  std::string_view bytes() const { return bytes_; }
  const std::vector<Member>& members() const { return members_; }

 private:
  Directory find_directory() const;
  std::optional<Directory> directory_before(uint64_t end) const;
  bool read_wide_end(uint64_t end, Directory& found, uint64_t& out_begin) const;
  void read_member(const Directory& directory, uint64_t& at);
  void locate(Member& member, const Directory& directory) const;
  void check_apart() const;

  std::string_view bytes_;
  std::vector<Member> members_;
};

// The last end record that has its directory before it. A comment may follow, and other bytes.
inline Directory ZipFile::find_directory() const {
  constexpr uint64_t kMaxAfter = UINT16_MAX;
  for (uint64_t back = kEndBytes; back <= bytes_.size() && back <= kEndBytes + kMaxAfter; ++back) {
    const uint64_t at = bytes_.size() - back;
    if (number_at<uint32_t>(bytes_, at) != kEndMark) continue;
    if (number_at<uint16_t>(bytes_, at + 20) > back - kEndBytes) continue;
    if (const auto found = directory_before(at)) return *found;
  }
  refuse_data("it does not end as zip archives do");
}

// What the end record at `end` says, if it can be.
inline std::optional<Directory> ZipFile::directory_before(uint64_t end) const {
  Directory found;
  found.count = number_at<uint16_t>(bytes_, end + 10);
  found.bytes = number_at<uint32_t>(bytes_, end + 12);
  const bool one_part =
      number_at<uint16_t>(bytes_, end + 4) == number_at<uint16_t>(bytes_, end + 6) &&
      number_at<uint16_t>(bytes_, end + 8) == found.count;
  uint64_t begin = number_at<uint32_t>(bytes_, end + 16);
  const bool wide = read_wide_end(end, found, begin);
  const uint64_t after = wide ? end - kLocatorBytes - kWideEndBytes : end;
  if (found.bytes > after || begin > after - found.bytes) return std::nullopt;
  if (!one_part) {
    refuse_unsupported("the archive is in several parts", "one file", "more", "join the parts");
  }
  found.begin = after - found.bytes;
  found.before = found.begin - begin;
  return found;
}

// The 64-bit end record, which stands with its locator before the end record, if there is one.
inline bool ZipFile::read_wide_end(uint64_t end, Directory& found, uint64_t& out_begin) const {
  if (end < kLocatorBytes + kWideEndBytes ||
      number_at<uint32_t>(bytes_, end - kLocatorBytes) != kLocatorMark) {
    return false;
  }
  const uint64_t at = end - kLocatorBytes - kWideEndBytes;
  if (number_at<uint32_t>(bytes_, at) != kWideEndMark) {
    refuse_unsupported("the archive's 64-bit record holds more than sizes", "56 bytes", "more",
                       "write the archive again");
  }
  found.count = number_at<uint64_t>(bytes_, at + 32);
  found.bytes = number_at<uint64_t>(bytes_, at + 40);
  out_begin = number_at<uint64_t>(bytes_, at + 48);
  return true;
}

inline void ZipFile::read_member(const Directory& directory, uint64_t& at) {
  const std::string_view central = bytes_.substr(directory.begin, directory.bytes).substr(at);
  const auto refuse_damage = [&] {
    refuse_data("its directory is damaged at member " + std::to_string(members_.size()));
  };
  if (central.size() < kCentralBytes || number_at<uint32_t>(central, 0) != kCentralMark) {
    refuse_damage();
  }
  const uint64_t name_bytes = number_at<uint16_t>(central, 28);
  const uint64_t extra_bytes = number_at<uint16_t>(central, 30);
  const uint64_t all = kCentralBytes + name_bytes + extra_bytes + number_at<uint16_t>(central, 32);
  if (central.size() < all) refuse_damage();
  Member member;
  const auto flags = number_at<uint16_t>(central, 8);
  member.raw_name = central.substr(kCentralBytes, name_bytes);
  member.name = zip_name(member.raw_name, (flags & kUtf8Names) != 0);
  member.encrypted = (flags & 1) != 0;
  member.method = number_at<uint16_t>(central, 10);
  member.check_sum = number_at<uint32_t>(central, 16);
  member.packed_bytes = number_at<uint32_t>(central, 20);
  member.bytes = number_at<uint32_t>(central, 24);
  member.begin = number_at<uint32_t>(central, 42);
  read_wide_sizes(central.substr(kCentralBytes + name_bytes, extra_bytes), member);
  check_sizes(member);
  if (member.begin > UINT64_MAX - directory.before) refuse_damage();
  member.begin += directory.before;
  members_.push_back(std::move(member));
  at += all;
}

// From the local header, which must agree, to the bytes after it.
inline void ZipFile::locate(Member& member, const Directory& directory) const {
  const std::string what = words_of(member);
  if (member.begin > directory.begin || directory.begin - member.begin < kLocalBytes ||
      number_at<uint32_t>(bytes_, member.begin) != kLocalMark) {
    refuse_data(what + " is not where the directory says");
  }
  const uint64_t room = directory.begin - member.begin;
  const uint64_t name_bytes = number_at<uint16_t>(bytes_, member.begin + 26);
  const uint64_t all = kLocalBytes + name_bytes + number_at<uint16_t>(bytes_, member.begin + 28);
  if (room < all || room - all < member.packed_bytes) {
    refuse_data(what + " ends after the directory's beginning");
  }
  if (bytes_.substr(member.begin + kLocalBytes, name_bytes) != member.raw_name ||
      number_at<uint16_t>(bytes_, member.begin + 8) != member.method) {
    refuse_data(what + " has another name or method where it lies");
  }
  member.begin += all;
}

// Two members in the same bytes are how small files unpack to huge ones.
inline void ZipFile::check_apart() const {
  std::vector<const Member*> order;
  for (const Member& member : members_) order.push_back(&member);
  std::sort(order.begin(), order.end(),
            [](const Member* a, const Member* b) { return a->begin < b->begin; });
  for (size_t i = 1; i < order.size(); ++i) {
    if (order[i]->begin >= order[i - 1]->begin + order[i - 1]->packed_bytes) continue;
    refuse_data(words_of(*order[i]) + " overlaps the member before it");
  }
}

// A member's bytes from the front, however it is stored.
class Reader {
 public:
  Reader(const ZipFile& zip, const Member& member)
      : member_(member), packed_(zip.bytes().substr(member.begin, member.packed_bytes)) {
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

}  // namespace tenon::formats
