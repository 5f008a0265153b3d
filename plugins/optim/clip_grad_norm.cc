// SPDX-License-Identifier: Apache-2.0
// plugins/optim/clip_grad_norm.cc: gradients made shorter, together or each by itself.
//
// Source: R. Pascanu, T. Mikolov, Y. Bengio, "On the difficulty of training recurrent neural
// networks", ICML 2013, algorithm 1; in the form of torch.nn.utils.clip_grad_norm_.
//
// Canonical arithmetic: in C = f32 for f16, bf16 and f32 and f64 for f64: sums, roots and quotients
// as their ops state; each operation rounded by itself. A 16-bit value is rounded where it is
// stored.
#include <tenon/ext/draft/optimizers.h>
#include <tenon/sdk/plugin/op.hpp>
#include <tenon/sdk/plugin/plugin.hpp>

#include <cmath>

#include "step.hpp"

namespace {

using namespace tenon::optim;
namespace sdk = tenon::sdk;

constexpr std::string_view kName = "tenon.clip_grad_norm";
enum Attr : uint32_t { kMaxNorm, kNorm, kEach };

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  if (args.count(0) == 0) {
    throw sdk::Failure{TENON_E_ARGUMENT, "there are no gradients", "grads", "one or more", "none"};
  }
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double least = std::numeric_limits<double>::min();
  if (!is_within(args.attrs.real(kMaxNorm), 0, infinity)) {
    refuse_range(args, kMaxNorm, "max_norm", "at least 0");
  }
  if (!is_within(args.attrs.real(kNorm), least, infinity)) {
    refuse_range(args, kNorm, "norm", "above 0");
  }
  out[0].rank = 0;
}

class Clip {
 public:
  explicit Clip(sdk::Compose& calls) : calls_(calls), norm_(calls.attrs.real(kNorm)) {}

  void run() {
    const sdk::Value grads = calls_.in(0);
    std::vector<sdk::Value> norms;
    for (uint32_t i = 0; i < grads.count; ++i) {
      norms.push_back(norm_of(wide(sdk::Value(grads.as.tensors[i]))));
    }
    const sdk::Value total = joined(norms);
    const bool each = calls_.attrs.flag(kEach);
    const sdk::Value common = each ? total : factor(total);
    for (uint32_t i = 0; i < grads.count; ++i) {
      const sdk::Value grad(grads.as.tensors[i]);
      const sdk::Value scaled =
          calls_.call("tenon.mul", {wide(grad), each ? factor(norms[i]) : common});
      const tenon_dtype dtype = calls_.meta(grad.tensor()).dtype;
      calls_.call_into("tenon.cast", {scaled}, {sdk::Value::dtype(dtype)}, {grad.tensor()});
    }
    calls_.set(0, cast(total, calls_.meta(grads.as.tensors[0]).dtype));
  }

 private:
  sdk::Value cast(sdk::Value x, tenon_dtype to) {
    if (calls_.meta(x.tensor()).dtype == to) return x;
    return calls_.call("tenon.cast", {x}, {sdk::Value::dtype(to)});
  }
  sdk::Value wide(sdk::Value x) {
    const bool is_f64 = calls_.meta(x.tensor()).dtype == TENON_DTYPE_F64;
    return cast(x, is_f64 ? TENON_DTYPE_F64 : TENON_DTYPE_F32);
  }

  // (sum |x|^n)^(1/n), rank 0; the greatest |x| for an infinite n.
  sdk::Value norm_of(sdk::Value x) {
    if (std::isinf(norm_)) {
      const tenon_meta meta = calls_.meta(x.tensor());
      const std::span<const int64_t> shape(meta.shape, static_cast<size_t>(meta.rank));
      if (sdk::count_of(shape) == 0) return calls_.call("tenon.sum", {x});
      return calls_.call("tenon.max", {calls_.call("tenon.abs", {x})});
    }
    if (norm_ == 2) {
      return calls_.call("tenon.sqrt",
                         {calls_.call("tenon.sum", {calls_.call("tenon.square", {x})})});
    }
    const sdk::Value sizes = calls_.call("tenon.abs", {x});
    if (norm_ == 1) return calls_.call("tenon.sum", {sizes});
    const sdk::Value sum = calls_.call("tenon.sum", {calls_.call("tenon.pow", {sizes, norm_})});
    return calls_.call("tenon.pow", {sum, 1 / norm_});
  }

  // The norm of all norms, that is of all elements.
  sdk::Value joined(const std::vector<sdk::Value>& norms) {
    sdk::Value list;
    std::vector<tenon_tensor*> tensors;
    for (const sdk::Value& norm : norms) tensors.push_back(norm.tensor());
    list.tag = TENON_VALUE_TENSOR_LIST;
    list.count = static_cast<uint32_t>(tensors.size());
    list.as.tensors = tensors.data();
    return norm_of(calls_.call("tenon.stack", {list}));
  }

  // What makes a gradient of this norm no longer than it may be; NaN stays NaN.
  sdk::Value factor(sdk::Value norm) {
    const sdk::Value room = calls_.call("tenon.add", {norm, 1e-6});
    const sdk::Value share = calls_.call("tenon.div", {calls_.attrs.real(kMaxNorm), room});
    return calls_.call("tenon.minimum", {share, 1.0});
  }

  sdk::Compose& calls_;
  double norm_;
};

void compose(sdk::Compose& c) { Clip(c).run(); }

constexpr tenon_op_desc kOps[] = {sdk::op(
    {.name = kName,
     .schema = "clip_grad_norm(grads!: T[...]*, *, max_norm: float, norm: float=2.0, "
               "each: bool=false) -> T[] where T: float",
     .doc =
         R"(Makes gradients shorter, in place, and gives the norm they had together, in their dtype.

    n = (sum over all elements of |g|^norm)^(1 / norm)     the greatest |g| where norm is infinite
    g = g * min(1, max_norm / (n + 1e-6))

With `each` every gradient is clipped by its own norm; the result is still that of all. Where the
norm is infinite or NaN the gradients become 0 or NaN as the formula says, as in PyTorch: look at
the result before a step where that may happen.

Call it between backward and step on the tensors of `tenon_tensor_get_grad`, not on the parameters,
which are refused; of a gradient that is
held as rows, on the values that `tenon_tensor_get_grad_rows` gives: no row is there twice, so they
have the norm of the whole. To clip each element by value, apply `tenon.clamp` in place.

Source: Pascanu, Mikolov, Bengio, ICML 2013, in the form of `torch.nn.utils.clip_grad_norm_`.
Arithmetic: f32 for 16-bit and f32 gradients, f64 for f64; each operation rounded by itself.)",
     .flags = TENON_OP_WRITES_GRADIENTS,
     .infer = sdk::infer_fn<infer>,
     .compose = sdk::compose_fn<compose>})};

constexpr tenon_sample kSamples[] = {
    sdk::sample(kName, "[f32[3,2], f32[5]] | max_norm=1.0"),
    sdk::sample(kName, "[f64[4], f64[2,2], f64[]] | max_norm=0.5"),
    sdk::sample(kName, "[f64[4], f64[2,2]] | max_norm=0.5, each=true"),
    sdk::sample(kName, "[f64[4], f64[3]] | max_norm=100.0"),
    sdk::sample(kName, "[f32[2,1,3,2], f32[4]] | max_norm=0.25, norm=1.0"),
    sdk::sample(kName, "[f64[2,3], f64[0,2]] | max_norm=0.25, norm=inf"),
    sdk::sample(kName, "[f64[2,3], f64[4]] | max_norm=0.25, norm=3.0, each=true"),
    sdk::sample(kName, "[f32[40,33](0,1), f32[5]] | max_norm=0.5"),
    sdk::sample(kName, "[f32[9,17](-1,1), f32[70](0,2)] | max_norm=0.25, each=true"),
    sdk::sample(kName, "[bf16[4,1]] | max_norm=0.1"),
    sdk::sample(kName, "[f16[3]{60000.0,-60000.0,1.0}] | max_norm=1.0"),
    sdk::sample(kName, "[f32[3]] | max_norm=0.0"),
    sdk::sample(kName, "[f64[0,2]] | max_norm=1.0"),
    sdk::sample(kName, "[f32[2]{nan,1.0}, f32[2]{1.0,2.0}] | max_norm=1.0"),
    sdk::sample(kName, "[f32[2]{inf,1.0}] | max_norm=1.0"),
    sdk::sample(kName, "[f64[2]{1.0,2.0}] | max_norm=inf"),
    sdk::refused(kName, "[] | max_norm=1.0", TENON_E_ARGUMENT, "there are no gradients"),
    sdk::refused(kName, "[f32[3]]", TENON_E_ATTRIBUTE, "max_norm"),
    sdk::refused(kName, "[f32[3]] | max_norm=-1.0", TENON_E_ATTRIBUTE,
                 "max_norm must be at least 0"),
    sdk::refused(kName, "[f32[3]] | max_norm=nan", TENON_E_ATTRIBUTE,
                 "max_norm must be at least 0"),
    sdk::refused(kName, "[f32[3]] | max_norm=1.0, norm=0.0", TENON_E_ATTRIBUTE,
                 "norm must be above 0"),
    sdk::refused(kName, "[i32[3]] | max_norm=1.0", TENON_E_DTYPE, "i32"),
    sdk::refused(kName, "[f32[3], f64[3]] | max_norm=1.0", TENON_E_DTYPE, "grads"),
    sdk::refused(kName, "f32[3] | max_norm=1.0", TENON_E_ARGUMENT, "list")};

constexpr auto kTolerances = sdk::float_tolerances(
    kName, "A norm is a sum, rounded in another order than the exact one, and a root.",
    {.f16 = {1, 2e-6}, .bf16 = {1, 2e-6}, .f32 = {8, 2e-6}, .f64 = {8, 1e-13}});

}  // namespace

TENON_UNIT(clip_grad_norm) = {.ops = kOps, .samples = kSamples, .tolerances = kTolerances};
