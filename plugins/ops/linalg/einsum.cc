// SPDX-License-Identifier: Apache-2.0
// plugins/ops/linalg/einsum.cc: einsum, sums of products by an equation of labels.
//
// "ij,jk->ik": y[i,k] = sum over j of a[i,j] b[j,k]. A composition; so is its gradient.
// Source: NumPy's `einsum`; PyTorch's `einsum`.
#include "linalg/einsum.hpp"

#include "linalg/diagonals.hpp"

namespace {

namespace einsum = tenon::einsum;
namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.einsum";

constexpr std::string_view doc =
    R"(Sums of products by an equation. Each operand has a term of letters, one for each dimension;
equal letters are one index. What stands after `->` are the dimensions of the result, and letters
that do not stand there are summed over: `ij,jk->ik` is a product of matrices, `bij,bjk->bik` one of
batches, `ij->ji` a transpose, `ii->` a trace, `i,j->ij` an outer product. A letter twice in one
term takes the diagonal. `...` stands for any dimensions; sizes of 1 stretch, in these and in
letters. Without `->` the result has the dimensions of `...`, then the letters that stand once, in
alphabetical order.

Operands are contracted from left to right: what one operand alone sums over is summed first, then
each pair is one product of matrices. Put small results first.

Gradient: that of the composition.

Source: NumPy, `einsum`; PyTorch, `einsum`, but for sub-lists in place of an equation.

Canonical arithmetic: that of `tenon.sum`, `tenon.mul` and `tenon.matmul`, in T; f16 and bf16 of
three operands or more in f32, rounded once at the end.)";

// A tensor whose dimensions have labels, each one once.
struct Labelled {
  sdk::Value tensor;
  std::string labels;
  bool is_new = false;  // made by arithmetic, not a view of an operand
};

bool has(std::string_view labels, char label) {
  return labels.find(label) != std::string_view::npos;
}

class Contraction {
 public:
  Contraction(sdk::Compose& c, const einsum::Equation& equation) : c_(c), equation_(equation) {}

  // Of an operand: the diagonal where a label stands twice.
  Labelled operand(sdk::Value tensor, std::string labels) {
    Labelled x{tensor, std::move(labels)};
    for (size_t i = 0; i < x.labels.size();) {
      const size_t again = x.labels.find(x.labels[i], i + 1);
      if (again == std::string::npos) {
        ++i;
        continue;
      }
      const char label = x.labels[i];
      x.tensor = rules::diagonal(c_, x.tensor, i, again);
      x.labels.erase(again, 1);
      x.labels.erase(i, 1);
      x.labels += label;
      i = 0;
    }
    return x;
  }

  // The sum over labels that are not in `keep`.
  Labelled summed(Labelled x, std::string_view keep) {
    rules::Dims axes;
    std::string rest;
    for (size_t i = 0; i < x.labels.size(); ++i) {
      if (has(keep, x.labels[i])) {
        rest += x.labels[i];
      } else {
        axes.push(static_cast<int64_t>(i));
      }
    }
    if (axes.count() == 0) return x;
    tenon_tensor* sum = c_.call("tenon.sum", {x.tensor}, {axes.value(), false});
    // It widens integers, einsum keeps their dtype: modulo 2^bits the results are the same.
    return {rules::rounded_to(c_, sum, c_.meta(x.tensor.tensor()).dtype), rest, true};
  }

  // a and b as one, with their labels that are in `keep`.
  Labelled product(Labelled a, Labelled b, std::string_view keep) {
    // What one of them has alone, or with a size that only stretches in the other, is summed there.
    a = summed(a, std::string(keep) + shared_sums(b, a));
    b = summed(b, std::string(keep) + shared_sums(a, b));
    Groups g;
    for (const char label : a.labels) {
      std::string& group = !has(b.labels, label) ? g.left : has(keep, label) ? g.batch : g.sum;
      group += label;
    }
    for (const char label : b.labels) {
      if (!has(a.labels, label)) g.right += label;
    }
    tenon_tensor* flat = multiplied(a, b, g);
    const std::string labels = g.batch + g.left + g.right;
    return {rules::reshape(c_, flat, sizes_of(labels)), labels, true};
  }

  // In the order of the output.
  tenon_tensor* ordered(const Labelled& x) {
    const Labelled y = summed(x, equation_.output);
    tenon_tensor* result = permuted(y, equation_.output);
    return y.is_new ? result : c_.call("tenon.copy", {result});
  }

 private:
  struct Groups {
    std::string batch, left, sum, right;
  };

  int64_t size_in(const Labelled& x, char label) {
    return c_.meta(x.tensor.tensor()).shape[x.labels.find(label)];
  }

  // Labels of `other` that it shares with x at x's own size.
  std::string shared_sums(const Labelled& other, const Labelled& x) {
    std::string labels;
    for (const char label : other.labels) {
      if (has(x.labels, label) && size_in(x, label) == size_in(other, label)) labels += label;
    }
    return labels;
  }

  rules::Dims sizes_of(std::string_view labels) const {
    rules::Dims sizes;
    for (const char label : labels) sizes.push(equation_.sizes[label]);
    return sizes;
  }

  tenon_tensor* permuted(const Labelled& x, std::string_view labels) {
    if (x.labels == labels) return x.tensor.tensor();
    rules::Dims order;
    for (const char label : labels) order.push(static_cast<int64_t>(x.labels.find(label)));
    return c_.call("tenon.permute", {x.tensor}, {order.value()});
  }

  // x as [batch, first, second] or, without batch, as a matrix; sizes of 1 are stretched.
  tenon_tensor* matrix(const Labelled& x, std::string_view batch, std::string_view first,
                       std::string_view second) {
    const std::string labels = std::string(batch) + std::string(first) + std::string(second);
    tenon_tensor* turned = permuted(x, labels);
    const rules::Dims sizes = sizes_of(labels);
    const tenon_meta meta = c_.meta(turned);
    if (!std::ranges::equal(rules::shape_of(meta), sizes.span())) {
      turned = rules::expand(c_, turned, sizes);
    }
    rules::Dims flat;
    if (!batch.empty()) flat.push(sdk::count_of(sizes_of(batch).span()));
    flat.push(sdk::count_of(sizes_of(first).span()));
    flat.push(sdk::count_of(sizes_of(second).span()));
    return rules::reshape(c_, turned, flat);
  }

  tenon_tensor* multiplied(const Labelled& a, const Labelled& b, const Groups& g) {
    tenon_tensor* rows = matrix(a, g.batch, g.left, g.sum);
    if (g.sum.empty()) return c_.call("tenon.mul", {rows, matrix(b, g.batch, "", g.right)});
    return c_.call("tenon.matmul", {rows, matrix(b, g.batch, g.sum, g.right)});
  }

  sdk::Compose& c_;
  const einsum::Equation& equation_;
};

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  einsum::Reader reader(args.attrs.text(0));
  const einsum::Equation e =
      reader.read(args.count(0), [&](size_t i) { return args.shape(0, static_cast<uint32_t>(i)); });
  rules::Dims shape;
  for (const char label : e.output) shape.push(e.sizes[label]);
  sdk::set_shape(out[0], shape.span());
}

void compose(sdk::Compose& c) {
  const sdk::Value list = c.in(0);
  std::vector<tenon_meta> metas;
  for (uint32_t i = 0; i < list.count; ++i) metas.push_back(c.meta(list.as.tensors[i]));
  einsum::Reader reader(c.attrs.text(0));
  const einsum::Equation e =
      reader.read(metas.size(), [&](size_t i) { return rules::shape_of(metas[i]); });
  Contraction contraction(c, e);
  const bool widens = list.count > 2;
  const auto operand = [&](uint32_t i) {
    const sdk::Value x = list.as.tensors[i];
    return contraction.operand(widens ? rules::widened(c, x) : x, e.terms[i]);
  };
  // Labels that are needed after operand i.
  const auto needed = [&](uint32_t i) {
    std::string labels = e.output;
    for (uint32_t k = i + 1; k < list.count; ++k) labels += e.terms[k];
    return labels;
  };
  Labelled result = contraction.summed(operand(0), needed(0));
  for (uint32_t i = 1; i < list.count; ++i) {
    result = contraction.product(result, operand(i), needed(i));
  }
  c.set(0, rules::rounded_to(c, contraction.ordered(result), metas[0].dtype));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "einsum(xs: T[...]*, *, equation: str) -> T[...] where T: number promote",
             .doc = doc,
             .infer = sdk::infer_fn<infer>,
             .compose = sdk::compose_fn<compose>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "[f64[2,3], f64[3,4]] | equation=\"ij,jk->ik\""),
    sdk::sample(name, "[f64[2,3], f64[3,4]] | equation=\"ij,jk\""),
    sdk::sample(name, "[f64[2,3], f64[3,4]] | equation=\" ij , jk -> ki \""),
    sdk::sample(name, "[f64[2,3,4], f64[2,4,5]] | equation=\"bij,bjk->bik\""),
    sdk::sample(name, "[f64[2,3]] | equation=\"ij->ji\""),
    sdk::sample(name, "[f64[2,3]] | equation=\"ij->ij\""),
    sdk::sample(name, "[f64[2,3]] | equation=\"ij->\""),
    sdk::sample(name, "[f64[2,3]] | equation=\"ij->j\""),
    sdk::sample(name, "[f64[2,3]] | equation=\"ba\""),
    sdk::sample(name, "[f64[3,3]] | equation=\"ii\""),
    sdk::sample(name, "[f64[3,3]] | equation=\"ii->i\""),
    sdk::sample(name, "[f64[2,3,2,3]] | equation=\"abab->ba\""),
    sdk::sample(name, "[f64[2,2,2]] | equation=\"iii->i\""),
    sdk::sample(name, "[f64[3], f64[3]] | equation=\"i,i\""),
    sdk::sample(name, "[f64[3], f64[4]] | equation=\"i,j\""),
    sdk::sample(name, "[f64[2,3], f64[2,3]] | equation=\"ij,ij->ij\""),
    sdk::sample(name, "[f64[2,3], f64[2,3]] | equation=\"ij,ij->i\""),
    sdk::sample(name, "[f64[2,3], f64[4]] | equation=\"ij,k->ik\""),
    sdk::sample(name, "[f64[2,3], f64[3,4], f64[4,2]] | equation=\"ij,jk,kl->il\""),
    sdk::sample(name, "[f64[2], f64[2,3,4], f64[3], f64[4]] | equation=\"a,abc,b,c->\""),
    sdk::sample(name, "[f64[2,1,3,4], f64[5,4,2]] | equation=\"...ij,...jk->...ik\""),
    sdk::sample(name, "[f64[2,3,4], f64[3]] | equation=\"...c,b\""),
    sdk::sample(name, "[f64[2,3,4]] | equation=\"i...->...i\""),
    sdk::sample(name, "[f64[2,3,4]] | equation=\"...i->i\""),
    sdk::sample(name, "[f64[1,3], f64[2,3]] | equation=\"ij,ij->ij\""),
    sdk::sample(name, "[f64[1,3], f64[2,3]] | equation=\"ij,ij->j\""),
    sdk::sample(name, "[f64[2,2,3,2], f64[2,2,2,3]] | equation=\"bhqd,bhdk->bhqk\""),
    sdk::sample(name, "[f64[], f64[2]] | equation=\",i->i\""),
    sdk::sample(name, "[f64[]] | equation=\"\""),
    sdk::sample(name, "[f64[2,0], f64[0,3]] | equation=\"ij,jk->ik\""),
    sdk::sample(name, "[f64[0,0]] | equation=\"ii->i\""),
    sdk::sample(name, "[f64[0,3], f64[3,2]] | equation=\"ij,jk->ik\""),
    sdk::sample(name, "[f32[17,65](0,1), f32[65,3](0,1)] | equation=\"ij,jk->ki\""),
    sdk::sample(name, "[f32[2,3], f16[3,2]] | equation=\"ij,jk->ik\""),
    sdk::sample(name, "[i32[2,2]{2147483647,1,-5,3}, i32[2,2]] | equation=\"ij,jk->ik\""),
    sdk::sample(name, "[i64[2]{9223372036854775807,-9223372036854775808}] | equation=\"i->\""),
    sdk::sample(name, "[u8[2]{255,16}, u8[2]{255,16}] | equation=\"i,j->ij\""),
    sdk::sample(name, "[f32[2]{3.4028235e38,1e-45}, f32[2]{1.0,2.0}] | equation=\"i,i->i\""),
    sdk::sample(name, "[f64[2]{1.7976931348623157e308,5e-324}] | equation=\"i->i\""),
    sdk::sample(name, "[f16[2]{65504.0,6e-8}, f16[2]{2.0,1.0}] | equation=\"i,i->i\""),
    sdk::sample(name, "[bf16[2]{3.39e38,9.2e-41}, bf16[2]{0.5,1.0}] | equation=\"i,i->i\""),
    sdk::sample(name, "[f32[2]{inf,nan}, f32[2]{1.0,0.0}] | equation=\"i,i->i\""),
    sdk::refused(name, "[f32[2,3], f32[4,5]] | equation=\"ij,jk->ik\"", TENON_E_SHAPE,
                 "label 'j' has sizes 3 and 4"),
    sdk::refused(name, "[f32[2,3]] | equation=\"ii->i\"", TENON_E_SHAPE,
                 "label 'i' has sizes 2 and 3 in one operand"),
    sdk::refused(name, "[f32[2,3], f32[3,3]] | equation=\"...j,...k->...\"", TENON_E_SHAPE,
                 "a dimension of '...' has sizes 2 and 3"),
    sdk::refused(name, "[f32[2,3]] | equation=\"ijk->i\"", TENON_E_SHAPE, "number of dimensions"),
    sdk::refused(name, "[f32[2,3]] | equation=\"i...jk->i\"", TENON_E_SHAPE,
                 "number of dimensions"),
    sdk::refused(name, "[f32[2,3]] | equation=\"ij,jk->ik\"", TENON_E_ARGUMENT,
                 "another number of operands"),
    sdk::refused(name, "[f32[2,3]] | equation=\"ij->ik\"", TENON_E_ATTRIBUTE,
                 "output label 'k' is in no operand"),
    sdk::refused(name, "[f32[2,3]] | equation=\"ij->ii\"", TENON_E_ATTRIBUTE, "stands twice"),
    sdk::refused(name, "[f32[2,3]] | equation=\"i1->i\"", TENON_E_ATTRIBUTE, "'1' cannot stand"),
    sdk::refused(name, "[f32[2,3]] | equation=\"i.j->i\"", TENON_E_ATTRIBUTE, "'.' cannot stand"),
    sdk::refused(name, "[f32[2,3]]", TENON_E_ATTRIBUTE, "equation"),
    sdk::refused(name, "[bool[2]] | equation=\"i->\"", TENON_E_DTYPE, "bool"),
};

constexpr auto tolerances = sdk::float_tolerances(
    name,
    "Additions in another order round differently, by as much as the largest partial sums; what "
    "one "
    "operand alone sums over is rounded to T before the products.",
    {.f16 = {2, 2e-3}, .bf16 = {2, 1.6e-2}, .f32 = {2, 4e-06}, .f64 = {2, 1e-14}});

}  // namespace

TENON_UNIT(einsum) = {.ops = ops, .samples = samples, .tolerances = tolerances};
