// SPDX-License-Identifier: Apache-2.0
// core/api/error.h: how a failure travels inside the core. Nothing of this crosses the C boundary:
// the guard in core/api turns it into a status and the context's error record.
#pragma once

#include <tenon/types.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Most failures join texts, and C++20 makes what does so inline: once for all, in error.cc.
extern template class std::basic_string<char>;
extern template std::string std::operator+(const char*, const std::string&);
extern template std::string std::operator+(const std::string&, const std::string&);

namespace tenon {

// Words of an error. Making one throws nothing, so that a place that fails needs no code for what
// it made so far; where memory ran out, str() says so later.
class Words {
 public:
  constexpr Words() noexcept = default;
  Words(const char* words) noexcept;
  Words(const std::string& words) noexcept;
  Words(std::string&& words) noexcept;
  Words(std::string_view words) noexcept;
  Words(const Words& other) noexcept;
  Words(Words&& other) noexcept
      : words_(std::exchange(other.words_, nullptr)), ran_out_(other.ran_out_) {}
  Words& operator=(const Words& other) noexcept;
  Words& operator=(Words&& other) noexcept;
  ~Words() {
    if (words_) drop();
  }

  bool empty() const noexcept { return !words_ && !ran_out_; }
  // std::bad_alloc where there was no memory for them.
  std::string str() const;
  operator std::string() const { return str(); }
  // "out of memory" there.
  const char* c_str() const noexcept;

  friend std::string operator+(const std::string& before, const Words& words) {
    return before + words.str();
  }

 private:
  template <class From>
  void keep(From&& words) noexcept;
  void drop() noexcept;

  const std::string* words_ = nullptr;  // null where there are none
  bool ran_out_ = false;                // of memory
};

// Every field but status and message may be empty; the guard adds the sequence number, and the
// scope path where there is none.
struct Error {
  tenon_status status = TENON_E_INTERNAL;
  Words message;
  Words op{};
  Words operand{};
  Words expected{};
  Words found{};
  Words plugin{};
  Words hint{};
  std::vector<std::string> causes{};  // nearest first
  Words scope{};
};

// Thrown where memory ran out; formatting it allocates nothing.
struct OutOfMemory {
  uint64_t bytes = 0;
};

}  // namespace tenon
