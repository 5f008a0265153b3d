// SPDX-License-Identifier: Apache-2.0
// core/data/transform.cc: transform objects.
#include "core/data/transform.h"

#include <algorithm>

#include "core/launch/moves.h"

namespace tenon::data {

using tensor::Dims;
using tensor::Ref;
using tensor::shape_of;
using tensor::Tensor;

Transform::Transform(Context& context, const registry::Entry& kind,
                     std::span<const NamedValue> given)
    : Object(context, kind, given) {}

tenon_meta Transform::infer(Context& context, const tenon_meta& sample) const {
  tenon_meta out = sample;
  ask(context, "infer",
      [&](tenon_call* call) { return desc().infer(call, object_, &sample, &out); });
  const bool possible = out.rank >= 0 && out.rank < TENON_MAX_RANK && tensor::is_known(out.dtype) &&
                        std::ranges::all_of(shape_of(out), [](int64_t size) { return size >= 0; });
  const bool view = (desc().flags & TENON_TRANSFORM_VIEW) != 0;
  if (possible && (!view || (out.dtype == sample.dtype &&
                             tensor::count(shape_of(out)) == tensor::count(shape_of(sample))))) {
    return out;
  }
  fail_plugin(kind_->name, kind_->plugin->id,
              std::string("makes an impossible sample") +
                  (view ? " for one that changes the shape alone" : ""),
              {}, {}, possible ? tensor::describe(out) : "");
}

Ref Transform::call(Context& context, const tenon_batch& batch, Tensor& field) const {
  const tenon_meta sample = tensor::row_of(tensor::meta_of(field));
  const tenon_meta before = tensor::rows_of(batch.n, sample);
  const tenon_meta after = tensor::rows_of(batch.n, infer(context, sample));
  const GradMode off(context, false);
  Ref from = Ref::shared(&field);
  if (!field.contiguous()) {
    from = Ref(Tensor::create(runtime_->host_device(), before.dtype, shape_of(before)));
    launch::copy_into(context, field, *from);
  }
  tensor::checked_count(shape_of(after), tensor::size_of(after.dtype));
  if (desc().flags & TENON_TRANSFORM_VIEW) {
    Dims strides{};
    tensor::row_major_strides(shape_of(after), strides.data());
    return tensor::window(*from, shape_of(after), strides.data(), from->offset);
  }
  Ref to(Tensor::create(runtime_->host_device(), after.dtype, shape_of(after)));
  if (batch.n == 0) return to;
  tenon_view view = from->view;
  view.flags |= TENON_VIEW_READ_ONLY;
  ask(context, "run",
      [&](tenon_call* call) { return desc().run(call, object_, &batch, &view, &to->view); });
  return to;
}

}  // namespace tenon::data
