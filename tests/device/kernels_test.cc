// SPDX-License-Identifier: Apache-2.0
// tests/device/kernels_test.cc: every kernel of the simulated device against the reference backend,
// over the registry's samples and in every layout.
#include <cmath>
#include <iostream>
#include <set>
#include <tenon/sdk/plugin/dtypes.hpp>

#include "tests/device/device_support.h"

namespace tenon::tests {
namespace {

constexpr Layout kHere[] = {Layout::RowMajor, Layout::Transposed, Layout::Gapped,
                            Layout::Offset,   Layout::Stepped,    Layout::Negative};

double real_at(const Array& array, size_t i) {
  double out = 0;
  sdk::dispatch_dtype(array.dtype, [&]<class T>() {
    out = static_cast<double>(sdk::load<T>(array.bytes.data() + i * sizeof(T)));
  });
  return out;
}

// A few units in the last place of the dtype; nothing if the op's bits are claimed.
double tolerance_of(tenon_dtype dtype, bool exact) {
  if (exact || !is_float(dtype)) return 0;
  if (dtype == TENON_DTYPE_F64) return 1e-14;
  if (dtype == TENON_DTYPE_F32) return 2e-7;
  return dtype == TENON_DTYPE_F16 ? 2e-3 : 1.6e-2;
}

void expect_near(const Array& expected, const Array& found, bool exact, const std::string& what) {
  ASSERT_EQ(expected.dtype, found.dtype) << what;
  ASSERT_EQ(expected.shape, found.shape) << what;
  for (size_t i = 0; i < expected.count(); ++i) {
    const double a = real_at(expected, i);
    const double b = real_at(found, i);
    if (std::isnan(a) && std::isnan(b)) continue;
    const double room = tolerance_of(expected.dtype, exact) * std::max(1.0, std::fabs(a));
    const bool near = a == b ? std::signbit(a) == std::signbit(b) : std::fabs(a - b) <= room;
    ASSERT_TRUE(near) << what << ": element " << i << "\n  cpu " << text_of(expected) << "\n  sim "
                      << text_of(found);
  }
}

// Op name to: does its kernel on the device claim the canonical bits?
std::map<std::string, bool> kernels_of(const Session& session, const char* device) {
  std::map<std::string, bool> found;
  for (const Json& op : session.query("ops")) {
    for (const Json& kernel : op.at("kernels")) {
      if (kernel.at("device") == device) found[op.at("name")] = kernel.at("canonical");
    }
  }
  return found;
}

TEST(DeviceKernels, GiveWhatTheReferenceGives) {
  std::cout << "seed " << kSeed << "\n";
  const DeviceSession session;
  const NoGrad off(session);
  const std::map<std::string, bool> kernels = kernels_of(session, "sim");
  std::set<std::string> met;
  for (const Case& each : good_cases()) {
    const auto kernel = kernels.find(each.op);
    if (kernel == kernels.end()) continue;
    SCOPED_TRACE(each.label);
    const Bound bound(session, each);
    const Outcome expected = run(session, each, bound);
    for (const Layout layout : kHere) {
      if (each.arrays.empty() && layout != Layout::RowMajor) break;
      std::vector<std::unique_ptr<PlacedApart>> placed;
      Bound here(session, each);
      for (size_t i = 0; i < each.arrays.size(); ++i) {
        placed.push_back(
            std::make_unique<PlacedApart>(session, session.sim, each.arrays[i], layout));
        here.replace(i, placed.back()->get());
      }
      std::vector<Tensor> made;
      session.must(tenon_context_set_device(session, &session.sim));
      const tenon_status status = call(session, each, here.inputs(), each.n_outputs, made);
      session.must(tenon_context_set_device(session, nullptr));
      // A kernel is not for calls with what its op has learned since; what these are composed of
      // the device need not have.
      if (status == TENON_E_NO_KERNEL) break;
      session.must(status);
      met.insert(each.op);
      ASSERT_EQ(made.size(), expected.outputs.size()) << name_of(layout);
      for (size_t i = 0; i < made.size(); ++i) {
        tenon_view view{};
        session.must(tenon_tensor_get_view(session, made[i].get(), &view));
        EXPECT_EQ(view.device.kind, session.sim.kind);
        expect_near(expected.outputs[i], contents_of(session, made[i].get()), kernel->second,
                    std::string(name_of(layout)) + " output " + std::to_string(i));
      }
      for (size_t i = 0; i < placed.size(); ++i) {
        expect_near(expected.operands[i], contents_of(session, placed[i]->get()), kernel->second,
                    std::string(name_of(layout)) + " operand " + std::to_string(i));
      }
    }
  }
  for (const auto& [op, canonical] : kernels) {
    if (op.rfind("sim.", 0) != 0) {
      EXPECT_TRUE(met.contains(op)) << op << " was not met";
    }
  }
}

// Into given outputs of every layout: what the kernel does not touch stays.
TEST(DeviceKernels, WriteAnyLayout) {
  const DeviceSession session;
  const Array from{TENON_DTYPE_BF16, {3, 4, 5}, std::vector<unsigned char>(120)};
  Array numbered = from;
  for (size_t i = 0; i < numbered.bytes.size(); ++i) {
    numbered.bytes[i] = static_cast<unsigned char>(i * 37);
  }
  const tenon_op* copy = session.find("tenon.copy");
  for (const Layout in : kHere) {
    for (const Layout out : kHere) {
      const PlacedApart source(session, session.sim, numbered, in);
      const PlacedApart target(session, session.sim, from, out);
      const tenon_value input = tensor_value(source.get());
      tenon_tensor* output = target.get();
      session.must(tenon_op_call_into(session, copy, &input, 1, nullptr, 0, &output, 1));
      EXPECT_EQ(contents_of(session, output), numbered) << name_of(in) << " to " << name_of(out);
    }
  }
}

// A number in a kernel's slot lives on the caller's stack: the launch has its own copy.
TEST(DeviceKernels, TakeNumbersAndDefaults) {
  const DeviceSession session;
  const Tensor x = session.f32(session.sim, {3}, {1, 2, 3});
  session.inject(session.sim, "delay", 0, 2, 20000);
  Tensor y;
  for (int i = 0; i < 50; ++i) {
    y = session.call("tenon.add", {tensor_value(y ? y.get() : x.get()), real_value(i)});
  }
  EXPECT_EQ(session.floats(y), (std::vector<float>{1226, 1227, 1228}));
}

}  // namespace
}  // namespace tenon::tests
