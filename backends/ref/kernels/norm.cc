// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/norm.cc: layer_norm, rms_norm and their gradients.
//
//   d  = (x - m) - mean(x - m),  m = mean x (d = x for rms_norm)
//   h  = d s,  s = 1 / sqrt(mean d^2 + eps)
//   y  = h w + b
//   c  = (g - g_0) - mean(g - g_0),  g = dy w (c = g for rms_norm),  dx = s (c - h mean(c h))
//   dw = sum dy h,  db = sum dy                       over all rows
// A row is what the last `dims` dimensions of x hold, and the means are over a row.

#include <cmath>

#include "kernels/ref.h"

namespace tenon::ref {
namespace {

enum Attribute : uint32_t { kDims, kEps, kAttributes };

struct Statistics {
  double mean;
  double rest;  // what the mean's rounding has left of it
  double scale;

  double centred(double x) const { return (x - mean) - rest; }
  double normalised(double x) const { return centred(x) * scale; }
};

// The shape of x in two parts.
struct Shape {
  std::span<const int64_t> rows;
  std::span<const int64_t> row;

  Shape(std::span<const int64_t> x, int64_t dims)
      : rows(x.first(x.size() - static_cast<size_t>(dims))),
        row(x.last(static_cast<size_t>(dims))) {}

  // One row that begins at `data`, of an operand with the shape of x.
  sdk::Strided row_at(const sdk::Strided& operand, char* data) const {
    sdk::Strided found{data, {}};
    std::copy(operand.step.begin() + static_cast<ptrdiff_t>(rows.size()), operand.step.end(),
              found.step.begin());
    return found;
  }
};

// An operand that may be absent: then one number stands for all of it.
sdk::Strided operand_or(const sdk::Launch& l, uint32_t slot, void* number) {
  return l.given(slot) ? sdk::strided(l.view(slot)) : sdk::Strided{static_cast<char*>(number), {}};
}

template <class T>
double element(const char* address) {
  return static_cast<double>(sdk::load<T>(address));
}

// Calls body(a, b, ...) with the addresses of each element of N operands of one shape.
template <size_t N, class Body>
void for_elements(std::span<const int64_t> shape, const std::array<sdk::Strided, N>& operands,
                  Body&& body) {
  sdk::walk<N>(shape, operands, [&](const sdk::Run<N>& run) {
    for (int64_t i = 0; i < run.count; ++i) {
      [&]<size_t... I>(std::index_sequence<I...>) {
        body(run.first + i, (run.data[I] + i * run.step[I])...);
      }
      (std::make_index_sequence<N>());
    }
  });
}

template <class T, bool Centred>
Statistics statistics(const Shape& shape, const sdk::Strided& x, double eps) {
  const auto count = static_cast<double>(sdk::count_of(shape.row));
  Statistics known{};
  if constexpr (Centred) {
    for_elements<1>(shape.row, {x}, [&](int64_t, char* at) { known.mean += element<T>(at); });
    known.mean /= count;
    double left = 0;
    for_elements<1>(shape.row, {x},
                    [&](int64_t, char* at) { left += known.centred(element<T>(at)); });
    known.rest = left / count;
  }
  double squares = 0;
  for_elements<1>(shape.row, {x}, [&](int64_t, char* at) {
    const double apart = known.centred(element<T>(at));
    squares += apart * apart;
  });
  known.scale = 1.0 / std::sqrt(squares / count + eps);
  return known;
}

template <bool Centred>
void forward(const sdk::Launch& l) {
  const Shape shape(l.shape(0), l.attrs.integer(kDims));
  const sdk::Strided x = sdk::strided(l.view(0));
  const sdk::Strided y = sdk::strided(l.out());
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() {
    T one = sdk::narrow<T>(1.0);
    T nothing = sdk::narrow<T>(-0.0);  // leaves a zero's sign as it is
    const sdk::Strided weight = operand_or(l, 1, &one);
    const sdk::Strided bias =
        Centred ? operand_or(l, 2, &nothing)
                : sdk::Strided{static_cast<char*>(static_cast<void*>(&nothing)), {}};
    for_elements<2>(shape.rows, {x, y}, [&](int64_t, char* x_at, char* y_at) {
      const sdk::Strided row = shape.row_at(x, x_at);
      const auto known = statistics<T, Centred>(shape, row, l.attrs.real(kEps));
      for_elements<4>(shape.row, {row, shape.row_at(y, y_at), weight, bias},
                      [&](int64_t, char* from, char* to, char* w, char* b) {
                        const double h = known.normalised(element<T>(from));
                        sdk::store(to, sdk::narrow<T>(h * element<T>(w) + element<T>(b)));
                      });
    });
  });
}

// One row of dx.
template <class T, bool Centred>
void row_gradient(const Shape& shape, const Statistics& known, const sdk::Strided& dy,
                  const sdk::Strided& x, const sdk::Strided& weight, const sdk::Strided& dx) {
  const auto count = static_cast<double>(sdk::count_of(shape.row));
  if (count == 0) return;
  double first = 0, rest = 0;
  if constexpr (Centred) {
    first = element<T>(dy.data) * element<T>(weight.data);
    for_elements<2>(shape.row, {dy, weight}, [&](int64_t, char* d, char* w) {
      rest += element<T>(d) * element<T>(w) - first;
    });
    rest /= count;
  }
  double along = 0;
  for_elements<3>(shape.row, {dy, x, weight}, [&](int64_t, char* d, char* from, char* w) {
    const double centred = (element<T>(d) * element<T>(w) - first) - rest;
    along += centred * known.normalised(element<T>(from));
  });
  along /= count;
  for_elements<4>(shape.row, {dy, x, weight, dx},
                  [&](int64_t, char* d, char* from, char* w, char* to) {
                    const double centred = (element<T>(d) * element<T>(w) - first) - rest;
                    const double h = known.normalised(element<T>(from));
                    sdk::store(to, sdk::narrow<T>(known.scale * (centred - h * along)));
                  });
}

// The gradients of weight and bias: each element is a sum over all rows.
template <class T>
void parameter_gradients(const Shape& shape, std::span<const Statistics> known,
                         const sdk::Strided& dy, const sdk::Strided& x, const sdk::Strided& dweight,
                         const sdk::Strided& dbias) {
  const sdk::Strided first_dy = shape.row_at(dy, dy.data);
  const sdk::Strided first_x = shape.row_at(x, x.data);
  for_elements<4>(shape.row, {first_dy, first_x, dweight, dbias},
                  [&](int64_t, char* d, char* from, char* dw, char* db) {
                    double weight = 0;
                    double bias = 0;
                    for_elements<2>(shape.rows, {sdk::Strided{d, dy.step}, {from, x.step}},
                                    [&](int64_t row, char* d_at, char* x_at) {
                                      const Statistics& own = known[static_cast<size_t>(row)];
                                      const double g = element<T>(d_at);
                                      weight += g * own.normalised(element<T>(x_at));
                                      bias += g;
                                    });
                    sdk::store(dw, sdk::narrow<T>(weight));
                    sdk::store(db, sdk::narrow<T>(bias));
                  });
}

int64_t row_count(const sdk::Args& args) {
  return sdk::count_of(Shape(args.shape(1), args.attrs.integer(kDims)).rows);
}

// The statistics of every row.
uint64_t workspace(const sdk::Args& args) {
  return static_cast<uint64_t>(row_count(args)) * sizeof(Statistics);
}

template <bool Centred>
void backward(const sdk::Launch& l) {
  const Shape shape(l.shape(1), l.attrs.integer(kDims));
  const sdk::Strided dy = sdk::strided(l.view(0));
  const sdk::Strided x = sdk::strided(l.view(1));
  const sdk::Strided dx = sdk::strided(l.out());
  const std::span known(static_cast<Statistics*>(static_cast<void*>(l.scratch().data())),
                        static_cast<size_t>(row_count(l)));
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() {
    T one = sdk::narrow<T>(1.0);
    const sdk::Strided weight = operand_or(l, 2, &one);
    for_elements<3>(shape.rows, {dy, x, dx}, [&](int64_t row, char* d, char* from, char* to) {
      const sdk::Strided x_row = shape.row_at(x, from);
      Statistics& own = known[static_cast<size_t>(row)];
      own = statistics<T, Centred>(shape, x_row, l.attrs.real(kEps));
      row_gradient<T, Centred>(shape, own, shape.row_at(dy, d), x_row, weight,
                               shape.row_at(dx, to));
    });
    if (!l.wants_out(1) && !(Centred && l.wants_out(2))) return;
    T unwanted;
    const sdk::Strided dweight = operand_or(l, l.launch().n_inputs + 1, &unwanted);
    const sdk::Strided dbias =
        Centred ? operand_or(l, l.launch().n_inputs + 2, &unwanted)
                : sdk::Strided{static_cast<char*>(static_cast<void*>(&unwanted)), {}};
    parameter_gradients<T>(shape, known, dy, x, dweight, dbias);
  });
}

constexpr tenon_slot_rule layer_slots[] = {sdk::strided_in(), sdk::strided_in(), sdk::strided_in(),
                                           sdk::strided_out()};
constexpr tenon_slot_rule layer_grad_slots[] = {sdk::strided_in(),  sdk::strided_in(),
                                                sdk::strided_in(),  sdk::strided_out(),
                                                sdk::strided_out(), sdk::strided_out()};
constexpr tenon_slot_rule rms_slots[] = {sdk::strided_in(), sdk::strided_in(), sdk::strided_out()};
constexpr tenon_slot_rule rms_grad_slots[] = {sdk::strided_in(), sdk::strided_in(),
                                              sdk::strided_in(), sdk::strided_out(),
                                              sdk::strided_out()};

constexpr tenon_kernel_desc norm(std::string_view op, std::span<const tenon_slot_rule> slots,
                                 LaunchFn launch, WorkspaceFn scratch = nullptr) {
  return kernel(op, slots, sdk::kFloats, kAttributes, launch,
                {.flags = kOracle, .workspace = scratch});
}

constexpr tenon_kernel_desc kernels[] = {
    norm("tenon.layer_norm", layer_slots, sdk::launch_fn<forward<true>>),
    norm("tenon.layer_norm_grad", layer_grad_slots, sdk::launch_fn<backward<true>>,
         sdk::workspace_fn<workspace>),
    norm("tenon.rms_norm", rms_slots, sdk::launch_fn<forward<false>>),
    norm("tenon.rms_norm_grad", rms_grad_slots, sdk::launch_fn<backward<false>>,
         sdk::workspace_fn<workspace>),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(norm) = {.kernels = tenon::ref::kernels};
