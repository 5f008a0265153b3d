// SPDX-License-Identifier: Apache-2.0
// plugins/tokenizer_json/read_steps.cc: the steps that a tokenizer.json names, each by its "type".
#include "read_steps.hpp"

#include <algorithm>
#include <map>

#include "unicode.hpp"

namespace tenon::tokenizer_json {
namespace {

template <class Step>
using Readers = std::map<std::string, Step (*)(const Field& field)>;

template <class Step>
Step read_step(const Field& field, const Readers<Step>& readers) {
  const std::string type = field["type"].text();
  const auto found = readers.find(type);
  if (found != readers.end()) return found->second(field);
  std::string known;
  for (const auto& [name, reader] : readers) known += (known.empty() ? "" : " ") + name;
  field["type"].refuse_unknown("'" + type + "'", known);
}

template <class Step>
std::vector<Step> read_steps(const Field& list, Step (*read)(const Field& field)) {
  std::vector<Step> steps;
  for (const Field& each : list.list()) steps.push_back(read(each));
  return steps;
}

// {"String": ...} or {"Regex": ...}
Cutter read_pattern(const Field& field) {
  const Field expression = field["Regex"];
  return expression.is_null() ? by_text(field["String"].text()) : by_expression(expression.text());
}

Behavior read_behavior(const Field& field) {
  const std::pair<const char*, Behavior> known[] = {
      {"Removed", Behavior::kRemoved},
      {"Isolated", Behavior::kIsolated},
      {"MergedWithPrevious", Behavior::kMergedWithPrevious},
      {"MergedWithNext", Behavior::kMergedWithNext},
      {"Contiguous", Behavior::kContiguous}};
  const std::string name = field.text();
  for (const auto& [each, behavior] : known) {
    if (name == each) return behavior;
  }
  field.refuse_unknown("'" + name + "'",
                       "Removed Isolated MergedWithPrevious MergedWithNext Contiguous");
}

Prepend read_prepend(const Field& field) {
  const bool adds = field["add_prefix_space"].flag_or(true);
  const std::string name = field["prepend_scheme"].text_or(adds ? "always" : "never");
  if (name == "always") return Prepend::kAlways;
  if (name == "first") return Prepend::kFirst;
  if (name == "never") return Prepend::kNever;
  field["prepend_scheme"].refuse_unknown("'" + name + "'", "always first never");
}

std::string read_character(const Field& field) {
  std::string text = field.text();
  std::string_view rest = text;
  if (!rest.empty()) sdk::take_code_point(rest);
  if (text.empty() || !rest.empty()) {
    field.refuse(TENON_E_DATA, "it is not a character", "one character");
  }
  return text;
}

template <Form form>
Normalizer in_form(const Field&) {
  return normalizer([](const std::string& text) { return normal_form(text, form); });
}

Normalizer read_bert(const Field& field) {
  const bool lower = field["lowercase"].flag_or(true);
  return bert_normalizer({.clean = field["clean_text"].flag_or(true),
                          .ideographs = field["handle_chinese_chars"].flag_or(true),
                          .strip_accents = field["strip_accents"].flag_or(lower),
                          .lower_case = lower});
}

Normalizer read_strip(const Field& field) {
  return strip(field["strip_left"].flag(), field["strip_right"].flag());
}

Normalizer read_prepending(const Field& field) { return prepending(field["prepend"].text()); }

Normalizer read_replacing(const Field& field) {
  const Cutter cutter = read_pattern(field["pattern"]);
  const std::string content = field["content"].text();
  // What stands for several characters counts as the last of them.
  const auto keeps_first = [=](std::string_view text) {
    const Cuts cuts = cutter(text);
    if (cuts.empty() || !cuts[0].match || cuts[0].begin == cuts[0].end) return true;
    return !content.empty() && cuts[0].end == first_character(text).size();
  };
  return normalizer([=](const std::string& text) { return replaced(text, cutter, content); },
                    keeps_first);
}

Splitter read_split(const Field& field) {
  return splitter(read_pattern(field["pattern"]), read_behavior(field["behavior"]),
                  field["invert"].flag_or(false));
}

Splitter read_fixed_length(const Field& field) {
  const Field length = field["length"];
  const int64_t characters = length.whole_or(5);
  if (characters < 1) length.refuse(TENON_E_DATA, "it is no length", "at least 1");
  return splitter(by_length(static_cast<size_t>(characters)), Behavior::kIsolated);
}

Splitter splits_in_sequence(std::vector<Splitter> steps) {
  return [steps = std::move(steps)](std::vector<Piece>& pieces) {
    for (const Splitter& step : steps) step(pieces);
  };
}

Decoder decoders_in_sequence(std::vector<Decoder> steps) {
  return [steps = std::move(steps)](Spellings spellings) {
    for (const Decoder& step : steps) spellings = step(std::move(spellings));
    return spellings;
  };
}

Decoder read_strip_decoder(const Field& field) {
  return strip_decoder(read_character(field["content"]), field["start"].whole(),
                       field["stop"].whole());
}

Decoder read_replacing_decoder(const Field& field) {
  return each_spelling([cutter = read_pattern(field["pattern"]),
                        content = field["content"].text()](std::string_view spelling) {
    return replaced(whole_characters(spelling), cutter, content);  // ByteLevel gives any bytes
  });
}

}  // namespace

Normalizer read_normalizer(const Field& field) {
  static const Readers<Normalizer> readers = {
      {"Sequence",
       [](const Field& at) { return in_sequence(read_steps(at["normalizers"], read_normalizer)); }},
      {"NFC", in_form<Form::kNfc>},
      {"NFD", in_form<Form::kNfd>},
      {"NFKC", in_form<Form::kNfkc>},
      {"NFKD", in_form<Form::kNfkd>},
      {"Nmt", [](const Field&) { return nmt(); }},
      {"Precompiled",
       [](const Field& at) { return precompiled(at["precompiled_charsmap"].text()); }},
      {"Lowercase", [](const Field&) { return normalizer(lower_case); }},
      {"StripAccents", [](const Field&) { return without_accents(); }},
      {"Strip", read_strip},
      {"Prepend", read_prepending},
      {"Replace", read_replacing},
      {"BertNormalizer", read_bert},
      {"ByteLevel", [](const Field&) { return normalizer(bytes_as_characters); }}};
  if (field.is_null()) return {};
  return read_step(field, readers);
}

Splitter read_splitter(const Field& field) {
  static const Readers<Splitter> readers = {
      {"Sequence",
       [](const Field& at) {
         return splits_in_sequence(read_steps(at["pretokenizers"], read_splitter));
       }},
      {"ByteLevel",
       [](const Field& at) {
         return byte_level(at["add_prefix_space"].flag_or(true), at["use_regex"].flag_or(true));
       }},
      {"Split", read_split},
      {"Whitespace", [](const Field&) { return splitter(around_words, Behavior::kRemoved); }},
      {"WhitespaceSplit",
       [](const Field&) { return splitter(by_character(is_space), Behavior::kRemoved); }},
      {"BertPreTokenizer", [](const Field&) { return bert_splitter(); }},
      {"Punctuation",
       [](const Field& at) {
         const Field behavior = at["behavior"];
         return splitter(by_character(is_punctuation),
                         behavior.is_null() ? Behavior::kIsolated : read_behavior(behavior));
       }},
      {"Digits",
       [](const Field& at) {
         return splitter(by_character(is_number), at["individual_digits"].flag_or(false)
                                                      ? Behavior::kIsolated
                                                      : Behavior::kContiguous);
       }},
      {"FixedLength", read_fixed_length},
      {"UnicodeScripts", [](const Field&) { return splitter(by_script(), Behavior::kRemoved); }},
      {"CharDelimiterSplit",
       [](const Field& at) {
         return splitter(by_text(read_character(at["delimiter"])), Behavior::kRemoved);
       }},
      {"Metaspace", [](const Field& at) {
         return metaspace(read_character(at["replacement"]), read_prepend(at),
                          at["split"].flag_or(true));
       }}};
  if (field.is_null()) return {};
  return read_step(field, readers);
}

Decoder read_decoder(const Field& field) {
  static const Readers<Decoder> readers = {
      {"Sequence",
       [](const Field& at) {
         return decoders_in_sequence(read_steps(at["decoders"], read_decoder));
       }},
      {"ByteLevel", [](const Field&) { return byte_level_decoder(); }},
      {"WordPiece",
       [](const Field& at) {
         return wordpiece_decoder(at["prefix"].text_or("##"), at["cleanup"].flag_or(true));
       }},
      {"BPEDecoder", [](const Field& at) { return suffix_decoder(at["suffix"].text_or("</w>")); }},
      {"Metaspace",
       [](const Field& at) {
         return metaspace_decoder(read_character(at["replacement"]), read_prepend(at));
       }},
      {"ByteFallback", [](const Field&) { return byte_fallback_decoder(); }},
      {"CTC",
       [](const Field& at) {
         return ctc_decoder(at["pad_token"].text(), at["word_delimiter_token"].text(),
                            at["cleanup"].flag());
       }},
      {"Fuse", [](const Field&) { return fuse_decoder(); }},
      {"Strip", read_strip_decoder},
      {"Replace", read_replacing_decoder}};
  if (field.is_null()) return {};
  return read_step(field, readers);
}

}  // namespace tenon::tokenizer_json
