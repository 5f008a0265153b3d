// SPDX-License-Identifier: Apache-2.0
// sdk/verify/case/stated_values.h: options of a dataset and hyper-parameters of a schedule as a
// golden file states them: {"count": 4, "path": {"text": "a,b\n1,2\n"}}.
#pragma once

#include <tenon/tenon.h>

#include <list>
#include <string>
#include <vector>

#include "case/request.h"

namespace tenon::verify {

// A file without a place in any folder, as long as the object lives.
class MemoryFile {
 public:
  explicit MemoryFile(const std::string& bytes);  // throws Failure
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

// Names with values, alive as long as the object. true and false are BOOL, integers I64, other
// numbers F64, a list INT_LIST, a string STRING; {"text": ...} and {"hex": ...} are the path of a
// file with these bytes, {"file": ...} that of a file beside the golden file.
class StatedValues {
 public:
  // Throws Failure if a value is none of these.
  StatedValues(const Json& stated, const std::string& folder);
  StatedValues(const StatedValues&) = delete;
  StatedValues& operator=(const StatedValues&) = delete;

  const std::vector<tenon_string>& names() const { return names_; }
  const std::vector<tenon_value>& values() const { return values_; }

 private:
  tenon_value value_of(const Json& stated, const std::string& folder);
  tenon_value text_value(std::string text);

  std::list<std::string> texts_;
  std::list<std::vector<int64_t>> lists_;
  std::list<MemoryFile> files_;
  std::vector<tenon_string> names_;
  std::vector<tenon_value> values_;
};

}  // namespace tenon::verify
