// SPDX-License-Identifier: Apache-2.0
// tenon/cpp/index.hpp: x(1, Slice{2, 5}, newaxis, ellipsis, mask) and x.set(...) by NumPy's rules,
// made of ops.
//
// Integers, slices, newaxis and ellipsis give views. Tensors of integers and of bools gather: the
// result has their common shape at the place of the first, if they are neighbours, else in front.
#ifndef TENON_CPP_INDEX_HPP
#define TENON_CPP_INDEX_HPP

#include <tenon/cpp/operators.hpp>

#include <variant>

namespace tenon {

// start:stop:step of one dimension; Slice{} is all of it.
struct Slice {
  std::optional<std::int64_t> start = {};
  std::optional<std::int64_t> stop = {};
  std::int64_t step = 1;
};
// Puts a dimension of length 1 there.
inline constexpr struct NewAxis {
} newaxis;
// Stands for all dimensions that no other key is for.
inline constexpr struct Ellipsis {
} ellipsis;

// A key for one dimension, or for as many as a mask has.
struct Index {
  template <std::integral T>
  requires(!std::same_as<T, bool>) Index(T place) : key(static_cast<std::int64_t>(place)) {}
  Index(Slice slice) : key(slice) {}
  Index(NewAxis axis) : key(axis) {}
  Index(Ellipsis dots) : key(dots) {}
  Index(Tensor tensor) : key(std::move(tensor)) {}

  std::variant<std::int64_t, Slice, NewAxis, Ellipsis, Tensor> key;
};

namespace detail {

// What keys ask for: a view, then index tensors for its first dimensions.
class Selection {
 public:
  Selection(const Tensor& x, std::span<const Index> keys) : view_(x) {
    const std::vector<Index> parts = filled_up(x, keys);
    gathers_ =
        std::any_of(parts.begin(), parts.end(), [](const Index& each) { return is<Tensor>(each); });
    for (std::size_t place = 0; place < parts.size(); ++place) take(parts[place], place);
    if (!indices_.empty()) move_to_front();
  }

  Tensor get() const {
    if (indices_.empty()) return view_;
    const Tensor found = index(view_, indices_);
    return order_.empty() ? found : found.permute(order_);
  }

  void set(const Operand& given) const {
    Tensor value = given.value().tag == TENON_VALUE_TENSOR
                       ? Tensor::share(given.value().as.tensor).astype(view_.dtype())
                       : mul(full({}, 1, view_.dtype()), given).astype(view_.dtype());
    if (indices_.empty()) {
      copy(value.shape() == view_.shape() ? value : broadcast_to(value, {.shape = view_.shape()}),
           into(view_));
      return;
    }
    if (!order_.empty()) value = in_order(value);
    index_put(view_, indices_, value, {}, into(view_));
  }

 private:
  template <class Key>
  static bool is(const Index& index) {
    return std::holds_alternative<Key>(index.key);
  }
  static bool is_mask(const Index& index) {
    return is<Tensor>(index) && std::get<Tensor>(index.key).dtype() == bool_;
  }

  // With slices for the ellipsis, and for dimensions that no key is for.
  static std::vector<Index> filled_up(const Tensor& x, std::span<const Index> keys) {
    int used = 0;
    for (const Index& each : keys) {
      if (is_mask(each)) {
        used += std::get<Tensor>(each.key).ndim();
      } else if (!is<NewAxis>(each) && !is<Ellipsis>(each)) {
        ++used;
      }
    }
    const auto dots = std::count_if(keys.begin(), keys.end(), is<Ellipsis>);
    if (dots > 1) refuse(TENON_E_ARGUMENT, "index", "keys", "one ellipsis", std::to_string(dots));
    if (used > x.ndim()) {
      refuse(TENON_E_ARGUMENT, "index", "keys", "at most " + std::to_string(x.ndim()),
             std::to_string(used));
    }
    const auto missing = static_cast<std::size_t>(x.ndim() - used);
    std::vector<Index> parts;
    for (const Index& each : keys) {
      // One that stands for nothing stays: it still keeps its neighbours apart.
      if (is<Ellipsis>(each) && missing) {
        parts.insert(parts.end(), missing, Index(Slice{}));
      } else {
        parts.push_back(each);
      }
    }
    if (!dots) parts.insert(parts.end(), missing, Index(Slice{}));
    return parts;
  }

  void take(const Index& part, std::size_t place) {
    if (is<NewAxis>(part)) {
      view_ = unsqueeze(view_, {.axes = axis_++});
    } else if (const auto* slice = std::get_if<Slice>(&part.key)) {
      cut(*slice);
    } else if (const auto* tensor = std::get_if<Tensor>(&part.key)) {
      groups_.push_back(place);
      take(*tensor);
    } else if (const auto* number = std::get_if<std::int64_t>(&part.key)) {
      take(*number, place);
    }
  }

  void cut(const Slice& slice) {
    if (slice.step == 0) {
      refuse(TENON_E_ARGUMENT, "index", "slice", "a step that is not 0", "0");
    }
    if (slice.start || slice.stop || slice.step != 1) {
      view_ = tenon::slice(
          view_, {.axis = axis_, .start = slice.start, .stop = slice.stop, .step = slice.step});
    }
    ++axis_;
  }

  void take(std::int64_t wanted, std::size_t place) {
    const std::int64_t length = view_.shape(static_cast<int>(axis_));
    if (wanted < -length || wanted >= length) {
      refuse(
          TENON_E_ARGUMENT, "index", "axis " + std::to_string(axis_),
          length ? "-" + std::to_string(length) + " to " + std::to_string(length - 1) : "no place",
          std::to_string(wanted));
    }
    const std::int64_t at = wanted < 0 ? wanted + length : wanted;
    if (gathers_) {  // an integer beside index tensors is one of them
      groups_.push_back(place);
      add_index(full({}, at, int64));
      return;
    }
    view_ = tenon::slice(view_, {.axis = axis_, .start = at, .stop = at + 1});
    view_ = squeeze(view_, {.axes = axis_});
  }

  void take(const Tensor& tensor) {
    if (tensor.dtype() == bool_) {
      take_mask(tensor);
      return;
    }
    if (dtype_info(tensor.dtype()).flags & TENON_DTYPE_IS_FLOAT) {
      refuse(TENON_E_DTYPE, "index", "key", "a tensor of integers or bools",
             dtype_info(tensor.dtype()).name);
    }
    const Tensor places = tensor.astype(int64);
    const std::int64_t length = view_.shape(static_cast<int>(axis_));
    add_index(where(places < 0, places + length, places));
  }

  void take_mask(const Tensor& given) {
    Tensor mask = given;
    if (mask.ndim() == 0) {
      view_ = unsqueeze(view_, {.axes = axis_});
      mask = mask.reshape(1);
    }
    for (int dim = 0; dim < mask.ndim(); ++dim) {
      const std::int64_t there = view_.shape(static_cast<int>(axis_) + dim);
      const std::int64_t mine = mask.shape(dim);
      if (mine != there && mine != 0) {
        refuse(TENON_E_SHAPE, "index", "mask",
               "length " + std::to_string(there) + " of axis " + std::to_string(dim),
               std::to_string(mine));
      }
    }
    const Tensor places = nonzero(mask);  // a row for each place
    for (std::int64_t dim = 0; dim < mask.ndim(); ++dim) {
      const Tensor column = tenon::slice(places, {.axis = 1, .start = dim, .stop = dim + 1});
      add_index(squeeze(column, {.axes = 1}));
    }
  }

  void add_index(Tensor places) {
    axes_.push_back(axis_++);
    indices_.push_back(std::move(places));
  }

  void move_to_front() {
    std::vector<std::int64_t> axes = axes_;
    for (std::int64_t axis = 0; axis < view_.ndim(); ++axis) {
      if (std::find(axes_.begin(), axes_.end(), axis) == axes_.end()) axes.push_back(axis);
    }
    const auto before = static_cast<std::size_t>(axes_.front());
    const std::size_t rest = axes.size() - axes_.size();
    if (!std::is_sorted(axes.begin(), axes.end())) view_ = view_.permute(axes);
    const bool neighbours = groups_.back() - groups_.front() + 1 == groups_.size();
    if (!neighbours || before == 0) return;
    std::size_t common = 0;
    for (const Tensor& each : indices_) {
      common = std::max(common, static_cast<std::size_t>(each.ndim()));
    }
    for (std::size_t i = 0; i < before; ++i)
      order_.push_back(static_cast<std::int64_t>(common + i));
    for (std::size_t i = 0; i < common; ++i) order_.push_back(static_cast<std::int64_t>(i));
    for (std::size_t i = before; i < rest; ++i) {
      order_.push_back(static_cast<std::int64_t>(common + i));
    }
  }

  // A value for the result, in the order of what is gathered.
  Tensor in_order(const Tensor& value) const {
    std::vector<std::int64_t> shape(order_.size() - static_cast<std::size_t>(value.ndim()), 1);
    const Ints own = value.shape();
    shape.insert(shape.end(), own.begin(), own.end());
    std::vector<std::int64_t> back(order_.size());
    for (std::size_t i = 0; i < order_.size(); ++i) {
      back[static_cast<std::size_t>(order_[i])] = static_cast<std::int64_t>(i);
    }
    return value.reshape(shape).permute(back);
  }

  Tensor view_;
  std::int64_t axis_ = 0;        // of view_, of the next key
  std::vector<Tensor> indices_;  // of the dimensions axes_
  std::vector<std::int64_t> axes_;
  std::vector<std::size_t> groups_;  // places of index tensors among the keys
  std::vector<std::int64_t> order_;  // how to permute what is gathered; empty: not at all
  bool gathers_ = false;
};

}  // namespace detail

template <class... Keys>
Tensor Tensor::operator()(const Keys&... keys) const {
  const Index all[] = {Index(keys)...};
  return detail::Selection(*this, all).get();
}

// A view of one place of the first dimension.
inline Tensor Tensor::operator[](std::int64_t place) const { return (*this)(place); }

template <class Given>
void Tensor::set(std::initializer_list<Index> keys, const Given& value) const {
  detail::Selection(*this, std::span(keys.begin(), keys.size())).set(Operand(value));
}

}  // namespace tenon

#endif  // TENON_CPP_INDEX_HPP
