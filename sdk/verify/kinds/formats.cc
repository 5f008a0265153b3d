// SPDX-License-Identifier: Apache-2.0
// sdk/verify/kinds/formats.cc: formats of files: what is written is read back, twice the same
// bytes, and a damaged file is refused or read, without a crash.
#include <tenon/ext/draft/archives.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <tenon/sdk/plugin/dtypes.hpp>

#include "case/sample_call.h"
#include "kinds/checks.h"
#include "kinds/part_checks.h"
#include "kinds/temporary_folder.h"

namespace tenon::verify {
namespace {

namespace fs = std::filesystem;

struct ReleaseArchive {
  void operator()(tenon_archive* archive) const { tenon_archive_release(archive); }
};
using Archive = std::unique_ptr<tenon_archive, ReleaseArchive>;

// What one file is to hold.
struct Content {
  std::string name;  // in cases
  std::vector<std::pair<std::string, Array>> tensors;
  std::vector<std::pair<std::string, std::string>> metadata;
};

Array drawn_array(tenon_dtype dtype, const Shape& shape, uint64_t number) {
  sdk::SampleTensor tensor;
  tensor.dtype = dtype_name(dtype);
  tensor.dims = shape;
  tensor.high = 6;
  return drawn(tensor, sdk::kDrawSeed, number);
}

constexpr tenon_dtype kDtypes[] = {
    TENON_DTYPE_F32, TENON_DTYPE_BOOL, TENON_DTYPE_U8,  TENON_DTYPE_I8,   TENON_DTYPE_I16,
    TENON_DTYPE_I32, TENON_DTYPE_I64,  TENON_DTYPE_F16, TENON_DTYPE_BF16, TENON_DTYPE_F64};

// One tensor of each dtype and shape, as some formats hold no more; then many.
std::vector<Content> contents() {
  std::vector<Content> list;
  for (const tenon_dtype dtype : kDtypes) {
    list.push_back({dtype_name(dtype), {{"x", drawn_array(dtype, {3, 2}, list.size())}}, {}});
  }
  const Shape shapes[] = {{}, {1}, {0, 3}, {2, 3, 1, 2}, {257}};
  for (const Shape& shape : shapes) {
    list.push_back({"shape" + std::to_string(list.size()),
                    {{"x", drawn_array(TENON_DTYPE_F32, shape, list.size())}},
                    {}});
  }
  Content many{"many", {}, {}};
  for (const Shape& shape : shapes) {
    const size_t n = many.tensors.size();
    many.tensors.emplace_back("layer." + std::to_string(n) + ".weight",
                              drawn_array(kDtypes[n], shape, n));
  }
  list.push_back(many);
  list.push_back({"metadata", many.tensors, {{"title", "a \"b\" \n c"}, {"empty", ""}}});
  return list;
}

class FormatChecks : PartChecks {
 public:
  FormatChecks(Subject& subject, Recorder& recorder, const Json& format)
      : PartChecks(subject, recorder, format) {}

  void check_declared(const Json& format);
  void check(uint32_t number, const Content& content, bool damaged);
  // Whether it has written anything.
  bool writes() const { return writes_; }

 private:
  tenon_status write(const Content& content, const std::string& file) const;
  tenon_status load(const std::string& file, Archive& out) const;
  Array tensor_of(const Archive& archive, uint32_t index) const;
  std::optional<Finding> read_back(const Content& content) const;
  std::optional<Finding> metadata_back(const Content& content, const Archive& archive) const;
  std::optional<Finding> same_bytes(const Content& content) const;
  std::optional<Finding> cut_short(const Content& content) const;
  std::optional<Finding> changed(const Content& content) const;

  TemporaryFolder folder_;
  bool writes_ = false;
};

tenon_status FormatChecks::write(const Content& content, const std::string& file) const {
  tenon_archive* made = nullptr;
  session_.check(tenon_archive_create(session_.context(), &made));
  const Archive archive(made);
  for (const auto& [name, array] : content.tensors) {
    tenon_tensor* tensor = nullptr;
    session_.check(tenon_tensor_create_from(
        session_.context(), array.dtype, nullptr, static_cast<int32_t>(array.shape.size()),
        array.shape.data(), array.bytes.data(), array.bytes.size(), &tensor));
    const Tensor owned(tensor);
    session_.check(
        tenon_archive_set_tensor(session_.context(), made, name.data(), name.size(), tensor));
  }
  for (const auto& [key, value] : content.metadata) {
    session_.check(tenon_archive_set_metadata(session_.context(), made, key.data(), key.size(),
                                              value.data(), value.size()));
  }
  return tenon_file_set(session_.context(), file.data(), file.size(), name_.data(), name_.size(),
                        made);
}

tenon_status FormatChecks::load(const std::string& file, Archive& out) const {
  tenon_archive* archive = nullptr;
  const tenon_status status = tenon_archive_load(session_.context(), file.data(), file.size(),
                                                 name_.data(), name_.size(), 0, &archive);
  out.reset(archive);
  return status;
}

Array FormatChecks::tensor_of(const Archive& archive, uint32_t index) const {
  tenon_tensor* tensor = nullptr;
  session_.check(tenon_tensor_create_loaded(session_.context(), archive.get(), index, 0, &tensor));
  const Tensor owned(tensor);
  return contents_of(session_, tensor);
}

void FormatChecks::check_declared(const Json& format) {
  each_case(0, Form::Declared, "", [&]() -> std::optional<Finding> {
    if (!format.at("doc").get<std::string>().empty()) return std::nullopt;
    return Finding{&causes::kNoDocumentation, "its `doc` is empty"};
  });
}

std::optional<Finding> FormatChecks::metadata_back(const Content& content,
                                                   const Archive& archive) const {
  for (const auto& [key, value] : content.metadata) {
    const char* found = nullptr;
    uint64_t length = 0;
    session_.check(tenon_archive_find_metadata(session_.context(), archive.get(), key.data(),
                                               key.size(), &found, &length));
    if (std::string(found, length) == value) continue;
    return Finding{&causes::kNotReadBack, "key " + key + ": expected \"" + value + "\", found \"" +
                                              std::string(found, length) + "\""};
  }
  return std::nullopt;
}

std::optional<Finding> FormatChecks::read_back(const Content& content) const {
  const std::string file = folder_.file("a");
  session_.check(write(content, file));
  Archive archive;
  session_.check(load(file, archive));
  uint32_t count = 0;
  session_.check(tenon_archive_get_count(session_.context(), archive.get(), &count, nullptr));
  if (count != content.tensors.size()) {
    return Finding{&causes::kNotReadBack, "expected " + std::to_string(content.tensors.size()) +
                                              " tensors, found " + std::to_string(count)};
  }
  for (const auto& [name, array] : content.tensors) {
    uint32_t index = 0;
    // One that holds a single tensor may have no place for its name.
    if (content.tensors.size() > 1) {
      session_.check(
          tenon_archive_find(session_.context(), archive.get(), name.data(), name.size(), &index));
    }
    if (const auto off = compare(array, tensor_of(archive, index))) {
      return Finding{&causes::kNotReadBack, "tensor " + name + ", " + off->words};
    }
  }
  return metadata_back(content, archive);
}

std::optional<Finding> FormatChecks::same_bytes(const Content& content) const {
  session_.check(write(content, folder_.file("a")));
  session_.check(write(content, folder_.file("b")));
  if (bytes_of(folder_.file("a")) == bytes_of(folder_.file("b"))) return std::nullopt;
  return Finding{&causes::kNondeterministic, "the same content makes other bytes another time"};
}

// The first part of a file is none: whoever takes it for one gives less than was written.
std::optional<Finding> FormatChecks::cut_short(const Content& content) const {
  session_.check(write(content, folder_.file("a")));
  const std::string whole = bytes_of(folder_.file("a"));
  const std::string file = folder_.file("cut");
  for (const size_t length : {size_t{0}, whole.size() / 3, whole.size() / 2, whole.size() - 1}) {
    std::ofstream(file, std::ios::binary) << whole.substr(0, length);
    Archive archive;
    const tenon_status status = load(file, archive);
    if (status == TENON_E_DATA || status == TENON_E_UNSUPPORTED) continue;
    const std::string found = status == TENON_OK ? "success" : failure_of(session_, status);
    return Finding{status == TENON_OK ? &causes::kNotRefused : &causes::kErrorStatus,
                   "the first " + std::to_string(length) + " of " + std::to_string(whole.size()) +
                       " bytes of a file: expected TENON_E_DATA or TENON_E_UNSUPPORTED, found " +
                       found};
  }
  return std::nullopt;
}

// Any byte may be another: that is refused or read, and ends no process.
std::optional<Finding> FormatChecks::changed(const Content& content) const {
  session_.check(write(content, folder_.file("a")));
  const std::string whole = bytes_of(folder_.file("a"));
  const std::string file = folder_.file("changed");
  const size_t step = std::max<size_t>(whole.size() / 256, 1);
  for (size_t at = 0; at < whole.size(); at += step) {
    for (const unsigned char mask : {0xFF, 0x01}) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(static_cast<unsigned char>(bytes[at]) ^ mask);
      fs::remove(file);  // one that is mapped keeps its bytes
      std::ofstream(file, std::ios::binary) << bytes;
      Archive archive;
      uint32_t count = 0;
      if (load(file, archive) != TENON_OK) continue;
      tenon_archive_get_count(session_.context(), archive.get(), &count, nullptr);
      for (uint32_t i = 0; i < count; ++i) {
        tenon_tensor* tensor = nullptr;
        const tenon_status status = tenon_tensor_create_loaded(session_.context(), archive.get(), i,
                                                               TENON_ARCHIVE_COPY, &tensor);
        const Tensor owned(tensor);
        if (status == TENON_OK) contents_of(session_, tensor);
      }
    }
  }
  return std::nullopt;
}

void FormatChecks::check(uint32_t number, const Content& content, bool damaged) {
  const std::string file = folder_.file("a");
  const tenon_status status = write(content, file);
  if (status == TENON_E_UNSUPPORTED) {
    return recorder_.uncovered(name_, "files of " + content.name,
                               "the format does not hold them: " + failure_of(session_, status));
  }
  writes_ = true;
  each_case(number, Form::Returned, content.name, [&] { return read_back(content); });
  each_case(number, Form::Repeated, content.name, [&] { return same_bytes(content); });
  if (!damaged) return;
  each_case(number, Form::Error, "cut", [&] { return cut_short(content); });
  each_case(number, Form::Error, "changed", [&] { return changed(content); });
}

}  // namespace

void check_format(Subject& subject, Recorder& recorder, const Request& request, const Json& entry) {
  const std::string format = entry.at("name");
  FormatChecks checks(subject, recorder, entry);
  checks.check_declared(entry);
  uint32_t number = 0;
  for (const Content& content : contents()) {
    if (recorder.wants(format, number)) {
      const bool damaged = number == 0 || (request.level >= kValues && content.name == "metadata");
      checks.check(number, content, damaged);
    }
    ++number;
  }
  if (checks.writes()) return;
  recorder.unwitnessed(format, "files", "it writes none, so that there is none to read");
}

}  // namespace tenon::verify
