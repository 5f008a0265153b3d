// SPDX-License-Identifier: Apache-2.0
// core/tensor/dtype.cc: the table of dtype names, sizes, kinds, promotion and limits.
#include "core/tensor/dtype.h"

#include <limits>

#include "core/base/words.h"

namespace tenon::tensor {
namespace {

enum class Kind : uint8_t { Bool, Unsigned, Signed, Float };

struct Row {
  tenon_dtype dtype;
  std::string_view name;
  uint32_t size;
  Kind kind;
};

constexpr std::array<Row, 10> rows = {{
    {TENON_DTYPE_BOOL, "bool", 1, Kind::Bool},
    {TENON_DTYPE_U8, "u8", 1, Kind::Unsigned},
    {TENON_DTYPE_I8, "i8", 1, Kind::Signed},
    {TENON_DTYPE_I16, "i16", 2, Kind::Signed},
    {TENON_DTYPE_I32, "i32", 4, Kind::Signed},
    {TENON_DTYPE_I64, "i64", 8, Kind::Signed},
    {TENON_DTYPE_F16, "f16", 2, Kind::Float},
    {TENON_DTYPE_BF16, "bf16", 2, Kind::Float},
    {TENON_DTYPE_F32, "f32", 4, Kind::Float},
    {TENON_DTYPE_F64, "f64", 8, Kind::Float},
}};

constexpr bool rows_follow_canonical_order() {
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].dtype != dtypes_in_order[i]) return false;
  }
  return true;
}
static_assert(rows_follow_canonical_order());

struct CategoryRow {
  Category category;
  std::string_view name;
};

constexpr std::array<CategoryRow, 6> categories = {{
    {Category::Any, "any"},
    {Category::Bool, "bool"},
    {Category::Uint, "uint"},
    {Category::Int, "int"},
    {Category::Float, "float"},
    {Category::Number, "number"},
}};

// A place of its own for every row; other patterns share them.
constexpr size_t place_of(tenon_dtype dtype) noexcept {
  const uint32_t bytes = dtype >> 11 & 0x1f;
  return (dtype & 7) * 4 + static_cast<size_t>(std::countr_zero(bytes | 16) & 3);
}

constexpr std::array<uint8_t, 32> make_places() {
  std::array<uint8_t, 32> places{};
  for (size_t i = 0; i < rows.size(); ++i) {
    places[place_of(rows[i].dtype)] = static_cast<uint8_t>(i);
  }
  return places;
}
constexpr std::array<uint8_t, 32> places = make_places();

constexpr bool rows_have_own_places() {
  for (size_t i = 0; i < rows.size(); ++i) {
    if (places[place_of(rows[i].dtype)] != i) return false;
  }
  return true;
}
static_assert(rows_have_own_places());

const Row* find_row(tenon_dtype dtype) noexcept {
  const Row& row = rows[places[place_of(dtype)]];
  return row.dtype == dtype ? &row : nullptr;
}

bool has_kind(tenon_dtype dtype, Kind kind) noexcept {
  const Row* row = find_row(dtype);
  return row != nullptr && row->kind == kind;
}

// Both operands share a kind or are of the two integer kinds; `a` is not the higher kind.
tenon_dtype promote_ordered(const Row& a, const Row& b) noexcept {
  if (a.kind == Kind::Bool || (a.kind != b.kind && b.kind == Kind::Float)) return b.dtype;
  if (a.kind == Kind::Unsigned && b.kind == Kind::Signed) {
    // u8 needs a signed type of at least twice its width.
    return b.size > a.size ? b.dtype : TENON_DTYPE_I16;
  }
  if (a.size == b.size && a.dtype != b.dtype) return TENON_DTYPE_F32;  // f16 with bf16
  return a.size > b.size ? a.dtype : b.dtype;
}

template <typename T>
constexpr DtypeLimits integer_limits() {
  const T low = std::numeric_limits<T>::min();
  const T high = std::numeric_limits<T>::max();
  return {static_cast<double>(low),  static_cast<double>(high), 0.0, 0.0, 0.0,
          static_cast<int64_t>(low), static_cast<int64_t>(high)};
}

// Computed by the compiler: a thread of the program's may flush subnormal numbers to 0.
consteval DtypeLimits float_limits(double max, double eps, double smallest_normal) {
  return {-max, max, eps, smallest_normal, smallest_normal * eps, 0, 0};
}

}  // namespace

bool is_known(tenon_dtype dtype) noexcept { return find_row(dtype) != nullptr; }

uint32_t size_of(tenon_dtype dtype) noexcept {
  const Row* row = find_row(dtype);
  return row == nullptr ? 0 : row->size;
}

std::string_view name_of(tenon_dtype dtype) noexcept {
  const Row* row = find_row(dtype);
  return row == nullptr ? std::string_view("?") : row->name;
}

std::string dtypes_text(std::span<const tenon_dtype> dtypes, std::string_view between) {
  return base::joined(dtypes, between, [](tenon_dtype dtype) { return name_of(dtype); });
}

std::optional<tenon_dtype> dtype_from_name(std::string_view name) noexcept {
  for (const Row& row : rows) {
    if (row.name == name) return row.dtype;
  }
  return std::nullopt;
}

bool is_float(tenon_dtype dtype) noexcept { return has_kind(dtype, Kind::Float); }

bool is_integer(tenon_dtype dtype) noexcept {
  return has_kind(dtype, Kind::Unsigned) || has_kind(dtype, Kind::Signed);
}

bool is_signed(tenon_dtype dtype) noexcept {
  return has_kind(dtype, Kind::Signed) || has_kind(dtype, Kind::Float);
}

bool is_bool(tenon_dtype dtype) noexcept { return has_kind(dtype, Kind::Bool); }

bool in_category(tenon_dtype dtype, Category category) noexcept {
  switch (category) {
    case Category::Any:
      return is_known(dtype);
    case Category::Bool:
      return is_bool(dtype);
    case Category::Uint:
      return has_kind(dtype, Kind::Unsigned);
    case Category::Int:
      return is_integer(dtype);
    case Category::Float:
      return is_float(dtype);
    case Category::Number:
      return is_integer(dtype) || is_float(dtype);
  }
  return false;
}

std::string_view name_of(Category category) noexcept {
  for (const CategoryRow& row : categories) {
    if (row.category == category) return row.name;
  }
  return "?";
}

std::optional<Category> category_from_name(std::string_view name) noexcept {
  for (const CategoryRow& row : categories) {
    if (row.name == name) return row.category;
  }
  return std::nullopt;
}

std::optional<tenon_dtype> promote(tenon_dtype a, tenon_dtype b) noexcept {
  const Row* left = find_row(a);
  const Row* right = find_row(b);
  if (left == nullptr || right == nullptr) return std::nullopt;
  return left->kind <= right->kind ? promote_ordered(*left, *right)
                                   : promote_ordered(*right, *left);
}

tenon_dtype promote_weak(tenon_dtype tensor_dtype, ScalarKind scalar) noexcept {
  if (scalar == ScalarKind::Float && (is_bool(tensor_dtype) || is_integer(tensor_dtype))) {
    return default_float;
  }
  if (scalar == ScalarKind::Int && is_bool(tensor_dtype)) return default_int;
  return tensor_dtype;
}

DtypeLimits limits_of(tenon_dtype dtype) noexcept {
  switch (dtype) {
    case TENON_DTYPE_BOOL:
      return {0.0, 1.0, 0.0, 0.0, 0.0, 0, 1};
    case TENON_DTYPE_U8:
      return integer_limits<uint8_t>();
    case TENON_DTYPE_I8:
      return integer_limits<int8_t>();
    case TENON_DTYPE_I16:
      return integer_limits<int16_t>();
    case TENON_DTYPE_I32:
      return integer_limits<int32_t>();
    case TENON_DTYPE_I64:
      return integer_limits<int64_t>();
    case TENON_DTYPE_F16:
      return float_limits(65504.0, 0x1p-10, 0x1p-14);
    case TENON_DTYPE_BF16:
      return float_limits(0x1.fep127, 0x1p-7, 0x1p-126);
    case TENON_DTYPE_F32:
      return float_limits(0x1.fffffep127, 0x1p-23, 0x1p-126);
    case TENON_DTYPE_F64:
      return float_limits(std::numeric_limits<double>::max(), 0x1p-52, 0x1p-1022);
    default:
      return {};
  }
}

}  // namespace tenon::tensor
