// SPDX-License-Identifier: Apache-2.0
// tests/cpu/same_bits_support.cc: see same_bits_support.h.
#include "tests/cpu/same_bits_support.h"

#include <algorithm>
#include <cmath>
#include <tenon/sdk/plugin/dtypes.hpp>

namespace tenon::tests {
namespace {

// Each element half to one and a half times what it is; integers, NaN and infinities stay.
void shake(Array& array, std::mt19937_64& random) {
  sdk::dispatch_dtype(array.dtype, [&]<class T>() {
    if constexpr (sdk::is_float_type<T>) {
      for (size_t i = 0; i < array.count(); ++i) {
        unsigned char* const at = array.bytes.data() + i * sizeof(T);
        const auto value = static_cast<double>(sdk::load<T>(at));
        const double factor = 0.5 + static_cast<double>(random() >> 11) * 0x1p-53;
        sdk::store(at, sdk::narrow<T>(value * factor));
      }
    }
  });
}

}  // namespace

std::set<std::string> ops_of(const std::vector<std::string>& folders, std::string_view plugin) {
  std::set<std::string> names;
  for (const Json& op : Session(folders, 1).query("ops")) {
    for (const Json& kernel : op.at("kernels")) {
      if (kernel.at("plugin") == plugin) names.insert(op.at("name"));
    }
  }
  return names;
}

void pin(const Session& session, std::string_view plugin) {
  session.must(tenon_runtime_set_pin(session, nullptr, 0, plugin.data(), plugin.size()));
}

std::string chosen(const Session& session, const Case& from, const Bound& bound) {
  const tenon_op* op = session.find(from.op);
  std::vector<tenon_value> attrs;
  session.must(attributes(session, op, from.sample, attrs));
  tenon_text* text = nullptr;
  const std::span<const tenon_value> inputs = bound.inputs();
  session.must(tenon_op_explain(session, op, inputs.data(), static_cast<uint32_t>(inputs.size()),
                                attrs.data(), static_cast<uint32_t>(attrs.size()), &text));
  const char* data = nullptr;
  uint64_t length = 0;
  EXPECT_EQ(tenon_text_get(text, &data, &length), TENON_OK);
  const Json answer = Json::parse(std::string_view(data, length));
  tenon_text_release(text);
  const Json& kernel = answer.at("chosen");
  return kernel.is_object() ? kernel.at("plugin").get<std::string>() : "";
}

std::optional<Case> enlarged(const Case& from, double elements) {
  double factor = elements;
  for (const Array& array : from.arrays) {
    const auto growing =
        std::count_if(array.shape.begin(), array.shape.end(), [](int64_t n) { return n > 1; });
    if (growing == 0 || array.count() == 0) continue;
    const double times = elements / static_cast<double>(array.count());
    factor = std::min(factor, std::pow(times, 1 / static_cast<double>(growing)));
  }
  const auto whole = static_cast<int64_t>(factor);
  if (from.arrays.empty() || factor == elements || whole < 2) return std::nullopt;
  Case larger = from;
  std::mt19937_64 random(kSeed);
  for (Array& array : larger.arrays) {
    for (int64_t& extent : array.shape) extent *= extent > 1 ? whole : 1;
    const std::vector<unsigned char> once = std::move(array.bytes);
    array.bytes.resize(array.count() * size_of(array.dtype));
    for (size_t i = 0; i < array.bytes.size(); ++i) array.bytes[i] = once[i % once.size()];
    shake(array, random);
  }
  larger.label += " enlarged";
  return larger;
}

bool is_accepted(const Session& session, const Case& from) {
  const NoGrad off(session);
  const Bound bound(session, from);
  std::vector<Tensor> made;
  return call(session, from, bound.inputs(), from.n_outputs, made) == TENON_OK;
}

Outcome run_pinned(const Session& session, std::string_view plugin, const Case& from,
                   const std::vector<Layout>& layouts) {
  pin(session, plugin);
  const Bound bound(session, from, from.arrays, layouts);
  return run(session, from, bound);
}

std::vector<Layout> mixed(size_t count, size_t first) {
  constexpr size_t n_layouts = std::size(kLayouts);
  std::vector<Layout> layouts;
  for (size_t i = 0; i < count; ++i) layouts.push_back(kLayouts[(first + 2 * i) % n_layouts]);
  return layouts;
}

}  // namespace tenon::tests
