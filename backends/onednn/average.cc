// SPDX-License-Identifier: Apache-2.0
// backends/onednn/average.cc: tenon.avg_pool and its gradient by oneDNN's pooling.
//
// Not tenon.max_pool: oneDNN's takes the largest number and passes over NaN, which Tenon's does
// not, and keeps the places in a form of its own. Source: oneDNN developer guide, "Pooling".
#include <tenon/sdk/plugin/pools.hpp>

#include "job.h"

namespace tenon::onednn {
namespace {

using dnnl::memory;

// Windows over a part's images.
struct Problem {
  Problem(std::span<const int64_t> x_shape, const sdk::Windows& known, bool counts_padding) {
    parts = parts_of(x_shape[0]);
    const int64_t images = x_shape[0] / parts;
    memory::dims x_sizes{images, x_shape[1]};
    memory::dims y_sizes{images, x_shape[1]};
    for (size_t d = 0; d < known.rank(); ++d) {
      const sdk::WindowAxis& axis = known[d];
      x_sizes.push_back(axis.size);
      y_sizes.push_back(axis.count);
      taps.push_back(axis.taps);
      strides.push_back(axis.stride);
      before.push_back(axis.before);
      // Where a window goes beyond the padding, or the padding beyond all windows.
      after.push_back((axis.count - 1) * axis.stride + axis.taps - axis.size - axis.before);
      fits &= axis.before < axis.taps && after.back() < axis.taps;
      fits &= !counts_padding || after.back() <= axis.after;
    }
    algorithm = counts_padding ? dnnl::algorithm::pooling_avg_include_padding
                               : dnnl::algorithm::pooling_avg_exclude_padding;
    is_empty = sdk::count_of(x_shape) == 0 || known.count() == 0;
    if (is_empty) return;
    x = row_major(x_sizes);
    y = row_major(y_sizes);
  }

  dnnl::pooling_forward::primitive_desc forward(const Engine& s) const {
    return {{dnnl::prop_kind::forward_training, algorithm, x, y, strides, taps, before, after},
            s.attributes,
            s.engine};
  }

  int64_t parts;
  memory::dims taps, strides, before, after;
  dnnl::algorithm algorithm;
  bool is_empty;
  bool fits = true;  // each window has a tap in the image, and what counts is what oneDNN counts
  memory::desc x, y;
};

struct AvgPool {
  static constexpr uint32_t kAttributes = sdk::kAvgPoolAttributes;

  static Problem problem(const sdk::Args& args) {
    const auto shape = args.shape(0);
    return {shape, sdk::avg_pool_windows(shape.subspan(2), args.attrs, 0),
            args.attrs.flag(sdk::kAvgPoolCountIncludePad)};
  }
  static Job::Data data(const sdk::Launch& l) { return {l.data<void>(0), l.out_data<void>()}; }
  static Job* job(const sdk::Args& args) {
    const Problem p = problem(args);
    const Engine s;
    const auto chosen = p.forward(s);
    return new Job(s.engine, dnnl::pooling_forward(chosen), chosen.scratchpad_desc(), p.parts,
                   {{DNNL_ARG_SRC, false, false, p.x, chosen.src_desc()},
                    {DNNL_ARG_DST, true, false, p.y, chosen.dst_desc()}});
  }
};

struct AvgPoolGrad {
  static constexpr uint32_t kAttributes = 1 + sdk::kAvgPoolAttributes;

  static Problem problem(const sdk::Args& args) {
    constexpr uint32_t kOut = 1;
    const auto shape = args.shape(kOut);
    return {shape, sdk::avg_pool_windows(shape.subspan(2), args.attrs, 1),
            args.attrs.flag(1 + sdk::kAvgPoolCountIncludePad)};
  }
  static Job::Data data(const sdk::Launch& l) { return {l.data<void>(0), l.out_data<void>()}; }
  static Job* job(const sdk::Args& args) {
    const Problem p = problem(args);
    const Engine s;
    const dnnl::pooling_backward::primitive_desc chosen(
        {p.algorithm, p.x, p.y, p.strides, p.taps, p.before, p.after}, s.attributes, s.engine,
        p.forward(s));
    return new Job(s.engine, dnnl::pooling_backward(chosen), chosen.scratchpad_desc(), p.parts,
                   {{DNNL_ARG_DIFF_DST, false, false, p.y, chosen.diff_dst_desc()},
                    {DNNL_ARG_DIFF_SRC, true, false, p.x, chosen.diff_src_desc()}});
  }
};

template <class Op>
tenon_status accepts(tenon_call* call, const tenon_launch* args, uint32_t* out_accepts) {
  const Problem problem = Op::problem(sdk::Args(args));
  *out_accepts = !problem.is_empty && problem.fits ? 1 : 0;
  if (*out_accepts == 1) return TENON_OK;
  return call->base->fail(call, TENON_E_SHAPE,
                          "a window without a tap in the image, or beyond padding that counts, is "
                          "not oneDNN's",
                          TENON_NUL);
}

constexpr tenon_slot_rule slots[] = {sdk::contiguous_in(), sdk::contiguous_out()};

template <class Op>
constexpr tenon_kernel_desc kernel_of(std::string_view op) {
  return job_kernel<Op>(op, slots, Op::kAttributes, accepts<Op>);
}

constexpr tenon_kernel_desc kernels[] = {
    kernel_of<AvgPool>("tenon.avg_pool"),
    kernel_of<AvgPoolGrad>("tenon.avg_pool_grad"),
};

}  // namespace

constinit const sdk::Unit average_unit = {.kernels = kernels};

}  // namespace tenon::onednn
