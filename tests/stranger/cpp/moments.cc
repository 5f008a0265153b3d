// SPDX-License-Identifier: Apache-2.0
// tests/stranger/cpp/moments.cc: the op acme.moments: the mean of each row, and the
// mean of its squares.
//
//   mean_n = sum_d x_nd / D      square_n = sum_d x_nd^2 / D
//   dx_nd = (dmean_n + 2 x_nd dsquare_n) / D
//
// Canonical arithmetic: in f64 from the first column to the last, rounded to the dtype once.
#include <tenon/sdk/plugin/loops.hpp>
#include <tenon/sdk/plugin/op.hpp>
#include <tenon/sdk/plugin/plugin.hpp>

namespace {

namespace sdk = tenon::sdk;
constexpr std::string_view name = "acme.moments";
constexpr tenon_dtype floats[] = {TENON_DTYPE_F32, TENON_DTYPE_F64};

// ---- What it means -----------------------------------------------------------------------------
void infer(const sdk::Args& args, std::span<tenon_meta> outputs) {
  const auto shape = args.shape(0);
  if (shape[1] < 1) {
    throw sdk::Failure{TENON_E_SHAPE, "a row without columns has no mean", "x", "at least 1 column",
                       sdk::shape_text(shape)};
  }
  for (tenon_meta& output : outputs) sdk::set_shape(output, shape.first(1));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "moments(x: T[N,D]) -> (mean: T[N], square: T[N]) where T: f32|f64",
             .doc = "The mean of each row and the mean of its squares.\n\n"
                    "Gradient: `dx = (dmean + 2 x dsquare) / D`.",
             .infer = sdk::infer_fn<infer>})};

// ---- Its gradient ------------------------------------------------------------------------------
void vjp(sdk::Vjp& v) {
  constexpr int64_t last[] = {1};
  const sdk::Value axes{std::span<const int64_t>(last)};
  tenon_tensor* mean = v.call("tenon.unsqueeze", {v.dy(0)}, {axes});
  tenon_tensor* square = v.call("tenon.unsqueeze", {v.dy(1)}, {axes});
  tenon_tensor* slope = v.call("tenon.mul", {v.call("tenon.mul", {v.in(0), square}), 2.0});
  const auto columns = static_cast<double>(v.in_meta(0).shape[1]);
  v.grad(0, v.call("tenon.div", {v.call("tenon.add", {mean, slope}), columns}));
}
constexpr tenon_vjp_need needs[] = {sdk::need({.inputs = sdk::bit(0), .input_metas = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_outputs = 2})};

// ---- How host memory runs it --------------------------------------------------------------------
template <class T>
void row(const tenon_view& x, int64_t index, char* mean, char* square) {
  const int64_t columns = x.shape[1];
  const auto step = static_cast<int64_t>(sizeof(T));
  const char* at = static_cast<const char*>(x.data) + index * x.strides[0] * step;
  double sum = 0, squares = 0;
  for (int64_t column = 0; column < columns; ++column) {
    const auto value = static_cast<double>(sdk::load<T>(at + column * x.strides[1] * step));
    sum += value;
    squares += value * value;
  }
  sdk::store<T>(mean, static_cast<T>(sum / static_cast<double>(columns)));
  sdk::store<T>(square, static_cast<T>(squares / static_cast<double>(columns)));
}

template <class T>
void run(const sdk::Launch& l) {
  const tenon_view& x = l.view(0);
  const sdk::Strided mean = sdk::strided(l.out(0)), square = sdk::strided(l.out(1));
  l.parallel_for(x.shape[0], 1024, [&](int64_t begin, int64_t end) {
    for (int64_t n = begin; n < end; ++n) {
      row<T>(x, n, mean.data + n * mean.step[0], square.data + n * square.step[0]);
    }
  });
}

void launch(const sdk::Launch& l) {
  l.view(0).dtype == TENON_DTYPE_F32 ? run<float>(l) : run<double>(l);
}
constexpr tenon_slot_rule slots[] = {sdk::strided_in(), sdk::strided_out(), sdk::strided_out()};
constexpr tenon_kernel_desc kernels[] = {sdk::kernel(
    {.op = name,
     .device = "cpu",
     .slots = slots,
     .rows = floats,
     .flags = TENON_KERNEL_CAPTURE_SAFE | TENON_KERNEL_CANONICAL | TENON_KERNEL_INDEX_64,
     .launch = sdk::launch_fn<launch>})};

// ---- Calls that must work, and two that must be refused -----------------------------------------
constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3](-4,4)"),
    sdk::sample(name, "f32[3,5]"),
    sdk::sample(name, "f32[0,3]"),
    sdk::sample(name, "f64[4,1]"),
    sdk::refused(name, "f32[2,0]", TENON_E_SHAPE, "without columns"),
    sdk::refused(name, "i64[2,3]", TENON_E_DTYPE, "i64")};

}  // namespace

TENON_UNIT(moments) = {.ops = ops, .vjps = vjps, .kernels = kernels, .samples = samples};
