// SPDX-License-Identifier: Apache-2.0
// core/registry/checks.h: reading a plugin's tables with suspicion. Everything here throws
// Error{TENON_E_PLUGIN} that names the entry, what was expected and what was found.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "core/base/error.h"
#include "core/registry/registry.h"

namespace tenon::registry {

[[noreturn]] void refuse(std::string message);

// What a complaint is about: "kernel 3 (acme.twice on cpu)". A plugin has hundreds of entries and
// nearly always nothing to complain of, so the words are made if one is: by `words`, a text or
// a function that returns one, borrowed.
class What {
 public:
  template <class Words>
  requires(!std::is_same_v<Words, What>) What(const Words& words)
      : words_(&words), text_(&text_by<Words>) {}  // NOLINT: converts
  std::string text() const { return text_(words_); }

 private:
  template <class Words>
  static std::string text_by(const void* words) {
    if constexpr (std::is_invocable_v<const Words&>) {
      return (*static_cast<const Words*>(words))();
    } else {
      return std::string(*static_cast<const Words*>(words));
    }
  }

  const void* words_;
  std::string (*text_)(const void*);
};

inline std::string operator+(const What& what, std::string_view tail) {
  return what.text().append(tail);
}

constexpr size_t kMaxNameBytes = 128;

// "vendor.name": two or more parts of [a-z0-9_], none of them empty.
bool is_dotted_name(std::string_view name) noexcept;

// A device kind or the like: [a-z0-9_]+.
bool is_plain_name(std::string_view name) noexcept;

// A text of a plugin for a message: at most 60 bytes of it, all but printable ASCII as \xNN.
std::string shown(std::string_view text);

// The bytes of `text`, which belongs to entry `what`.
std::string_view text_of(const tenon_string& text, const What& what);

// The name "vendor.name" of entry `what`; the plugin's bytes.
std::string_view dotted_name_of(const tenon_string& text, const What& what);

// Flags that this Tenon does not know, and words that it does not read, are 0.
void check_flags_zero(uint32_t flags, const What& what);
void check_zero(uint32_t flags, uint32_t reserved, const What& what);

// The bytes past what this Tenon knows must be zero.
void check_tail(const void* source, uint32_t size, uint32_t known, const What& what);

// What a descriptor had to hold in draft 1. Members appended later do not raise it.
template <class T>
inline constexpr uint32_t kMinimalSize = sizeof(T);

// A copy of `*source` in which members that an older plugin does not have are zero.
// Throws: a descriptor that is NULL or shorter than `minimal`.
[[noreturn, gnu::cold]] void refuse_descriptor(const uint32_t* struct_size, uint32_t minimal,
                                               const What& what);

template <class T>
T read_descriptor(const T* source, const What& what) {
  if (source == nullptr) refuse_descriptor(nullptr, kMinimalSize<T>, what);
  const uint32_t size = source->struct_size;
  if (size < kMinimalSize<T>) refuse_descriptor(&size, kMinimalSize<T>, what);
  check_tail(source, size, sizeof(T), what);
  T copy{};
  std::memcpy(&copy, source, std::min<size_t>(size, sizeof(T)));
  copy.struct_size = sizeof(T);
  return copy;
}

// The same for an entry of any kind.
std::unique_ptr<const uint64_t[]> read_entry(const tenon_entry_desc* source, const Kind& kind,
                                             const What& what);

// struct_size and pointers of the tables themselves; an absent table is in order.
void check_tables(const Tables& tables);

// The names in `tables`, the plugin's own bytes, for comparing with the manifest. Reads what is
// needed for that and no more.
struct TableNames {
  struct OpName {
    std::string_view name;
    uint32_t revision;
    std::string_view role;
    bool operator<(const OpName& other) const {
      return std::tie(name, revision, role) < std::tie(other.name, other.revision, other.role);
    }
  };
  struct Kernels {
    std::set<std::string_view> ops;
    bool canonical = false;  // one of them, at least, has the flag
  };
  std::set<OpName> ops;
  std::map<std::string_view, Kernels> kernels;  // by device
  std::set<std::string_view> vjps, devices;
  std::array<std::set<std::string_view>, kKindEnd> entries;  // by kind
};
TableNames names_of(const Tables& tables);

// Name, schema name, flags, callbacks the shape rule and flags need, the role's signature.
void check_op(const tenon_op_desc& desc, std::string_view name, const Schema& schema);

}  // namespace tenon::registry
