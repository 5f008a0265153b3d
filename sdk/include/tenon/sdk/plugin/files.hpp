// SPDX-License-Identifier: Apache-2.0
// tenon/sdk/plugin/files.hpp: what readers of files with tensors share: refusals, and sizes that
// are checked before anything believes them.
#pragma once

#include <tenon/sdk/plugin/base.hpp>

#include <string>
#include <utility>
#include <vector>

namespace tenon::sdk::files {

[[noreturn]] inline void refuse(tenon_status status, const std::string& what, std::string expected,
                                std::string found, const char* hint) {
  std::string text = what;
  if (!expected.empty()) text += ": expected " + expected + ", found " + found;
  throw Failure{status, std::move(text), "", std::move(expected), std::move(found), hint};
}

// The file is wrong.
[[noreturn]] inline void refuse_data(const std::string& what, std::string expected = {},
                                     std::string found = {}) {
  refuse(TENON_E_DATA, what, std::move(expected), std::move(found),
         "the file is damaged or of another format; fetch or write it again");
}

// The file may be right, but holds what Tenon does not have; or Tenon, what the file cannot.
[[noreturn]] inline void refuse_unsupported(const std::string& what, std::string expected = {},
                                            std::string found = {},
                                            const char* hint = "convert the tensor first") {
  refuse(TENON_E_UNSUPPORTED, what, std::move(expected), std::move(found), hint);
}

inline std::string bytes_text(uint64_t bytes) { return std::to_string(bytes) + " bytes"; }

// `what` at the front of the refusals.
inline void set_shape(tenon_meta& meta, const std::vector<uint64_t>& shape,
                      const std::string& what) {
  if (shape.size() > TENON_MAX_RANK) {
    refuse_unsupported(what + " has too many dimensions",
                       "at most " + std::to_string(TENON_MAX_RANK), std::to_string(shape.size()));
  }
  meta.rank = static_cast<int32_t>(shape.size());
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] > INT64_MAX) refuse_data(what + " has a size above 2^63");
    meta.shape[i] = static_cast<int64_t>(shape[i]);
  }
}

// `unit`, which is what one element takes, times all sizes. Even if a size is 0, the others must
// multiply to what can be counted.
inline uint64_t checked_product(uint64_t unit, const std::vector<uint64_t>& shape,
                                const std::string& what) {
  uint64_t product = unit;
  std::string text;
  bool empty = false;
  for (const uint64_t size : shape) {
    empty |= size == 0;
    if (size != 0 && product > INT64_MAX / size) {
      for (const uint64_t each : shape) text += (text.empty() ? "" : ",") + std::to_string(each);
      refuse_data(what + " has sizes that multiply to too many bytes", "less than 2^63 bytes",
                  "[" + text + "]");
    }
    if (size != 0) product *= size;
  }
  return empty ? 0 : product;
}

}  // namespace tenon::sdk::files
