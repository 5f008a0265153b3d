// SPDX-License-Identifier: Apache-2.0
// plugins/tokenizer_json/scripts.cc: a text is cut where its script changes (the property Script of
// the Unicode Character Database, which Oniguruma has).
#include <oniguruma.h>
#include <tenon/sdk/plugin/base.hpp>

#include <algorithm>
#include <vector>

#include "pattern.hpp"
#include "unicode.hpp"

namespace tenon::tokenizer_json {
namespace {

// Those that the package `tokenizers` knows: of Unicode 9. To later ones it cuts nothing.
constexpr std::string_view kScripts =
    "Adlam Ahom AnatolianHieroglyphs Arabic Armenian Avestan Balinese Bamum BassaVah Batak "
    "Bengali Bhaiksuki Bopomofo Brahmi Braille Buginese Buhid CanadianAboriginal Carian "
    "CaucasianAlbanian Chakma Cham Cherokee Common Coptic Cuneiform Cypriot Cyrillic Deseret "
    "Devanagari Duployan EgyptianHieroglyphs Elbasan Ethiopic Georgian Glagolitic Gothic "
    "Grantha Greek Gujarati Gurmukhi Han Hangul Hanunoo Hatran Hebrew Hiragana ImperialAramaic "
    "Inherited InscriptionalPahlavi InscriptionalParthian Javanese Kaithi Kannada Katakana "
    "KayahLi Kharoshthi Khmer Khojki Khudawadi Lao Latin Lepcha Limbu LinearA LinearB Lisu "
    "Lycian Lydian Mahajani Malayalam Mandaic Manichaean Marchen MeeteiMayek MendeKikakui "
    "MeroiticCursive MeroiticHieroglyphs Miao Modi Mongolian Mro Multani Myanmar Nabataean "
    "NewTaiLue Newa Nko Ogham OlChiki OldHungarian OldItalic OldNorthArabian OldPermic "
    "OldPersian OldSouthArabian OldTurkic Oriya Osage Osmanya PahawhHmong Palmyrene PauCinHau "
    "PhagsPa Phoenician PsalterPahlavi Rejang Runic Samaritan Saurashtra Sharada Shavian "
    "Siddham SignWriting Sinhala SoraSompeng Sundanese SylotiNagri Syriac Tagalog Tagbanwa "
    "TaiLe TaiTham TaiViet Takri Tamil Tangut Telugu Thaana Thai Tibetan Tifinagh Tirhuta "
    "Ugaritic Vai WarangCiti Yi";
constexpr unsigned char kAny = 0xFF;  // fits every script

// The script of each code point, as its place in the list.
std::vector<unsigned char> scripts() {
  start_oniguruma();
  std::vector<unsigned char> scripts(0x110000, kAny);
  unsigned char number = 0;
  for (std::string_view rest = kScripts; !rest.empty();) {
    std::string spelt(rest.substr(0, rest.find(' ')));
    rest.remove_prefix(std::min(spelt.size() + 1, rest.size()));
    auto* const start = reinterpret_cast<OnigUChar*>(spelt.data());
    const int type =
        ONIG_ENCODING_UTF8->property_name_to_ctype(ONIG_ENCODING_UTF8, start, start + spelt.size());
    OnigCodePoint unused = 0;
    const OnigCodePoint* ranges = nullptr;  // how many, then the first and the last of each
    if (type < 0 || ONIG_ENCODING_UTF8->get_ctype_code_range(static_cast<OnigCtype>(type), &unused,
                                                             &ranges) != 0) {
      throw sdk::Failure{TENON_E_UNSUPPORTED, "this Oniguruma does not know the script " + spelt,
                         "UnicodeScripts", "another version", ""};
    }
    for (OnigCodePoint i = 0; i < ranges[0]; ++i) {
      for (OnigCodePoint point = ranges[1 + 2 * i]; point <= ranges[2 + 2 * i]; ++point) {
        scripts[point] = number;
      }
    }
    ++number;
  }
  // Japanese is one script, and a space fits each.
  const auto han = scripts[0x4E00], hiragana = scripts[0x3042], katakana = scripts[0x30AB];
  for (unsigned char& script : scripts) {
    if (script == hiragana || script == katakana) script = han;
  }
  scripts[0x30FC] = han;
  scripts[' '] = kAny;
  return scripts;
}

}  // namespace

Cutter by_script() {
  static const std::vector<unsigned char> known = scripts();
  return [](std::string_view text) {
    Cuts cuts;
    size_t at = 0;
    unsigned char before = kAny;
    each_character(text, [&](int32_t point, std::string_view bytes) {
      const size_t end = at + bytes.size();
      const unsigned char script = known[static_cast<size_t>(point)];
      const bool begins = script != kAny && script != before;
      if (cuts.empty() || begins) {
        cuts.push_back({at, end, !begins});  // what stands before the first script goes
      } else {
        cuts.back().end = end;
      }
      if (begins) before = script;
      at = end;
    });
    return cuts;
  };
}

}  // namespace tenon::tokenizer_json
