// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/norm.cu: layer_norm, rms_norm and their gradients.
//
//   d  = (x - x_0) - mean(x - x_0) (x for rms_norm),  h = d s,  s = 1 / sqrt(mean d^2 + eps)
//   y  = h w + b
//   c  = (g - g_0) - mean(g - g_0),  g = dy w (c = g for rms_norm),  dx = s (c - h mean(c h))
//   dw = sum dy h,  db = sum dy                       over all rows
// A row is what the last `dims` dimensions of x hold, x_0 and g_0 its first, and the means are over
// a row. What a large mean has no digits for is in x - x_0. In float for f16, bf16 and f32, in
// double for f64.
//
// A group of threads for each row, whose elements stay in registers; rows that are too long for
// that are read again for each step. Backward, a group goes through several rows and adds up its
// part of dw and db as it goes, so that x and dy are read once; a second launch adds the parts.
//
// Short rows have a thread each, which adds up their elements in order. Their dx is found in
// double: with few elements it is often a small difference of large terms (of 3 elements, two
// directions out of three are taken away).
#include "lines.h"

namespace tenon::cuda::norm_unit {
namespace {

enum Attribute : uint32_t { kDims, kEps, kAttributes };

inline constexpr int kHeldForward = 16;  // elements of a thread
inline constexpr int kHeldPacks = 4;     // or, where rows are packed, 16 bytes of them
inline constexpr int kHeldBackward = 8;
inline constexpr int kShort = 16;  // elements of a row that has one thread backward
// Of a group; more would leave a thread too few registers.
inline constexpr uint32_t kMaxOfGroup = 512;

// The shape of x in two parts.
struct Shape {
  int64_t rows;
  uint32_t count;  // of elements of a row

  Shape(const sdk::Args& args, uint32_t x) {
    const auto shape = args.shape(x);
    const auto dims = static_cast<size_t>(args.attrs.integer(kDims));
    rows = sdk::count_of(shape.first(shape.size() - dims));
    const int64_t elements = sdk::count_of(shape.last(dims));
    if (elements >= kMaxElements) {
      throw sdk::Failure{TENON_E_UNSUPPORTED, "a row is too long for a kernel of tenon.cuda", "x",
                         "fewer than " + std::to_string(kMaxElements) + " elements",
                         std::to_string(elements)};
    }
    count = static_cast<uint32_t>(elements);
  }
};

// Operands are row-major, and rows of `x` begin `count` elements apart.
template <class T>
bool is_packed(uint32_t count, std::initializer_list<const void*> operands) {
  bool fits = count % kPack<T> == 0;
  for (const void* data : operands) fits = fits && reinterpret_cast<uintptr_t>(data) % 16 == 0;
  return fits;
}

template <class T>
const T* data_or_null(const sdk::Launch& l, uint32_t slot) {
  return l.given(slot) ? l.data<const T>(slot) : nullptr;
}

// Elements `round` of an operand of the shape of a row that may be absent.
template <int N, class T>
__device__ __forceinline__ void load_or(const T* data, uint32_t count, bool packed, uint32_t round,
                                        Arithmetic<T> instead, Arithmetic<T> (&x)[N]) {
  if (data) {
    load_line<N, T>(Line<const T>{data, 1, count, packed}, round, threadIdx.x, blockDim.x,
                    Arithmetic<T>(0), x);
    return;
  }
#pragma unroll
  for (int k = 0; k < N; ++k) x[k] = instead;
}

// ---- Forward ------------------------------------------------------------------------------------

template <class T>
struct ForwardTask {
  const T* x;
  const T* weight;  // or NULL
  const T* bias;    // or NULL
  T* y;
  uint32_t rows;
  uint32_t count;
  Arithmetic<T> eps;
  bool packed;
  bool centred;
};

// What is taken off a row first.
template <class T>
__device__ __forceinline__ Arithmetic<T> first_of(const T* row, bool centred) {
  return centred ? widen(*row) : Arithmetic<T>(0);
}

// The elements of a row that are a thread's, in registers or (kLong) a round of them at a time.
template <class T, bool kLong>
__global__ void __launch_bounds__(kMaxOfGroup) normalise(ForwardTask<T> t) {
  using C = Arithmetic<T>;
  constexpr int N = kHeldForward;
  const uint32_t row = blockIdx.x * blockDim.y + threadIdx.y;
  const uint32_t count = row < t.rows ? t.count : 0;
  const int64_t begin = static_cast<int64_t>(row < t.rows ? row : 0) * t.count;
  const Line<const T> from{t.x + begin, 1, count, t.packed};
  const Line<T> to{t.y + begin, 1, count, t.packed};
  const uint32_t rounds = kLong ? (count + N * blockDim.x - 1) / (N * blockDim.x) : 1;
  const C scale_of_mean = C(1) / static_cast<C>(t.count);
  const C first = first_of(from.data, t.centred);
  C x[N];  // without `first`; 0 after the end
  const auto load = [&](uint32_t round) {
    load_line<N, T>(from, round, threadIdx.x, blockDim.x, first, x);
#pragma unroll
    for (int k = 0; k < N; ++k) x[k] -= first;
  };
  if (!kLong) load(0);
  C mean = 0;
  if (t.centred) {
    C sum = 0;
    for (uint32_t round = 0; round < rounds; ++round) {
      if (kLong) load(round);
#pragma unroll
      for (int k = 0; k < N; ++k) sum += x[k];
    }
    mean = join_group(sum, Plus()) * scale_of_mean;
  }
  C squares = 0;
  for (uint32_t round = 0; round < rounds; ++round) {
    if (kLong) load(round);
#pragma unroll
    for (int k = 0; k < N; ++k) {
      const uint32_t i = place_in_line(from, round * N + k, threadIdx.x, blockDim.x);
      const C difference = i < count ? x[k] - mean : C(0);
      squares += difference * difference;
    }
  }
  squares = join_group(squares, Plus());
  const C scale = C(1) / root_of(squares * scale_of_mean + t.eps);
  for (uint32_t round = 0; round < rounds; ++round) {
    if (kLong) load(round);
    C weight[N];
    C bias[N];
    load_or<N, T>(t.weight, count, t.packed, round, C(1), weight);
    load_or<N, T>(t.bias, count, t.packed, round, -C(0), bias);  // leaves a zero's sign as it is
    C y[N];
#pragma unroll
    for (int k = 0; k < N; ++k) y[k] = (x[k] - mean) * scale * weight[k] + bias[k];
    store_line<N, T>(to, round, threadIdx.x, blockDim.x, y);
  }
}

// Packed rows of at most kHeldPacks times 16 bytes a thread. Registers hold them as they are
// stored, so that enough rows are under way.
template <class T>
__global__ void __launch_bounds__(kMaxOfGroup) normalise_packed(ForwardTask<T> t) {
  using C = Arithmetic<T>;
  constexpr int V = kPack<T>;
  using Held = HeldPacks<T, kHeldPacks>;
  const uint32_t row = blockIdx.x * blockDim.y + threadIdx.y;
  const int64_t begin = static_cast<int64_t>(row < t.rows ? row : 0) * t.count;
  const Line<const T> from{t.x + begin, 1, row < t.rows ? t.count : 0, true};
  const C scale_of_mean = C(1) / static_cast<C>(t.count);
  Held x;
  x.load(from);
  const C first = first_of(from.data, t.centred);
  C mean = 0;  // of what is left
  if (t.centred) {
    C sum = 0;
    Held::each(from, [&](int p) {
#pragma unroll
      for (const T& element : x.packs[p].at) sum += widen(element) - first;
    });
    mean = join_group(sum, Plus()) * scale_of_mean;
  }
  C squares = 0;
  Held::each(from, [&](int p) {
#pragma unroll
    for (const T& element : x.packs[p].at) {
      const C difference = (widen(element) - first) - mean;
      squares += difference * difference;
    }
  });
  squares = join_group(squares, Plus());
  const C scale = C(1) / root_of(squares * scale_of_mean + t.eps);
  Held::each(from, [&](int p) {
    const auto at = (static_cast<uint32_t>(p) * blockDim.x + threadIdx.x) * V;
    const auto pack_of = [&](const T* data) {
      return data ? *reinterpret_cast<const Pack<T, V>*>(data + at) : Pack<T, V>{};
    };
    const Pack<T, V> weight = pack_of(t.weight);
    const Pack<T, V> bias = pack_of(t.bias);
    Pack<T, V> y;
#pragma unroll
    for (int v = 0; v < V; ++v) {
      C result = ((widen(x.packs[p].at[v]) - first) - mean) * scale;
      if (t.weight) result *= widen(weight.at[v]);
      if (t.bias) result += widen(bias.at[v]);
      y.at[v] = cuda::narrow<T>(result);
    }
    *reinterpret_cast<Pack<T, V>*>(t.y + begin + at) = y;
  });
}

template <class T>
void enqueue_forward(const sdk::Launch& l, const Shape& shape, bool centred) {
  ForwardTask<T> t{};
  t.weight = data_or_null<T>(l, 1);
  t.bias = centred ? data_or_null<T>(l, 2) : nullptr;
  t.count = shape.count;
  t.eps = static_cast<Arithmetic<T>>(l.attrs.real(kEps));
  t.centred = centred;
  t.packed = is_packed<T>(shape.count, {l.view(0).data, l.out().data, t.weight, t.bias});
  constexpr uint32_t packed = kHeldPacks * kPack<T>;
  const bool is_held = t.packed && shape.count <= packed * kMaxOfGroup;
  const uint32_t held = is_held ? packed : kHeldForward;
  const uint32_t group = group_for(shape.count, held, kMaxOfGroup, 1);
  const bool is_long = shape.count > group * held;
  auto* const kernel = is_held   ? &normalise_packed<T>
                       : is_long ? &normalise<T, true>
                                 : &normalise<T, false>;
  const Extent block{group, groups_for(group, shape.rows)};
  for (int64_t begin = 0; begin < shape.rows; begin += kMaxElements) {
    t.rows = static_cast<uint32_t>(std::min(kMaxElements, shape.rows - begin));
    t.x = l.data<const T>(0) + begin * shape.count;
    t.y = l.out_data<T>() + begin * shape.count;
    enqueue(l, kernel, {blocks_for(t.rows, block.y)}, block, 0, t);
  }
}

template <bool kCentred>
void forward(const sdk::Launch& l) {
  const Shape shape(l, 0);
  if (shape.count == 0) return;
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype,
                                       [&]<class T>() { enqueue_forward<T>(l, shape, kCentred); });
}

// ---- Backward -----------------------------------------------------------------------------------

template <class T>
struct BackwardTask {
  const T* dy;
  const T* x;
  const T* weight;  // or NULL
  T* dx;
  Arithmetic<T>* parts;  // [groups, 2, count] of dw and db; NULL: neither is wanted
  int64_t rows;
  uint32_t groups;  // that share the rows
  uint32_t count;
  Arithmetic<T> eps;
  bool packed;
  bool centred;
};

template <class C>
struct Two {
  C a;
  C b;
};
struct PlusTwo {
  template <class C>
  __device__ __forceinline__ Two<C> operator()(const Two<C>& x, const Two<C>& y) const {
    return {x.a + y.a, x.b + y.b};
  }
};

// One thread's elements of a row, and what is known of the row.
template <class T, class C, int N, bool kLong>
struct RowGradient {
  const BackwardTask<T>& t;
  uint32_t count;  // 0 if there is no row
  uint32_t rounds;
  int64_t begin;
  Arithmetic<T> x[N];
  Arithmetic<T> dy[N];
  C g[N];
  Arithmetic<T> first;
  C first_of_g;
  C mean;  // of what is left without `first`
  C scale;
  C mean_of_g;  // without `first_of_g`
  C along;

  __device__ explicit RowGradient(const BackwardTask<T>& task) : t(task) {}
  __device__ void load(uint32_t round) {
    const Line<const T> from{t.x + begin, 1, count, t.packed};
    const Line<const T> given{t.dy + begin, 1, count, t.packed};
    first = first_of(from.data, t.centred);
    load_line<N, T>(from, round, threadIdx.x, blockDim.x, first, x);
    load_line<N, T>(given, round, threadIdx.x, blockDim.x, Arithmetic<T>(0), dy);
    Arithmetic<T> weight[N];
    load_or<N, T>(t.weight, count, t.packed, round, Arithmetic<T>(1), weight);
#pragma unroll
    for (int k = 0; k < N; ++k) g[k] = C(weight[k]) * C(dy[k]);
    first_of_g = C(first_of(given.data, t.centred)) * (t.weight ? C(widen(*t.weight)) : C(1));
  }
  __device__ C mean_over(C sum) const { return sum / static_cast<C>(t.count); }
  __device__ C apart(int k) const { return C(x[k]) - C(first); }  // 0 after the end
  __device__ C h(int k) const { return (apart(k) - mean) * scale; }
  __device__ C c(int k) const { return (g[k] - first_of_g) - mean_of_g; }
  __device__ bool inside(uint32_t round, int k) const {
    const Line<const T> line{t.x, 1, count, t.packed};
    return place_in_line(line, round * N + static_cast<uint32_t>(k), threadIdx.x, blockDim.x) <
           count;
  }

  // Everything but the elements' own results.
  __device__ void find_means() {
    Two<C> sums{};
    for (uint32_t round = 0; t.centred && round < rounds; ++round) {
      if (kLong) load(round);
#pragma unroll
      for (int k = 0; k < N; ++k) {
        const C slope = inside(round, k) ? g[k] - first_of_g : C(0);
        sums = PlusTwo()(sums, Two<C>{apart(k), slope});
      }
    }
    if (t.centred) sums = join_group(sums, PlusTwo());
    mean = mean_over(sums.a);
    mean_of_g = mean_over(sums.b);
    C squares = 0;
    for (uint32_t round = 0; round < rounds; ++round) {
      if (kLong) load(round);
#pragma unroll
      for (int k = 0; k < N; ++k) {
        const C difference = inside(round, k) ? apart(k) - mean : C(0);
        squares += difference * difference;
      }
    }
    scale = C(1) / root_of(mean_over(join_group(squares, Plus())) + C(t.eps));
    C sum = 0;
    for (uint32_t round = 0; round < rounds; ++round) {
      if (kLong) load(round);
#pragma unroll
      for (int k = 0; k < N; ++k) sum += inside(round, k) ? c(k) * h(k) : C(0);
    }
    along = mean_over(join_group(sum, Plus()));
  }
};

// Adds to this group's part of dw and db; its first row is stored.
template <class T, int N, class C>
__device__ void add_to_parts(const BackwardTask<T>& t, uint32_t group, uint32_t round, bool first,
                             const C (&dw)[N], const C (&db)[N]) {
  const Line<T> line{nullptr, 1, t.count, t.packed};
  auto* const own = t.parts + static_cast<int64_t>(group) * 2 * t.count;
#pragma unroll
  for (int k = 0; k < N; ++k) {
    const uint32_t i =
        place_in_line(line, round * N + static_cast<uint32_t>(k), threadIdx.x, blockDim.x);
    if (i >= t.count) continue;
    own[i] = static_cast<Arithmetic<T>>(first ? dw[k] : own[i] + dw[k]);
    own[t.count + i] = static_cast<Arithmetic<T>>(first ? db[k] : own[t.count + i] + db[k]);
  }
}

// Group p goes through rows p, p + groups, ... Its part of dw and db is in registers, or (kLong) in
// scratch.
template <class T, class C, int N, bool kLong>
__global__ void __launch_bounds__(N == kShort ? kBlock : kMaxOfGroup)
    normalise_grad(BackwardTask<T> t) {
  const uint32_t group = blockIdx.x * blockDim.y + threadIdx.y;
  RowGradient<T, C, N, kLong> r(t);
  r.rounds = kLong ? (t.count + N * blockDim.x - 1) / (N * blockDim.x) : 1;
  C dw[N] = {};
  C db[N] = {};
  // All groups of a block take as many turns.
  const int64_t start = static_cast<int64_t>(blockIdx.x) * blockDim.y;
  for (int64_t first = start; first < t.rows; first += t.groups) {
    const int64_t row = first + threadIdx.y;
    const bool active = group < t.groups && row < t.rows;
    r.count = active ? t.count : 0;
    r.begin = active ? row * t.count : 0;
    if (!kLong) r.load(0);
    r.find_means();
    const Line<T> to{t.dx + r.begin, 1, r.count, t.packed};
    for (uint32_t round = 0; round < r.rounds; ++round) {
      if (kLong) r.load(round);
      Arithmetic<T> dx[N];
#pragma unroll
      for (int k = 0; k < N; ++k) {
        const C h = r.h(k);
        dx[k] = static_cast<Arithmetic<T>>(r.scale * (r.c(k) - h * r.along));
        const bool counts = active && r.inside(round, k);
        dw[k] = (kLong ? C(0) : dw[k]) + (counts ? C(r.dy[k]) * h : C(0));
        db[k] = (kLong ? C(0) : db[k]) + (counts ? C(r.dy[k]) : C(0));
      }
      store_line<N, T>(to, round, threadIdx.x, blockDim.x, dx);
      if (kLong && t.parts && active) add_to_parts(t, group, round, first == start, dw, db);
    }
  }
  if (!kLong && t.parts && group < t.groups) add_to_parts(t, group, 0, true, dw, db);
}

// dw (blockIdx.y 0) or db: 32 elements a block, an eighth of the parts a thread.
template <class T>
__global__ void __launch_bounds__(kBlock)
    add_parts(const Arithmetic<T>* parts, uint32_t groups, uint32_t count, T* dweight, T* dbias) {
  using C = Arithmetic<T>;
  T* const out = blockIdx.y == 0 ? dweight : dbias;
  const uint32_t i = blockIdx.x * kWarp + threadIdx.x;
  const bool active = out && i < count;
  C sum = 0;
  for (uint32_t p = threadIdx.y; active && p < groups; p += blockDim.y) {
    sum += parts[(static_cast<int64_t>(p) * 2 + blockIdx.y) * count + i];
  }
  C* const shared = dynamic_shared<C>();
  shared[threadIdx.y * kWarp + threadIdx.x] = sum;
  __syncthreads();
  if (!active || threadIdx.y != 0) return;
  for (uint32_t y = 1; y < blockDim.y; ++y) sum += shared[y * kWarp + threadIdx.x];
  out[i] = cuda::narrow<T>(sum);
}

bool wants_parts(const sdk::Args& args) {
  const uint32_t n_outputs = args.launch().n_slots - args.launch().n_inputs;
  return args.wants_out(1) || (n_outputs > 2 && args.wants_out(2));
}

bool is_long_row(const Shape& shape) { return shape.count > kHeldBackward * kMaxOfGroup; }

bool is_short_row(const Shape& shape) { return shape.count <= uint32_t{kShort}; }

uint32_t group_of(const Shape& shape) {
  return is_short_row(shape) ? 1 : group_for(shape.count, kHeldBackward, kMaxOfGroup, 1);
}

// Groups that share the rows: by shape alone, since sums depend on it.
uint32_t groups_of(const Shape& shape, bool wants) {
  const int64_t narrow = std::min(8U, std::max(1U, kWarp / group_of(shape)));
  const int64_t most = !wants ? kMaxElements : is_long_row(shape) ? 128 : 512 * narrow;
  return static_cast<uint32_t>(std::min(shape.rows, most));
}

uint64_t scratch(const sdk::Args& args) {
  if (!wants_parts(args)) return 0;
  const Shape shape(args, 1);
  const uint64_t size = args.view(1).dtype == TENON_DTYPE_F64 ? sizeof(double) : sizeof(float);
  return uint64_t{2} * groups_of(shape, true) * shape.count * size;
}

template <class T>
void enqueue_backward(const sdk::Launch& l, const Shape& shape, bool centred) {
  const bool wants = wants_parts(l);
  BackwardTask<T> t{};
  t.dy = l.data<const T>(0);
  t.x = l.data<const T>(1);
  t.weight = data_or_null<T>(l, 2);
  t.dx = l.out_data<T>();
  if (wants) t.parts = reinterpret_cast<Arithmetic<T>*>(l.scratch().data());
  t.rows = shape.rows;
  t.groups = groups_of(shape, wants);
  t.count = shape.count;
  t.eps = static_cast<Arithmetic<T>>(l.attrs.real(kEps));
  t.packed = is_packed<T>(shape.count, {t.dy, t.x, t.weight, t.dx});
  t.centred = centred;
  const uint32_t group = group_of(shape);
  const Extent block{group, groups_for(group, t.groups)};
  using C = Arithmetic<T>;
  auto* const normalise = is_long_row(shape)    ? &normalise_grad<T, C, kHeldBackward, true>
                          : is_short_row(shape) ? &normalise_grad<T, double, kShort, false>
                                                : &normalise_grad<T, C, kHeldBackward, false>;
  enqueue(l, normalise, {blocks_for(t.groups, block.y)}, block, 0, t);
  if (!wants) return;
  T* const dweight = l.wants_out(1) ? l.out_data<T>(1) : nullptr;
  T* const dbias = centred && l.wants_out(2) ? l.out_data<T>(2) : nullptr;
  enqueue(l, &add_parts<T>, {blocks_for(shape.count, kWarp), 2}, {kWarp, kBlock / kWarp},
          static_cast<uint32_t>(kBlock * sizeof(Arithmetic<T>)), t.parts, t.groups, t.count,
          dweight, dbias);
}

template <bool kCentred>
void backward(const sdk::Launch& l) {
  const Shape shape(l, 1);
  if (shape.count == 0) return;
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype,
                                       [&]<class T>() { enqueue_backward<T>(l, shape, kCentred); });
}

// ---- Descriptors --------------------------------------------------------------------------------

constexpr tenon_slot_rule in = sdk::contiguous_in();
constexpr tenon_slot_rule out = sdk::contiguous_out();
constexpr tenon_slot_rule layer_slots[] = {in, in, in, out};
constexpr tenon_slot_rule layer_grad_slots[] = {in, in, in, out, out, out};
constexpr tenon_slot_rule rms_slots[] = {in, in, out};
constexpr tenon_slot_rule rms_grad_slots[] = {in, in, in, out, out};

constexpr tenon_kernel_desc norm(std::string_view op, std::span<const tenon_slot_rule> slots,
                                 LaunchFn launch, WorkspaceFn workspace = nullptr) {
  return kernel(op, slots, sdk::kFloats, launch, {.n_attrs = kAttributes, .workspace = workspace});
}

constexpr tenon_kernel_desc kernels[] = {
    norm("tenon.layer_norm", layer_slots, sdk::launch_fn<forward<true>>),
    norm("tenon.layer_norm_grad", layer_grad_slots, sdk::launch_fn<backward<true>>,
         sdk::workspace_fn<scratch>),
    norm("tenon.rms_norm", rms_slots, sdk::launch_fn<forward<false>>),
    norm("tenon.rms_norm_grad", rms_grad_slots, sdk::launch_fn<backward<false>>,
         sdk::workspace_fn<scratch>),
};

}  // namespace
}  // namespace tenon::cuda::norm_unit

TENON_UNIT(norm) = {.kernels = tenon::cuda::norm_unit::kernels};
