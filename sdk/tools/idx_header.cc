// SPDX-License-Identifier: Apache-2.0
// sdk/tools/idx_header.cc: reads the header and counts what follows.
#include "idx_header.h"

#include <zlib.h>

#include <array>
#include <memory>

#include "program.h"

namespace tenon::tools {
namespace {

struct IdxType {
  unsigned char code;
  const char* dtype;
  uint64_t bytes;
};
constexpr IdxType types[] = {{8, "u8", 1},   {9, "i8", 1},   {11, "i16", 2},
                             {12, "i32", 4}, {13, "f32", 4}, {14, "f64", 8}};

const IdxType* find_type(unsigned char code) {
  for (const IdxType& type : types) {
    if (type.code == code) return &type;
  }
  return nullptr;
}

struct CloseGz {
  void operator()(gzFile_s* file) const { gzclose_r(file); }
};

// gzread hands plain files through as they are.
class Stream {
 public:
  explicit Stream(const std::string& path) : path_(path), file_(gzopen(path.c_str(), "rb")) {
    if (!file_) throw Failure{path + ": cannot be read"};
  }

  // As many bytes as there are, up to `wanted`; false in `sound` if the stream is damaged.
  size_t read(unsigned char* out, unsigned wanted, bool& sound) {
    const int got = gzread(file_.get(), out, wanted);
    int code = Z_OK;
    gzerror(file_.get(), &code);
    sound = got >= 0 && code != Z_BUF_ERROR && code != Z_DATA_ERROR;
    return got < 0 ? 0 : static_cast<size_t>(got);
  }
  bool compressed() { return gzdirect(file_.get()) == 0; }

 private:
  std::string path_;
  std::unique_ptr<gzFile_s, CloseGz> file_;
};

}  // namespace

bool is_idx(const std::string& path) {
  Stream stream(path);
  std::array<unsigned char, 4> magic{};
  bool sound = true;
  return stream.read(magic.data(), 4, sound) == 4 && magic[0] == 0 && magic[1] == 0 &&
         find_type(magic[2]) != nullptr && magic[3] > 0;
}

IdxHeader read_idx_header(const std::string& path) {
  Stream stream(path);
  IdxHeader header;
  std::array<unsigned char, 4> word{};
  bool sound = true;
  stream.read(word.data(), 4, sound);
  header.compressed = stream.compressed();
  const IdxType& type = *find_type(word[2]);
  header.dtype = type.dtype;
  const unsigned dimensions = word[3];
  uint64_t expected = type.bytes;
  for (unsigned i = 0; i < dimensions; ++i) {
    if (stream.read(word.data(), 4, sound) != 4) {
      header.problem = "the file ends inside its header";
      return header;
    }
    const uint64_t size = uint64_t{word[0]} << 24 | uint64_t{word[1]} << 16 |
                          uint64_t{word[2]} << 8 | uint64_t{word[3]};
    header.shape.push_back(size);
    if (__builtin_mul_overflow(expected, size, &expected)) {
      header.problem = "the sizes' product is larger than any file";
      return header;
    }
  }
  std::vector<unsigned char> piece(1 << 16);
  size_t got = 0;
  do {
    got = stream.read(piece.data(), static_cast<unsigned>(piece.size()), sound);
    header.data_bytes += got;
  } while (got > 0 && sound);
  if (!sound) {
    header.problem = "the compressed data is damaged or incomplete";
  } else if (header.data_bytes != expected) {
    header.problem = "the header asks for " + std::to_string(expected) +
                     " bytes of data, the file holds " + std::to_string(header.data_bytes);
  }
  return header;
}

}  // namespace tenon::tools
