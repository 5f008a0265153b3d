// SPDX-License-Identifier: Apache-2.0
// sdk/verify/case/stated_values.cc: see stated_values.h.
#include "case/stated_values.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace tenon::verify {
namespace {

std::string bytes_of_hex(const std::string& hex) {
  const auto digit = [&](char c) -> int {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    throw Failure{"\"hex\" states '" + std::string(1, c) + "'; expected pairs of 0-9 and a-f"};
  };
  if (hex.size() % 2 != 0) throw Failure{"\"hex\" states half a byte; expected pairs of digits"};
  std::string bytes;
  for (size_t i = 0; i < hex.size(); i += 2) {
    bytes += static_cast<char>(digit(hex[i]) * 16 + digit(hex[i + 1]));
  }
  return bytes;
}

}  // namespace

MemoryFile::MemoryFile(const std::string& bytes)
    : descriptor_(memfd_create("golden", MFD_CLOEXEC)) {
  size_t written = 0;
  while (descriptor_ >= 0 && written < bytes.size()) {
    const ssize_t more = write(descriptor_, bytes.data() + written, bytes.size() - written);
    if (more <= 0) break;
    written += static_cast<size_t>(more);
  }
  if (descriptor_ >= 0 && written == bytes.size()) return;
  const std::string why = std::strerror(errno);
  if (descriptor_ >= 0) close(descriptor_);
  throw Failure{"a file in memory cannot be made: " + why};
}

MemoryFile::~MemoryFile() { close(descriptor_); }

StatedValues::StatedValues(const Json& stated, const std::string& folder) {
  for (const auto& [name, value] : stated.items()) {
    texts_.push_back(name);
    names_.push_back({texts_.back().data(), texts_.back().size()});
    values_.push_back(value_of(value, folder));
  }
}

tenon_value StatedValues::text_value(std::string text) {
  texts_.push_back(std::move(text));
  tenon_value value{TENON_VALUE_STRING, static_cast<uint32_t>(texts_.back().size()), {}};
  value.as.string = texts_.back().data();
  return value;
}

tenon_value StatedValues::value_of(const Json& stated, const std::string& folder) {
  tenon_value value{};
  if (stated.is_boolean()) {
    value.tag = TENON_VALUE_BOOL;
    value.as.i64 = stated.get<bool>() ? 1 : 0;
  } else if (stated.is_number_integer()) {
    value.tag = TENON_VALUE_I64;
    value.as.i64 = stated.get<int64_t>();
  } else if (stated.is_number()) {
    value.tag = TENON_VALUE_F64;
    value.as.f64 = stated.get<double>();
  } else if (stated.is_string()) {
    return text_value(stated.get<std::string>());
  } else if (stated.is_array()) {
    lists_.push_back(stated.get<std::vector<int64_t>>());
    value.tag = TENON_VALUE_INT_LIST;
    value.count = static_cast<uint32_t>(lists_.back().size());
    value.as.ints = lists_.back().data();
  } else if (stated.contains("file")) {
    return text_value(std::filesystem::path(folder) / stated.at("file").get<std::string>());
  } else if (stated.contains("text") || stated.contains("hex")) {
    const bool text = stated.contains("text");
    const std::string given = stated.at(text ? "text" : "hex");
    return text_value(files_.emplace_back(text ? given : bytes_of_hex(given)).path());
  } else {
    throw Failure{"states the value " + stated.dump() +
                  "; expected a number, true, false, a string, whole numbers in brackets, or an "
                  "object with \"text\", \"hex\" or \"file\""};
  }
  return value;
}

}  // namespace tenon::verify
