// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/random_values.cc: exponential, random_integers, bernoulli, dropout,
// permutation: by the logical index of the output, or of the number that is moved.
//
// exponential: -ln(u(i) + ulp) / rate, in double, rounded once.
// random_integers: low + the upper 64 bits of w(i) (high - low), w(i) words 2i (high) and 2i+1.
// bernoulli: u(i) < p, each p in [0,1].   dropout: u(i) >= p ? x s : 0.   permutation: i by (w(i),
// i).

#include <algorithm>
#include <cmath>
#include <tenon/sdk/plugin/probability.hpp>

#include "kernels/random.h"

namespace tenon::ref {
namespace {

enum Exponential : uint32_t { kExponentialShape, kRate, kExponentialDtype, kExponentialAttributes };

void exponential(const sdk::Launch& l) {
  const double rate = l.attrs.real(kRate);
  sdk::dispatch_dtype<RandomTypes>(l.out().dtype, [&]<class T>() {
    fill<T>(l, [=](sdk::RandomWords& words, uint64_t i) {
      const double u = static_cast<double>(unit_uniform<T>(words, i) + kUlp<T>);
      return static_cast<T>((0.0 - std::log(u)) / rate);
    });
  });
}

enum Integers : uint32_t { kIntegersShape, kLow, kHigh, kIntegersDtype, kIntegersAttributes };

// The upper 64 bits of a product of 128.
uint64_t upper_product(uint64_t a, uint64_t b) {
  constexpr uint64_t lower = 0xFFFFFFFF;
  const uint64_t low = (a & lower) * (b & lower);
  const uint64_t first = (a >> 32) * (b & lower) + (low >> 32);
  const uint64_t second = (a & lower) * (b >> 32) + (first & lower);
  return (a >> 32) * (b >> 32) + (first >> 32) + (second >> 32);
}

void random_integers(const sdk::Launch& l) {
  const auto low = static_cast<uint64_t>(l.attrs.integer(kLow));
  const uint64_t count = static_cast<uint64_t>(l.attrs.integer(kHigh)) - low;
  sdk::dispatch_dtype<sdk::IntegerTypes>(l.out().dtype, [&]<class T>() {
    fill<T>(l, [=](sdk::RandomWords& words, uint64_t i) {
      return static_cast<T>(low + upper_product(words.two_words(2 * i), count));
    });
  });
}

// u(i) for an operand of type T.
template <class T>
double unit_for(sdk::RandomWords& words, uint64_t i) {
  return unit_uniform<std::conditional_t<std::is_same_v<T, double>, double, float>>(words, i);
}

void bernoulli(const sdk::Launch& l) {
  sdk::check_probabilities(l.view(0), "p");
  const sdk::RandomWords start(l.rng());
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() {
    sdk::walk_parallel<2>(
        l, sdk::shape_of(l.out()), {sdk::strided(l.out()), sdk::strided(l.view(0))},
        [&](const sdk::Run<2>& run) {
          sdk::RandomWords words = start;
          for (int64_t i = 0; i < run.count; ++i) {
            const auto p = static_cast<double>(sdk::load<T>(run.data[1] + i * run.step[1]));
            const bool one = unit_for<T>(words, static_cast<uint64_t>(run.first + i)) < p;
            sdk::store(run.data[0] + i * run.step[0], sdk::narrow<T>(one ? 1.0 : 0.0));
          }
        });
  });
}

enum Dropout : uint32_t { kP, kDropoutAttributes };

void dropout(const sdk::Launch& l) {
  const sdk::RandomWords start(l.rng());
  const double p = l.attrs.real(kP);
  // If nobody asks which elements were kept, that is written over the same byte.
  sdk::Bool nobody;
  const sdk::Strided kept =
      l.wants_out(1) ? sdk::strided(l.out(1)) : sdk::Strided{reinterpret_cast<char*>(&nobody), {}};
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() {
    using C = sdk::Compute<T>;
    const C scale = static_cast<C>(1.0 / (1.0 - p));
    sdk::walk<3>(
        sdk::shape_of(l.out()), {sdk::strided(l.out()), sdk::strided(l.view(0)), kept},
        [&](const sdk::Run<3>& run) {
          sdk::RandomWords words = start;
          for (int64_t i = 0; i < run.count; ++i) {
            const C x = static_cast<C>(sdk::load<T>(run.data[1] + i * run.step[1]));
            const bool keep = unit_for<float>(words, static_cast<uint64_t>(run.first + i)) >= p;
            sdk::store(run.data[0] + i * run.step[0], sdk::narrow<T>(keep ? x * scale : C(0)));
            sdk::store(run.data[2] + i * run.step[2], sdk::Bool(keep));
          }
        });
  });
}

enum Permutation : uint32_t { kN, kPermutationDtype, kPermutationAttributes };

struct Keyed {
  uint64_t key;
  int64_t number;
  bool operator<(const Keyed& other) const {
    return key != other.key ? key < other.key : number < other.number;
  }
};

uint64_t permutation_bytes(const sdk::Args& args) {
  return static_cast<uint64_t>(args.attrs.integer(kN)) * sizeof(Keyed);
}

void permutation(const sdk::Launch& l) {
  sdk::RandomWords words(l.rng());
  const int64_t n = l.attrs.integer(kN);
  auto* const keyed = reinterpret_cast<Keyed*>(l.scratch().data());
  for (int64_t i = 0; i < n; ++i) keyed[i] = {words.two_words(2 * static_cast<uint64_t>(i)), i};
  std::sort(keyed, keyed + n);
  const sdk::Strided out = sdk::strided(l.out());
  sdk::dispatch_dtype<sdk::TypeList<int32_t, int64_t>>(l.out().dtype, [&]<class T>() {
    for (int64_t i = 0; i < n; ++i) {
      sdk::store(out.data + i * out.step[0], static_cast<T>(keyed[i].number));
    }
  });
}

constexpr tenon_dtype permutation_dtypes[] = {TENON_DTYPE_I32, TENON_DTYPE_I64};
constexpr tenon_slot_rule generator_slots[] = {sdk::strided_out()};
constexpr tenon_slot_rule dropout_slots[] = {element_in(), sdk::strided_out(), sdk::strided_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.exponential", generator_slots, random_dtypes, kExponentialAttributes,
           sdk::launch_fn<exponential>),
    kernel("tenon.random_integers", generator_slots, sdk::kIntegers, kIntegersAttributes,
           sdk::launch_fn<random_integers>),
    kernel("tenon.bernoulli", kUnarySlots, sdk::kFloats, 0, sdk::launch_fn<bernoulli>),
    kernel("tenon.dropout", dropout_slots, sdk::kFloats, kDropoutAttributes,
           sdk::launch_fn<dropout>),
    kernel("tenon.permutation", generator_slots, permutation_dtypes, kPermutationAttributes,
           sdk::launch_fn<permutation>, {.workspace = sdk::workspace_fn<permutation_bytes>}),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(random_values) = {.kernels = tenon::ref::kernels};
