// SPDX-License-Identifier: Apache-2.0
// core/base/error.h: how a failure travels inside the core. Nothing of this crosses the C boundary:
// the guard in core/api turns it into a status and the context's error record.
#pragma once

#include <tenon/types.h>

#include <string>
#include <vector>

// Most failures join texts, and C++20 makes what does so inline: once for all, in error.cc.
extern template class std::basic_string<char>;
extern template std::string std::operator+(const char*, const std::string&);
extern template std::string std::operator+(const std::string&, const std::string&);

namespace tenon {

// Every field but status and message may be empty; the guard adds the sequence number, and the
// scope path if there is none.
struct Error {
  tenon_status status = TENON_E_INTERNAL;
  std::string message;
  std::string op{};
  std::string operand{};
  std::string expected{};
  std::string found{};
  std::string plugin{};
  std::string hint{};
  std::vector<std::string> causes{};  // nearest first
  std::string scope{};
};

// Throws an Error of what most have to say: which operand, what was expected of it and what was
// found, and what to do.
[[noreturn, gnu::cold]] void fail(tenon_status status, std::string message,
                                  std::string operand = {}, std::string expected = {},
                                  std::string found = {}, std::string hint = {});

// The same of an op or an entry, whose name begins the message.
[[noreturn, gnu::cold]] void fail_in(const std::string& op, tenon_status status,
                                     const std::string& what, std::string operand = {},
                                     std::string expected = {}, std::string found = {},
                                     std::string hint = {});

// The same of what a plugin has done to one of them.
[[noreturn, gnu::cold]] void fail_plugin(const std::string& op, const std::string& plugin,
                                         const std::string& what, std::string operand = {},
                                         std::string expected = {}, std::string found = {},
                                         std::string hint = {});

// The same of any status; `op` and `plugin` may be empty, and do not begin the message.
[[noreturn, gnu::cold]] void fail_with(tenon_status status, const std::string& op,
                                       const std::string& plugin, std::string message,
                                       std::string operand = {}, std::string expected = {},
                                       std::string found = {}, std::string hint = {});

// Thrown if memory ran out; formatting it allocates nothing.
struct OutOfMemory {
  uint64_t bytes = 0;
};

}  // namespace tenon
