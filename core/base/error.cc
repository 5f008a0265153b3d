// SPDX-License-Identifier: Apache-2.0
// core/base/error.cc: throwing an Error, and what error.h says is ready elsewhere.
#include "core/base/error.h"

#include <utility>

template class std::basic_string<char>;
template std::string std::operator+(const char*, const std::string&);
template std::string std::operator+(const std::string&, const std::string&);

namespace tenon {

void fail_with(tenon_status status, const std::string& op, const std::string& plugin,
               std::string message, std::string operand, std::string expected, std::string found,
               std::string hint) {
  throw Error{.status = status,
              .message = std::move(message),
              .op = op,
              .operand = std::move(operand),
              .expected = std::move(expected),
              .found = std::move(found),
              .plugin = plugin,
              .hint = std::move(hint)};
}

void fail(tenon_status status, std::string message, std::string operand, std::string expected,
          std::string found, std::string hint) {
  fail_with(status, {}, {}, std::move(message), std::move(operand), std::move(expected),
            std::move(found), std::move(hint));
}

void fail_in(const std::string& op, tenon_status status, const std::string& what,
             std::string operand, std::string expected, std::string found, std::string hint) {
  fail_with(status, op, {}, op + ": " + what, std::move(operand), std::move(expected),
            std::move(found), std::move(hint));
}

void fail_plugin(const std::string& op, const std::string& plugin, const std::string& what,
                 std::string operand, std::string expected, std::string found, std::string hint) {
  fail_with(TENON_E_PLUGIN, op, plugin, op + ": " + what, std::move(operand), std::move(expected),
            std::move(found), std::move(hint));
}

}  // namespace tenon
