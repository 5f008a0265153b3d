// SPDX-License-Identifier: Apache-2.0
// core/registry/checks.h: reading a plugin's tables with suspicion. Everything here throws
// Error{TENON_E_PLUGIN} that names the entry, what was expected and what was found.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

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

// A device kind that entry `what` names.
std::string_view device_of(const tenon_string& text, const What& what);

// Flags that this Tenon does not know, and words that it does not read, are 0.
void check_flags_zero(uint32_t flags, const What& what);
void check_zero(uint32_t flags, uint32_t reserved, const What& what);

// Copies the `known` bytes that this Tenon reads of a descriptor, which begins with its size;
// members that an older plugin does not have are zero. Throws: one that is NULL or shorter than
// `least`, or with bytes that are not known.
void read_descriptor(const void* source, uint32_t least, uint32_t known, void* out,
                     const What& what);

template <class T>
T read_descriptor(const T* source, const What& what) {
  T copy{};
  read_descriptor(source, sizeof(T), sizeof(T), &copy, what);
  return copy;
}

// The same for an entry of any kind.
std::unique_ptr<const uint64_t[]> read_entry(const tenon_entry_desc* source, const Kind& kind,
                                             const What& what);

// Calls take(descriptor, what) for each of a table of `noun`s; of entries it is not yet read.
template <class Table, class Take>
void each_entry(const Table* table, std::string_view noun, const Take& take) {
  for (uint32_t i = 0; table != nullptr && i < table->count; ++i) {
    const auto words = [&] { return std::string(noun) + " " + std::to_string(i); };
    const What what(words);
    if constexpr (std::is_same_v<Table, tenon_entries_table>) {
      take(table->descs[i], what);
    } else {
      take(read_descriptor(table->descs[i], what), what);
    }
  }
}

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
