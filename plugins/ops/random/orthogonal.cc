// SPDX-License-Identifier: Apache-2.0
// plugins/ops/random/orthogonal.cc: orthogonal, random matrices with orthonormal rows or columns.
//
// y = gain Q of x = Q R, x normal, R's diagonal not negative. A composition.
// Source: A. Saxe and others, "Exact solutions to the nonlinear dynamics of learning in deep linear
// neural networks", 2014.
#include <algorithm>
#include <cmath>

#include "linalg/matrices.hpp"
#include "random/words.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.orthogonal";

constexpr std::string_view doc =
    R"(A random orthogonal matrix times `gain`: initial values of weights. The first dimension is
the rows, all others together are the columns. With as many rows as columns or more, the columns are
orthonormal, else the rows are.

With M the greater of both numbers and N the lesser, `x` [M,N] is drawn by `tenon.normal` and `q` of
`x = q r` is `tenon.qr`'s, where the diagonal of `r` is not negative; so every orthogonal matrix is
equally likely (Mezzadri, 2007). Then `y = gain q`, transposed where there are fewer rows than
columns. The normal numbers are drawn in the dtype of `y`.

No gradient: there is no tensor input.

Source: A. Saxe, J. McClelland, S. Ganguli, "Exact solutions to the nonlinear dynamics of learning
in deep linear neural networks", 2014, as PyTorch's `nn.init.orthogonal_`; F. Mezzadri, "How to
generate random matrices from the classical compact groups", 2007.

Canonical arithmetic: that of `tenon.normal`, `tenon.qr` and `tenon.mul`.)";

enum Attribute : uint32_t { kShape, kGain, kDtype };

// [M,N]
std::array<int64_t, 2> tall(std::span<const int64_t> shape) {
  const int64_t rows = shape[0], columns = sdk::count_of(shape.subspan(1));
  return {std::max(rows, columns), std::min(rows, columns)};
}

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const rules::Dims shape = rules::checked_shape(args.attrs.ints(kShape), "shape");
  if (shape.count() < 2) {
    throw sdk::Failure{TENON_E_SHAPE, "shape must have 2 dimensions or more", "shape",
                       "[rows,columns] or more dimensions", sdk::shape_text(shape.span())};
  }
  if (!std::isfinite(args.attrs.real(kGain))) {
    throw sdk::Failure{TENON_E_ATTRIBUTE, "gain must be finite", "gain", "a finite number",
                       std::to_string(args.attrs.real(kGain))};
  }
  sdk::set_shape(out[0], shape.span());
}

uint64_t words(const sdk::Args& args) {
  return rules::normal_words(args.attrs.ints(kShape), args.attrs.dtype(kDtype));
}

void compose(sdk::Compose& c) {
  const std::span<const int64_t> shape = c.attrs.ints(kShape);
  const std::array<int64_t, 2> sizes = tall(shape);
  tenon_tensor* x =
      c.call("tenon.normal", {},
             {std::span<const int64_t>(sizes), 0.0, 1.0, sdk::Value::dtype(c.attrs.dtype(kDtype))});
  tenon_tensor* factors[2] = {};
  const sdk::Value inputs[] = {x};
  c.call_many("tenon.qr", inputs, {}, factors);
  tenon_tensor* q = factors[0];
  if (shape[0] < sizes[0]) q = tenon::matrices::transposed(c, q);
  q = c.call("tenon.mul", {q, c.attrs.real(kGain)});
  c.set(0, shape.size() == 2 ? q : rules::reshape(c, q, rules::Dims(shape)));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "orthogonal(*, shape: int[], gain: float=1, dtype: D=f32) -> D[...] "
                       "where D: f32|f64",
             .doc = doc,
             .flags = TENON_OP_RANDOM,
             .infer = sdk::infer_fn<infer>,
             .compose = sdk::compose_fn<compose>,
             .random_words = sdk::words_fn<words>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "| shape=[3,3]"),
    sdk::sample(name, "| shape=[4,2], dtype=f64"),
    sdk::sample(name, "| shape=[2,5], dtype=f64"),
    sdk::sample(name, "| shape=[3,7], gain=1.4142135623730951"),
    sdk::sample(name, "| shape=[4,2,1,3], gain=-0.5, dtype=f64"),
    sdk::sample(name, "| shape=[6,2,2]"),
    sdk::sample(name, "| shape=[1,1]"),
    sdk::sample(name, "| shape=[1,4], gain=0.0"),
    sdk::sample(name, "| shape=[5,1], dtype=f64"),
    sdk::sample(name, "| shape=[0,3]"),
    sdk::sample(name, "| shape=[3,0,2], dtype=f64"),
    sdk::sample(name, "| shape=[2,2], gain=1e30"),
    sdk::refused(name, "f32[2,2] | shape=[2,2]", TENON_E_ARGUMENT, "number of operands"),
    sdk::refused(name, "", TENON_E_ATTRIBUTE, "shape"),
    sdk::refused(name, "| shape=[4]", TENON_E_SHAPE, "2 dimensions or more"),
    sdk::refused(name, "| shape=[]", TENON_E_SHAPE, "2 dimensions or more"),
    sdk::refused(name, "| shape=[2,-3]", TENON_E_SHAPE, "negative size"),
    sdk::refused(name, "| shape=[2,2], gain=inf", TENON_E_ATTRIBUTE, "gain must be finite"),
    sdk::refused(name, "| shape=[2,2], gain=nan", TENON_E_ATTRIBUTE, "gain must be finite"),
    sdk::refused(name, "| shape=[2,2], dtype=bf16", TENON_E_DTYPE, "bf16"),
};

constexpr std::string_view reason =
    "Each element is the end of many roundings, which the matrix enlarges.";
constexpr tenon_tolerance tolerances[] = {
    sdk::tolerance({name, TENON_DTYPE_F32, 1, 1e-5, reason}),
    sdk::tolerance({name, TENON_DTYPE_F64, 1, 2e-14, reason}),
};

}  // namespace

TENON_UNIT(orthogonal) = {.ops = ops, .samples = samples, .tolerances = tolerances};
