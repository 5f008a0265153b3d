// SPDX-License-Identifier: Apache-2.0
// core/registry/kinds/parts.h: what the descriptors of several kinds are made of: lists, callbacks,
// hyper-parameters, options, samples.
#pragma once

#include <tenon/plugin.h>

#include <initializer_list>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/json/writer.h"
#include "core/registry/checks.h"
#include "core/registry/values.h"

namespace tenon::registry {

// The checks throw as checks.h says.

// `list` with `count` items, which the descriptor calls `name` and n_`name`.
void check_list(const What& what, const char* name, uint32_t count, const void* list);

// No slot may be NULL: refuses the first that is, by name.
void check_callbacks(const What& what, std::initializer_list<std::pair<const char*, bool>> is_null);

// Endings of file names, at least one.
void check_endings(const What& what, const tenon_string& list);

// "schedule acme.cosine: state 'best'"
std::string child(const What& what, const char* noun, std::string_view name);

void check_unique(std::set<std::string>& seen, std::string_view name, const What& what);

// `lists`: INT_LIST is a type of it too.
void check_hyper(const tenon_hyper_desc& hyper, const What& what, std::set<std::string>& seen,
                 uint32_t known_flags, bool lists);

struct OptionTags {
  std::initializer_list<uint32_t> known;
  const char* words;
};
// What an option may be of a kind that a program makes without tensors or dtypes.
inline constexpr OptionTags kPlainOptions = {
    {TENON_VALUE_STRING, TENON_VALUE_I64, TENON_VALUE_F64, TENON_VALUE_BOOL, TENON_VALUE_INT_LIST,
     TENON_VALUE_FLOAT_LIST},
    "TENON_VALUE_STRING, I64, F64, BOOL, INT_LIST or FLOAT_LIST"};

// All options of an entry.
template <class Option>
void check_options(const What& what, std::span<const Option> options, const OptionTags& tags) {
  check_list(what, "options", static_cast<uint32_t>(options.size()), options.data());
  std::set<std::string> seen;
  for (const Option& option : options) {
    const std::string_view name = text_of(option.name, what);
    check_unique(seen, name, what);
    const std::string tag = std::to_string(option.tag);
    if (std::ranges::find(tags.known, option.tag) == tags.known.end()) {
      refuse(child(what, "option", name) + " has tag " + tag + "; " + tags.words + " is needed");
    }
    if (option.required > 1) {
      refuse(child(what, "option", name) + ": `required` is " + std::to_string(option.required) +
             "; 0 or 1 is needed");
    }
    if constexpr (requires { option.initial; }) {
      if (option.initial.tag == TENON_VALUE_NONE) continue;
      if (option.initial.tag == option.tag && option.required == 0) continue;
      refuse(child(what, "option", name) + ": `initial` has tag " +
             std::to_string(option.initial.tag) + "; " +
             (option.required != 0 ? "a required option has none" : tag + " or none is needed"));
    }
  }
}

// Samples that say by `expect` and `fragment` whether they must work.
template <class Sample>
void check_samples(const What& what, std::span<const Sample> samples, uint32_t known_flags = 0) {
  check_list(what, "samples", static_cast<uint32_t>(samples.size()), samples.data());
  for (size_t i = 0; i < samples.size(); ++i) {
    const Sample& sample = samples[i];
    const std::string which = what + ": sample " + std::to_string(i);
    check_flags_zero(sample.flags & ~known_flags, which);
    text_of(sample.text, which);
    const bool refused = sample.expect != TENON_OK;
    if (refused == text_of(sample.fragment, which).empty()) {
      refuse(which + (refused ? " is to be refused, but `fragment` is empty"
                              : " is to work, but `fragment` is not empty"));
    }
  }
}

// A text of a registered entry, which was checked.
inline std::string_view text(const tenon_string& string) { return text_of(string, "a string"); }

// "hypers": [...]; `flag` is the one that hyper-parameters of this kind know, and its name.
void write_hypers(json::Writer& out, std::span<const tenon_hyper_desc> hypers,
                  std::pair<const char*, uint32_t> flag);

// The members of an object.
template <class Option>
void write_option(json::Writer& out, const Option& option) {
  out.member("name", text(option.name));
  out.member("doc", text(option.doc));
  out.member("type", tag_name(option.tag));
  out.member("required", option.required != 0);
}

// What a sample says, whatever it is of.
template <class Sample>
void write_sample(json::Writer& out, const Sample& sample) {
  out.member("text", text(sample.text));
  out.member("expect", sample.expect);
  out.member("fragment", text(sample.fragment));
}

// "options": [...], of options with an initial value.
template <class Option>
void write_options(json::Writer& out, std::span<const Option> options) {
  out.objects("options", options, [&](const Option& option) {
    write_option(out, option);
    out.member("default",
               option.initial.tag == TENON_VALUE_NONE ? std::string() : value_text(option.initial));
  });
}

// "samples": [...]
template <class Sample>
void write_samples(json::Writer& out, std::span<const Sample> samples) {
  out.objects("samples", samples, [&](const Sample& sample) { write_sample(out, sample); });
}

}  // namespace tenon::registry
