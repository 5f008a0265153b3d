// SPDX-License-Identifier: Apache-2.0
// tests/files/files_support.h: archives, and files written byte by byte.
#pragma once

#include <tenon/ext/draft/archives.h>

#include <cstring>
#include <fstream>
#include <iterator>

#include "tests/training/training_support.h"

namespace tenon::tests {

struct ReleaseArchive {
  void operator()(tenon_archive* archive) const { tenon_archive_release(archive); }
};
using ArchiveHandle = std::unique_ptr<tenon_archive, ReleaseArchive>;

template <class T>
std::string raw(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

// A safetensors file with this header, padding and all as it is.
inline std::string safetensors(const std::string& header, const std::string& data) {
  const uint64_t length = header.size();
  return std::string(reinterpret_cast<const char*>(&length), sizeof length) + header + data;
}

// An npy file of version 1.0 with this header.
inline std::string npy(const std::string& header, const std::string& data) {
  const auto length = static_cast<uint16_t>(header.size());
  return std::string("\x93NUMPY\x01\x00", 8) +
         std::string(reinterpret_cast<const char*>(&length), sizeof length) + header + data;
}

class Files : public Training {
 protected:
  ArchiveHandle create() {
    tenon_archive* out = nullptr;
    must(tenon_archive_create(context, &out));
    return ArchiveHandle(out);
  }
  ArchiveHandle load(const std::string& file, uint32_t flags = 0) {
    tenon_archive* out = nullptr;
    must(tenon_archive_load(context, file.data(), file.size(), nullptr, 0, flags, &out));
    return ArchiveHandle(out);
  }
  std::string refused_load(const std::string& file, tenon_status expected = TENON_E_DATA) {
    tenon_archive* out = nullptr;
    std::string words = refused(
        tenon_archive_load(context, file.data(), file.size(), nullptr, 0, 0, &out), expected);
    EXPECT_EQ(out, nullptr);
    return words;
  }
  // The record's first line for a file `name` with these bytes, without the path before it.
  std::string words_for(const std::string& name, const std::string& bytes,
                        tenon_status expected = TENON_E_DATA) {
    const std::string where = write(name, bytes);
    const std::string words = refused_load(where, expected);
    const std::string front = "'" + where + "': ";
    EXPECT_EQ(words.substr(0, front.size()), front) << words;
    return words.substr(front.size(), words.find('\n') - front.size());
  }
  void set(const ArchiveHandle& archive, const std::string& name, const Tensor& tensor) {
    must(tenon_archive_set_tensor(context, archive.get(), name.data(), name.size(), tensor.get()));
  }
  void set_text(const ArchiveHandle& archive, const std::string& key, const std::string& value) {
    must(tenon_archive_set_metadata(context, archive.get(), key.data(), key.size(), value.data(),
                                    value.size()));
  }
  tenon_status save(const ArchiveHandle& archive, const std::string& file) {
    return tenon_file_set(context, file.data(), file.size(), nullptr, 0, archive.get());
  }
  Tensor tensor_of(const ArchiveHandle& archive, const std::string& name, uint32_t flags = 0) {
    uint32_t index = 0;
    must(tenon_archive_find(context, archive.get(), name.data(), name.size(), &index));
    tenon_tensor* out = nullptr;
    must(tenon_tensor_create_loaded(context, archive.get(), index, flags, &out));
    return Tensor(out);
  }
  std::string text_of(const ArchiveHandle& archive, const std::string& key) {
    const char* value = nullptr;
    uint64_t length = 0;
    must(tenon_archive_find_metadata(context, archive.get(), key.data(), key.size(), &value,
                                     &length));
    return {value, length};
  }
  Shape shape_of(const Tensor& tensor) {
    tenon_view view{};
    must(tenon_tensor_get_view(context, tensor.get(), &view));
    return {view.shape, view.shape + view.rank};
  }
  uint32_t flags_of(const Tensor& tensor) {
    tenon_tensor_info info{};
    info.struct_size = sizeof info;
    must(tenon_tensor_get_info(context, tensor.get(), &info));
    return info.flags;
  }
  static std::string read(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  // Names in the test's folder, hidden ones too.
  size_t files_there() const {
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
  }
};

}  // namespace tenon::tests
