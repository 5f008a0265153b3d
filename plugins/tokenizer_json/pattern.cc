// SPDX-License-Identifier: Apache-2.0
// plugins/tokenizer_json/pattern.cc: regular expressions, and how matches cut a text.
//
// The package `tokenizers` runs the expressions of its files by Oniguruma, with that library's own
// syntax (Ruby's and some more): so does this, since the same expression means other things to
// other engines. https://github.com/kkos/oniguruma/blob/v6.9.8/doc/RE
// tiktoken runs its own by the crate fancy-regex, whose syntax is nearest to what the library calls
// Java's. https://docs.rs/fancy-regex
#include "pattern.hpp"

#include <tenon/sdk/plugin/base.hpp>

#include <oniguruma.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <mutex>

#include "pattern_cost.hpp"
#include "unicode.hpp"

namespace tenon::tokenizer_json {
namespace {

// Ways that are tried from one place of a text; the package tries no more either.
constexpr unsigned long kMaxRetries = 10'000'000;
constexpr unsigned int kMaxKept = 4'000'000;  // ways that are kept to be tried, of some 40 bytes

// The package's Oniguruma is newer than that of some systems (6.9.10; Debian 12 has 6.9.8): two
// classes that were corrected since are written out as they are there, and so is \R, which 6.9.8
// does not find after [^a]+. Beside these the versions differ in characters that are new in
// Unicode.
std::string written_out(std::string_view expression, Dialect dialect) {
  const auto word_at = [&](size_t at) {  // of \p{Word}, however it is spelt: how long, or 0
    size_t i = at + 2;
    if (!expression.substr(i).starts_with('{')) return size_t{0};
    std::string name;
    for (++i; i < expression.size() && expression[i] != '}'; ++i) {
      const char c = expression[i];
      if (c != ' ' && c != '_' && c != '-') name += static_cast<char>(c | 0x20);
    }
    const bool found = i < expression.size() && (name == "word" || name == "~word");  // ^ | 0x20
    return found ? i + 1 - at : size_t{0};
  };
  std::string out;
  int depth = 0;  // of [ ]
  for (size_t i = 0; i < expression.size(); ++i) {
    const std::string_view rest = expression.substr(i);
    if (rest[0] == '\\' && rest.size() > 1) {
      const size_t length = rest[1] == 'p' || rest[1] == 'P' ? word_at(i) : 0;
      const bool negated =
          (rest[1] == 'P') != (rest.substr(0, length).find('^') != std::string_view::npos);
      if (rest[1] == 'R' && depth == 0) {
        out += "(?>\\r\\n|[\\n-\\r\\x{85}\\x{2028}\\x{2029}])";
      } else {
        out += length == 0 ? rest.substr(0, 2) : negated ? "\\W" : "\\w";
      }
      i += length == 0 ? 1 : length - 1;
    } else if (dialect == Dialect::kTiktoken && depth == 0 && rest[0] == '$') {
      out += "\\z";  // the library's own is before a last line feed, too
    } else if (depth > 0 && rest.starts_with("[:punct:]")) {
      out += "\\p{P}\\p{S}";
      i += 8;
    } else if (depth > 0 && rest.starts_with("[:^punct:]")) {
      out += "[^\\p{P}\\p{S}]";
      i += 9;
    } else if (depth > 0 && rest.starts_with("[:")) {
      out += rest[0];  // another class by name, which ends by itself
      const size_t end = rest.find(":]");
      if (end == std::string_view::npos) continue;
      out += rest.substr(1, end + 1);
      i += end + 1;
    } else {
      out += rest[0];
      if (rest[0] == ']' && depth > 0) --depth;
      if (rest[0] != '[') continue;
      ++depth;
      for (const char c : {'^', ']'}) {  // a first ] is one of the characters
        if (i + 1 < expression.size() && expression[i + 1] == c) out += expression[++i];
      }
    }
  }
  return out;
}

std::string shortened(std::string text) {
  constexpr size_t kMaxShown = 64;
  if (text.size() > kMaxShown) text.replace(kMaxShown - 3, std::string::npos, "...");
  return text;
}

std::string message_of(int code, OnigErrorInfo* info = nullptr) {
  std::array<OnigUChar, ONIG_MAX_ERROR_MESSAGE_LEN> text{};
  const int length = onig_error_code_to_str(text.data(), code, info);
  return {reinterpret_cast<const char*>(text.data()), static_cast<size_t>(std::max(length, 0))};
}

const OnigUChar* start_of(std::string_view text) {
  return reinterpret_cast<const OnigUChar*>(text.data());
}

struct Free {
  void operator()(regex_t* made) const { onig_free(made); }
  void operator()(OnigRegion* made) const { onig_region_free(made, 1); }
  void operator()(OnigMatchParam* made) const { onig_free_match_param(made); }
};
template <class T>
std::unique_ptr<T, Free> owned(T* made) {
  if (made == nullptr) throw std::bad_alloc();
  return std::unique_ptr<T, Free>(made);
}

// What a text may take: half a second, and 5 microseconds for each byte that is done. The time of
// the thread, so that a busy machine refuses nothing.
class Patience {
 public:
  explicit Patience(const std::string& expression) : expression_(expression) {}

  void check(size_t done) {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(20)) return;
    last_ = now;
    const double most = 0.5 + 5e-6 * static_cast<double>(done);
    if (of_thread() - start_ <= most) return;
    throw sdk::Failure{
        TENON_E_DATA,
        "a regular expression of the file needs too long for the text: '" + expression_ + "'",
        "text",
        "an expression that is done with a text of this length in time",
        std::to_string(done) + " bytes done",
        "encode it in parts"};
  }

 private:
  static double of_thread() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  double start_ = of_thread();
  const std::string& expression_;
};

// One compiled expression; matching does not change it.
class Expression {
 public:
  Expression(const std::string& expression, Dialect dialect)
      : begins_at_last_end_(expression.find("\\G") != std::string::npos),
        longest_text_(longest_text(expression)),
        shown_(shortened(expression)) {
    static std::mutex one_at_a_time;  // the library has tables of its own
    const std::scoped_lock lock(one_at_a_time);
    start_oniguruma();
    regex_t* made = nullptr;
    OnigErrorInfo info{};
    const std::string known = written_out(expression, dialect);
    const OnigUChar* const text = start_of(known);
    const int status =
        onig_new(&made, text, text + known.size(), ONIG_OPTION_NONE, ONIG_ENCODING_UTF8,
                 dialect == Dialect::kTiktoken ? ONIG_SYNTAX_JAVA : ONIG_SYNTAX_ONIGURUMA, &info);
    code_.reset(made);
    if (status == ONIG_NORMAL) return;
    if (status == ONIGERR_MEMORY) throw std::bad_alloc();
    throw sdk::Failure{TENON_E_UNSUPPORTED,
                       "the regular expression '" + expression +
                           "' is not understood: " + message_of(status, &info),
                       "pattern", "an expression that Oniguruma takes", expression};
  }

  // As the package does, a match of nothing cuts too, but not where the last match ended.
  Cuts matches(std::string_view text) const {
    if (sdk::utf8_until(text) != text.size()) {  // the library reads past what is cut off
      throw sdk::Failure{TENON_E_DATA, "the text is not UTF-8", "text", "UTF-8", ""};
    }
    if (text.size() > longest_text_) {
      throw sdk::Failure{TENON_E_DATA,
                         "a regular expression of the file has a look-around without bound in a "
                         "group without bound, and the text is too long for it",
                         "text", "at most " + std::to_string(longest_text_) + " bytes",
                         std::to_string(text.size())};
    }
    Cuts cuts;
    if (text.empty()) return cuts;
    const auto region = owned(onig_region_new());
    const auto param = owned(onig_new_match_param());
    onig_initialize_match_param(param.get());
    onig_set_retry_limit_in_match_of_match_param(param.get(), kMaxRetries);
    onig_set_retry_limit_in_search_of_match_param(param.get(), kMaxRetries);
    onig_set_match_stack_limit_size_of_match_param(param.get(), kMaxKept);
    Patience patience(shown_);
    size_t done = 0;
    bool any = false;
    for (size_t from = 0; from <= text.size();) {
      if (!find(text, from, *region, *param, patience)) break;
      const auto begin = static_cast<size_t>(region->beg[0]);
      const auto end = static_cast<size_t>(region->end[0]);
      if (begin < done || end < begin) {  // \K within a look-around
        throw sdk::Failure{TENON_E_DATA,
                           "a regular expression of the file matches what it has matched already",
                           "text", "matches that follow each other", ""};
      }
      if (begin == end && any && end == done) {
        from = next_character(text, from);
        continue;
      }
      if (done < begin) cuts.push_back({done, begin, false});
      cuts.push_back({begin, end, true});
      any = true;
      done = from = end;
    }
    if (done < text.size()) cuts.push_back({done, text.size(), false});
    return cuts;
  }

 private:
  static size_t next_character(std::string_view text, size_t at) {
    ++at;
    while (at < text.size() && (text[at] & 0xC0) == 0x80) ++at;
    return at;
  }

  // Tries one place after another: the library's own search looks at no clock, and each place may
  // take time with the length of the text without any retry.
  bool find(std::string_view text, size_t from, OnigRegion& region, OnigMatchParam& param,
            Patience& patience) const {
    const OnigUChar* const start = start_of(text);
    const OnigUChar* const end = start + text.size();
    for (size_t at = from; at <= text.size(); at = next_character(text, at)) {
      const int status = begins_at_last_end_
                             ? onig_search_with_param(code_.get(), start, end, start + at, end,
                                                      &region, ONIG_OPTION_NONE, &param)
                             : onig_match_with_param(code_.get(), start, end, start + at, &region,
                                                     ONIG_OPTION_NONE, &param);
      patience.check(at);
      if (status >= 0) return true;
      if (status == ONIGERR_MEMORY) throw std::bad_alloc();
      if (status != ONIG_MISMATCH) {
        throw sdk::Failure{TENON_E_DATA,
                           "a regular expression of the file cannot cut the text: '" + shown_ +
                               "' ends at byte " + std::to_string(at) + " by " + message_of(status),
                           "text",
                           "a text that it needs fewer ways for",
                           "",
                           "encode it in parts"};
      }
      if (begins_at_last_end_) return false;
    }
    return false;
  }

  bool begins_at_last_end_;  // \G: where the search began
  size_t longest_text_;
  std::string shown_;
  std::unique_ptr<regex_t, Free> code_;
};

}  // namespace

void start_oniguruma() {
  static std::once_flag once;
  std::call_once(once, [] {
    OnigEncoding encodings[] = {ONIG_ENCODING_UTF8};
    onig_initialize(encodings, 1);
  });
}

Cutter by_expression(const std::string& expression, Dialect dialect) {
  return [made = std::make_shared<const Expression>(expression, dialect)](std::string_view text) {
    return made->matches(text);
  };
}

Cutter by_text(const std::string& wanted) {
  if (wanted.empty()) return by_expression("");
  return [wanted](std::string_view text) {
    Cuts cuts;
    size_t done = 0;
    while (true) {
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

Cutter by_length(size_t characters) {
  return [characters](std::string_view text) {
    Cuts cuts;
    size_t at = 0;
    size_t taken = characters;
    each_character(text, [&](int32_t, std::string_view bytes) {
      if (taken == characters) {
        cuts.push_back({at, at, true});
        taken = 0;
      }
      at += bytes.size();
      cuts.back().end = at;
      ++taken;
    });
    return cuts;
  };
}

Cuts around_words(std::string_view text) {
  enum { kGap, kOfWord, kOther };
  const auto kind_of = [](int32_t point) {
    if (is_word(point)) return kOfWord;
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
