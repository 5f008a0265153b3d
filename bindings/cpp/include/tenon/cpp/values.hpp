// SPDX-License-Identifier: Apache-2.0
// tenon/cpp/values.hpp: what calls are given beside tensors: dtypes, devices, lists of integers,
// numbers, and named options of what is made by name.
#ifndef TENON_CPP_VALUES_HPP
#define TENON_CPP_VALUES_HPP

#include <tenon/cpp/context.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <optional>
#include <span>

namespace tenon {

template <class T>
concept Arithmetic = std::integral<T> || std::floating_point<T>;

// ---- Dtypes -------------------------------------------------------------------------------------

struct Dtype {
  tenon_dtype code = TENON_DTYPE_NONE;

  friend constexpr bool operator==(Dtype, Dtype) = default;
};

inline constexpr Dtype bool_{TENON_DTYPE_BOOL};
inline constexpr Dtype uint8{TENON_DTYPE_U8};
inline constexpr Dtype int8{TENON_DTYPE_I8};
inline constexpr Dtype int16{TENON_DTYPE_I16};
inline constexpr Dtype int32{TENON_DTYPE_I32};
inline constexpr Dtype int64{TENON_DTYPE_I64};
inline constexpr Dtype float16{TENON_DTYPE_F16};
inline constexpr Dtype bfloat16{TENON_DTYPE_BF16};
inline constexpr Dtype float32{TENON_DTYPE_F32};
inline constexpr Dtype float64{TENON_DTYPE_F64};

// What a dtype can hold.
inline tenon_dtype_info dtype_info(Dtype dtype) {
  detail::State& state = detail::state();
  tenon_dtype_info info{};
  info.struct_size = sizeof info;
  state.check(tenon_dtype_get_info(state.handle, dtype.code, &info));
  return info;
}

// "f32"
inline std::ostream& operator<<(std::ostream& out, Dtype dtype) {
  return out << dtype_info(dtype).name;
}

// The dtype whose elements have the bits of T. None for the floats of 16 bits.
template <Arithmetic T>
constexpr Dtype dtype_of() {
  constexpr auto bits = static_cast<unsigned>(8 * sizeof(T));
  if constexpr (std::same_as<T, bool>) {
    return bool_;
  } else if constexpr (std::floating_point<T>) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "float or double");
    return {TENON_DTYPE_MAKE(2, bits)};
  } else {
    static_assert(std::is_signed_v<T> || sizeof(T) == 1, "there are no larger unsigned dtypes");
    return {TENON_DTYPE_MAKE(std::is_signed_v<T> ? 0 : 1, bits)};
  }
}

// ---- Lists of integers --------------------------------------------------------------------------

// A shape, axes, sizes: up to eight without memory of its own. One number is a list of it.
class Ints {
 public:
  Ints() = default;
  template <std::integral T>
  Ints(T one) : n_(1) {
    few_[0] = static_cast<std::int64_t>(one);
  }
  Ints(std::initializer_list<std::int64_t> list) : Ints(std::span(list.begin(), list.size())) {}
  Ints(const std::vector<std::int64_t>& list) : Ints(std::span(list.data(), list.size())) {}
  Ints(std::span<const std::int64_t> list) : n_(static_cast<std::uint32_t>(list.size())) {
    if (list.size() > few_.size()) many_.assign(list.begin(), list.end());
    std::copy(list.begin(), list.begin() + (many_.empty() ? n_ : 0), few_.begin());
  }

  const std::int64_t* data() const { return many_.empty() ? few_.data() : many_.data(); }
  std::size_t size() const { return n_; }
  bool empty() const { return n_ == 0; }
  const std::int64_t* begin() const { return data(); }
  const std::int64_t* end() const { return data() + n_; }
  std::int64_t operator[](std::size_t place) const { return data()[place]; }

  friend bool operator==(const Ints& a, const Ints& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  std::array<std::int64_t, TENON_MAX_RANK> few_{};
  std::vector<std::int64_t> many_;
  std::uint32_t n_ = 0;
};

using Shape = Ints;

// A list that has to be given, and one that may be absent, which is not the same as empty: Ints{}.
class RequiredInts : public Ints {
 public:
  using Ints::Ints;
  RequiredInts() = delete;
  RequiredInts(Ints list) : Ints(std::move(list)) {}
};
class OptionalInts : public Ints {
 public:
  using Ints::Ints;
  OptionalInts() : given_(false) {}
  OptionalInts(std::nullopt_t) : given_(false) {}
  OptionalInts(Ints list) : Ints(std::move(list)) {}
  bool given() const { return given_; }

 private:
  bool given_ = true;
};

// "[2,3]"
inline std::ostream& operator<<(std::ostream& out, const Ints& list) {
  const char* before = "[";
  for (const std::int64_t each : list) {
    out << before << each;
    before = ",";
  }
  return out << (list.empty() ? "[]" : "]");
}

namespace detail {

inline std::string text_of(const Ints& list) {
  std::string text = "[";
  for (const std::int64_t each : list) text += (text.size() > 1 ? "," : "") + std::to_string(each);
  return text + "]";
}

// ---- Values of the C API ------------------------------------------------------------------------

inline tenon_value none() {
  tenon_value made{};
  return made;
}
template <class T>
requires Arithmetic<T> tenon_value value(T number) {
  tenon_value made{};
  if constexpr (std::floating_point<T>) {
    made.tag = TENON_VALUE_F64;
    made.as.f64 = static_cast<double>(number);
  } else {
    made.tag = std::same_as<T, bool> ? TENON_VALUE_BOOL : TENON_VALUE_I64;
    made.as.i64 = static_cast<std::int64_t>(number);
  }
  return made;
}
inline tenon_value value(std::string_view text) {
  tenon_value made{};
  made.tag = TENON_VALUE_STRING;
  made.count = static_cast<std::uint32_t>(text.size());
  made.as.string = text.data();
  return made;
}
inline tenon_value value(const Ints& list) {
  tenon_value made{};
  made.tag = TENON_VALUE_INT_LIST;
  made.count = static_cast<std::uint32_t>(list.size());
  made.as.ints = list.data();
  return made;
}
inline tenon_value value(const OptionalInts& list) {
  return list.given() ? value(static_cast<const Ints&>(list)) : none();
}
inline tenon_value value(Dtype dtype) {
  tenon_value made{};
  made.tag = TENON_VALUE_DTYPE;
  made.as.dtype = dtype.code;
  return made;
}

}  // namespace detail

// A number that keeps its kind: integer, float or truth.
class Number {
 public:
  template <Arithmetic T>
  Number(T number) : value_(detail::value(number)) {}
  const tenon_value& value() const { return value_; }

 private:
  tenon_value value_;
};

// A member that has to be given: without it the program does not compile.
template <class T>
class Required {
 public:
  template <class From>
  requires std::convertible_to<From, T> Required(From&& given)
      : given_(std::forward<From>(given)) {}
  const T& get() const { return given_; }

 private:
  T given_;
};

namespace detail {

inline tenon_value value(const Number& number) { return number.value(); }
template <class T>
tenon_value value(const Required<T>& given) {
  return value(given.get());
}
template <class T>
tenon_value value(const std::optional<T>& given) {
  return given ? value(*given) : none();
}

}  // namespace detail

// ---- Named options ------------------------------------------------------------------------------

// A list of floats, or absent. One number is a list of it.
class Floats {
 public:
  Floats() = default;
  template <Arithmetic T>
  Floats(T one) : list_({static_cast<double>(one)}), given_(true) {}
  Floats(std::initializer_list<double> list) : list_(list), given_(true) {}
  Floats(std::vector<double> list) : list_(std::move(list)), given_(true) {}
  bool given() const { return given_; }
  const std::vector<double>& list() const { return list_; }

 private:
  std::vector<double> list_;
  bool given_ = false;
};

// What an option is set to. Copies texts and lists.
class Value {
 public:
  Value() : tag_(TENON_VALUE_NONE) {}
  template <Arithmetic T>
  Value(T number) : Value(detail::value(number)) {}
  Value(Dtype dtype) : Value(detail::value(dtype)) {}
  Value(std::string_view text) : tag_(TENON_VALUE_STRING), text_(text) {}
  Value(const char* text) : Value(std::string_view(text)) {}
  Value(const std::string& text) : Value(std::string_view(text)) {}
  Value(Ints list) : tag_(TENON_VALUE_INT_LIST), ints_(std::move(list)) {}
  Value(std::initializer_list<std::int64_t> list) : Value(Ints(list)) {}
  Value(std::vector<double> list) : tag_(TENON_VALUE_FLOAT_LIST), floats_(std::move(list)) {}

  // Borrowed from this object.
  tenon_value value() const {
    if (tag_ == TENON_VALUE_STRING) return detail::value(std::string_view(text_));
    if (tag_ == TENON_VALUE_INT_LIST) return detail::value(ints_);
    tenon_value made = plain_;
    made.tag = tag_;
    if (tag_ == TENON_VALUE_FLOAT_LIST) {
      made.count = static_cast<std::uint32_t>(floats_.size());
      made.as.floats = floats_.data();
    }
    return made;
  }

 private:
  Value(const tenon_value& plain) : tag_(plain.tag), plain_(plain) {}

  std::uint32_t tag_;
  tenon_value plain_{};
  std::string text_;
  Ints ints_;
  std::vector<double> floats_;
};

// {"name", value}
struct Option {
  std::string name;
  Value value;
};
using Options = std::vector<Option>;

namespace detail {

// Options as the C API takes them; borrowed from the list they are made of.
struct OptionLists {
  std::vector<tenon_string> names;
  std::vector<tenon_value> values;
  std::uint32_t n;

  explicit OptionLists(std::span<const Option> options)
      : n(static_cast<std::uint32_t>(options.size())) {
    names.reserve(n);
    values.reserve(n);
    for (const Option& each : options) {
      names.push_back({each.name.data(), each.name.size()});
      values.push_back(each.value.value());
    }
  }
};

template <class T>
void add_option(Options& options, const char* name, const T& given) {
  options.push_back({name, given});
}
template <class T>
void add_option(Options& options, const char* name, const Required<T>& given) {
  options.push_back({name, given.get()});
}
template <class T>
void add_option(Options& options, const char* name, const std::optional<T>& given) {
  if (given) options.push_back({name, *given});
}
inline void add_option(Options& options, const char* name, const RequiredInts& given) {
  options.push_back({name, static_cast<const Ints&>(given)});
}
inline void add_option(Options& options, const char* name, const OptionalInts& given) {
  if (given.given()) options.push_back({name, static_cast<const Ints&>(given)});
}
inline void add_option(Options& options, const char* name, const Floats& given) {
  if (given.given()) options.push_back({name, given.list()});
}

}  // namespace detail

// ---- Devices ------------------------------------------------------------------------------------

// A device of the thread's runtime, by a name that is known when the program runs: "cpu",
// "cuda", "cuda:1".
class Device {
 public:
  Device(std::string_view name) : handle_(find(name)) {}
  Device(const char* name) : Device(std::string_view(name)) {}
  Device(const std::string& name) : Device(std::string_view(name)) {}
  explicit Device(tenon_device handle) : handle_(handle) {}

  const tenon_device& handle() const { return handle_; }
  friend bool operator==(const Device& a, const Device& b) {
    return a.handle_.kind == b.handle_.kind && a.handle_.index == b.handle_.index;
  }

 private:
  static tenon_device find(std::string_view name) {
    const std::size_t colon = name.find(':');
    const std::string_view kind = name.substr(0, colon);
    std::int32_t index = 0;
    if (colon != std::string_view::npos) {
      const std::string_view digits = name.substr(colon + 1);
      const bool whole = !digits.empty() && digits.size() < 10 &&
                         digits.find_first_not_of("0123456789") == std::string_view::npos;
      if (!whole) {
        detail::refuse(TENON_E_ARGUMENT, "Device", "name", "a number after the colon",
                       std::string(name), "\"cuda:1\"");
      }
      for (const char each : digits) index = 10 * index + (each - '0');
    }
    detail::State& state = detail::state();
    tenon_device found{};
    state.check(tenon_device_find(state.handle, kind.data(), kind.size(), index, &found));
    return found;
  }

  tenon_device handle_;
};

// The device of tensors that are made without one.
inline void set_device(const Device& device) {
  detail::State& state = detail::state();
  state.check(tenon_context_set_device(state.handle, &device.handle()));
}

// Waits for all work of a device.
inline void wait(const Device& device) {
  detail::State& state = detail::state();
  state.check(tenon_device_wait(state.handle, &device.handle()));
}

}  // namespace tenon

#endif  // TENON_CPP_VALUES_HPP
