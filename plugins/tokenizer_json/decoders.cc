// SPDX-License-Identifier: Apache-2.0
// plugins/tokenizer_json/decoders.cc: from spellings to a text.
#include <tenon/sdk/plugin/utf8.hpp>

#include <algorithm>
#include <charconv>

#include "steps.hpp"
#include "unicode.hpp"

namespace tenon::tokenizer_json {
namespace {

std::string with(std::string text, std::string_view from, std::string_view to) {
  return replaced(text, by_text(std::string(from)), to);
}

// What stands apart in lists of words and not in English.
std::string without_artefacts(std::string text) {
  constexpr std::pair<std::string_view, std::string_view> changes[] = {
      {" .", "."},   {" ?", "?"},     {" !", "!"},    {" ,", ","},
      {" ' ", "'"},  {" n't", "n't"}, {" 'm", "'m"},  {" do not", " don't"},
      {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}};
  for (const auto& [from, to] : changes) text = with(std::move(text), from, to);
  return text;
}

// The byte of "<0x0A>"; -1: it is spelt otherwise.
int byte_of(std::string_view spelling) {
  if (spelling.size() != 6 || !spelling.starts_with("<0x") || spelling[5] != '>') return -1;
  int byte = -1;
  const char* const end = spelling.data() + 5;
  const auto [after, error] = std::from_chars(spelling.data() + 3, end, byte, 16);
  return error == std::errc() && after == end ? byte : -1;
}

}  // namespace

Decoder each_spelling(std::function<std::string(std::string_view)> change) {
  return [change = std::move(change)](Spellings spellings) {
    for (std::string& each : spellings) each = change(each);
    return spellings;
  };
}

Decoder byte_level_decoder() {
  return [](Spellings spellings) {
    std::string text;
    for (const std::string& each : spellings) text += characters_as_bytes(each).value_or(each);
    return Spellings{std::move(text)};
  };
}

Decoder wordpiece_decoder(const std::string& prefix, bool cleanup) {
  return [=](Spellings spellings) {
    for (size_t i = 0; i < spellings.size(); ++i) {
      std::string& each = spellings[i];
      if (i != 0) {
        const bool continues = each.starts_with(prefix);
        each = continues ? each.substr(prefix.size()) : ' ' + each;
      }
      if (cleanup) each = without_artefacts(std::move(each));
    }
    return spellings;
  };
}

Decoder suffix_decoder(const std::string& suffix) {
  return [=](Spellings spellings) {
    for (size_t i = 0; i < spellings.size(); ++i) {
      spellings[i] = with(std::move(spellings[i]), suffix, i + 1 == spellings.size() ? "" : " ");
    }
    return spellings;
  };
}

Decoder metaspace_decoder(const std::string& replacement, Prepend prepend) {
  return [=](Spellings spellings) {
    for (size_t i = 0; i < spellings.size(); ++i) {
      const bool was_added = i == 0 && prepend != Prepend::kNever;
      spellings[i] = with(std::move(spellings[i]), replacement, was_added ? "" : " ");
    }
    return spellings;
  };
}

Decoder byte_fallback_decoder() {
  return [](Spellings spellings) {
    Spellings out;
    std::string bytes;
    const auto end_bytes = [&] {
      if (bytes.empty()) return;
      if (sdk::utf8_until(bytes) == bytes.size()) {
        out.push_back(bytes);
      } else {
        out.insert(out.end(), bytes.size(), "\xEF\xBF\xBD");
      }
      bytes.clear();
    };
    for (std::string& each : spellings) {
      const int byte = byte_of(each);
      if (byte >= 0) {
        bytes += static_cast<char>(byte);
        continue;
      }
      end_bytes();
      out.push_back(std::move(each));
    }
    end_bytes();
    return out;
  };
}

Decoder fuse_decoder() {
  return [](Spellings spellings) {
    std::string text;
    for (const std::string& each : spellings) text += each;
    return Spellings{std::move(text)};
  };
}

Decoder ctc_decoder(const std::string& pad, const std::string& delimiter, bool cleanup) {
  return [=](Spellings spellings) {
    spellings.erase(std::unique(spellings.begin(), spellings.end()), spellings.end());
    for (std::string& each : spellings) {
      each = with(std::move(each), pad, "");
      if (!cleanup) continue;
      // Nothing stands in nothing once, and by_text finds it not at all.
      const bool is_between = each.empty() && delimiter.empty();
      each = is_between ? " " : with(without_artefacts(std::move(each)), delimiter, " ");
    }
    std::erase(spellings, "");
    return spellings;
  };
}

Decoder strip_decoder(const std::string& content, int64_t start, int64_t stop) {
  return each_spelling([=](std::string_view spelling) {
    for (int64_t i = 0; i < start && spelling.starts_with(content); ++i) {
      spelling.remove_prefix(content.size());
    }
    for (int64_t i = 0; i < stop && spelling.ends_with(content); ++i) {
      spelling.remove_suffix(content.size());
    }
    return std::string(spelling);
  });
}

}  // namespace tenon::tokenizer_json
