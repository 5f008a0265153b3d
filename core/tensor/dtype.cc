// SPDX-License-Identifier: Apache-2.0
// core/tensor/dtype.cc: the table of dtype names, sizes, kinds, promotion and limits; elements.
#include "core/tensor/dtype.h"

#include <cstring>
#include <limits>

#include "core/base/words.h"

namespace tenon::tensor {
namespace {

enum Kind : uint8_t { kBool = 1, kUnsigned = 2, kSigned = 4, kFloat = 8 };

struct Row {
  tenon_dtype dtype;
  std::string_view name;
  uint32_t size;
  Kind kind;
};

constexpr std::array<Row, 10> rows = {{
    {TENON_DTYPE_BOOL, "bool", 1, kBool},
    {TENON_DTYPE_U8, "u8", 1, kUnsigned},
    {TENON_DTYPE_I8, "i8", 1, kSigned},
    {TENON_DTYPE_I16, "i16", 2, kSigned},
    {TENON_DTYPE_I32, "i32", 4, kSigned},
    {TENON_DTYPE_I64, "i64", 8, kSigned},
    {TENON_DTYPE_F16, "f16", 2, kFloat},
    {TENON_DTYPE_BF16, "bf16", 2, kFloat},
    {TENON_DTYPE_F32, "f32", 4, kFloat},
    {TENON_DTYPE_F64, "f64", 8, kFloat},
}};

constexpr bool rows_follow_canonical_order() {
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].dtype != dtypes_in_order[i]) return false;
  }
  return true;
}
static_assert(rows_follow_canonical_order());

// In the order of the enumerators.
struct CategoryRow {
  std::string_view name;
  uint32_t kinds;
};

constexpr std::array<CategoryRow, 6> categories = {{
    {"any", kBool | kUnsigned | kSigned | kFloat},
    {"bool", kBool},
    {"uint", kUnsigned},
    {"int", kUnsigned | kSigned},
    {"float", kFloat},
    {"number", kUnsigned | kSigned | kFloat},
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

// One of `kinds`?
bool has_kind(tenon_dtype dtype, uint32_t kinds) noexcept {
  const Row* row = find_row(dtype);
  return row != nullptr && (row->kind & kinds) != 0;
}

// Both operands share a kind or are of the two integer kinds; `a` is not the higher kind.
tenon_dtype promote_ordered(const Row& a, const Row& b) noexcept {
  if (a.kind == kBool || (a.kind != b.kind && b.kind == kFloat)) return b.dtype;
  if (a.kind == kUnsigned && b.kind == kSigned) {
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

// Of each row.
constexpr std::array<DtypeLimits, 10> limits = {
    DtypeLimits{0.0, 1.0, 0.0, 0.0, 0.0, 0, 1},
    integer_limits<uint8_t>(),
    integer_limits<int8_t>(),
    integer_limits<int16_t>(),
    integer_limits<int32_t>(),
    integer_limits<int64_t>(),
    float_limits(65504.0, 0x1p-10, 0x1p-14),
    float_limits(0x1.fep127, 0x1p-7, 0x1p-126),
    float_limits(0x1.fffffep127, 0x1p-23, 0x1p-126),
    float_limits(std::numeric_limits<double>::max(), 0x1p-52, 0x1p-1022),
};

template <class T>
T load(const void* first, int64_t offset) noexcept {
  T value;
  std::memcpy(&value, static_cast<const char*>(first) + offset * int64_t{sizeof(T)}, sizeof(T));
  return value;
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

bool is_float(tenon_dtype dtype) noexcept { return has_kind(dtype, kFloat); }

bool is_integer(tenon_dtype dtype) noexcept { return has_kind(dtype, kUnsigned | kSigned); }

bool is_signed(tenon_dtype dtype) noexcept { return has_kind(dtype, kSigned | kFloat); }

bool is_bool(tenon_dtype dtype) noexcept { return has_kind(dtype, kBool); }

bool in_category(tenon_dtype dtype, Category category) noexcept {
  return has_kind(dtype, categories[static_cast<size_t>(category)].kinds);
}

std::string_view name_of(Category category) noexcept {
  return categories[static_cast<size_t>(category)].name;
}

std::optional<Category> category_from_name(std::string_view name) noexcept {
  for (size_t i = 0; i < categories.size(); ++i) {
    if (categories[i].name == name) return static_cast<Category>(i);
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
  const Row* row = find_row(dtype);
  return row == nullptr ? DtypeLimits{} : limits[static_cast<size_t>(row - rows.data())];
}

double real_at(const void* first, int64_t offset, tenon_dtype dtype) noexcept {
  switch (dtype) {
    case TENON_DTYPE_F16:
      return half_to_float(load<uint16_t>(first, offset));
    case TENON_DTYPE_BF16:
      return bfloat_to_float(load<uint16_t>(first, offset));
    case TENON_DTYPE_F32:
      return load<float>(first, offset);
    case TENON_DTYPE_F64:
      return load<double>(first, offset);
    default:
      return static_cast<double>(integer_at(first, offset, dtype));
  }
}

int64_t integer_at(const void* first, int64_t offset, tenon_dtype dtype) noexcept {
  switch (dtype) {
    case TENON_DTYPE_BOOL:
      return load<uint8_t>(first, offset) != 0 ? 1 : 0;
    case TENON_DTYPE_U8:
      return load<uint8_t>(first, offset);
    case TENON_DTYPE_I8:
      return load<int8_t>(first, offset);
    case TENON_DTYPE_I16:
      return load<int16_t>(first, offset);
    case TENON_DTYPE_I32:
      return load<int32_t>(first, offset);
    case TENON_DTYPE_I64:
      return load<int64_t>(first, offset);
    default:
      return 0;
  }
}

}  // namespace tenon::tensor
