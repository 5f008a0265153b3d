// SPDX-License-Identifier: Apache-2.0
// plugins/data/gzip_file.hpp: the bytes of a file, plain or gzip-compressed (RFC 1952), from the
// front. zlib's own gzread takes whatever follows a member for nothing, so that one whose first
// bytes are damaged would end the data without a word; here it is an error, zeros aside, which
// tapes are filled with.
#pragma once

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <new>
#include <string>
#include <vector>

namespace tenon::data {

class GzipFile {
 public:
  static constexpr size_t kPiece = size_t{1} << 20;  // the most that one call reads

  // What is wrong with the compressed data, in zlib's words.
  struct Damage {
    std::string words;
  };
  // What the system says, an errno.
  struct Unreadable {
    int why;
  };

  explicit GzipFile(const std::string& path) : file_(std::fopen(path.c_str(), "rbe")) {
    if (!file_) throw Unreadable{errno};
    std::setvbuf(file_.get(), nullptr, _IONBF, 0);
    refill();
    packed_ = left_ >= 2 && buffer_[0] == 0x1f && buffer_[1] == 0x8b;
    // 16: gzip alone.
    if (packed_ && inflateInit2(&stream_, 16 + MAX_WBITS) != Z_OK) throw std::bad_alloc();
  }
  ~GzipFile() {
    if (packed_) inflateEnd(&stream_);
  }
  GzipFile(const GzipFile&) = delete;
  GzipFile& operator=(const GzipFile&) = delete;

  bool is_plain() const { return !packed_; }

  // As many bytes as there are, up to `wanted`; 0 at the end alone.
  size_t read(unsigned char* out, size_t wanted) {
    wanted = std::min(wanted, kPiece);
    return packed_ ? inflated(out, wanted) : plain(out, wanted);
  }

 private:
  struct Close {
    void operator()(FILE* file) const { std::fclose(file); }
  };

  size_t plain(unsigned char* out, size_t wanted) {
    if (left_ == 0) refill();
    const size_t given = std::min(left_, wanted);
    std::copy_n(at_, given, out);
    at_ += given;
    left_ -= given;
    return given;
  }

  size_t inflated(unsigned char* out, size_t wanted) {
    stream_.next_out = out;
    stream_.avail_out = static_cast<uInt>(wanted);
    while (stream_.avail_out == wanted && !(between_ && !begin_member())) {
      if (left_ == 0) refill();
      if (left_ == 0) throw Damage{"unexpected end of file"};
      stream_.next_in = at_;
      stream_.avail_in = static_cast<uInt>(left_);
      const int status = inflate(&stream_, Z_NO_FLUSH);
      at_ += left_ - stream_.avail_in;
      left_ = stream_.avail_in;
      if (status == Z_MEM_ERROR) throw std::bad_alloc();
      if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
        throw Damage{stream_.msg ? stream_.msg : "it needs a dictionary"};
      }
      between_ = status == Z_STREAM_END;
    }
    return wanted - stream_.avail_out;
  }

  // After a member: false at the end of the file.
  bool begin_member() {
    for (;; ++at_, --left_) {
      if (left_ == 0) refill();
      if (left_ == 0) return false;
      if (*at_ != 0) break;
      zeros_ = true;
    }
    if (zeros_) throw Damage{"bytes follow the zeros at its end"};
    between_ = false;
    inflateReset(&stream_);
    return true;
  }

  void refill() {
    left_ = std::fread(buffer_.data(), 1, buffer_.size(), file_.get());
    at_ = buffer_.data();
    if (left_ == 0 && std::ferror(file_.get())) throw Unreadable{errno};
  }

  std::unique_ptr<FILE, Close> file_;
  std::vector<unsigned char> buffer_ = std::vector<unsigned char>(size_t{1} << 16);
  unsigned char* at_ = nullptr;  // in the buffer
  size_t left_ = 0;              // bytes from there
  z_stream stream_{};
  bool packed_ = false;
  bool between_ = false;  // no member has begun
  bool zeros_ = false;    // have followed the last
};

}  // namespace tenon::data
