// SPDX-License-Identifier: Apache-2.0
// core/processes/leaf_grads.cc: what leaves hold, and small tensors in host memory.
#include "core/processes/leaf_grads.h"

#include <numeric>

#include "core/launch/moves.h"
#include "core/plan/recorder.h"

namespace tenon::processes {

using tensor::Ref;
using tensor::Tensor;

tape::Gradient take_grads(Tensor& leaf) {
  tape::Gradient taken;
  tape::exchange(tape::link_of(leaf), taken);
  return taken;
}

void set_grads(Context& context, Tensor& leaf, tape::Gradient grads) {
  tape::Link& link = tape::link_of(leaf);
  if (plan::Recorder* const recorder = plan::recorder_of(context)) recorder->leaf(leaf).replaces();
  tape::exchange(link, grads);
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

void scale(Context& context, const Ref& tensor, double factor) {
  const Ref host = launch::on_host(context, tensor);
  visit_floats(*host, [&](auto* data, auto load, auto save) {
    const auto by = static_cast<decltype(load(*data))>(factor);
    const int64_t n = host->elements();
    for (int64_t i = 0; i < n; ++i) data[i] = save(load(data[i]) * by);
  });
  if (host.get() != tensor.get()) launch::copy_into(context, *host, *tensor);
}

}  // namespace tenon::processes
