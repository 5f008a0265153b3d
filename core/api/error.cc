// SPDX-License-Identifier: Apache-2.0
// core/api/error.cc: the words of errors, and what error.h says is ready elsewhere.
#include "core/api/error.h"

#include <new>

template class std::basic_string<char>;
template std::string std::operator+(const char*, const std::string&);
template std::string std::operator+(const std::string&, const std::string&);

namespace tenon {

template <class From>
void Words::keep(From&& words) noexcept {
  try {
    if (!words.empty()) words_ = new std::string(std::forward<From>(words));
  } catch (const std::bad_alloc&) {
    ran_out_ = true;
  }
}

Words::Words(const char* words) noexcept : Words(std::string_view(words)) {}

Words::Words(const std::string& words) noexcept { keep(words); }

Words::Words(std::string&& words) noexcept { keep(std::move(words)); }

Words::Words(std::string_view words) noexcept { keep(words); }

Words::Words(const Words& other) noexcept : ran_out_(other.ran_out_) {
  if (other.words_) keep(*other.words_);
}

Words& Words::operator=(const Words& other) noexcept { return *this = Words(other); }

Words& Words::operator=(Words&& other) noexcept {
  std::swap(words_, other.words_);
  std::swap(ran_out_, other.ran_out_);
  return *this;
}

std::string Words::str() const {
  if (ran_out_) throw std::bad_alloc();
  return words_ ? *words_ : std::string();
}

const char* Words::c_str() const noexcept {
  return words_ ? words_->c_str() : ran_out_ ? "out of memory" : "";
}

void Words::drop() noexcept { delete words_; }

}  // namespace tenon
