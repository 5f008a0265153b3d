// SPDX-License-Identifier: Apache-2.0
// tenon/cpp/tensor.hpp: tensors: their making, description, data, gradients and parts.
#ifndef TENON_CPP_TENSOR_HPP
#define TENON_CPP_TENSOR_HPP

#include <tenon/cpp/values.hpp>

#include <ranges>

namespace tenon {

class Tensor;
template <class T, int rank>
class HostView;
struct Index;

// How backward walks the graph.
struct BackwardOptions {
  bool retain_graph = false;  // keep it for another backward
  bool create_graph = false;  // record the backward itself; implies retain_graph
};

namespace detail {
inline std::uint32_t flags_of(const BackwardOptions& options) {
  return (options.retain_graph ? TENON_BACKWARD_RETAIN : 0u) |
         (options.create_graph ? TENON_BACKWARD_CREATE_GRAPH : 0u);
}
}  // namespace detail

// A handle of a tensor. A copy is another owner of the same tensor; a move costs what a pointer
// costs. A tensor that is not `defined` stands for none.
class Tensor {
 public:
  Tensor() noexcept : handle_(nullptr) {}
  Tensor(const Tensor& other) : handle_(retained(other.handle_)) {}
  Tensor(Tensor&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Tensor& operator=(const Tensor& other) & {
    Tensor copy(other);
    std::swap(handle_, copy.handle_);
    return *this;
  }
  Tensor& operator=(Tensor&& other) & noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  // x(0) = y would only let go of what x(0) made: x.set({0}, y).
  Tensor& operator=(const Tensor&) && = delete;
  ~Tensor() {
    if (handle_) tenon_tensor_release(handle_);
  }

  // Takes over an owner's handle of the C API; shares one that somebody else owns.
  static Tensor adopt(tenon_tensor* handle) { return Tensor(handle); }
  static Tensor share(tenon_tensor* handle) { return Tensor(retained(handle)); }
  tenon_tensor* handle() const noexcept { return handle_; }
  // Gives the handle up: its new owner releases it.
  tenon_tensor* release() noexcept { return std::exchange(handle_, nullptr); }
  bool defined() const noexcept { return handle_ != nullptr; }

  // ---- Making -----------------------------------------------------------------------------------

  // A copy of numbers that lie in memory one after the other: of a vector, array, span; row-major.
  template <std::ranges::contiguous_range Numbers>
  static Tensor from(const Numbers& numbers, const Ints& shape) {
    using T = std::ranges::range_value_t<Numbers>;
    return from_bytes(dtype_of<T>(), shape, std::ranges::data(numbers),
                      std::ranges::size(numbers) * sizeof(T));
  }
  template <std::ranges::contiguous_range Numbers>
  static Tensor from(const Numbers& numbers) {
    return from(numbers, Ints(static_cast<std::int64_t>(std::ranges::size(numbers))));
  }
  template <Arithmetic T>
  static Tensor from(std::initializer_list<T> numbers, const Ints& shape) {
    return from_bytes(dtype_of<T>(), shape, numbers.begin(), numbers.size() * sizeof(T));
  }

  // Undefined contents.
  static Tensor empty(const Ints& shape, Dtype dtype = float32) {
    detail::State& state = detail::state();
    tenon_tensor* made = nullptr;
    state.check(tenon_tensor_create(state.handle, dtype.code, nullptr, rank_of(shape), shape.data(),
                                    &made));
    return adopt(made);
  }

  // On memory of the program, without a copy, row-major; read-only if its elements are const.
  // `owner` is let go when the last user of the memory is gone, on any thread; without one the
  // program keeps the memory as long.
  template <std::ranges::contiguous_range Memory>
  requires std::ranges::borrowed_range<Memory>
  static Tensor wrap(Memory&& memory, const Ints& shape, std::shared_ptr<const void> owner = {}) {
    using Element = std::remove_reference_t<std::ranges::range_reference_t<Memory>>;
    using T = std::remove_const_t<Element>;
    std::uint64_t elements = 1;
    for (const std::int64_t each : shape) elements *= static_cast<std::uint64_t>(each);
    if (std::ranges::size(memory) != elements) {
      detail::refuse(TENON_E_SHAPE, "Tensor::wrap", "memory",
                     "as many elements as " + detail::text_of(shape) + " has",
                     std::to_string(std::ranges::size(memory)));
    }
    auto kept = owner ? std::make_unique<std::shared_ptr<const void>>(std::move(owner)) : nullptr;
    const auto let_go = [](void* user) { delete static_cast<std::shared_ptr<const void>*>(user); };
    Tensor made = made_by([&](tenon_context* context, tenon_tensor** out) {
      return tenon_tensor_create_external(context, dtype_of<T>().code, rank_of(shape), shape.data(),
                                          nullptr, const_cast<T*>(std::ranges::data(memory)),
                                          std::is_const_v<Element> ? TENON_VIEW_READ_ONLY : 0,
                                          kept ? +let_go : nullptr, kept.get(), out);
    });
    (void)kept.release();
    return made;
  }

  // ---- What it is -------------------------------------------------------------------------------

  Ints shape() const {
    const tenon_view view = view_of();
    return Ints(std::span(view.shape, static_cast<std::size_t>(view.rank)));
  }
  Ints strides() const {
    const tenon_view view = view_of();
    return Ints(std::span(view.strides, static_cast<std::size_t>(view.rank)));
  }
  int ndim() const { return view_of().rank; }
  // Of one axis; counted from the end if negative.
  std::int64_t shape(int axis) const {
    const tenon_view view = view_of();
    const int place = axis < 0 ? axis + view.rank : axis;
    if (place < 0 || place >= view.rank) {
      detail::refuse(TENON_E_ARGUMENT, "shape", "axis",
                     "one of " + std::to_string(view.rank) + " axes", std::to_string(axis));
    }
    return view.shape[place];
  }
  // How many elements.
  std::int64_t size() const { return info().elements; }
  Dtype dtype() const { return {view_of().dtype}; }
  Device device() const { return Device(view_of().device); }
  tenon_tensor_info info() const {
    detail::State& state = detail::state();
    tenon_tensor_info info{};
    info.struct_size = sizeof info;
    state.check(tenon_tensor_get_info(state.handle, handle_, &info));
    return info;
  }
  // For people; with `details` also strides, storage, version, least and largest number.
  std::string text(bool details = false) const {
    detail::State& state = detail::state();
    tenon_text* text = nullptr;
    state.check(tenon_tensor_get_text(state.handle, handle_, details ? TENON_TEXT_INFO : 0, &text));
    return detail::take_text(text);
  }

  // ---- Its numbers ------------------------------------------------------------------------------

  // The only element.
  template <Arithmetic T = double>
  T item() const {
    detail::State& state = detail::state();
    tenon_value value{};
    state.check(tenon_tensor_get_item(state.handle, handle_, &value));
    return value.tag == TENON_VALUE_F64 ? static_cast<T>(value.as.f64)
                                        : static_cast<T>(value.as.i64);
  }

  // All elements, row-major, from any device. T is that of the dtype: x.astype(...) first.
  template <Arithmetic T>
  requires(!std::same_as<T, bool>) std::vector<T> to_vector()
  const {
    std::vector<T> numbers(static_cast<std::size_t>(size()));
    copy_to(numbers);
    return numbers;
  }
  template <std::ranges::contiguous_range Memory>
  void copy_to(Memory&& memory) const {
    const std::span numbers(memory);
    require_dtype<typename decltype(numbers)::value_type>("copy_to");
    detail::State& state = detail::state();
    state.check(tenon_tensor_get_data(state.handle, handle_, numbers.data(), numbers.size_bytes()));
  }
  // Writes all elements, row-major.
  template <std::ranges::contiguous_range Memory>
  void copy_from(const Memory& memory) {
    const std::span numbers(memory);
    require_dtype<typename decltype(numbers)::value_type>("copy_from");
    detail::State& state = detail::state();
    state.check(tenon_tensor_set_data(state.handle, handle_, numbers.data(), numbers.size_bytes()));
  }
  // Its memory where it lies, with its strides: <tenon/cpp/host_view.hpp>.
  template <class T, int rank>
  HostView<T, rank> host() const;

  // ---- Ops that are also methods ----------------------------------------------------------------

  Tensor reshape(const Ints& shape) const;
  Tensor permute(const Ints& axes) const;
  Tensor transpose(std::int64_t axis0 = -2, std::int64_t axis1 = -1) const;
  Tensor contiguous() const;  // itself if it is row-major
  Tensor astype(Dtype dtype) const;
  Tensor to(const Device& device) const;
  Tensor clone() const;  // gradients flow through it
  Tensor detach() const {
    return made_by([this](tenon_context* context, tenon_tensor** out) {
      return tenon_tensor_create_detached(context, handle_, out);
    });
  }

  // x(1, Slice{2, 5}, newaxis, ellipsis, mask): <tenon/cpp/index.hpp>
  template <class... Keys>
  Tensor operator()(const Keys&... keys) const;
  Tensor operator[](std::int64_t place) const;
  // Writes `value`, broadcast and cast, at the places of the keys.
  template <class Given>
  void set(std::initializer_list<Index> keys, const Given& value) const;

  // ---- Gradients --------------------------------------------------------------------------------

  // Makes a leaf collect gradients, or stop it.
  Tensor& set_requires_grad(bool required = true) & {
    detail::State& state = detail::state();
    state.check(tenon_tensor_set_requires_grad(state.handle, handle_, required));
    return *this;
  }
  Tensor set_requires_grad(bool required = true) && {
    return std::move(set_requires_grad(required));
  }
  bool requires_grad() const { return (info().flags & TENON_TENSOR_REQUIRES_GRAD) != 0; }
  // What it has collected; not defined if there is nothing yet.
  Tensor grad() const {
    detail::State& state = detail::state();
    tenon_tensor* found = nullptr;
    state.check(tenon_tensor_get_grad(state.handle, handle_, &found));
    return share(found);
  }
  // Numbers of rows, and their values, of a gradient that is held as rows.
  std::pair<Tensor, Tensor> grad_rows() const {
    detail::State& state = detail::state();
    tenon_tensor *rows = nullptr, *values = nullptr;
    state.check(tenon_tensor_get_grad_rows(state.handle, handle_, &rows, &values));
    return {share(rows), share(values)};
  }
  // Without a tensor: drops it.
  void set_grad(const Tensor& gradient = {}) {
    detail::State& state = detail::state();
    state.check(tenon_tensor_set_grad(state.handle, handle_, gradient.handle_));
  }
  void retain_grad(bool retain = true) {
    detail::State& state = detail::state();
    state.check(tenon_tensor_set_retain_grad(state.handle, handle_, retain));
  }
  // Adds the gradients of this, times `seed`, to the leaves. One element needs no seed.
  void backward(const BackwardOptions& options = {}) const { backward(Tensor(), options); }
  void backward(const Tensor& seed, const BackwardOptions& options = {}) const {
    detail::State& state = detail::state();
    state.check(tenon_backward_run(state.handle, &handle_, seed.defined() ? &seed.handle_ : nullptr,
                                   1, detail::flags_of(options)));
  }

 private:
  explicit Tensor(tenon_tensor* owned) : handle_(owned) {}

  static tenon_tensor* retained(tenon_tensor* handle) {
    if (handle && tenon_tensor_retain(handle) != TENON_OK) {
      detail::raise(TENON_E_HANDLE, "Tensor: the handle is not that of a tensor");
    }
    return handle;
  }
  static std::int32_t rank_of(const Ints& shape) { return static_cast<std::int32_t>(shape.size()); }
  template <class Make>
  static Tensor made_by(Make make) {
    detail::State& state = detail::state();
    tenon_tensor* made = nullptr;
    state.check(make(state.handle, &made));
    return adopt(made);
  }
  static Tensor from_bytes(Dtype dtype, const Ints& shape, const void* data, std::size_t bytes) {
    return made_by([&](tenon_context* context, tenon_tensor** out) {
      return tenon_tensor_create_from(context, dtype.code, nullptr, rank_of(shape), shape.data(),
                                      data, bytes, out);
    });
  }
  tenon_view view_of() const {
    detail::State& state = detail::state();
    tenon_view view{};
    state.check(tenon_tensor_get_view(state.handle, handle_, &view));
    return view;
  }
  template <class T>
  void require_dtype(const char* asker) const {
    if (dtype() == dtype_of<T>()) return;
    const std::string wanted = dtype_info(dtype_of<T>()).name;
    detail::refuse(TENON_E_DTYPE, asker, "T", std::string(dtype_info(dtype()).name), wanted,
                   "the type of the tensor's dtype, or x.astype(...) first");
  }

  tenon_tensor* handle_;
};
static_assert(sizeof(Tensor) == sizeof(tenon_tensor*), "arrays of them are arrays of handles");

inline std::ostream& operator<<(std::ostream& out, const Tensor& tensor) {
  return out << (tensor.defined() ? tensor.text() : "(no tensor)");
}

}  // namespace tenon

#endif  // TENON_CPP_TENSOR_HPP
