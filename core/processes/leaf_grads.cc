// SPDX-License-Identifier: Apache-2.0
// core/processes/leaf_grads.cc: what leaves hold, and small tensors in host memory.
#include "core/processes/leaf_grads.h"

#include <numeric>
#include <utility>

#include "core/launch/moves.h"
#include "core/plan/recorder.h"

namespace tenon::processes {

using tape::Link;
using tensor::Ref;
using tensor::Tensor;

LeafGrads take_grads(Tensor& leaf) {
  tape::Gradient taken;
  tape::exchange(tape::link_of(leaf), taken);
  return {std::move(taken.dense), {std::move(taken.row_indices), std::move(taken.row_values)}};
}

void set_grads(Context& context, Tensor& leaf, LeafGrads grads) {
  Link& link = tape::link_of(leaf);
  if (plan::Recorder* const recorder = plan::recorder_of(context)) recorder->leaf(leaf).replaces();
  tape::Gradient given{std::move(grads.dense), std::move(grads.rows.indices),
                       std::move(grads.rows.values)};
  tape::exchange(link, given);
}

Ref new_host_tensor(Context& context, tenon_dtype dtype, std::initializer_list<int64_t> shape) {
  const tensor::DimSpan dims(shape.begin(), shape.size());
  tensor::checked_count(dims, tensor::size_of(dtype));
  return Ref(Tensor::create(context.runtime->host_device(), dtype, dims));
}

Ref numbers_to(Context& context, Device& device, int64_t n) {
  Ref numbers = new_host_tensor(context, TENON_DTYPE_I64, {n});
  auto* const first = static_cast<int64_t*>(numbers->view.data);
  std::iota(first, first + n, int64_t{0});
  if (device.host_memory()) return numbers;
  Ref there(Tensor::create(device, TENON_DTYPE_I64, numbers->shape()));
  launch::copy_into(context, *numbers, *there);
  return there;
}

namespace {

template <class Stored, class Load, class Save>
void scale_as(Tensor& tensor, const Load& load, const Save& save) {
  auto* const data = static_cast<Stored*>(tensor.view.data);
  const int64_t n = tensor.elements();
  for (int64_t i = 0; i < n; ++i) data[i] = save(load(data[i]));
}

void scale_on_host(Tensor& tensor, double factor) {
  const auto float_factor = static_cast<float>(factor);
  switch (tensor.view.dtype) {
    case TENON_DTYPE_F64:
      return scale_as<double>(
          tensor, [](double x) { return x; }, [&](double x) { return x * factor; });
    case TENON_DTYPE_F32:
      return scale_as<float>(
          tensor, [](float x) { return x; }, [&](float x) { return x * float_factor; });
    case TENON_DTYPE_F16:
      return scale_as<uint16_t>(tensor, tensor::half_to_float,
                                [&](float x) { return tensor::float_to_half(x * float_factor); });
    default:
      return scale_as<uint16_t>(tensor, tensor::bfloat_to_float,
                                [&](float x) { return tensor::float_to_bfloat(x * float_factor); });
  }
}

}  // namespace

void scale(Context& context, const Ref& tensor, double factor) {
  const Ref host = launch::on_host(context, tensor);
  scale_on_host(*host, factor);
  if (host.get() != tensor.get()) launch::copy_into(context, *host, *tensor);
}

}  // namespace tenon::processes
