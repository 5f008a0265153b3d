// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/ctc_nll.cu: the loss of sequences without an alignment, and its gradient.
//
//   a'[s] = logsumexp(a[s], a[s-1], a[s-2] if it may skip) + x[t,z[s]] frame after frame
//   y = -logsumexp(a[S-1], a[S-2])
//   dx[t,c] = 0 - dy exp(a[t,s] + b[t,s] + y) - ... for the states s that emit c
// with states z = blank, label 0, blank, ..., blank, S of them; b is a of the reversed states and
// frames before x is added.
//
// One launch each, a block for each sequence: its threads share the states of a frame, and wait for
// each other between frames. Shares of one class are added by the thread of its first state, in the
// states' order, so that the sum does not depend on which thread is first.
#include "lines.h"
#include "report.h"

namespace tenon::cuda::ctc_nll_unit {
namespace {

enum Attribute : uint32_t { kBlank, kZeroInfinity, kAttributes };

// What may be wrong with operands, in the order in which it is said.
enum Wrong : uint32_t { kFrames, kRowLabels, kLabelsLeft, kTotal, kIsBlank, kNoClass, kWrongs };
inline constexpr const char* kForwardWords[kWrongs] = {
    "tenon.ctc_nll: input_lengths%p is %d, outside the %n frames of log_probs",
    "tenon.ctc_nll: target_lengths%p is %d, outside the %n targets of a row",
    "tenon.ctc_nll: target_lengths%p is %d, outside the %n targets that are left",
    "tenon.ctc_nll: target_lengths do not add up to the number of targets, %n, but to %d",
    "tenon.ctc_nll: targets%p is %d, which is the blank",
    "tenon.ctc_nll: targets%p is %d, which is not a class: log_probs has %n"};
inline constexpr const char* kBackwardWords[kWrongs] = {
    "tenon.ctc_nll_grad: input_lengths%p is %d, outside the %n frames of log_probs",
    "tenon.ctc_nll_grad: target_lengths%p is %d, outside the %n targets of a row",
    "tenon.ctc_nll_grad: target_lengths%p is %d, outside the %n targets that are left",
    "tenon.ctc_nll_grad: target_lengths do not add up to the number of targets, %n, but to %d",
    "tenon.ctc_nll_grad: targets%p is %d, which is the blank",
    "tenon.ctc_nll_grad: targets%p is %d, which is not a class: log_probs has %n"};

struct Numbers {
  const int64_t* data;
  int64_t step;

  __device__ int64_t at(int64_t i) const { return data[i * step]; }
};
Numbers numbers_of(const tenon_view& view) {
  return {static_cast<const int64_t*>(view.data), view.strides[0]};
}

// One of the batch; with wrong operands one without frames and labels.
struct Sequence {
  int64_t frames;
  int64_t labels;
  int64_t first;  // its first label among all
  bool is_wrong;

  __device__ int64_t states() const { return 2 * labels + 1; }
};

struct Labels {
  const int64_t* targets;
  int64_t row_step, step;
  int64_t width;  // of a row, or the number of all that are joined
  bool joined;
  int64_t frames, batch, classes, blank;
  Numbers input_lengths, target_lengths;
  Refusal refusals[kWrongs];

  __device__ int64_t label(int64_t i) const {
    return joined ? targets[i * step] : targets[i / width * row_step + i % width * step];
  }
  __device__ int64_t class_of(const Sequence& q, int64_t s) const {
    return s % 2 == 0 ? blank : label(q.first + s / 2);
  }
  // May a state follow the last but one?
  __device__ bool may_skip(const Sequence& q, int64_t s) const {
    return s % 2 == 1 && (s == 1 || label(q.first + s / 2) != label(q.first + s / 2 - 1));
  }
};

Labels labels_of(const sdk::Launch& l, uint32_t slot, const char* const (&words)[kWrongs]) {
  const tenon_view &x = l.view(slot), &targets = l.view(slot + 1);
  const bool joined = targets.rank == 1;
  Labels all{};
  all.targets = static_cast<const int64_t*>(targets.data);
  all.row_step = joined ? 0 : targets.strides[0];
  all.step = targets.strides[joined ? 0 : 1];
  all.width = targets.shape[joined ? 0 : 1];
  all.joined = joined;
  all.frames = x.shape[0];
  all.batch = x.shape[1];
  all.classes = x.shape[2];
  all.blank = l.attrs.integer(kBlank);
  all.input_lengths = numbers_of(l.view(slot + 2));
  all.target_lengths = numbers_of(l.view(slot + 3));
  const int64_t limits[kWrongs] = {all.frames, all.width, all.width,
                                   all.width,  all.blank, all.classes};
  for (uint32_t i = 0; i < kWrongs; ++i) {
    const uint32_t operand = i == kFrames ? slot + 2 : i < kIsBlank ? slot + 3 : slot + 1;
    all.refusals[i] = refusal(l, words[i], shape_of(l.view(operand)), limits[i]);
  }
  return all;
}

// ---- Checks -------------------------------------------------------------------------------------

// Where the labels of sequence n begin among those that are joined, and how many are left there.
__device__ bool find_joined(const Labels& all, int64_t n, Sequence& q, int64_t& left) {
  q.first = 0;
  for (int64_t b = 0; b < n; ++b) {
    const int64_t labels = all.target_lengths.at(b);
    if (labels < 0 || labels > all.width - q.first) return false;  // told by block b
    q.first += labels;
  }
  left = all.width - q.first;
  return true;
}

__device__ bool has_lengths(const Labels& all, int64_t n, Sequence& q) {
  const bool tells = threadIdx.x == 0;
  int64_t left = all.width;
  if (all.joined && !find_joined(all, n, q, left)) return false;
  if (q.frames < 0 || q.frames > all.frames) {
    if (tells) refuse(all.refusals[kFrames], n, q.frames);
    return false;
  }
  if (q.labels < 0 || q.labels > left) {
    Refusal told = all.refusals[all.joined ? kLabelsLeft : kRowLabels];
    told.limit = left;
    if (tells) refuse(told, n, q.labels);
    return false;
  }
  if (all.joined && n == all.batch - 1 && q.labels != left) {
    if (tells) refuse(all.refusals[kTotal], n, q.first + q.labels);
    return false;
  }
  return true;
}

// For all threads of the block.
__device__ Sequence sequence_of(const Labels& all, int64_t n) {
  Sequence q{all.input_lengths.at(n), all.target_lengths.at(n), n * all.width, false};
  q.is_wrong = !has_lengths(all, n, q);
  if (q.is_wrong) q.frames = q.labels = 0;
  bool wrong = false;
  for (int64_t i = threadIdx.x; i < q.labels; i += blockDim.x) {
    const int64_t found = all.label(q.first + i);
    if (found >= 0 && found < all.classes && found != all.blank) continue;
    refuse(all.refusals[found == all.blank ? kIsBlank : kNoClass], q.first + i, found);
    wrong = true;
  }
  if (__syncthreads_count(wrong) > 0) q = {0, 0, q.first, true};
  return q;
}

// ---- A walk over the frames ---------------------------------------------------------------------

// States -2 and -1 before the others.
inline constexpr int64_t kBefore = 2;

// Numbers for each state in scratch memory, after those of the sequences before.
template <class T>
struct Room {
  T* now;
  T* next;
  T* shares;
  T* rows;  // a of each frame, for the gradient
  int64_t width;

  static constexpr int64_t kLines = 3;

  __device__ Room(T* scratch, int64_t lines, int64_t n, const Sequence& q)
      : width(q.states() + kBefore) {
    T* const own = scratch + lines * (2 * q.first + n * (1 + kBefore));
    now = own + kBefore;
    next = now + width;
    shares = own + 2 * width;
    rows = own + kLines * width;
  }
};

uint64_t scratch_bytes(const sdk::Args& args, uint32_t slot, int64_t lines) {
  const int64_t states =
      2 * sdk::count_of(args.shape(slot + 1)) + args.shape(slot)[1] * (1 + kBefore);
  return static_cast<uint64_t>(states * lines) * sizeof(double);
}

template <class T>
__device__ T log_sum(T p, T q, T r) {
  T most = fmax(p, fmax(q, r));
  if (fabs(most) == T(INFINITY)) most = 0;
  return most + log_of(exp_of(p - most) + exp_of(q - most) + exp_of(r - most));
}

template <class T>
struct Frames {
  const T* data;  // of the sequence
  int64_t frame_step, class_step;

  __device__ T at(int64_t t, int64_t c) const { return data[t * frame_step + c * class_step]; }
};

template <class T>
__device__ void begin_walk(Room<T>& room) {
  for (int64_t i = threadIdx.x; i < room.width; i += blockDim.x) {
    room.now[i - kBefore] = i == kBefore - 1 ? T(0) : -T(INFINITY);
    room.next[i - kBefore] = -T(INFINITY);
  }
  __syncthreads();
}

// Takes frame t; visit(s, reached) for each state, s in its own order. Reversed, states are
// numbered from the last.
template <class T, class Visit>
__device__ void step_walk(const Labels& all, const Sequence& q, const Frames<T>& x, int64_t t,
                          bool is_reversed, Room<T>& room, const Visit& visit) {
  const int64_t states = q.states();
  for (int64_t i = threadIdx.x; i < states; i += blockDim.x) {
    const int64_t s = is_reversed ? states - 1 - i : i;
    const bool skips = i == 1 || (i > 1 && all.may_skip(q, is_reversed ? s + 2 : s));
    const T skipped = skips ? room.now[i - 2] : -T(INFINITY);
    const T reached = log_sum(room.now[i], room.now[i - 1], skipped);
    room.next[i] = reached + x.at(t, all.class_of(q, s));
    visit(s, reached);
  }
  __syncthreads();
  T* const before = room.now;
  room.now = room.next;
  room.next = before;
  if (threadIdx.x == 0) before[-1] = -T(INFINITY);  // which the next step does not read
}

template <class T>
__device__ T loss_of(const Sequence& q, const Room<T>& room) {
  const T* const last = room.now + q.states() - 1;
  return -log_sum(last[0], last[-1], -T(INFINITY));
}

struct Nothing {
  template <class T>
  __device__ void operator()(int64_t, T) const {}
};

// ---- Forward ------------------------------------------------------------------------------------

template <class T>
struct ForwardTask {
  Labels all;
  Frames<T> x;
  int64_t batch_step;
  T* out;
  int64_t out_step;
  T* scratch;
  bool zero_infinity;
};

template <class T>
__global__ void __launch_bounds__(kBlock) ctc_nll(ForwardTask<T> t) {
  const int64_t n = blockIdx.x;
  const Sequence q = sequence_of(t.all, n);
  if (q.is_wrong) return;
  Room<T> room(t.scratch, Room<T>::kLines, n, q);
  Frames<T> x = t.x;
  x.data += n * t.batch_step;
  begin_walk(room);
  for (int64_t f = 0; f < q.frames; ++f) step_walk(t.all, q, x, f, false, room, Nothing());
  if (threadIdx.x != 0) return;
  const T loss = loss_of(q, room);
  t.out[n * t.out_step] = t.zero_infinity && loss == T(INFINITY) ? T(0) : loss;
}

// ---- Backward -----------------------------------------------------------------------------------

template <class T>
struct BackwardTask {
  Labels all;
  Frames<T> x;
  int64_t batch_step;
  const T* dy;
  int64_t dy_step;
  T* out;
  int64_t out_frame_step, out_batch_step, out_step;
  T* scratch;
  bool zero_infinity;
};

// The state is the first of its class: the shares of all of them, the last one subtracted last.
template <class T>
__device__ void put_class(const Labels& all, const Sequence& q, const Room<T>& room, int64_t s,
                          T* row, int64_t step) {
  if (s % 2 == 0 && s > 0) return;
  const int64_t c = all.class_of(q, s);
  for (int64_t before = 1; s % 2 == 1 && before < s; before += 2) {
    if (all.class_of(q, before) == c) return;
  }
  T sum = 0;
  for (int64_t other = s; other < q.states(); other += 2) {
    if (all.class_of(q, other) == c) sum -= room.shares[other];
  }
  row[c * step] = sum;
}

template <class T>
__device__ void put_zeros(const BackwardTask<T>& t, int64_t n) {
  for (int64_t f = 0; f < t.all.frames; ++f) {
    T* const row = t.out + f * t.out_frame_step + n * t.out_batch_step;
    for (int64_t c = threadIdx.x; c < t.all.classes; c += blockDim.x) row[c * t.out_step] = 0;
  }
  __syncthreads();
}

template <class T>
__global__ void __launch_bounds__(kBlock) ctc_nll_grad(BackwardTask<T> t) {
  const int64_t n = blockIdx.x;
  const Sequence q = sequence_of(t.all, n);
  put_zeros(t, n);
  if (q.is_wrong) return;
  Room<T> room(t.scratch, Room<T>::kLines + t.all.frames, n, q);
  Frames<T> x = t.x;
  x.data += n * t.batch_step;
  begin_walk(room);
  for (int64_t f = 0; f < q.frames; ++f) {
    step_walk(t.all, q, x, f, false, room, Nothing());
    for (int64_t s = threadIdx.x; s < q.states(); s += blockDim.x) {
      room.rows[f * room.width + s] = room.now[s];
    }
  }
  __syncthreads();
  const T loss = loss_of(q, room);
  if (t.zero_infinity && loss == T(INFINITY)) return;
  const T dy = t.dy[n * t.dy_step];
  __syncthreads();
  begin_walk(room);
  for (int64_t f = q.frames; f-- > 0;) {
    const T* const a = room.rows + f * room.width;
    T* const shares = room.shares;
    step_walk(t.all, q, x, f, true, room,
              [&](int64_t s, T reached) { shares[s] = dy * exp_of(a[s] + reached + loss); });
    T* const row = t.out + f * t.out_frame_step + n * t.out_batch_step;
    for (int64_t s = threadIdx.x; s < q.states(); s += blockDim.x) {
      put_class(t.all, q, room, s, row, t.out_step);
    }
    __syncthreads();
  }
}

// ---- Launches -----------------------------------------------------------------------------------

// Threads for as many states as an average sequence may have, in whole warps.
uint32_t threads_of(const sdk::Launch& l, uint32_t slot) {
  const int64_t batch = std::max<int64_t>(l.shape(slot)[1], 1);
  const int64_t states = 1 + 2 * sdk::count_of(l.shape(slot + 1)) / batch;
  return static_cast<uint32_t>(std::clamp<int64_t>((states + 31) / 32 * 32, 32, kBlock));
}

template <class Task>
void set_frames(Task& t, const sdk::Launch& l, uint32_t slot, const char* const (&words)[kWrongs]) {
  using T = std::remove_pointer_t<decltype(t.out)>;
  const tenon_view& x = l.view(slot);
  t.all = labels_of(l, slot, words);
  t.x = {static_cast<const T*>(x.data), x.strides[0], x.strides[2]};
  t.batch_step = x.strides[1];
  t.scratch = reinterpret_cast<T*>(l.scratch().data());
  t.zero_infinity = l.attrs.flag(kZeroInfinity);
  t.out = static_cast<T*>(l.out().data);
}

using Types = sdk::TypeList<float, double>;

// A batch of none has no block that could tell.
void check_none(const sdk::Launch& l, uint32_t slot) {
  if (l.shape(slot + 1).size() != 1 || l.shape(slot + 1)[0] == 0) return;
  throw sdk::Failure{TENON_E_DATA, "target_lengths do not add up to the number of targets",
                     "target_lengths", "a sum of " + std::to_string(l.shape(slot + 1)[0]), "0"};
}

void forward(const sdk::Launch& l) {
  const int64_t batch = l.shape(0)[1];
  if (batch == 0) return check_none(l, 0);
  sdk::dispatch_dtype<Types>(l.out().dtype, [&]<class T>() {
    ForwardTask<T> t{};
    set_frames(t, l, 0, kForwardWords);
    t.out_step = l.out().strides[0];
    enqueue(l, &ctc_nll<T>, {static_cast<uint32_t>(batch)}, {threads_of(l, 0)}, 0, t);
  });
}
uint64_t forward_workspace(const sdk::Args& args) {
  return scratch_bytes(args, 0, Room<double>::kLines);
}

void backward(const sdk::Launch& l) {
  const int64_t batch = l.shape(1)[1];
  if (batch == 0) return check_none(l, 1);
  sdk::dispatch_dtype<Types>(l.out().dtype, [&]<class T>() {
    BackwardTask<T> t{};
    set_frames(t, l, 1, kBackwardWords);
    t.dy = static_cast<const T*>(l.view(0).data);
    t.dy_step = l.view(0).strides[0];
    t.out_frame_step = l.out().strides[0];
    t.out_batch_step = l.out().strides[1];
    t.out_step = l.out().strides[2];
    enqueue(l, &ctc_nll_grad<T>, {static_cast<uint32_t>(batch)}, {threads_of(l, 1)}, 0, t);
  });
}
uint64_t backward_workspace(const sdk::Args& args) {
  return scratch_bytes(args, 1, Room<double>::kLines + args.shape(1)[0]);
}

// ---- Descriptors --------------------------------------------------------------------------------

constexpr tenon_slot_rule forward_slots[] = {any_in(), any_in(), any_in(), any_in(), any_out()};
constexpr tenon_slot_rule backward_slots[] = {any_in(), any_in(), any_in(),
                                              any_in(), any_in(), any_out()};
constexpr tenon_dtype rows[] = {TENON_DTYPE_F32, TENON_DTYPE_F64};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.ctc_nll", forward_slots, rows, sdk::launch_fn<forward>,
           {.n_attrs = kAttributes, .workspace = sdk::workspace_fn<forward_workspace>}),
    kernel("tenon.ctc_nll_grad", backward_slots, rows, sdk::launch_fn<backward>,
           {.n_attrs = kAttributes, .workspace = sdk::workspace_fn<backward_workspace>}),
};

}  // namespace
}  // namespace tenon::cuda::ctc_nll_unit

TENON_UNIT(ctc_nll) = {.kernels = tenon::cuda::ctc_nll_unit::kernels};
