// SPDX-License-Identifier: Apache-2.0
// sdk/verify/case/case.cc: see case.h.
#include "case/case.h"

#include <algorithm>
#include <charconv>

#include "case/request.h"

namespace tenon::verify {
namespace {

constexpr std::string_view kForms[kFormCount] = {
    "declared", "error",  "returned", "out",      "in-place", "recorded", "replayed",
    "guarded",  "strict", "composed", "repeated", "threads",  "gradient", "backward",
    "poisoned", "twice",  "memory",   "huge",     "trace",    "resume"};

std::vector<std::string_view> split(std::string_view text, std::string_view mark) {
  std::vector<std::string_view> parts;
  for (size_t at = 0; at != std::string_view::npos;) {
    const size_t next = text.find(mark);
    parts.push_back(text.substr(0, next));
    at = next;
    if (at != std::string_view::npos) text.remove_prefix(at + mark.size());
  }
  return parts;
}

[[noreturn]] void refuse(std::string_view text, const std::string& expected) {
  throw Failure{"case '" + std::string(text) + "': expected " + expected +
                    "; cases read op:sample:from>to:layout,layout,...:form:backend",
                tools::kUsage};
}

}  // namespace

std::string_view name_of(Form form) { return kForms[static_cast<size_t>(form)]; }

std::optional<Form> form_named(std::string_view name) {
  const auto* found = std::find(std::begin(kForms), std::end(kForms), name);
  if (found == std::end(kForms)) return std::nullopt;
  return static_cast<Form>(found - std::begin(kForms));
}

std::string Case::text() const {
  std::string words = op + ":" + std::to_string(sample) + ":";
  if (!from.empty()) words += from + ">" + to;
  words += ":";
  for (size_t i = 0; i < layouts.size(); ++i) {
    words += (i ? "," : "") + std::string(name_of(layouts[i]));
  }
  words += ":" + std::string(name_of(form)) + ":" + backend;
  return detail.empty() ? words : words + ":" + detail;
}

Case parse_case(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, ":");
  if (parts.size() < 6 || parts.size() > 7) refuse(text, "6 or 7 parts with ':' between them");
  Case made;
  made.op = parts[0];
  const char* end = parts[1].data() + parts[1].size();
  const auto number = std::from_chars(parts[1].data(), end, made.sample);
  if (number.ec != std::errc() || number.ptr != end) refuse(text, "the number of a sample second");
  if (!parts[2].empty()) {
    const std::vector<std::string_view> dtypes = split(parts[2], ">");
    if (dtypes.size() != 2) refuse(text, "two dtypes with '>' between them third, or nothing");
    made.from = dtypes[0];
    made.to = dtypes[1];
  }
  for (const std::string_view name : split(parts[3], ",")) {
    if (parts[3].empty()) break;
    const std::optional<Layout> layout = layout_named(name);
    if (!layout) refuse(text, "a layout, found '" + std::string(name) + "'");
    made.layouts.push_back(*layout);
  }
  const std::optional<Form> form = form_named(parts[4]);
  if (!form) refuse(text, "a form fifth, found '" + std::string(parts[4]) + "'");
  made.form = *form;
  made.backend = parts[5];
  if (parts.size() == 7) made.detail = parts[6];
  return made;
}

}  // namespace tenon::verify
