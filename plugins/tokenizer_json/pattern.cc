// SPDX-License-Identifier: Apache-2.0
// plugins/tokenizer_json/pattern.cc: regular expressions, and how matches cut a text.
//
// Expressions in tokenizer files are Oniguruma's. What they use means the same in PCRE2 with UTF
// and UCP, but for the classes of white space and of words, which are written out here as Unicode
// has them.
#define PCRE2_CODE_UNIT_WIDTH 8
#include "pattern.hpp"

#include <tenon/sdk/plugin/base.hpp>

#include <pcre2.h>

#include <algorithm>
#include <array>

#include "unicode.hpp"

namespace tenon::tokenizer_json {
namespace {

constexpr std::string_view kSpace = "\\p{Z}\\t-\\r\\x{85}";
constexpr std::string_view kWord =
    "\\p{L}\\p{M}\\p{Nd}\\p{Nl}\\p{Pc}\\x{24B6}-\\x{24E9}\\x{1F130}-\\x{1F149}"
    "\\x{1F150}-\\x{1F169}\\x{1F170}-\\x{1F189}";

// \s, \S, \w and \W written out. Within [ ], where a class cannot be negated, \S and \W stay.
std::string written_out(std::string_view expression) {
  std::string out;
  int depth = 0;
  for (size_t i = 0; i < expression.size(); ++i) {
    const char c = expression[i];
    if (c != '\\' || i + 1 == expression.size()) {
      depth += c == '[' ? 1 : c == ']' && depth > 0 ? -1 : 0;
      out += c;
      continue;
    }
    const char what = expression[++i];
    const bool space = what == 's' || what == 'S';
    const bool negated = what == 'S' || what == 'W';
    if ((!space && what != 'w' && what != 'W') || (negated && depth > 0)) {
      out += {c, what};
      continue;
    }
    const std::string_view set = space ? kSpace : kWord;
    out += depth > 0 ? std::string(set) : (negated ? "[^" : "[") + std::string(set) + "]";
  }
  return out;
}

std::string message_of(int code) {
  std::array<PCRE2_UCHAR, 256> text{};
  pcre2_get_error_message(code, text.data(), text.size());
  return reinterpret_cast<const char*>(text.data());
}

struct Free {
  void operator()(pcre2_code* code) const { pcre2_code_free(code); }
  void operator()(pcre2_match_data* data) const { pcre2_match_data_free(data); }
  void operator()(pcre2_match_context* context) const { pcre2_match_context_free(context); }
  void operator()(pcre2_jit_stack* stack) const { pcre2_jit_stack_free(stack); }
};
template <class T>
std::unique_ptr<T, Free> owned(T* made) {
  if (made == nullptr) throw std::bad_alloc();
  return std::unique_ptr<T, Free>(made);
}

// One compiled expression; matching does not change it.
class Expression {
 public:
  explicit Expression(const std::string& expression) {
    const std::string text = written_out(expression);
    int error = 0;
    PCRE2_SIZE at = 0;
    code_.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(),
                              PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C, &error, &at,
                              nullptr));
    if (!code_) {
      throw sdk::Failure{
          TENON_E_UNSUPPORTED,
          "the regular expression '" + expression + "' is not understood: " + message_of(error),
          "pattern", "an expression that PCRE2 takes", expression};
    }
    // Without a compiler for this machine the expression is interpreted.
    pcre2_jit_compile(code_.get(), PCRE2_JIT_COMPLETE);
  }

  Cuts matches(std::string_view text) const {
    const auto data = owned(pcre2_match_data_create_from_pattern(code_.get(), nullptr));
    const auto context = owned(pcre2_match_context_create(nullptr));
    pcre2_set_match_limit(
        context.get(),
        static_cast<uint32_t>(1'000'000 + 64 * std::min<size_t>(text.size(), 1u << 25)));
    const auto stack = owned(pcre2_jit_stack_create(1 << 15, 1 << 22, nullptr));
    pcre2_jit_stack_assign(context.get(), nullptr, stack.get());
    Cuts cuts;
    size_t done = 0;
    for (size_t from = 0; from <= text.size();) {
      if (!find(text, from, *data, *context)) break;
      const PCRE2_SIZE* const found = pcre2_get_ovector_pointer(data.get());
      const size_t begin = found[0];
      const size_t end = found[1];
      if (end <= begin) {  // nothing, or before the start with \K: go on with the next character
        from = std::max(begin, from) + 1;
        while (from < text.size() && (text[from] & 0xC0) == 0x80) ++from;
        continue;
      }
      if (done < begin) cuts.push_back({done, begin, false});
      cuts.push_back({begin, end, true});
      done = from = end;
    }
    if (done < text.size()) cuts.push_back({done, text.size(), false});
    return cuts;
  }

 private:
  bool find(std::string_view text, size_t from, pcre2_match_data& data,
            pcre2_match_context& context) const {
    const auto run = [&](uint32_t options) {
      return pcre2_match(code_.get(), reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), from,
                         PCRE2_NO_UTF_CHECK | options, &data, &context);
    };
    int status = run(0);
    if (status == PCRE2_ERROR_JIT_STACKLIMIT) status = run(PCRE2_NO_JIT);
    if (status == PCRE2_ERROR_NOMATCH) return false;
    if (status >= 0) return true;
    if (status == PCRE2_ERROR_NOMEMORY) throw std::bad_alloc();
    throw sdk::Failure{
        TENON_E_DATA, "a regular expression of the file cannot cut the text: " + message_of(status),
        "text"};
  }

  std::unique_ptr<pcre2_code, Free> code_;
};

}  // namespace

Cutter by_expression(const std::string& expression) {
  return [made = std::make_shared<const Expression>(expression)](std::string_view text) {
    return made->matches(text);
  };
}

Cutter by_text(const std::string& wanted) {
  return [wanted](std::string_view text) {
    Cuts cuts;
    size_t done = 0;
    while (!wanted.empty()) {
      const size_t begin = text.find(wanted, done);
      if (begin == std::string_view::npos) break;
      if (done < begin) cuts.push_back({done, begin, false});
      done = begin + wanted.size();
      cuts.push_back({begin, done, true});
    }
    if (done < text.size()) cuts.push_back({done, text.size(), false});
    return cuts;
  };
}

Cutter by_character(bool (*is_match)(int32_t point)) {
  return [is_match](std::string_view text) {
    Cuts cuts;
    size_t at = 0;
    each_character(text, [&](int32_t point, std::string_view bytes) {
      const size_t end = at + bytes.size();
      const bool match = is_match(point);
      if (!match && !cuts.empty() && !cuts.back().match) {
        cuts.back().end = end;
      } else {
        cuts.push_back({at, end, match});
      }
      at = end;
    });
    return cuts;
  };
}

Cuts around_words(std::string_view text) {
  enum { kGap, kOfWord, kOther };
  const auto kind_of = [](int32_t point) {
    if (is_word(point) || point == 0x200C || point == 0x200D) return kOfWord;
    return is_space(point) ? kGap : kOther;
  };
  Cuts cuts;
  size_t at = 0;
  auto before = kGap;
  each_character(text, [&](int32_t point, std::string_view bytes) {
    const auto kind = kind_of(point);
    const size_t end = at + bytes.size();
    if (!cuts.empty() && kind == before) {
      cuts.back().end = end;
    } else {
      cuts.push_back({at, end, kind == kGap});
    }
    before = kind;
    at = end;
  });
  return cuts;
}

namespace {

// Neighbours of which `joins` says so become one.
template <class Joins>
Cuts joined(const Cuts& cuts, Joins&& joins) {
  Cuts kept;
  bool before = false;
  for (const Cut& cut : cuts) {
    if (!kept.empty() && joins(cut.match, before)) {
      kept.back().begin = std::min(kept.back().begin, cut.begin);
      kept.back().end = std::max(kept.back().end, cut.end);
    } else {
      kept.push_back(cut);
    }
    before = cut.match;
  }
  return kept;
}

}  // namespace

Cuts apply(Cuts cuts, Behavior behavior) {
  const auto first_match = [](bool match, bool before) { return match && !before; };
  switch (behavior) {
    case Behavior::kIsolated:
      return cuts;
    case Behavior::kRemoved:
      std::erase_if(cuts, [](const Cut& cut) { return cut.match; });
      return cuts;
    case Behavior::kContiguous:
      return joined(cuts, [](bool match, bool before) { return match == before; });
    case Behavior::kMergedWithPrevious:
      return joined(cuts, first_match);
    case Behavior::kMergedWithNext:
      break;
  }
  std::ranges::reverse(cuts);
  Cuts kept = joined(cuts, first_match);
  std::ranges::reverse(kept);
  return kept;
}

void check_length(size_t bytes) {
  if (bytes <= kLongestText) return;
  throw sdk::Failure{TENON_E_DATA,
                     "the text becomes too long by the steps of the file",
                     "text",
                     "at most " + std::to_string(kLongestText) + " bytes",
                     std::to_string(bytes),
                     "encode it in parts"};
}

std::string replaced(std::string_view text, const Cutter& cutter, std::string_view content) {
  std::string out;
  for (const Cut& cut : cutter(text)) {
    out += cut.match ? content : text.substr(cut.begin, cut.end - cut.begin);
    check_length(out.size());
  }
  return out;
}

}  // namespace tenon::tokenizer_json
