// SPDX-License-Identifier: Apache-2.0
// tests/device/composition_test.cc: ops that the simulated device has no kernel for and runs as
// other ops, in every layout; among them the steps of optimizers, which write in place.
#include <tenon/plugin.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tenon/sdk/plugin/dtypes.hpp>

#include "tests/device/device_support.h"
#include "tests/support/paths.h"

namespace tenon::tests {
namespace {

constexpr Layout kHere[] = {Layout::RowMajor, Layout::Transposed, Layout::Gapped,
                            Layout::Offset,   Layout::Stepped,    Layout::Negative};

// The names of ops with a composition and no kernel on the device.
std::set<std::string> composed_ops(const Session& session) {
  std::set<std::string> names;
  for (const Json& op : session.query("ops")) {
    const Json& kernels = op.at("kernels");
    const bool here = std::any_of(kernels.begin(), kernels.end(),
                                  [](const Json& kernel) { return kernel.at("device") == "sim"; });
    if (op.at("compose").get<bool>() && !here) names.insert(op.at("name"));
  }
  return names;
}

struct Room {
  double ulp = 0;
  double relative = 0;
};

Room room_of(const Json& tolerances, const std::string& op, tenon_dtype dtype) {
  for (const Json& entry : tolerances) {
    if (entry.at("op") == op && dtype_named(entry.at("dtype").get<std::string>()) == dtype) {
      return {entry.at("ulp"), entry.at("relative")};
    }
  }
  return {};
}

template <class T>
constexpr int kDigits = std::numeric_limits<T>::digits;
template <>
constexpr int kDigits<sdk::F16> = 11;
template <>
constexpr int kDigits<sdk::BF16> = 8;

// Twice the op's room: kernel and composition may lie on either side of the exact result.
void expect_close(const Array& expected, const Array& found, const Room& room,
                  const std::string& what) {
  ASSERT_EQ(expected.dtype, found.dtype) << what;
  sdk::dispatch_dtype(expected.dtype, [&]<class T>() {
    const auto at = [](const Array& array, size_t i) {
      return static_cast<double>(sdk::load<T>(array.bytes.data() + i * sizeof(T)));
    };
    double largest = 0;
    for (size_t i = 0; i < expected.count(); ++i) {
      const double size = std::fabs(at(expected, i));
      if (std::isfinite(size)) largest = std::max(largest, size);
    }
    for (size_t i = 0; i < expected.count(); ++i) {
      const double a = at(expected, i), b = at(found, i);
      if (a == b || (std::isnan(a) && std::isnan(b))) continue;
      const double ulp = std::ldexp(1.0, std::ilogb(a) + 1 - kDigits<T>);
      EXPECT_LE(std::fabs(a - b), 2 * std::max(room.ulp * ulp, room.relative * largest))
          << what << " element " << i << "\n  cpu " << text_of(expected) << "\n  sim "
          << text_of(found);
    }
  });
}

TEST(DeviceComposition, GivesWhatKernelsGive) {
  const DeviceSession session;
  const NoGrad off(session);
  const std::set<std::string> names = composed_ops(session);
  const Json tolerances = session.query("tolerances");
  std::set<std::string> met;
  std::map<std::string, int> tried;
  for (const Case& each : good_cases()) {
    if (!names.contains(each.op)) continue;
    // Some ops have hundreds; and a sanitizer takes its time.
    const int most = sanitizer() == TENON_SANITIZER_NONE ? 60 : 1;
    if (++tried[each.op] > most) continue;
    SCOPED_TRACE(each.label);
    const Outcome expected = run(session, each, Bound(session, each));
    for (const Layout layout : kHere) {
      std::vector<std::unique_ptr<PlacedApart>> placed;
      Bound here(session, each);
      for (size_t i = 0; i < each.arrays.size(); ++i) {
        placed.push_back(
            std::make_unique<PlacedApart>(session, session.sim, each.arrays[i], layout));
        here.replace(i, placed.back()->get());
      }
      session.must(tenon_context_set_counter(session, 0));
      std::vector<Tensor> made;
      const tenon_status status = call(session, each, here.inputs(), each.n_outputs, made);
      // Rows of a table are picked by an op that the device lacks as well.
      if (status == TENON_E_NO_KERNEL) break;
      ASSERT_EQ(status, TENON_OK) << session.failure();
      met.insert(each.op);
      for (size_t i = 0; i < made.size(); ++i) {
        const Array& wanted = expected.outputs[i];
        expect_close(wanted, contents_of(session, made[i].get()),
                     room_of(tolerances, each.op, wanted.dtype),
                     std::string(name_of(layout)) + " output " + std::to_string(i));
      }
      for (size_t i = 0; i < placed.size(); ++i) {
        const Array& wanted = expected.operands[i];
        expect_close(wanted, contents_of(session, placed[i]->get()),
                     room_of(tolerances, each.op, wanted.dtype),
                     std::string(name_of(layout)) + " operand " + std::to_string(i));
      }
    }
  }
  for (const char* step : {"tenon.sgd_step", "tenon.adam_step", "tenon.adamw_step"}) {
    EXPECT_TRUE(met.contains(step)) << step;
  }
}

}  // namespace
}  // namespace tenon::tests
