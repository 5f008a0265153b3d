// SPDX-License-Identifier: Apache-2.0
// core/backward/rows.cc: gradients held as rows.
#include "core/backward/rows.h"

#include <algorithm>

#include "core/dispatch/dispatch.h"
#include "core/launch/moves.h"
#include "core/registry/values.h"

namespace tenon::backward {

namespace {

// Row numbers of a contiguous or strided i64 vector in host memory.
std::vector<int64_t> read_indices(const Tensor& indices) {
  std::vector<int64_t> out;
  const int64_t* data = static_cast<const int64_t*>(indices.view.data);
  for (int64_t i = 0; i < indices.shape_[0]; ++i) out.push_back(data[i * indices.strides_[0]]);
  return out;
}

}  // namespace

void add_rows_into(Context& context, Tensor& dense, const RowGrad& rows) {
  const GradMode off(context, false);
  const registry::Op& op = context.runtime->plugins.require_role(TENON_ROLE_ROWS_ADD);
  const tenon_value inputs[3] = {registry::tensor_value(dense),
                                 registry::tensor_value(*rows.indices),
                                 registry::tensor_value(*rows.values)};
  dispatch::call(context, op, inputs, {}, {});
}

Ref densify(Context& context, const tenon_meta& table, const RowGrad& rows) {
  Ref dense(launch::full(context, device_of(*rows.values), table.dtype, tensor::shape_of(table),
                         registry::int_value(0)));
  add_rows_into(context, *dense, rows);
  return dense;
}

RowGrad coalesce(Context& context, const tenon_meta& table, std::span<const RowGrad> parts) {
  std::vector<int64_t> unique;
  for (const RowGrad& part : parts) {
    for (int64_t row : read_indices(*part.indices)) {
      if (row < 0 || row >= table.shape[0]) {
        fail(TENON_E_VJP, "a row gradient names a row outside its table", {},
             "0 to " + std::to_string(table.shape[0] - 1), std::to_string(row));
      }
      unique.push_back(row);
    }
  }
  std::sort(unique.begin(), unique.end());
  unique.erase(std::unique(unique.begin(), unique.end()), unique.end());
  Device& device = device_of(*parts[0].values);
  tensor::Dims shape{};
  std::copy_n(table.shape, table.rank, shape.begin());
  shape[0] = static_cast<int64_t>(unique.size());
  const tensor::DimSpan dims(shape.data(), static_cast<size_t>(table.rank));
  RowGrad out;
  out.indices = Ref(Tensor::create(device, TENON_DTYPE_I64, dims.first(1)));
  std::copy(unique.begin(), unique.end(), static_cast<int64_t*>(out.indices->view.data));
  out.values = Ref(launch::full(context, device, table.dtype, dims, registry::int_value(0)));
  for (const RowGrad& part : parts) {
    std::vector<int64_t> rows = read_indices(*part.indices);
    const int64_t n = static_cast<int64_t>(rows.size());
    RowGrad moved;
    moved.indices = Ref(Tensor::create(device, TENON_DTYPE_I64, {&n, 1}));
    int64_t* to = static_cast<int64_t*>(moved.indices->view.data);
    for (int64_t row : rows) {
      *to++ = std::lower_bound(unique.begin(), unique.end(), row) - unique.begin();
    }
    moved.values = part.values;
    add_rows_into(context, *out.values, moved);
  }
  return out;
}

}  // namespace tenon::backward
