// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/optim.h: step ops as kernels: from lists of operands to launches.
// optim_update.h says what a rule is and how the launches share the work.
#pragma once

#include <tenon/sdk/plugin/step.hpp>

#include "optim_update.h"

namespace tenon::cuda::optim {

// Checks the rows of all parameters: writes a word for each into `bad`, and reports the first wrong
// one. Defined in optim_rows.cu.
void check_rows(const sdk::Launch& l, uint32_t* bad);

// ---- Scratch: rules, then the verdict on rows ---------------------------------------------------

inline constexpr uint64_t kRuleBytes = 128;

inline uint64_t scratch_bytes(const sdk::Args& args) {
  return args.count(0) * (kRuleBytes + sizeof(uint32_t)) + sizeof(uint32_t);
}

struct Scratch {
  explicit Scratch(const sdk::Launch& l)
      : rules(l.scratch().data()),
        bad(reinterpret_cast<uint32_t*>(rules + l.count(0) * kRuleBytes)),
        stop(bad + l.count(0)) {}

  std::byte* rules;
  uint32_t* bad;
  uint32_t* stop;
};

// ---- The beginning ------------------------------------------------------------------------------

inline Step step_of(const sdk::Launch& l, const tenon_view& lr) {
  Step step{};
  for (uint32_t i = 0; i < l.launch().n_attrs; ++i) step.attrs[i] = l.attrs.real(i);
  if (lr.flags & TENON_VIEW_HOST_SCALAR) step.lr = *static_cast<const double*>(lr.data);
  return step;
}

template <bool rows, uint32_t n_states, class R>
void enqueue_begin(const sdk::Launch& l, const Scratch& scratch) {
  using S = sdk::StepSlots<rows, n_states>;
  const tenon_view& lr = l.view(S::kLr);
  const Step step = step_of(l, lr);
  const bool on_host = (lr.flags & TENON_VIEW_HOST_SCALAR) != 0;
  const uint32_t n = l.count(S::kParams);
  const Verdict verdict =
      rows ? Verdict{scratch.bad, n, scratch.stop} : Verdict{nullptr, 0, nullptr};
  for (uint32_t first = 0; first < n; first += Counters::kMaxItems) {
    Counters counters{};
    counters.count = std::min(Counters::kMaxItems, n - first);
    for (uint32_t i = 0; i < counters.count; ++i) {
      counters.step[i] = l.data<int64_t>(S::kStep, first + i);
      if (n_states > R::kStates) {
        counters.product[i] = l.data<double>(S::kStates + R::kStates, first + i);
      }
    }
    enqueue(l, &begin<R>, {1}, {kBlock}, 0, counters, step,
            on_host ? nullptr : static_cast<const double*>(lr.data), verdict,
            reinterpret_cast<R*>(scratch.rules) + first);
  }
}

// ---- The update ---------------------------------------------------------------------------------

// Are all operands dense, in one order of dimensions?
template <int K>
bool is_flat(const Layout<K>& layout) {
  int64_t expected = 1;
  uint32_t seen = 0;
  for (int32_t found = 0; found < layout.rank; ++found) {
    int32_t d = 0;
    while (d < layout.rank && (seen >> d & 1 || layout.stride[0][d] != expected)) ++d;
    if (d == layout.rank) return false;
    for (int k = 1; k < K; ++k) {
      if (layout.stride[k][d] != expected) return false;
    }
    seen |= uint32_t{1} << d;
    expected *= layout.shape[d];
  }
  return true;
}

// Operands of parameter `item`.
template <bool rows, uint32_t n_states, int K>
std::array<const tenon_view*, K> operands_of(const sdk::Launch& l, uint32_t item) {
  using S = sdk::StepSlots<rows, n_states>;
  std::array<const tenon_view*, K> views{&l.view(S::kParams, item), &l.view(S::kGrads, item)};
  for (uint32_t k = 2; k < K; ++k) views[k] = &l.view(S::kStates + k - 2, item);
  return views;
}

// Parameters wait here until a launch is full of them.
template <class T, class U, class R>
class Group {
 public:
  static constexpr int K = 2 + R::kStates;

  Group(const sdk::Launch& l, const R* rules) : l_(l), rules_(rules) {}

  // Items come in order, each once; one without elements takes no block.
  void add(const std::array<const tenon_view*, K>& views, int64_t count) {
    if (table_.count == Table<K>::kMaxItems) flush();
    Item<K>& item = table_.item[table_.count++];
    item.count = count;
    item.first_block = blocks_;
    item.packed = 1;
    for (size_t k = 0; k < K; ++k) {
      item.address[k] = views[k]->data;
      if (reinterpret_cast<uintptr_t>(views[k]->data) % 16 != 0) item.packed = 0;
    }
    blocks_ += blocks_for(count, kPerBlock<T, U>);
  }
  void flush() {
    enqueue(l_, &update<T, U, R>, {blocks_}, {kBlock}, 0, table_, rules_);
    rules_ += table_.count;
    table_.count = 0;
    blocks_ = 0;
  }

 private:
  const sdk::Launch& l_;
  const R* rules_;
  uint32_t blocks_ = 0;
  Table<K> table_{};
};

// Rows that `indices` name, or of a dense parameter, where it is NULL, all of it as one row.
template <class T, class U, class R, size_t K>
void enqueue_strided(const sdk::Launch& l, const std::array<const tenon_view*, K>& views,
                     const tenon_view* indices, const R* rule, const uint32_t* stop) {
  constexpr int N = static_cast<int>(K);
  const std::span<const int64_t> shape = shape_of(*views[0]);
  Layout<N> inner;
  for (size_t d = indices ? 1 : 0; d < shape.size(); ++d) {
    std::array<int64_t, K> strides{};
    for (size_t k = 0; k < K; ++k) strides[k] = views[k]->strides[d];
    inner.push(shape[d], strides);
  }
  const int64_t n_rows = indices ? indices->shape[0] : 1;
  for_parts<N>(inner, {}, [&](const Layout<N>& part, const std::array<int64_t, K>& at) {
    const int64_t in_row = part.count();
    const int64_t most = std::max<int64_t>(1, kMaxElements / in_row);
    for (int64_t r = 0; r < n_rows; r += most) {
      Rows<N> rows{};
      for (size_t k = 0; k < K; ++k) {
        rows.stride[k] = indices ? views[k]->strides[0] : 0;
        const int64_t start = at[k] + (k == 1 ? r * rows.stride[k] : 0);
        rows.address[k] = k < 2 ? static_cast<void*>(static_cast<T*>(views[k]->data) + start)
                                : static_cast<void*>(static_cast<U*>(views[k]->data) + start);
      }
      if (indices) {
        rows.number_stride = indices->strides[0];
        rows.number = static_cast<const int64_t*>(indices->data) + r * rows.number_stride;
      }
      rows.inner = Divisor(static_cast<uint32_t>(in_row));
      rows.count = static_cast<uint32_t>(in_row * std::min(most, n_rows - r));
      enqueue(l, &update_strided<T, U, R>, {blocks_for(rows.count, kBlock)}, {kBlock}, 0,
              part.geometry(), rows, rule, stop);
    }
  });
}

template <bool rows, uint32_t n_states, class T, class U, class R>
void update_all(const sdk::Launch& l) {
  static_assert(sizeof(R) <= kRuleBytes);
  constexpr int K = 2 + R::kStates;
  const Scratch scratch(l);
  if (rows) check_rows(l, scratch.bad);
  enqueue_begin<rows, n_states, R>(l, scratch);
  const R* const rules = reinterpret_cast<const R*>(scratch.rules);
  Group<T, U, R> group(l, rules);
  for (uint32_t item = 0; item < l.count(0); ++item) {
    const auto views = operands_of<rows, n_states, K>(l, item);
    if constexpr (rows) {
      enqueue_strided<T, U, R>(l, views, &l.view(1, item), rules + item, scratch.stop);
    } else {
      const Layout<K> layout = layout_of<K>(shape_of(*views[0]), views);
      const bool flat = layout.count() == 0 || is_flat(layout);
      group.add(views, flat ? layout.count() : 0);
      if (!flat) enqueue_strided<T, U, R>(l, views, nullptr, rules + item, nullptr);
    }
  }
  if (!rows) group.flush();
}

// One step of every parameter. `n_states` counts the op's lists of states; a rule that has fewer
// takes the list after its own as numbers of f64.
template <bool rows, uint32_t n_states, template <class> class Rule>
void step(const sdk::Launch& l) {
  using S = sdk::StepSlots<rows, n_states>;
  if (l.count(S::kParams) == 0) return;
  sdk::dispatch_step(l.view(S::kParams).dtype, l.view(S::kStates).dtype, [&]<class T, class U>() {
    update_all<rows, n_states, T, U, Rule<Arithmetic<T>>>(l);
  });
}

template <bool rows, uint32_t n_states>
inline constexpr auto kRules = sdk::StepSlots<rows, n_states>::rules(any_inout(), any_in(),
                                                                     element_in());

template <bool rows, uint32_t n_states, template <class> class Rule>
constexpr tenon_kernel_desc kernel(std::string_view op, uint32_t n_attrs) {
  return cuda::kernel(
      op, kRules<rows, n_states>, sdk::kStepRows, sdk::launch_fn<step<rows, n_states, Rule>>,
      {.n_attrs = n_attrs, .n_variables = 2, .workspace = sdk::workspace_fn<scratch_bytes>});
}

}  // namespace tenon::cuda::optim
