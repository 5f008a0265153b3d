// SPDX-License-Identifier: Apache-2.0
// plugins/layers/sync_batch_norm.cc: sync_batch_norm, batch_norm over the batches of all processes
// of a group.
//
// With N the numbers of a channel in all processes:
//
//   m = sum over processes of sum(x) / N,   v = sum over processes of sum((x - m)^2) / N
//   y = (x - m) (weight / sqrt(v + eps)) + bias
//
// m is rounded, so what is left of it is taken off once more: with d = x - m and e the mean of d, d
// - e stands for x - m, and v is the mean of d^2 less e^2.
//
// and running statistics and evaluation as in batch_norm.cc. The layer is written in ops, whose
// gradients are collectives again: that of a sum over processes is the sum of what they get.
// Source: S. Ioffe, C. Szegedy, "Batch Normalization: Accelerating Deep Network Training by
// Reducing Internal Covariate Shift", 2015; C. Peng and others, "MegDet: A Large Mini-Batch Object
// Detector", 2018, section 3.3; as torch.nn.SyncBatchNorm.
#include "batch_norm.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace layers = tenon::layers;

constexpr uint32_t kGroup = layers::kDtype + 1;

// Numbers of each channel in this process.
double need_batch(std::span<const int64_t> shape, int64_t features) {
  const int64_t count = sdk::count_of(shape) / features;
  if (count >= 2) return static_cast<double>(count);
  throw sdk::Failure{TENON_E_SHAPE,
                     "x must have more than one number of each channel in each process", "x",
                     "at least 2 numbers of a channel", sdk::shape_text(shape)};
}

struct Statistics {
  tenon_tensor* apart;     // x - m
  tenon_tensor* mean;      // [C]
  tenon_tensor* variance;  // [C]
  tenon_tensor* count;     // N [1]
};

// x in the dtype of sums; column: the shape in which numbers of channels meet those of x.
Statistics statistics_of(sdk::Forward& f, sdk::Value x, std::span<const int64_t> shape,
                         std::span<const int64_t> column) {
  const layers::BatchAxes axes(shape.size());
  const auto over_all = [&](tenon_tensor* ours) {
    return f.call("tenon.all_reduce_sum", {ours}, {f.options.integer(kGroup)});
  };
  // One transfer: how many numbers there are goes after their sums.
  const int64_t one_after[] = {0, 1};
  tenon_tensor* const totals =
      over_all(f.call("tenon.pad", {f.call("tenon.sum", {x}, {axes.list()})},
                      {std::span<const int64_t>(one_after), sdk::Value(),
                       sdk::text_value("constant"), need_batch(shape, shape[1])}));
  const int64_t features = shape[1];
  Statistics found{};
  found.count = f.call("tenon.slice", {totals}, {0, features, features + 1, 1});
  found.mean =
      f.call("tenon.div", {f.call("tenon.slice", {totals}, {0, 0, features, 1}), found.count});
  found.apart = f.call("tenon.sub", {x, f.call("tenon.reshape", {found.mean}, {column})});
  // One transfer, too, of the sums of squares and of what is left.
  tenon_tensor* const squares = f.call("tenon.mul", {found.apart, found.apart});
  tenon_tensor* const parts[] = {f.call("tenon.sum", {squares}, {axes.list()}),
                                 f.call("tenon.sum", {found.apart}, {axes.list()})};
  tenon_tensor* const means = f.call(
      "tenon.div", {over_all(f.call("tenon.concat", {std::span<tenon_tensor* const>(parts)}, {0})),
                    found.count});
  tenon_tensor* const rest = f.call("tenon.slice", {means}, {0, features, 2 * features, 1});
  found.variance = f.call("tenon.sub", {f.call("tenon.slice", {means}, {0, 0, features, 1}),
                                        f.call("tenon.mul", {rest, rest})});
  found.variance = f.call("tenon.clamp", {found.variance, 0});
  found.apart = f.call("tenon.sub", {found.apart, f.call("tenon.reshape", {rest}, {column})});
  found.mean = f.call("tenon.add", {found.mean, rest});
  return found;
}

void train(sdk::Forward& f, const tenon_meta& meta) {
  const std::span<const int64_t> shape = layers::shape_of(meta);
  int64_t sizes[TENON_MAX_RANK] = {shape[1], 1, 1, 1, 1, 1, 1, 1};
  const std::span<const int64_t> column(sizes, shape.size() - 1);
  const tenon_dtype wide = layers::dtype_of_sums(meta.dtype);
  const auto widened = [&](sdk::Value x) {
    if (wide != meta.dtype) x = f.call("tenon.cast", {x}, {sdk::Value::dtype(wide)});
    return x;
  };
  const Statistics found = statistics_of(f, widened(f.in(0)), shape, column);
  tenon_tensor* scale =
      f.call("tenon.rsqrt", {f.call("tenon.add", {found.variance, f.options.real(layers::kEps)})});
  const bool affine = f.options.flag(layers::kAffine);
  if (affine) scale = f.call("tenon.mul", {scale, widened(f.tensor("weight"))});
  scale = f.call("tenon.reshape", {scale}, {column});
  tenon_tensor* y =
      affine ? f.call("tenon.fma", {found.apart, scale,
                                    f.call("tenon.reshape", {widened(f.tensor("bias"))}, {column})})
             : f.call("tenon.mul", {found.apart, scale});
  if (wide != meta.dtype) y = f.call("tenon.cast", {y}, {sdk::Value::dtype(meta.dtype)});
  f.set(0, y);
  layers::follow(f, "running_mean", found.mean);
  const sdk::Value spread = f.call("tenon.mul", {found.variance, found.count});
  layers::follow(f, "running_var",
                 f.call("tenon.div", {spread, f.call("tenon.sub", {found.count, 1.0})}));
}

void forward(sdk::Forward& f) {
  layers::need_channels(f, f.options.integer(layers::kFeatures));
  if (f.training) return train(f, f.meta(f.in(0).tensor()));
  tenon_tensor* y = nullptr;
  layers::call_batch_norm(f, {&y, 1});
  f.set(0, y);
}

constexpr auto options = [] {
  std::array<tenon_layer_option, std::size(layers::kBatchNormOptions) + 1> all{};
  std::ranges::copy(layers::kBatchNormOptions, all.begin());
  all.back() = sdk::option("group", int64_t{0}, "number of the group of processes; 0: this one");
  return all;
}();

constexpr tenon_layer_sample samples[] = {
    sdk::layer_sample("f64[4,3] | features=3, dtype=f64"),
    sdk::layer_sample("f64[2,3,4] | features=3, momentum=0.5, dtype=f64"),
    sdk::layer_sample("f64[2,2,2,3] | features=2, affine=false, eps=0.1, group=0, dtype=f64"),
    sdk::layer_sample("bf16[3,2] | features=2, dtype=bf16"),
    sdk::layer_refused("f32[4,3] | features=0", TENON_E_ATTRIBUTE, "features must be at least 1"),
    sdk::layer_refused("f32[4,3] | features=3, momentum=-0.5", TENON_E_ATTRIBUTE,
                       "momentum is out of range"),
    sdk::layer_refused("f32[4,2] | features=3", TENON_E_SHAPE, "channels in the second dimension"),
    sdk::layer_refused("f32[3] | features=3", TENON_E_SHAPE, "channels in the second dimension"),
    sdk::layer_refused("f32[1,3] | features=3", TENON_E_SHAPE, "more than one number"),
    sdk::layer_refused("f32[0,3] | features=3", TENON_E_SHAPE, "more than one number"),
    sdk::layer_refused("f32[4,3] | features=3, group=77777", TENON_E_ATTRIBUTE, "no group"),
};

constexpr tenon_layer_desc kLayers[] = {sdk::layer(
    {.name = "tenon.sync_batch_norm",
     .doc = R"(`tenon.batch_norm` over the batches of all processes of a group: in training mean and
variance of a channel are those of all of them, and so are the running ones, in every process.

    x [N,C,...]:  y = (x - m) (weight / sqrt(v + eps)) + bias

`group` is the number of a group of processes (`tenon_group_get_info`, in Python `world.number`), 0
is this process alone. Batches may differ in N. All processes call the layer in the same order; it
makes two sums over the group in a forward, and two in its backward, of C and some numbers each.
Evaluation is that of `tenon.batch_norm`, without transfers, and so are names and dtypes of
parameters and buffers.

Of steps that processes share (data parallel) it sees the shards that they compute at the same time:
those of the whole batch, if each process has one shard.

Source: Ioffe, Szegedy, "Batch Normalization", 2015; Peng and others, "MegDet", 2018, section 3.3;
as `torch.nn.SyncBatchNorm`. Arithmetic: in f64 for f64, else in f32; sums of a process in the order
of `tenon.sum`, over processes in that of `tenon.all_reduce_sum`; `m = sum(x) / N`, `d = x - m`,
`e = sum(d) / N`, `v = max(sum(d * d) / N - e * e, 0)`,
`y = fma(d - e, rsqrt(v + eps) * weight, bias)`.)",
     .options = options,
     .samples = samples,
     .describe = sdk::describe_fn<layers::describe_batch_norm>,
     .forward = sdk::forward_fn<forward>})};

}  // namespace

TENON_UNIT(sync_batch_norm) = {.layers = kLayers};
