// SPDX-License-Identifier: Apache-2.0
// backends/onednn/convolution.cc: tenon.conv and its two gradients by oneDNN's convolution.
//
// oneDNN chooses layouts, so operands are reordered as PyTorch does it for images in row-major
// order; job.h says how a batch is cut for threads.
//
// Taps in the padding add nothing, whatever the weights: of oneDNN's implementations, those by
// matrix products ("gemm", "brgconv") copy images with zeros around them, and are passed over where
// there is padding.
// Source: oneDNN developer guide, "Convolution".
#include <tenon/sdk/plugin/convolution.hpp>

#include "job.h"

namespace tenon::onednn {
namespace {

using dnnl::memory;
using dnnl::prop_kind;

constexpr auto kDirect = dnnl::algorithm::convolution_direct;

memory::desc any(const memory::desc& packed) {
  return {packed.dims(), memory::data_type::f32, memory::format_tag::any};
}

// A convolution of a part's images.
struct Problem {
  Problem(std::span<const int64_t> image, std::span<const int64_t> weight, const sdk::Attrs& attrs,
          uint32_t first)
      : known(image, weight, attrs, first) {
    parts = parts_of(known.images);
    const int64_t images = known.images / parts;
    memory::dims x_sizes{images, known.groups * known.in};
    memory::dims y_sizes{images, known.groups * known.out};
    memory::dims w_sizes{known.out, known.in};
    if (known.groups > 1) w_sizes.insert(w_sizes.begin(), known.groups);
    for (size_t d = 0; d < known.windows.rank(); ++d) {
      const sdk::WindowAxis& axis = known.windows[d];
      x_sizes.push_back(axis.size);
      y_sizes.push_back(axis.count);
      w_sizes.push_back(axis.taps);
      strides.push_back(axis.stride);
      dilations.push_back(axis.dilation - 1);
      before.push_back(axis.before);
      after.push_back(axis.after);
      has_padding |= axis.before > 0 || axis.after > 0;
    }
    if (is_empty()) return;
    x = row_major(x_sizes);
    y = row_major(y_sizes);
    w = row_major(w_sizes);
    b = row_major({y_sizes[1]});
  }
  // Nothing to compute, or sums over nothing.
  bool is_empty() const {
    return known.images * known.groups * known.in * known.out * known.windows.count() *
               known.windows.taps() ==
           0;
  }

  dnnl::convolution_forward::primitive_desc forward(const Engine& s, bool with_bias) const;

  sdk::Convolution known;
  int64_t parts;
  memory::dims strides, dilations, before, after;
  bool has_padding = false;
  memory::desc x, y, w, b;
};

bool multiplies_padding(std::string_view implementation) {
  const auto has = [&](std::string_view part) { return implementation.find(part) != part.npos; };
  return has("gemm") || has("brg");
}

// The first implementation that will do. `what` outlives the search: oneDNN 2 keeps its address.
template <class Description, class What, class... Hint>
Description choose(const Problem& p, const Engine& s, const What& what, const Hint&... hint) {
  Description chosen(what, s.attributes, s.engine, hint...);
  if (p.has_padding) {
    while (multiplies_padding(chosen.impl_info_str()) && chosen.next_impl()) {
    }
  }
  return chosen;
}

dnnl::convolution_forward::primitive_desc Problem::forward(const Engine& s, bool with_bias) const {
  using Forward = dnnl::convolution_forward;
  constexpr auto kind = prop_kind::forward;
  const auto what = with_bias ? Forward::desc(kind, kDirect, any(x), any(w), b, any(y), strides,
                                              dilations, before, after)
                              : Forward::desc(kind, kDirect, any(x), any(w), any(y), strides,
                                              dilations, before, after);
  return choose<Forward::primitive_desc>(*this, s, what);
}

constexpr uint32_t kGradOut = 2;  // the slot of the gradients' result

struct Conv {
  static constexpr uint32_t kOwnAttributes = 0;

  static Problem problem(const sdk::Args& args) {
    return {args.shape(0), args.shape(1), args.attrs, kOwnAttributes};
  }
  static Job::Data data(const sdk::Launch& l) {
    return {l.data<void>(0), l.data<void>(1), l.out_data<void>(),
            l.given(2) ? l.data<void>(2) : nullptr};
  }
  static Job* job(const sdk::Args& args) {
    const Problem p = problem(args);
    const Engine s;
    const auto chosen = p.forward(s, args.given(2));
    std::vector<Operand> operands = {{DNNL_ARG_SRC, false, false, p.x, chosen.src_desc()},
                                     {DNNL_ARG_WEIGHTS, false, true, p.w, chosen.weights_desc()},
                                     {DNNL_ARG_DST, true, false, p.y, chosen.dst_desc()}};
    if (args.given(2)) operands.push_back({DNNL_ARG_BIAS, false, true, p.b, chosen.bias_desc()});
    return new Job(s.engine, dnnl::convolution_forward(chosen), chosen.scratchpad_desc(), p.parts,
                   operands);
  }
};

struct ConvInputGrad {
  static constexpr uint32_t kOwnAttributes = 1;

  static Problem problem(const sdk::Args& args) {
    return {args.shape(kGradOut), args.shape(1), args.attrs, kOwnAttributes};
  }
  static Job::Data data(const sdk::Launch& l) {
    return {l.data<void>(0), l.data<void>(1), l.out_data<void>()};
  }
  static Job* job(const sdk::Args& args) {
    const Problem p = problem(args);
    const Engine s;
    const dnnl::convolution_backward_data::primitive_desc chosen(
        {kDirect, any(p.x), any(p.w), any(p.y), p.strides, p.dilations, p.before, p.after},
        s.attributes, s.engine, p.forward(s, false));
    return new Job(s.engine, dnnl::convolution_backward_data(chosen), chosen.scratchpad_desc(),
                   p.parts,
                   {{DNNL_ARG_DIFF_DST, false, false, p.y, chosen.diff_dst_desc()},
                    {DNNL_ARG_WEIGHTS, false, true, p.w, chosen.weights_desc()},
                    {DNNL_ARG_DIFF_SRC, true, false, p.x, chosen.diff_src_desc()}});
  }
};

struct ConvWeightGrad {
  static constexpr uint32_t kOwnAttributes = 1;

  static Problem problem(const sdk::Args& args) {
    return {args.shape(1), args.shape(kGradOut), args.attrs, kOwnAttributes};
  }
  static Job::Data data(const sdk::Launch& l) {
    return {l.data<void>(0), l.data<void>(1), l.out_data<void>()};
  }
  static Job* job(const sdk::Args& args) {
    const Problem p = problem(args);
    const Engine s;
    using Backward = dnnl::convolution_backward_weights;
    const Backward::desc what(kDirect, any(p.x), any(p.w), any(p.y), p.strides, p.dilations,
                              p.before, p.after);
    const auto chosen = choose<Backward::primitive_desc>(p, s, what, p.forward(s, false));
    return new Job(s.engine, dnnl::convolution_backward_weights(chosen), chosen.scratchpad_desc(),
                   p.parts,
                   {{DNNL_ARG_DIFF_DST, false, false, p.y, chosen.diff_dst_desc()},
                    {DNNL_ARG_SRC, false, false, p.x, chosen.src_desc()},
                    {DNNL_ARG_DIFF_WEIGHTS, true, true, p.w, chosen.diff_weights_desc()}});
  }
};

template <class Op>
tenon_status accepts(tenon_call* call, const tenon_launch* args, uint32_t* out_accepts) {
  *out_accepts = Op::problem(sdk::Args(args)).is_empty() ? 0 : 1;
  if (*out_accepts == 1) return TENON_OK;
  return call->base->fail(call, TENON_E_SHAPE, "oneDNN is not asked about sums over nothing",
                          TENON_NUL);
}

constexpr tenon_slot_rule with_bias[] = {sdk::contiguous_in(), sdk::contiguous_in(),
                                         sdk::contiguous_in(), sdk::contiguous_out()};
constexpr tenon_slot_rule without_bias[] = {sdk::contiguous_in(), sdk::contiguous_in(),
                                            sdk::contiguous_out()};

template <class Op>
constexpr tenon_kernel_desc kernel_of(std::string_view op, std::span<const tenon_slot_rule> slots) {
  return job_kernel<Op>(op, slots, Op::kOwnAttributes + sdk::kConvAttributes, accepts<Op>);
}

constexpr tenon_kernel_desc kernels[] = {
    kernel_of<Conv>("tenon.conv", with_bias),
    kernel_of<ConvInputGrad>("tenon.conv_input_grad", without_bias),
    kernel_of<ConvWeightGrad>("tenon.conv_weight_grad", without_bias),
};

}  // namespace

constinit const sdk::Unit convolution_unit = {.kernels = kernels};

}  // namespace tenon::onednn
