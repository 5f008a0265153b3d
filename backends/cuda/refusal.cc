// SPDX-License-Identifier: Apache-2.0
// backends/cuda/refusal.cc: from a kernel's report to words.
#include "refusal.h"

#include <tenon/sdk/plugin/place.hpp>

#include <algorithm>
#include <atomic>
#include <charconv>

#include "device.h"

namespace tenon::cuda {

namespace {

// The shortest text that reads as the same number again.
template <class T>
std::string shortest(T number) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, number).ptr;
  return {text, end};
}

std::string value_of(char name, const Report& report) {
  switch (name) {
    case 'p':
      return sdk::place_in("", {report.shape, static_cast<size_t>(report.rank)}, report.number);
    case 'i':
      return std::to_string(report.number);
    case 'd':
      return std::to_string(report.found);
    case 'f':
      return shortest(static_cast<float>(report.found_real));
    case 'g':
      return shortest(report.found_real);
    default:
      return std::to_string(report.limit);
  }
}

}  // namespace

Refusal refusal(const sdk::Launch& l, const char* words, std::span<const int64_t> shape,
                int64_t limit) {
  Refusal r{};
  r.report = device_of(l.launch()).report;
  r.words = words;
  r.launch = 1 + std::atomic_ref(r.report->launches).fetch_add(1, std::memory_order_relaxed);
  r.limit = limit;
  r.rank = static_cast<int32_t>(shape.size());
  std::copy(shape.begin(), shape.end(), r.shape);
  return r;
}

std::string take_report(Report& report) {
  if (std::atomic_ref(report.state).load(std::memory_order_acquire) != 2) return "";
  std::string text;
  for (const char* at = report.words; *at; ++at) {
    if (*at == '%') {
      text += value_of(*++at, report);
    } else {
      text += *at;
    }
  }
  std::atomic_ref(report.state).store(0, std::memory_order_release);
  return text;
}

}  // namespace tenon::cuda
