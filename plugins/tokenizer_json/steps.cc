// SPDX-License-Identifier: Apache-2.0
// plugins/tokenizer_json/steps.cc: normalisers and splitters.
#include "steps.hpp"

#include <tenon/sdk/plugin/base64.hpp>
#include <tenon/sdk/plugin/charsmap.hpp>

#include <algorithm>
#include <array>
#include <unordered_map>

#include "unicode.hpp"

namespace tenon::tokenizer_json {

// ---- Normalisers --------------------------------------------------------------------------------

namespace {

bool is_cleaned(int32_t point) { return point == 0 || point == 0xFFFD || is_control(point); }

std::string cleaned(std::string_view text) {
  std::string out;
  each_character(text, [&](int32_t point, std::string_view bytes) {
    if (is_cleaned(point)) return;
    out += is_space(point) ? std::string_view(" ") : bytes;
  });
  return out;
}

std::string with_spaced_ideographs(std::string_view text) {
  std::string out;
  each_character(text, [&](int32_t point, std::string_view bytes) {
    const bool spaced = is_ideograph(point);
    if (spaced) out += ' ';
    out += bytes;
    if (spaced) out += ' ';
  });
  return out;
}

int32_t first_of(std::string_view text) { return sdk::take_code_point(text); }

}  // namespace

Normalizer normalizer(std::function<std::string(std::string)> change,
                      std::function<bool(std::string_view)> keeps_first) {
  return [change = std::move(change), keeps_first = std::move(keeps_first)](Normalized& at) {
    const std::string_view rest = std::string_view(at.text).substr(at.before);
    if (at.before > 0) at.before = change(at.text.substr(0, at.before)).size();
    const bool loses = keeps_first && !rest.empty() && !keeps_first(rest);
    at.has_first = at.has_first && (at.before > 0 || !loses);
    at.text = change(std::move(at.text));
  };
}

Normalizer prepending(const std::string& start) {
  return [start](Normalized& at) {
    if (at.text.empty()) return;
    at.text = start + at.text;
    at.before += start.size();
  };
}

Normalizer without_accents() {
  return normalizer([](const std::string& text) { return without(text, is_mark); },
                    [](std::string_view text) { return !is_mark(first_of(text)); });
}

Normalizer strip(bool left, bool right) {
  return normalizer([=](const std::string& text) { return stripped(text, left, right); },
                    [=](std::string_view text) { return !left || !is_space(first_of(text)); });
}

namespace {

bool is_nmt_control(int32_t point) {
  return (point >= 0x01 && point <= 0x08) || point == 0x0B || (point >= 0x0E && point <= 0x1F) ||
         point == 0x7F || point == 0x8F || point == 0x9F;
}

bool is_nmt_space(int32_t point) {
  return point == '\t' || point == '\n' || point == '\f' || point == '\r' || point == 0x1680 ||
         (point >= 0x200B && point <= 0x200F) || point == 0x2028 || point == 0x2029 ||
         point == 0x2581 || point == 0xFEFF || point == 0xFFFD;
}

// Rules are for clusters of characters of fewer than so many bytes, and else for each character.
constexpr size_t kLongCluster = 6;

class Rules {
 public:
  explicit Rules(std::string bytes) : bytes_(std::move(bytes)), rules_(bytes_) {}
  Rules(const Rules&) = delete;
  Rules& operator=(const Rules&) = delete;

  std::string applied_to(const std::string& text) const {
    std::string out;
    each_cluster(text, [&](std::string_view cluster) {
      const auto whole = cluster.size() < kLongCluster ? rules_.shortest_of(cluster) : std::nullopt;
      if (whole) {
        out += *whole;
      } else {
        each_character(cluster, [&](int32_t, std::string_view character) {
          out += rules_.shortest_of(character).value_or(character);
        });
      }
      check_length(out.size());
    });
    return out;
  }

 private:
  std::string bytes_;
  sdk::Charsmap rules_;
};

}  // namespace

Normalizer nmt() {
  return normalizer(
      [](std::string_view text) {
        std::string out;
        each_character(text, [&](int32_t point, std::string_view bytes) {
          if (!is_nmt_control(point)) out += is_nmt_space(point) ? std::string_view(" ") : bytes;
        });
        return out;
      },
      [](std::string_view text) { return !is_nmt_control(first_of(text)); });
}

Normalizer precompiled(std::string_view rules) {
  std::optional<std::string> bytes = sdk::from_base64(rules);
  if (!bytes) {
    throw sdk::Failure{TENON_E_DATA, "the rules of normalisation are not base64",
                       "precompiled_charsmap", "base64", ""};
  }
  const auto known = std::make_shared<const Rules>(std::move(*bytes));
  return normalizer([known](const std::string& text) { return known->applied_to(text); });
}

Normalizer bert_normalizer(const BertCleaning& cleaning) {
  const auto change = [cleaning](std::string text) {
    if (cleaning.clean) text = cleaned(text);
    if (cleaning.ideographs) text = with_spaced_ideographs(text);
    if (cleaning.strip_accents) text = without(normal_form(text, Form::kNfd), is_nonspacing);
    if (cleaning.lower_case) text = lower_case(text);
    return text;
  };
  const auto keeps_first = [cleaning](std::string_view text) {
    const int32_t first = first_of(text);
    return !(cleaning.clean && is_cleaned(first)) &&
           !(cleaning.strip_accents && is_nonspacing(first));
  };
  return [cleaning, step = normalizer(change, keeps_first)](Normalized& at) {
    // An ideograph becomes three characters.
    const bool spaced = cleaning.ideographs && at.before == 0 && is_ideograph(first_of(at.text));
    const size_t character = spaced ? first_character(at.text).size() : 0;
    step(at);
    if (spaced) at.before = 1 + character;
  };
}

Normalizer in_sequence(std::vector<Normalizer> steps) {
  return [steps = std::move(steps)](Normalized& at) {
    for (const Normalizer& step : steps) {
      step(at);
      check_length(at.text.size());
    }
  };
}

std::string stripped(std::string_view text, bool left, bool right) {
  while (left && !text.empty()) {
    std::string_view rest = text;
    if (!is_space(sdk::take_code_point(rest))) break;
    text = rest;
  }
  while (right && !text.empty()) {
    size_t start = text.size() - 1;
    while ((text[start] & 0xC0) == 0x80) --start;
    std::string_view last = text.substr(start);
    if (!is_space(sdk::take_code_point(last))) break;
    text = text.substr(0, start);
  }
  return std::string(text);
}

// ---- Bytes as characters ------------------------------------------------------------------------

namespace {

// Printable bytes of Latin-1 are themselves, the others in their order from U+0100 on (A. Radford
// et al., "Language Models are Unsupervised Multitask Learners", 2019, code).
struct ByteAlphabet {
  std::array<std::string, 256> characters;
  std::unordered_map<int32_t, char> bytes;

  ByteAlphabet() {
    int32_t next = 0x100;
    for (int32_t byte = 0; byte < 256; ++byte) {
      const bool printable = (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte != 0xAD);
      const int32_t point = printable ? byte : next++;
      characters[static_cast<size_t>(byte)] = sdk::utf8_of(point);
      bytes[point] = static_cast<char>(byte);
    }
  }
};

const ByteAlphabet& byte_alphabet() {
  static const ByteAlphabet alphabet;
  return alphabet;
}

}  // namespace

std::string bytes_as_characters(std::string_view bytes) {
  std::string out;
  for (const char byte : bytes) {
    out += byte_alphabet().characters[static_cast<unsigned char>(byte)];
  }
  return out;
}

std::optional<std::string> characters_as_bytes(std::string_view characters) {
  std::string out;
  while (!characters.empty()) {
    const int32_t point = sdk::take_code_point(characters);
    const auto found = byte_alphabet().bytes.find(point);
    if (found == byte_alphabet().bytes.end()) return std::nullopt;
    out += found->second;
  }
  return out;
}

// ---- Splitters ----------------------------------------------------------------------------------

void each_text(std::vector<Piece>& pieces,
               const std::function<std::string(const std::string&)>& change) {
  size_t bytes = 0;
  for (Piece& piece : pieces) {
    if (piece.token < 0) piece.text = change(piece.text);
    bytes += piece.text.size();
    check_length(bytes);
  }
}

Splitter splitter(Cutter cutter, Behavior behavior, bool invert) {
  return [cutter = std::move(cutter), behavior, invert](std::vector<Piece>& pieces) {
    std::vector<Piece> out;
    for (Piece& piece : pieces) {
      if (piece.token >= 0) {
        out.push_back(std::move(piece));
        continue;
      }
      Cuts cuts = cutter(piece.text);
      for (Cut& cut : cuts) cut.match = cut.match != invert;
      for (const Cut& cut : apply(std::move(cuts), behavior)) {
        if (cut.begin == cut.end) continue;  // a match of nothing
        out.push_back({piece.text.substr(cut.begin, cut.end - cut.begin), -1,
                       piece.first_until_from(cut.begin)});
      }
    }
    pieces = std::move(out);
  };
}

Splitter bert_splitter() {
  return [spaces = splitter(by_character(is_space), Behavior::kRemoved),
          signs = splitter(by_character(is_punctuation), Behavior::kIsolated)](
             std::vector<Piece>& pieces) {
    spaces(pieces);
    signs(pieces);
  };
}

Splitter byte_level(bool add_prefix_space, bool use_regex) {
  const Splitter split =
      use_regex ? splitter(by_expression("'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| "
                                         "?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+"),
                           Behavior::kIsolated)
                : Splitter();
  return [=](std::vector<Piece>& pieces) {
    for (Piece& piece : pieces) {
      if (add_prefix_space && piece.token < 0 && !piece.text.starts_with(' ')) piece.prepend(" ");
    }
    if (split) split(pieces);
    each_text(pieces, bytes_as_characters);
  };
}

Splitter metaspace(const std::string& replacement, Prepend prepend, bool split) {
  const Cutter space = by_text(" ");
  const Splitter cut = splitter(by_text(replacement), Behavior::kMergedWithNext);
  return [=](std::vector<Piece>& pieces) {
    for (Piece& piece : pieces) {
      if (piece.token >= 0) continue;
      piece.text = replaced(piece.text, space, replacement);
      const bool wanted =
          prepend == Prepend::kAlways || (prepend == Prepend::kFirst && piece.first_until >= 0);
      if (wanted && !piece.text.starts_with(replacement)) piece.prepend(replacement);
    }
    if (split) cut(pieces);
  };
}

}  // namespace tenon::tokenizer_json
