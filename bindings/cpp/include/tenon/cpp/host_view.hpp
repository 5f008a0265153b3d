// SPDX-License-Identifier: Apache-2.0
// tenon/cpp/host_view.hpp: a tensor's elements where they lie in host memory, with its strides, in
// the terms of std::mdspan.
#ifndef TENON_CPP_HOST_VIEW_HPP
#define TENON_CPP_HOST_VIEW_HPP

#include <tenon/cpp/tensor.hpp>

namespace tenon {

// x.host<const float, 2>() reads x[i, j] as view(i, j). Keeps the memory alive. Tenon does not see
// what is written through it: nothing that backward saved may be written so.
// T         the type of the dtype's elements, const unless they are written
// threads   as of a pointer: a tensor that another thread writes must not be read
template <class T, int n_dims>
class HostView {
 public:
  using element_type = T;
  using value_type = std::remove_const_t<T>;
  using index_type = std::int64_t;

  static constexpr int rank() { return n_dims; }
  index_type extent(int dim) const { return extents_[static_cast<std::size_t>(dim)]; }
  index_type stride(int dim) const { return strides_[static_cast<std::size_t>(dim)]; }
  T* data_handle() const { return data_; }
  index_type size() const {
    index_type elements = 1;
    for (const index_type each : extents_) elements *= each;
    return elements;
  }

  // Not checked, as of an array.
  template <std::integral... Places>
  requires(sizeof...(Places) == n_dims) T& operator()(Places... places) const {
    return data_[offset(std::array<index_type, n_dims>{static_cast<index_type>(places)...})];
  }
  T& operator[](const std::array<index_type, n_dims>& places) const {
    return data_[offset(places)];
  }
  // Checked: TENON_E_ARGUMENT.
  template <std::integral... Places>
  requires(sizeof...(Places) == n_dims) T& at(Places... places) const {
    const std::array<index_type, n_dims> all{static_cast<index_type>(places)...};
    for (std::size_t dim = 0; dim < n_dims; ++dim) {
      if (all[dim] < 0 || all[dim] >= extents_[dim]) {
        detail::refuse(TENON_E_ARGUMENT, "HostView::at", "index " + std::to_string(dim),
                       "0 to " + std::to_string(extents_[dim] - 1), std::to_string(all[dim]));
      }
    }
    return data_[offset(all)];
  }
  // The elements as a span, if they lie one after the other.
  std::span<T> span() const {
    index_type step = 1;
    for (int dim = n_dims - 1; dim >= 0; --dim) {
      if (extent(dim) != 1 && stride(dim) != step) {
        detail::refuse(TENON_E_LAYOUT, "HostView::span", "strides", "row-major ones", "others",
                       "x.contiguous() first");
      }
      step *= extent(dim);
    }
    return {data_, static_cast<std::size_t>(size())};
  }

 private:
  friend class Tensor;

  HostView(Tensor tensor, const tenon_view& view)
      : tensor_(std::move(tensor)), data_(static_cast<T*>(view.data)) {
    std::copy(view.shape, view.shape + n_dims, extents_.begin());
    std::copy(view.strides, view.strides + n_dims, strides_.begin());
  }
  index_type offset(const std::array<index_type, n_dims>& places) const {
    index_type at = 0;
    for (std::size_t dim = 0; dim < n_dims; ++dim) at += places[dim] * strides_[dim];
    return at;
  }

  Tensor tensor_;
  T* data_;
  std::array<index_type, n_dims> extents_{};
  std::array<index_type, n_dims> strides_{};
};

template <class T, int n_dims>
HostView<T, n_dims> Tensor::host() const {
  require_dtype<std::remove_const_t<T>>("host");
  const tenon_view view = view_of();
  if (view.rank != n_dims) {
    detail::refuse(TENON_E_SHAPE, "host", "rank", std::to_string(view.rank),
                   std::to_string(n_dims));
  }
  const std::uint32_t flags = info().flags;
  if (!(flags & TENON_TENSOR_HOST)) {
    detail::refuse(TENON_E_DEVICE, "host", "x", "a tensor in host memory", "one on a device",
                   "x.to(\"cpu\") first");
  }
  if (!std::is_const_v<T> && (flags & (TENON_TENSOR_READ_ONLY | TENON_TENSOR_REQUIRES_GRAD))) {
    detail::refuse(
        TENON_E_ALIAS, "host", "x", "a tensor that may be written",
        flags & TENON_TENSOR_READ_ONLY ? "one that is read-only" : "one that requires a gradient",
        "x.host<const T, rank>() reads it");
  }
  return HostView<T, n_dims>(*this, view);
}

}  // namespace tenon

#endif  // TENON_CPP_HOST_VIEW_HPP
