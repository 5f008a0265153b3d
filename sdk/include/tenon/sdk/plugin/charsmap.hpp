// SPDX-License-Identifier: Apache-2.0
// tenon/sdk/plugin/charsmap.hpp: rules of normalisation that models of SentencePiece carry, checked
// as a whole, since those that follow them look at no bound.
//
// The rules are the length of a double array in bytes, the array, and replacements that end in NUL
// (J. Aoe, "An Efficient Digital Search Algorithm by Using a Double-Array Structure", 1989; the
// bits of a unit are those of Darts-clone 0.32). Read as a graph: a state is a unit's index, its
// byte c leads to state base ^ c if that unit has the label c, and its value, if it has one, is in
// the unit `base`. Equal ends are shared, so it is no tree; it must have no cycle.
#pragma once

#include <tenon/sdk/plugin/base.hpp>
#include <tenon/sdk/plugin/utf8.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::sdk {

inline constexpr size_t kMaxRuleBytes = size_t{8} << 20;  // the library's own have 0.3 MB
inline constexpr uint32_t kLongestReplacement = 1024;
// The library keeps so many matches of one text, and reads as many as there are.
inline constexpr int32_t kMaxMatches = 32;

// The bytes outlive it.
class Charsmap {
 public:
  // errors   TENON_E_DATA: damaged rules; TENON_E_UNSUPPORTED: too many
  explicit Charsmap(std::string_view bytes) {
    if (bytes.empty()) return;
    if (bytes.size() > kMaxRuleBytes) {
      throw Failure{TENON_E_UNSUPPORTED, "the rules of normalisation are too long", "file",
                    "at most " + std::to_string(kMaxRuleBytes) + " bytes",
                    std::to_string(bytes.size())};
    }
    if (bytes.size() < 4) refuse_rules("they are cut off");
    units_ = bytes.substr(4);
    const uint64_t length = word(bytes, 0);
    if (length > units_.size() || length % 4 != 0) refuse_rules("the length of the trie is wrong");
    replacements_ = units_.substr(static_cast<size_t>(length));
    units_ = units_.substr(0, static_cast<size_t>(length));
    if (replacements_.empty() || replacements_.back() != '\0') {
      refuse_rules("the replacements are cut off");
    }
    visit();
    count_matches();
  }

  // What the shortest key that `text` begins with becomes, as the package `tokenizers` has it; the
  // library takes the longest one.
  std::optional<std::string_view> shortest_of(std::string_view text) const {
    if (units_.empty()) return std::nullopt;
    uint32_t state = 0;
    for (const char each : text) {
      const uint32_t label = static_cast<unsigned char>(each);
      const uint32_t child = base(state) ^ label;
      if (label == 0 || (unit(child) & (1U << 31 | 0xFF)) != label) break;
      state = child;
      if (!has_value(state)) continue;
      const std::string_view rest = replacements_.substr(unit(base(state)) & ~(1U << 31));
      return rest.substr(0, rest.find('\0'));
    }
    return std::nullopt;
  }

  // No text becomes longer than this many times its bytes, with the sign for a space in place of
  // each space.
  uint64_t growth() const { return growth_; }

 private:
  struct State {
    uint32_t depth = 0;     // bytes of the shortest key to it; 0: none
    uint32_t arrivals = 0;  // ways into it
    int32_t matches = 0;    // most values on a way to it, its own among them
  };

  [[noreturn]] static void refuse_rules(const std::string& what) {
    throw Failure{TENON_E_DATA, "the model is damaged: in the rules of normalisation: " + what,
                  "file",       {},
                  {},           "get the file again, or train it again"};
  }
  static uint32_t word(std::string_view bytes, size_t at) {
    const auto byte = [&](size_t i) { return uint32_t{static_cast<unsigned char>(bytes[at + i])}; };
    return byte(0) | byte(1) << 8 | byte(2) << 16 | byte(3) << 24;
  }
  uint32_t unit(uint32_t index) const { return word(units_, size_t{index} * 4); }
  // Of the root no value is ever read.
  bool has_value(uint32_t state) const { return state != 0 && (unit(state) >> 8 & 1) == 1; }
  // Where its children lie.
  uint32_t base(uint32_t state) const {
    const uint32_t bits = unit(state);
    return state ^ (bits >> 10 << ((bits & (1U << 9)) >> 6));
  }

  template <class Visit>
  void for_children(uint32_t state, Visit&& visit) const {
    const uint32_t first = base(state);
    for (uint32_t label = 0; label < 256; ++label) {
      const uint32_t child = first ^ label;
      if ((unit(child) & (1U << 31 | 0xFF)) == label) visit(child);
    }
  }

  // Every state that a text can reach, the nearest ones first.
  void visit() {
    states_.resize(units_.size() / 4);
    order_ = {0};
    for (size_t next = 0; next < order_.size(); ++next) {
      const uint32_t state = order_[next];
      if (state >= states_.size() || (base(state) | 0xFF) >= states_.size()) {
        refuse_rules("the trie points past its end");
      }
      if (has_value(state)) check_replacement(state);
      for_children(state, [&](uint32_t child) {
        if (child == 0) refuse_rules("the trie has a cycle");
        if (states_[child].arrivals++ > 0) return;
        states_[child].depth = states_[state].depth + 1;
        order_.push_back(child);
      });
    }
  }

  void check_replacement(uint32_t state) {
    const uint32_t start = unit(base(state)) & ~(1U << 31);
    if (start >= replacements_.size()) refuse_rules("there is no such replacement");
    const std::string_view rest = replacements_.substr(start, kLongestReplacement + 1);
    const size_t length = rest.find('\0');
    if (length == std::string_view::npos) refuse_rules("a replacement is too long");
    const std::string_view text = rest.substr(0, length);
    if (utf8_until(text) != length) refuse_rules("a replacement is not UTF-8");
    const uint64_t longest = length + 2 * static_cast<uint64_t>(std::ranges::count(text, ' '));
    const uint32_t key = states_[state].depth;
    growth_ = std::max(growth_, (longest + key - 1) / key);
  }

  // In an order in which each state comes after all that lead to it; states of a cycle never come.
  void count_matches() {
    size_t done = 0;
    for (std::vector<uint32_t> ready = {0}; !ready.empty(); ++done) {
      const uint32_t state = ready.back();
      ready.pop_back();
      states_[state].matches += has_value(state) ? 1 : 0;
      if (states_[state].matches > kMaxMatches) refuse_rules("too many keys begin with another");
      for_children(state, [&](uint32_t child) {
        states_[child].matches = std::max(states_[child].matches, states_[state].matches);
        if (--states_[child].arrivals == 0) ready.push_back(child);
      });
    }
    if (done != order_.size()) refuse_rules("the trie has a cycle");
    states_.clear();
    order_.clear();
  }

  std::string_view units_;
  std::string_view replacements_;
  std::vector<State> states_;
  std::vector<uint32_t> order_;
  uint64_t growth_ = 3;  // a space, or a byte that is not UTF-8
};

}  // namespace tenon::sdk
