// SPDX-License-Identifier: Apache-2.0
// plugins/optim/text.hpp: texts that are put together while the plugin is compiled.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tenon::optim {

// A text of up to `room` bytes: one more does not compile.
template <size_t room>
class Text {
 public:
  constexpr void write(std::string_view words) {
    for (const char letter : words) letters_[size_++] = letter;
  }
  constexpr void write_whole(int64_t number) {
    if (number < 0) write("-");
    auto rest = static_cast<uint64_t>(number < 0 ? -number : number);
    std::array<char, 20> digits{};
    size_t n = 0;
    do digits[n++] = static_cast<char>('0' + rest % 10);
    while ((rest /= 10) != 0);
    while (n > 0) letters_[size_++] = digits[--n];
  }
  // The shortest decimal that reads as `number`, written as schemas do: 0.0, 0.9, 1e-08.
  constexpr void write_real(double number);

  constexpr std::string_view view(size_t begin = 0) const {
    return {letters_.data() + begin, size_ - begin};
  }
  constexpr size_t size() const { return size_; }
  constexpr const char* data() const { return letters_.data(); }

 private:
  std::array<char, room> letters_{};
  size_t size_ = 0;
};

// `digits` / 10^`places`
struct Decimal {
  int64_t digits = 0;
  int places = 0;
};

// With the fewest places. Powers of ten up to 22 and integers below 2^53 are exact, so that
// the division rounds once, as reading the decimal does. What has none does not compile.
constexpr Decimal shortest_decimal(double number) {
  double power = 1;
  for (int places = 0; places <= 22; ++places, power *= 10) {
    const double scaled = number * power;
    if (scaled >= 0x1p53) break;
    auto digits = static_cast<int64_t>(scaled);
    if (scaled - static_cast<double>(digits) >= 0.5) ++digits;
    if (static_cast<double>(digits) / power == number) return {digits, places};
  }
  throw "a default of few decimal digits is needed";
}

template <size_t room>
constexpr void Text<room>::write_real(double number) {
  if (number < 0) write("-");
  const Decimal decimal = shortest_decimal(number < 0 ? -number : number);
  Text<24> digits;
  digits.write_whole(decimal.digits);
  const auto n = static_cast<int>(digits.size());
  const int exponent = n - 1 - decimal.places;  // of the first digit
  if (exponent < -4) {
    write(digits.view().substr(0, 1));
    if (n > 1) write(".");
    write(digits.view(1));
    write(exponent > -10 ? "e-0" : "e-");
    write_whole(-exponent);
    return;
  }
  int before = n - decimal.places;  // digits before the point
  write(before > 0 ? digits.view().substr(0, static_cast<size_t>(before)) : "0");
  write(".");
  for (; before < 0; ++before) write("0");
  write(decimal.places == 0 ? "0" : digits.view(static_cast<size_t>(before)));
}

}  // namespace tenon::optim
