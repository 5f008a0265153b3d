// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/random.cu: uniform, normal, exponential, random_integers, truncated_normal
// from Philox words by logical index, with the words of tenon.ref.
//
// uniform: low + u (high - low), each step in the dtype.
// normal: Box-Muller on the pair (2j, 2j+1), in double, rounded once:
//   r = sqrt(-2 ln(u(2j) + ulp)),  t = 2 pi u(2j+1),  mean + std r cos t,  mean + std r sin t
// exponential: -ln(u + ulp) / rate, in double, rounded once; ulp = 2^-24 (f32) or 2^-53 (f64).
// random_integers: low + the upper 64 bits of w(i) (high - low), w(i) words 2i (high) and 2i+1.
// truncated_normal: mean + std F^-1(F(a) + u (F(b) - F(a))), see tenon/sdk/plugin/normal_part.hpp.
#include <tenon/sdk/plugin/normal_part.hpp>
#include <tenon/sdk/plugin/rounding.hpp>

#include <numbers>

#include "elementwise.h"
#include "random.h"

namespace tenon::cuda::random_unit {
namespace {

// Draw fills the in_block numbers of one block.
template <int in_block, class T, class Draw>
__global__ void __launch_bounds__(kBlock) generate(Part<1> part, T* out, tenon_rng rng, Draw draw) {
  const uint64_t block = part.first / in_block + uint64_t{blockIdx.x} * kBlock + threadIdx.x;
  if (block * in_block >= part.first + part.geometry.count) return;
  Pack<T, in_block> numbers;
  draw(random_block(rng, block), numbers.at);
  if (part.has_whole<in_block>(block)) {
    *reinterpret_cast<Pack<T, in_block>*>(out + (block * in_block - part.first)) = numbers;
    return;
  }
  part.each<in_block>(block, [&](int k, uint32_t number) {
    int64_t at[1];
    part.geometry.offsets(number, at);
    out[at[0]] = numbers.at[k];
  });
}

template <int in_block, class T, class Draw>
void fill(const sdk::Launch& l, const Draw& draw) {
  const tenon_view& out = l.out();
  for_random_parts<1>(layout_of<1>(shape_of(out), {&out}), in_block, holds_packs(out, in_block),
                      [&](const Part<1>& part, const std::array<int64_t, 1>& at, int64_t blocks) {
                        enqueue(l, &generate<in_block, T, Draw>, {blocks_for(blocks, kBlock)},
                                {kBlock}, 0, part, static_cast<T*>(out.data) + at[0], l.rng(),
                                draw);
                      });
}

using RandomTypes = sdk::TypeList<float, double>;
template <class T>
inline constexpr int kInBlock = std::is_same_v<T, float> ? 4 : 2;

template <class T>
struct Uniform {
  T low, width;
  __device__ void operator()(const Block& block, T (&numbers)[kInBlock<T>]) const {
#pragma unroll
    for (int i = 0; i < kInBlock<T>; ++i) numbers[i] = low + unit_uniform<T>(block, i) * width;
  }
};

struct Normal {
  double mean, deviation;
  template <class T, int N>
  __device__ void operator()(const Block& block, T (&numbers)[N]) const {
#pragma unroll
    for (int i = 0; i < N; i += 2) {
      const auto first = static_cast<double>(unit_uniform<T>(block, i) + kUlp<T>);
      const auto second = static_cast<double>(unit_uniform<T>(block, i + 1));
      const double radius = std::sqrt(-2.0 * std::log(first));
      double sine, cosine;
      sincos(2.0 * std::numbers::pi * second, &sine, &cosine);
      numbers[i] = static_cast<T>(mean + deviation * (radius * cosine));
      numbers[i + 1] = static_cast<T>(mean + deviation * (radius * sine));
    }
  }
};

struct Exponential {
  double rate;
  template <class T, int N>
  __device__ void operator()(const Block& block, T (&numbers)[N]) const {
#pragma unroll
    for (int i = 0; i < N; ++i) {
      const auto u = static_cast<double>(unit_uniform<T>(block, i) + kUlp<T>);
      numbers[i] = static_cast<T>((0.0 - std::log(u)) / rate);
    }
  }
};

struct Integers {
  uint64_t low, count;
  template <class T>
  __device__ void operator()(const Block& block, T (&numbers)[2]) const {
#pragma unroll
    for (int i = 0; i < 2; ++i) numbers[i] = static_cast<T>(low + __umul64hi(block.pair(i), count));
  }
};

__device__ double value_at(const sdk::QuantileRatio& ratio, double x) {
  double above = ratio.above[0], below = ratio.below[0];
#pragma unroll
  for (int k = 1; k < 8; ++k) {
    above = above * x + ratio.above[k];
    below = below * x + ratio.below[k];
  }
  return above / below;
}

// The polynomials come along as parameters: a kernel does not see the host's constants.
template <class T>
struct TruncatedNormal {
  double mean, deviation;
  T least, most;
  sdk::NormalPart part;
  sdk::QuantileRatio middle, tail, far;

  // In (0, 1): the middle of one of 2^24 or 2^52 equal parts.
  __device__ static double inner_uniform(const Block& block, int i) {
    if constexpr (std::is_same_v<T, float>) {
      return (static_cast<double>(block.word[i] >> 8) + 0.5) * 0x1p-24;
    } else {
      return (static_cast<double>(block.pair(i) >> 12) + 0.5) * 0x1p-52;
    }
  }
  __device__ double tail_quantile(double p) const {
    const double r = std::sqrt(-std::log(p));
    return r <= sdk::kFarFrom ? value_at(tail, r - sdk::kTailFrom)
                              : value_at(far, r - sdk::kFarFrom);
  }
  __device__ double quantile(double u) const {
    const double p = part.middle + u * part.inside;
    if (std::fabs(p) <= sdk::kMiddle)
      return p * value_at(middle, sdk::kMiddle * sdk::kMiddle - p * p);
    return p < 0 ? -tail_quantile(part.left + u * part.inside)
                 : tail_quantile(part.right + (1 - u) * part.inside);
  }
  __device__ void operator()(const Block& block, T (&numbers)[kInBlock<T>]) const {
#pragma unroll
    for (int i = 0; i < kInBlock<T>; ++i) {
      const T y = static_cast<T>(mean + deviation * quantile(inner_uniform(block, i)));
      numbers[i] = y < least ? least : y > most ? most : y;
    }
  }
};

enum UniformAttr : uint32_t { kUniformShape, kLow, kHigh, kUniformDtype, kUniformAttrs };

void uniform(const sdk::Launch& l) {
  sdk::dispatch_dtype<RandomTypes>(l.out().dtype, [&]<class T>() {
    const T low = static_cast<T>(l.attrs.real(kLow));
    fill<kInBlock<T>, T>(l, Uniform<T>{low, static_cast<T>(l.attrs.real(kHigh)) - low});
  });
}

enum NormalAttr : uint32_t { kNormalShape, kMean, kStd, kNormalDtype, kNormalAttrs };

void normal(const sdk::Launch& l) {
  const Normal draw{l.attrs.real(kMean), l.attrs.real(kStd)};
  sdk::dispatch_dtype<RandomTypes>(l.out().dtype,
                                   [&]<class T>() { fill<kInBlock<T>, T>(l, draw); });
}

enum ExponentialAttr : uint32_t { kExponentialShape, kRate, kExponentialDtype, kExponentialAttrs };

void exponential(const sdk::Launch& l) {
  const Exponential draw{l.attrs.real(kRate)};
  sdk::dispatch_dtype<RandomTypes>(l.out().dtype,
                                   [&]<class T>() { fill<kInBlock<T>, T>(l, draw); });
}

enum IntegersAttr : uint32_t { kIntegersShape, kLeast, kEnd, kIntegersDtype, kIntegersAttrs };

void random_integers(const sdk::Launch& l) {
  const auto low = static_cast<uint64_t>(l.attrs.integer(kLeast));
  const Integers draw{low, static_cast<uint64_t>(l.attrs.integer(kEnd)) - low};
  sdk::dispatch_dtype<sdk::IntegerTypes>(l.out().dtype, [&]<class T>() { fill<2, T>(l, draw); });
}

enum TruncatedAttr : uint32_t {
  kTruncatedShape,
  kTruncatedMean,
  kTruncatedStd,
  kFrom,
  kTo,
  kTruncatedDtype,
  kTruncatedAttrs
};

void truncated_normal(const sdk::Launch& l) {
  const double mean = l.attrs.real(kTruncatedMean), deviation = l.attrs.real(kTruncatedStd);
  const double low = l.attrs.real(kFrom), high = l.attrs.real(kTo);
  const auto part = sdk::NormalPart::between((low - mean) / deviation, (high - mean) / deviation);
  sdk::dispatch_dtype<RandomTypes>(l.out().dtype, [&]<class T>() {
    fill<kInBlock<T>, T>(
        l, TruncatedNormal<T>{mean, deviation, sdk::round_up<T>(low), sdk::round_down<T>(high),
                              part, sdk::kMiddleRatio, sdk::kTailRatio, sdk::kFarRatio});
  });
}

constexpr tenon_dtype random_dtypes[] = {TENON_DTYPE_F32, TENON_DTYPE_F64};
constexpr tenon_slot_rule slots[] = {any_out()};

template <void (*Run)(const sdk::Launch&)>
constexpr tenon_kernel_desc generator(std::string_view op, std::span<const tenon_dtype> rows,
                                      uint32_t n_attrs) {
  return kernel(op, slots, rows, sdk::launch_fn<Run>, {.n_attrs = n_attrs});
}

constexpr tenon_kernel_desc kernels[] = {
    generator<uniform>("tenon.uniform", random_dtypes, kUniformAttrs),
    generator<normal>("tenon.normal", random_dtypes, kNormalAttrs),
    generator<exponential>("tenon.exponential", random_dtypes, kExponentialAttrs),
    generator<random_integers>("tenon.random_integers", sdk::kIntegers, kIntegersAttrs),
    generator<truncated_normal>("tenon.truncated_normal", random_dtypes, kTruncatedAttrs),
};

}  // namespace
}  // namespace tenon::cuda::random_unit

TENON_UNIT(random) = {.kernels = tenon::cuda::random_unit::kernels};
