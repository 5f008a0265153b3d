// SPDX-License-Identifier: Apache-2.0
// core/base/sized.h: structs of the public headers that a program passes, as this library knows
// them: a shorter one has a zero tail, a longer one must have.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>

#include "core/base/error.h"

namespace tenon::base {

// type  its name, for messages. Throws Error{TENON_E_ARGUMENT}.
template <class Sized>
Sized read_sized(const Sized& given, const std::string& type, const std::string& operand) {
  if (given.struct_size < 8) {
    fail(TENON_E_ARGUMENT, type + ".struct_size is not set", operand, std::to_string(sizeof given),
         std::to_string(given.struct_size), "set struct_size = sizeof(" + type + ")");
  }
  Sized known{};
  std::memcpy(&known, &given, std::min<size_t>(given.struct_size, sizeof known));
  known.struct_size = sizeof known;
  const char* bytes = reinterpret_cast<const char*>(&given);
  for (size_t i = sizeof known; i < given.struct_size; ++i) {
    if (bytes[i] == 0) continue;
    fail(TENON_E_ARGUMENT,
         "needs a newer Tenon: " + type + " has unknown data at offset " + std::to_string(i),
         operand);
  }
  return known;
}

}  // namespace tenon::base
