// SPDX-License-Identifier: Apache-2.0
// sdk/verify/extremes/enlarged.cc: see enlarged.h.
#include "extremes/enlarged.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace tenon::verify {

Array tiled(const Array& array, const Shape& shape) {
  Array result = make_array(array.dtype, shape);
  if (array.bytes.empty()) return result;
  for (size_t at = 0; at < result.bytes.size(); at += array.bytes.size()) {
    const size_t some = std::min(array.bytes.size(), result.bytes.size() - at);
    std::memcpy(result.bytes.data() + at, array.bytes.data(), some);
  }
  return result;
}

namespace {

// Elements of the largest output. That of operands which broadcast can be far larger than they are.
double largest_output(const Json& answer) {
  double largest = 0;
  for (const Json& output : answer.at("outputs")) {
    double count = 1;
    for (const Json& extent : output.at("shape")) count *= extent.get<double>();
    largest = std::max(largest, count);
  }
  return largest;
}

}  // namespace

std::optional<SampleCall> enlarged(const Session& session, const SampleCall& call,
                                   const tenon_device& device, size_t elements) {
  double factor = 0;
  for (const Array& array : call.arrays) {
    const auto growing = std::count_if(array.shape.begin(), array.shape.end(),
                                       [](int64_t extent) { return extent > 1; });
    if (growing == 0 || array.count() == 0) continue;
    const double times = static_cast<double>(elements) / static_cast<double>(array.count());
    const double each = std::pow(times, 1.0 / static_cast<double>(growing));
    factor = factor == 0 ? each : std::min(factor, each);
  }
  for (auto whole = static_cast<int64_t>(factor); whole >= 2; whole /= 2) {
    SampleCall larger = call;
    for (Array& array : larger.arrays) {
      Shape shape = array.shape;
      for (int64_t& extent : shape) extent *= extent > 1 ? whole : 1;
      array = tiled(array, shape);
    }
    const Json answer = explained(session, larger, device);
    if (!answer.is_object()) return std::nullopt;
    if (largest_output(answer) <= static_cast<double>(elements)) return larger;
  }
  return std::nullopt;
}

}  // namespace tenon::verify
