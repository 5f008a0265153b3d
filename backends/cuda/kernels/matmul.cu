// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/matmul.cu: matmul: C[m,n] = sum over k of A[m,k] B[k,n]; linear, with bias
// and activation.
//
// Floats go to cuBLASLt where it is there and can read the operands where they lie: matrices whose
// rows or columns are packed, in batches a constant step apart. Of these, small ones of f32 go to
// small_product.h instead, which is faster and needs no library. Everything else, integers too, and
// what cuBLASLt refuses, is computed by `product`: a block makes 64 x 64 elements from 64 x 16
// pieces of both operands in shared memory, and each of its 256 threads 4 x 4 of them. That is the
// canonical order: acc = fma(a_k, b_k, acc), k ascending, in f32 for the floats of 16 bits.
#include <tenon/sdk/plugin/matmul.hpp>

#include <optional>

#include "device.h"
#include "gelu.h"
#include "geometry.h"
#include "products.h"
#include "small_product.h"

namespace tenon::cuda::matmul_unit {
namespace {

constexpr int kTile = 64;   // rows and columns of C that a block makes
constexpr int kDepth = 16;  // of k at a time
constexpr int kOwn = 4;     // rows and columns of each thread
constexpr int kThreads = 256;
constexpr int kPitch = kTile + 4;  // of a row in shared memory: keeps banks apart

// Floats add in float or double, integers in 64 wrapping bits.
template <class T>
using Sum = std::conditional_t<sdk::is_float_type<T>, Arithmetic<T>, uint64_t>;

struct Operand {
  int64_t row_step;
  int64_t column_step;
  int64_t batch[TENON_MAX_RANK];
};
struct Sizes {
  int64_t m, n, k;
  int64_t row_tiles, column_tiles, tiles;
  int32_t batch_rank;
  int64_t batch_shape[TENON_MAX_RANK];
  Operand a, b, c;
};

__device__ __forceinline__ void offset_of_batch(const Sizes& s, int64_t number, int64_t& a,
                                                int64_t& b, int64_t& c) {
  a = b = c = 0;
  for (int32_t d = s.batch_rank - 1; d >= 0; --d) {
    const int64_t index = number % s.batch_shape[d];
    number /= s.batch_shape[d];
    a += index * s.a.batch[d];
    b += index * s.b.batch[d];
    c += index * s.c.batch[d];
  }
}

template <class A>
__device__ __forceinline__ A multiply_add(A x, A y, A sum) {
  if constexpr (std::is_same_v<A, uint64_t>) {
    return sum + x * y;
  } else {
    return fma(x, y, sum);
  }
}

template <class T>
__device__ __forceinline__ Sum<T> summand(const T* at) {
  if constexpr (sdk::is_float_type<T>) {
    return widen(*at);
  } else {
    return static_cast<Sum<T>>(*at);
  }
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    product(Sizes s, const T* __restrict__ a, const T* __restrict__ b, T* __restrict__ c) {
  __shared__ Sum<T> a_part[kDepth][kPitch];
  __shared__ Sum<T> b_part[kDepth][kPitch];
  const int thread = threadIdx.x;
  const int own_row = thread / (kTile / kOwn) * kOwn;
  const int own_column = thread % (kTile / kOwn) * kOwn;
  for (int64_t tile = blockIdx.x; tile < s.tiles; tile += gridDim.x) {
    const int64_t column = tile % s.column_tiles * kTile;
    const int64_t row = tile / s.column_tiles % s.row_tiles * kTile;
    int64_t a_at, b_at, c_at;
    offset_of_batch(s, tile / s.column_tiles / s.row_tiles, a_at, b_at, c_at);
    Sum<T> sum[kOwn][kOwn] = {};
    for (int64_t depth = 0; depth < s.k; depth += kDepth) {
      for (int i = thread; i < kTile * kDepth; i += kThreads) {
        // Neighbouring threads read neighbouring elements, whichever way the matrix lies.
        const int a_k = s.a.column_step == 1 ? i % kDepth : i / kTile;
        const int a_m = s.a.column_step == 1 ? i / kDepth : i % kTile;
        const bool a_inside = row + a_m < s.m && depth + a_k < s.k;
        a_part[a_k][a_m] =
            a_inside
                ? summand(a + a_at + (row + a_m) * s.a.row_step + (depth + a_k) * s.a.column_step)
                : Sum<T>(0);
        const int b_k = s.b.row_step == 1 ? i % kDepth : i / kTile;
        const int b_n = s.b.row_step == 1 ? i / kDepth : i % kTile;
        const bool b_inside = column + b_n < s.n && depth + b_k < s.k;
        b_part[b_k][b_n] = b_inside ? summand(b + b_at + (depth + b_k) * s.b.row_step +
                                              (column + b_n) * s.b.column_step)
                                    : Sum<T>(0);
      }
      __syncthreads();
      // Beyond k nothing is added: 0 * 0 would turn a sum of -0 into 0.
      const int rest = s.k - depth < kDepth ? static_cast<int>(s.k - depth) : kDepth;
      for (int k = 0; k < rest; ++k) {
#pragma unroll
        for (int i = 0; i < kOwn; ++i) {
#pragma unroll
          for (int j = 0; j < kOwn; ++j) {
            sum[i][j] = multiply_add(a_part[k][own_row + i], b_part[k][own_column + j], sum[i][j]);
          }
        }
      }
      __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < kOwn; ++i) {
#pragma unroll
      for (int j = 0; j < kOwn; ++j) {
        if (row + own_row + i < s.m && column + own_column + j < s.n) {
          c[c_at + (row + own_row + i) * s.c.row_step +
            (column + own_column + j) * s.c.column_step] = narrow<T>(sum[i][j]);
        }
      }
    }
  }
}

Operand operand_of(const sdk::MatmulOperand& m) {
  Operand operand{m.row_step, m.column_step, {}};
  std::copy(m.batch.begin(), m.batch.end(), operand.batch);
  return operand;
}

void run_product(const sdk::Launch& l, const sdk::Matmul& p) {
  Sizes s{};
  s.m = p.c.rows;
  s.n = p.c.columns;
  s.k = p.a.columns;
  s.row_tiles = (s.m + kTile - 1) / kTile;
  s.column_tiles = (s.n + kTile - 1) / kTile;
  s.tiles = s.row_tiles * s.column_tiles * p.batches();
  s.batch_rank = static_cast<int32_t>(p.batch_rank);
  std::copy(p.batch_shape.begin(), p.batch_shape.end(), s.batch_shape);
  s.a = operand_of(p.a);
  s.b = operand_of(p.b);
  s.c = operand_of(p.c);
  const auto grid = static_cast<uint32_t>(std::min<int64_t>(s.tiles, INT32_MAX));
  sdk::dispatch_dtype<sdk::NumberTypes>(l.out().dtype, [&]<class T>() {
    enqueue(l, &product<T>, {grid}, {kThreads}, 0, s, l.data<const T>(0), l.data<const T>(1),
            l.out_data<T>());
  });
}

// ---- cuBLASLt -----------------------------------------------------------------------------------

// Sets `out` to a plan, or to nothing if `product` computes it.
tenon_status prepare_with(tenon_call* call, const tenon_launch* args, void** out,
                          std::optional<Product> (*describe)(const sdk::Args&)) {
  return sdk::guarded(call, [&] {
    *out = nullptr;
    const auto product = describe(sdk::Args(args));
    if (!product || is_small_product(*product)) return;
    State& state = state_of(*args);
    state.require(product->device);
    *out = prepare_product(*product, state.device(product->device).blas).release();
  });
}
const BlasPlan* plan_of(const sdk::Launch& l) {
  return static_cast<const BlasPlan*>(l.launch().prepared);
}

tenon_status prepare_matmul(tenon_call* call, const tenon_launch* args, void** out) {
  return prepare_with(call, args, out, describe_matmul);
}

template <Describe describe>
uint64_t scratch(const sdk::Args& l) {
  const auto product = describe(l);
  return product && !is_small_product(*product) ? blas_workspace(*product) : 0;
}

void matmul(const sdk::Launch& l) {
  if (const BlasPlan* plan = plan_of(l); plan && run_matmul(*plan, l)) return;
  const auto product = describe_matmul(l);
  if (product && is_small_product(*product)) return run_small_product(l, *product, nullptr);
  sdk::Matmul p;
  sdk::read_matmul(l, p);
  run_product(l, p);
}

// ---- linear -------------------------------------------------------------------------------------

tenon_status prepare_linear(tenon_call* call, const tenon_launch* args, void** out) {
  return prepare_with(call, args, out, describe_linear);
}

// Adds the bias, and applies the activation: what a product of cuBLASLt's does in its epilogue.
// Each step is rounded, as those of the composition are.
template <class T>
__global__ void __launch_bounds__(kBlock)
    finish(int64_t count, int64_t columns, T* c, const T* bias, Epilogue epilogue) {
  for (int64_t i = int64_t{blockIdx.x} * kBlock + threadIdx.x; i < count;
       i += int64_t{gridDim.x} * kBlock) {
    T stored = c[i];
    if (bias) stored = narrow<T>(widen(stored) + widen(bias[i % columns]));
    if (epilogue == Epilogue::kRelu && widen(stored) < 0) stored = narrow<T>(Arithmetic<T>(0));
    if (epilogue == Epilogue::kGelu) stored = Function<Gelu<true>>()(stored);
    c[i] = stored;
  }
}

// x[m,k] weight[n,k]' of small sizes, and where cuBLASLt refuses: an epilogue for that dtype or
// that card, say.
void linear_by_product(const sdk::Launch& l) {
  const Product asked = describe_linear(l).value();
  if (is_small_product(asked)) {
    return run_small_product(l, asked, asked.bias ? l.data<const float>(2) : nullptr);
  }
  sdk::Matmul p;
  p.a = {{}, asked.m, asked.k, asked.k, 1};
  p.b = {{}, asked.k, asked.n, 1, asked.k};
  p.c = {{}, asked.m, asked.n, asked.n, 1};
  run_product(l, p);
  if (asked.epilogue == Epilogue::kNone && !asked.bias) return;
  const int64_t count = asked.m * asked.n;
  const uint32_t blocks = blocks_for(std::min(count, kMaxElements), kBlock);
  sdk::dispatch_dtype<sdk::FloatTypes>(asked.dtype, [&]<class T>() {
    enqueue(l, &finish<T>, {blocks}, {kBlock}, 0, count, asked.n, l.out_data<T>(),
            asked.bias ? l.data<const T>(2) : nullptr, asked.epilogue);
  });
}

void linear(const sdk::Launch& l) {
  if (const BlasPlan* plan = plan_of(l); plan && run_linear(*plan, l)) return;
  linear_by_product(l);
}

constexpr tenon_kernel_desc kernels[] = {
    sdk::kernel({.op = "tenon.matmul",
                 .device = kDevice,
                 .slots = kMatmulSlots,
                 .rows = sdk::kNumbers,
                 .flags = kUsual,
                 .launch = sdk::launch_fn<matmul>,
                 .workspace = sdk::workspace_fn<scratch<describe_matmul>>,
                 .prepare = prepare_matmul,
                 .release_prepared = release_plan}),
    sdk::kernel({.op = "tenon.linear",
                 .device = kDevice,
                 .slots = kLinearSlots,
                 .rows = sdk::kFloats,
                 .n_attrs = 1,
                 .flags = kUsual,
                 .launch = sdk::launch_fn<linear>,
                 .workspace = sdk::workspace_fn<scratch<describe_linear>>,
                 .predicate = is_one_product<describe_linear>,
                 .prepare = prepare_linear,
                 .release_prepared = release_plan})};

}  // namespace
}  // namespace tenon::cuda::matmul_unit

TENON_UNIT(matmul) = {.kernels = tenon::cuda::matmul_unit::kernels};
