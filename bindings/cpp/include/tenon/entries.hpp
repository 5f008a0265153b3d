// SPDX-License-Identifier: Apache-2.0
// tenon/entries.hpp: a function for each layer, optimizer, schedule, dataset and transform.
// Written by bindings/cpp/tools/headers.py from the registry: change what it describes instead.
// clang-format off
#ifndef TENON_ENTRIES_HPP
#define TENON_ENTRIES_HPP

#include <tenon/cpp/data.hpp>
#include <tenon/cpp/optimizer.hpp>
#include <tenon/cpp/schedule.hpp>

namespace tenon {

namespace optim {

struct AdadeltaOptions {
  /// learning rate
  std::optional<double> lr = {};
  /// share of the means that is kept
  std::optional<double> rho = {};
  /// added below the roots, against division by 0
  std::optional<double> eps = {};
  /// L2 penalty, added to the gradient
  std::optional<double> weight_decay = {};
};
/// Adadelta with L2 penalty, as torch.optim.Adadelta. The optimizer tenon.adadelta.
inline Optimizer adadelta(const Parameters& parameters, const AdadeltaOptions& options = {}) {
  Options given;
  detail::add_option(given, "lr", options.lr);
  detail::add_option(given, "rho", options.rho);
  detail::add_option(given, "eps", options.eps);
  detail::add_option(given, "weight_decay", options.weight_decay);
  return Optimizer("tenon.adadelta", parameters, given);
}

struct AdafactorOptions {
  /// largest step, as a share of the parameter
  std::optional<double> lr = {};
  /// power of t that is the share of new squares in the means
  std::optional<double> beta2_decay = {};
  /// least divisor; 0: from 1 to the next number of the parameter's dtype
  std::optional<double> eps1 = {};
  /// least size of a parameter that steps are a share of
  std::optional<double> eps2 = {};
  /// largest root mean square of a direction, d
  std::optional<double> clip_threshold = {};
  /// shrinks the parameter by lr times this share
  std::optional<double> weight_decay = {};
};
/// Adafactor, as torch.optim.Adafactor: of a matrix it keeps a number for each row and each column.
/// The optimizer tenon.adafactor.
inline Optimizer adafactor(const Parameters& parameters, const AdafactorOptions& options = {}) {
  Options given;
  detail::add_option(given, "lr", options.lr);
  detail::add_option(given, "beta2_decay", options.beta2_decay);
  detail::add_option(given, "eps1", options.eps1);
  detail::add_option(given, "eps2", options.eps2);
  detail::add_option(given, "clip_threshold", options.clip_threshold);
  detail::add_option(given, "weight_decay", options.weight_decay);
  return Optimizer("tenon.adafactor", parameters, given);
}

struct AdagradOptions {
  /// learning rate
  std::optional<double> lr = {};
  /// how much slower each step is
  std::optional<double> lr_decay = {};
  /// L2 penalty, added to the gradient
  std::optional<double> weight_decay = {};
  /// added to the root, against division by 0
  std::optional<double> eps = {};
};
/// Adagrad with learning rate decay and L2 penalty, as torch.optim.Adagrad. The optimizer
/// tenon.adagrad.
inline Optimizer adagrad(const Parameters& parameters, const AdagradOptions& options = {}) {
  Options given;
  detail::add_option(given, "lr", options.lr);
  detail::add_option(given, "lr_decay", options.lr_decay);
  detail::add_option(given, "weight_decay", options.weight_decay);
  detail::add_option(given, "eps", options.eps);
  return Optimizer("tenon.adagrad", parameters, given);
}

struct AdamOptions {
  /// learning rate
  std::optional<double> lr = {};
  /// share of the mean of gradients that is kept
  std::optional<double> beta1 = {};
  /// share of the mean of squared gradients that is kept
  std::optional<double> beta2 = {};
  /// added to the root, against division by 0
  std::optional<double> eps = {};
  /// L2 penalty, added to the gradient
  std::optional<double> weight_decay = {};
};
/// Adam with bias correction and L2 penalty, as torch.optim.Adam. The optimizer tenon.adam.
inline Optimizer adam(const Parameters& parameters, const AdamOptions& options = {}) {
  Options given;
  detail::add_option(given, "lr", options.lr);
  detail::add_option(given, "beta1", options.beta1);
  detail::add_option(given, "beta2", options.beta2);
  detail::add_option(given, "eps", options.eps);
  detail::add_option(given, "weight_decay", options.weight_decay);
  return Optimizer("tenon.adam", parameters, given);
}

struct AdamwOptions {
  /// learning rate
  std::optional<double> lr = {};
  /// share of the mean of gradients that is kept
  std::optional<double> beta1 = {};
  /// share of the mean of squared gradients that is kept
  std::optional<double> beta2 = {};
  /// added to the root, against division by 0
  std::optional<double> eps = {};
  /// share of the parameter, times lr, lost in each step
  std::optional<double> weight_decay = {};
};
/// Adam with decoupled weight decay, as torch.optim.AdamW. The optimizer tenon.adamw.
inline Optimizer adamw(const Parameters& parameters, const AdamwOptions& options = {}) {
  Options given;
  detail::add_option(given, "lr", options.lr);
  detail::add_option(given, "beta1", options.beta1);
  detail::add_option(given, "beta2", options.beta2);
  detail::add_option(given, "eps", options.eps);
  detail::add_option(given, "weight_decay", options.weight_decay);
  return Optimizer("tenon.adamw", parameters, given);
}

struct LambOptions {
  /// learning rate
  std::optional<double> lr = {};
  /// share of the mean of gradients that is kept
  std::optional<double> beta1 = {};
  /// share of the mean of squared gradients that is kept
  std::optional<double> beta2 = {};
  /// added to the root, against division by 0
  std::optional<double> eps = {};
  /// share of the parameter in the direction of the step
  std::optional<double> weight_decay = {};
};
/// LAMB: Adam whose steps are a share of each parameter's norm, for large batches. The optimizer
/// tenon.lamb.
inline Optimizer lamb(const Parameters& parameters, const LambOptions& options = {}) {
  Options given;
  detail::add_option(given, "lr", options.lr);
  detail::add_option(given, "beta1", options.beta1);
  detail::add_option(given, "beta2", options.beta2);
  detail::add_option(given, "eps", options.eps);
  detail::add_option(given, "weight_decay", options.weight_decay);
  return Optimizer("tenon.lamb", parameters, given);
}

struct LionOptions {
  /// learning rate
  std::optional<double> lr = {};
  /// share of the mean in the direction of the step
  std::optional<double> beta1 = {};
  /// share of the mean of gradients that is kept
  std::optional<double> beta2 = {};
  /// shrinks the parameter by lr times this share
  std::optional<double> weight_decay = {};
};
/// Lion with decoupled weight decay, as its authors publish it. The optimizer tenon.lion.
inline Optimizer lion(const Parameters& parameters, const LionOptions& options = {}) {
  Options given;
  detail::add_option(given, "lr", options.lr);
  detail::add_option(given, "beta1", options.beta1);
  detail::add_option(given, "beta2", options.beta2);
  detail::add_option(given, "weight_decay", options.weight_decay);
  return Optimizer("tenon.lion", parameters, given);
}

struct MuonOptions {
  /// learning rate
  std::optional<double> lr = {};
  /// share of the buffer that is kept
  std::optional<double> momentum = {};
  /// look ahead along the momentum
  std::optional<bool> nesterov = {};
  /// shrinks the parameter by lr times this share
  std::optional<double> weight_decay = {};
  /// least norm to divide by
  std::optional<double> eps = {};
  /// iterations towards an orthogonal matrix
  std::optional<std::int64_t> iterations = {};
  /// steps of the size of AdamW's
  std::optional<bool> match_adamw = {};
};
/// Muon for matrices, as torch.optim.Muon but without its rounding to bf16. The optimizer
/// tenon.muon.
inline Optimizer muon(const Parameters& parameters, const MuonOptions& options = {}) {
  Options given;
  detail::add_option(given, "lr", options.lr);
  detail::add_option(given, "momentum", options.momentum);
  detail::add_option(given, "nesterov", options.nesterov);
  detail::add_option(given, "weight_decay", options.weight_decay);
  detail::add_option(given, "eps", options.eps);
  detail::add_option(given, "iterations", options.iterations);
  detail::add_option(given, "match_adamw", options.match_adamw);
  return Optimizer("tenon.muon", parameters, given);
}

struct NadamOptions {
  /// learning rate
  std::optional<double> lr = {};
  /// share of the mean of gradients that is kept
  std::optional<double> beta1 = {};
  /// share of the mean of squared gradients that is kept
  std::optional<double> beta2 = {};
  /// added to the root, against division by 0
  std::optional<double> eps = {};
  /// L2 penalty, added to the gradient, or decoupled
  std::optional<double> weight_decay = {};
  /// how fast the look ahead grows
  std::optional<double> momentum_decay = {};
  /// weight decay shrinks the parameter, as in AdamW
  std::optional<bool> decoupled = {};
};
/// Adam with Nesterov momentum, as torch.optim.NAdam. The optimizer tenon.nadam.
inline Optimizer nadam(const Parameters& parameters, const NadamOptions& options = {}) {
  Options given;
  detail::add_option(given, "lr", options.lr);
  detail::add_option(given, "beta1", options.beta1);
  detail::add_option(given, "beta2", options.beta2);
  detail::add_option(given, "eps", options.eps);
  detail::add_option(given, "weight_decay", options.weight_decay);
  detail::add_option(given, "momentum_decay", options.momentum_decay);
  detail::add_option(given, "decoupled", options.decoupled);
  return Optimizer("tenon.nadam", parameters, given);
}

struct RmspropOptions {
  /// learning rate
  std::optional<double> lr = {};
  /// share of the mean of squared gradients that is kept
  std::optional<double> alpha = {};
  /// added to the root, against division by 0
  std::optional<double> eps = {};
  /// L2 penalty, added to the gradient
  std::optional<double> weight_decay = {};
  /// share of the buffer that is kept; 0: no momentum
  std::optional<double> momentum = {};
  /// divide by an estimate of the deviation
  std::optional<bool> centered = {};
};
/// RMSprop, centered where wanted, with momentum and L2 penalty, as torch.optim.RMSprop. The
/// optimizer tenon.rmsprop.
inline Optimizer rmsprop(const Parameters& parameters, const RmspropOptions& options = {}) {
  Options given;
  detail::add_option(given, "lr", options.lr);
  detail::add_option(given, "alpha", options.alpha);
  detail::add_option(given, "eps", options.eps);
  detail::add_option(given, "weight_decay", options.weight_decay);
  detail::add_option(given, "momentum", options.momentum);
  detail::add_option(given, "centered", options.centered);
  return Optimizer("tenon.rmsprop", parameters, given);
}

struct SgdOptions {
  /// learning rate
  std::optional<double> lr = {};
  /// share of the buffer that is kept; 0: no momentum
  std::optional<double> momentum = {};
  /// share of the gradient kept out of the buffer
  std::optional<double> dampening = {};
  /// L2 penalty, added to the gradient
  std::optional<double> weight_decay = {};
  /// look ahead along the momentum; needs momentum and no dampening
  std::optional<bool> nesterov = {};
};
/// Stochastic gradient descent with momentum, dampening, weight decay and Nesterov's rule, as
/// torch.optim.SGD. The optimizer tenon.sgd.
inline Optimizer sgd(const Parameters& parameters, const SgdOptions& options = {}) {
  Options given;
  detail::add_option(given, "lr", options.lr);
  detail::add_option(given, "momentum", options.momentum);
  detail::add_option(given, "dampening", options.dampening);
  detail::add_option(given, "weight_decay", options.weight_decay);
  detail::add_option(given, "nesterov", options.nesterov);
  return Optimizer("tenon.sgd", parameters, given);
}

}  // namespace optim

namespace schedules {

struct ConstantOptions {
  /// what the base value is multiplied with at first
  std::optional<double> factor = {};
  /// how many steps it is multiplied in
  std::optional<std::int64_t> steps = {};
};
/// The base value; in the first `steps` steps multiplied by `factor`. The schedule tenon.constant.
inline Schedule constant(double base_value, const ConstantOptions& options = {}) {
  Options given;
  detail::add_option(given, "factor", options.factor);
  detail::add_option(given, "steps", options.steps);
  return Schedule("tenon.constant", base_value, given);
}

struct CosineOptions {
  /// steps from the base value to the least one
  Required<std::int64_t> period;
  /// the least value
  std::optional<double> minimum = {};
  /// begin again after each period
  std::optional<bool> restarts = {};
  /// how many times as long each next period is
  std::optional<std::int64_t> growth = {};
};
/// From the base value to `minimum` along half a cosine in `period` steps; then it stays there, or
/// with `restarts` begins again, each time `growth` times as slowly. The schedule tenon.cosine.
inline Schedule cosine(double base_value, const CosineOptions& options) {
  Options given;
  detail::add_option(given, "period", options.period);
  detail::add_option(given, "minimum", options.minimum);
  detail::add_option(given, "restarts", options.restarts);
  detail::add_option(given, "growth", options.growth);
  return Schedule("tenon.cosine", base_value, given);
}

struct ExponentialOptions {
  /// what the value is multiplied with in each step
  Required<double> factor;
};
/// The base value, multiplied by `factor` once more in each step. The schedule tenon.exponential.
inline Schedule exponential(double base_value, const ExponentialOptions& options) {
  Options given;
  detail::add_option(given, "factor", options.factor);
  return Schedule("tenon.exponential", base_value, given);
}

struct LinearWarmupOptions {
  /// the step from which the value stays
  Required<std::int64_t> steps;
  /// share of the base value in step 0
  std::optional<double> start_factor = {};
  /// share of the base value in the end
  std::optional<double> end_factor = {};
};
/// A straight line from `start_factor` times the base value in step 0 to `end_factor` times it in
/// step `steps`, which then stays. The schedule tenon.linear_warmup.
inline Schedule linear_warmup(double base_value, const LinearWarmupOptions& options) {
  Options given;
  detail::add_option(given, "steps", options.steps);
  detail::add_option(given, "start_factor", options.start_factor);
  detail::add_option(given, "end_factor", options.end_factor);
  return Schedule("tenon.linear_warmup", base_value, given);
}

struct MultiStepOptions {
  /// steps at which the value changes, in any order
  RequiredInts milestones;
  /// what the value is multiplied with each time
  std::optional<double> factor = {};
};
/// The base value, multiplied by `factor` once more from each milestone on; one that is listed
/// twice counts twice. The schedule tenon.multi_step.
inline Schedule multi_step(double base_value, const MultiStepOptions& options) {
  Options given;
  detail::add_option(given, "milestones", options.milestones);
  detail::add_option(given, "factor", options.factor);
  return Schedule("tenon.multi_step", base_value, given);
}

struct OneCycleOptions {
  /// steps of the whole cycle
  Required<std::int64_t> steps;
  /// share of the steps in which the value grows
  std::optional<double> warm_share = {};
  /// the base value is so many times the first one
  std::optional<double> start_divisor = {};
  /// the first value is so many times the last one
  std::optional<double> end_divisor = {};
  /// back to the first value before it goes down
  std::optional<bool> three_phases = {};
  /// straight lines in place of cosines
  std::optional<bool> linear = {};
};
/// Grows from a share of the base value to the base value and then falls far below where it began;
/// a cycle has `steps` steps and no more. The schedule tenon.one_cycle.
inline Schedule one_cycle(double base_value, const OneCycleOptions& options) {
  Options given;
  detail::add_option(given, "steps", options.steps);
  detail::add_option(given, "warm_share", options.warm_share);
  detail::add_option(given, "start_divisor", options.start_divisor);
  detail::add_option(given, "end_divisor", options.end_divisor);
  detail::add_option(given, "three_phases", options.three_phases);
  detail::add_option(given, "linear", options.linear);
  return Schedule("tenon.one_cycle", base_value, given);
}

struct PlateauOptions {
  /// what the value is multiplied with
  std::optional<double> factor = {};
  /// metrics in a row that may be no better
  std::optional<std::int64_t> patience = {};
  /// how much better a metric must be to count
  std::optional<double> threshold = {};
  /// the threshold is a share of the best metric
  std::optional<bool> relative = {};
  /// greater metrics are better
  std::optional<bool> maximize = {};
  /// metrics that do not count after a change
  std::optional<std::int64_t> cooldown = {};
  /// the least value
  std::optional<double> minimum = {};
  /// a smaller change is not made
  std::optional<double> smallest_change = {};
};
/// The base value, multiplied by `factor` when more than `patience` metrics in a row were no better
/// than the best before. The schedule tenon.plateau.
inline Schedule plateau(double base_value, const PlateauOptions& options = {}) {
  Options given;
  detail::add_option(given, "factor", options.factor);
  detail::add_option(given, "patience", options.patience);
  detail::add_option(given, "threshold", options.threshold);
  detail::add_option(given, "relative", options.relative);
  detail::add_option(given, "maximize", options.maximize);
  detail::add_option(given, "cooldown", options.cooldown);
  detail::add_option(given, "minimum", options.minimum);
  detail::add_option(given, "smallest_change", options.smallest_change);
  return Schedule("tenon.plateau", base_value, given);
}

struct StepOptions {
  /// steps from one change to the next
  Required<std::int64_t> period;
  /// what the value is multiplied with each time
  std::optional<double> factor = {};
};
/// The base value, multiplied by `factor` once more every `period` steps. The schedule tenon.step.
inline Schedule step(double base_value, const StepOptions& options) {
  Options given;
  detail::add_option(given, "period", options.period);
  detail::add_option(given, "factor", options.factor);
  return Schedule("tenon.step", base_value, given);
}

}  // namespace schedules

namespace data {

struct CifarOptions {
  /// paths of the files, a line feed between two; plain or gzip, with or without '.gz'
  Required<std::string_view> paths;
  /// 10 or 100: the files of CIFAR-10 or of CIFAR-100; 10 unless given
  std::optional<std::int64_t> classes = {};
};
/// Colour pictures in the binary files of CIFAR-10 and CIFAR-100. The dataset tenon.cifar.
inline Dataset cifar(const CifarOptions& options) {
  Options given;
  detail::add_option(given, "paths", options.paths);
  detail::add_option(given, "classes", options.classes);
  return Dataset("tenon.cifar", given);
}

struct CsvOptions {
  /// path of the file; plain or gzip, with or without '.gz'
  Required<std::string_view> path;
  /// column of the class, whole numbers of 64 bits: its name, or its number from 0, or from the end
  /// as -1; without it there is no field 'label'
  std::optional<std::string_view> label = {};
  /// column of the number to predict, as for `label`; without it there is no field 'target'
  std::optional<std::string_view> target = {};
  /// the byte between columns, which may be a space; a comma unless given
  std::optional<std::string_view> delimiter = {};
  /// whether the first line names the columns; true unless given
  std::optional<bool> header = {};
};
/// Rows of numbers in a text file. The dataset tenon.csv.
inline Dataset csv(const CsvOptions& options) {
  Options given;
  detail::add_option(given, "path", options.path);
  detail::add_option(given, "label", options.label);
  detail::add_option(given, "target", options.target);
  detail::add_option(given, "delimiter", options.delimiter);
  detail::add_option(given, "header", options.header);
  return Dataset("tenon.csv", given);
}

struct IdxOptions {
  /// path of the samples' idx file; plain or gzip, with or without '.gz'
  Required<std::string_view> images;
  /// path of the labels' idx file; without it there is no field 'label'
  std::optional<std::string_view> labels = {};
};
/// Samples and labels in idx files, the format of MNIST. The dataset tenon.idx.
inline Dataset idx(const IdxOptions& options) {
  Options given;
  detail::add_option(given, "images", options.images);
  detail::add_option(given, "labels", options.labels);
  return Dataset("tenon.idx", given);
}

struct NpyOptions {
  /// path of the samples' npy file; plain or gzip, with or without '.gz'
  Required<std::string_view> x;
  /// path of the targets' npy file; without it there is no field 'y'
  std::optional<std::string_view> y = {};
};
/// Arrays that NumPy saved. The dataset tenon.npy.
inline Dataset npy(const NpyOptions& options) {
  Options given;
  detail::add_option(given, "x", options.x);
  detail::add_option(given, "y", options.y);
  return Dataset("tenon.npy", given);
}

struct TextOptions {
  /// path of the text; plain or gzip, with or without '.gz'
  Required<std::string_view> path;
  /// `byte`; `char`, the characters of this text, which is UTF-8; or the path of a file of any
  /// tokenizer there is, by the ending of its name
  Required<std::string_view> tokenizer;
  /// tokens of a sample
  Required<std::int64_t> window;
  /// tokens from one sample's start to the next; the window unless given
  std::optional<std::int64_t> stride = {};
};
/// Windows of tokens of one text. The dataset tenon.text.
inline Dataset text(const TextOptions& options) {
  Options given;
  detail::add_option(given, "path", options.path);
  detail::add_option(given, "tokenizer", options.tokenizer);
  detail::add_option(given, "window", options.window);
  detail::add_option(given, "stride", options.stride);
  return Dataset("tenon.text", given);
}

struct TokensOptions {
  /// paths of the files, a line feed between two: numbers one after the other, little-endian, or
  /// npy files of one dimension; not compressed
  Required<std::string_view> paths;
  /// tokens of a sample
  Required<std::int64_t> window;
  /// tokens from one sample's start to the next; the window unless given
  std::optional<std::int64_t> stride = {};
  /// how far targets are from their tokens, 0 or more; 1 unless given
  std::optional<std::int64_t> ahead = {};
  /// u16, u32, i32 or i64: how files that are not npy files store a token
  std::optional<std::string_view> dtype = {};
  /// the token that ends a document and belongs to it: no window reaches from one document into the
  /// next; unless given a file is one document
  std::optional<std::int64_t> separator = {};
  /// the token that fills up a document's last window, whose targets are -100 there; unless given,
  /// tokens that fill no window are left out
  std::optional<std::int64_t> pad = {};
  /// how many tokens there are: files with any other number are refused when they are opened;
  /// unless given nothing is checked
  std::optional<std::int64_t> vocabulary = {};
};
/// Windows of tokens in files of token numbers, which are read as samples are. The dataset
/// tenon.tokens.
inline Dataset tokens(const TokensOptions& options) {
  Options given;
  detail::add_option(given, "paths", options.paths);
  detail::add_option(given, "window", options.window);
  detail::add_option(given, "stride", options.stride);
  detail::add_option(given, "ahead", options.ahead);
  detail::add_option(given, "dtype", options.dtype);
  detail::add_option(given, "separator", options.separator);
  detail::add_option(given, "pad", options.pad);
  detail::add_option(given, "vocabulary", options.vocabulary);
  return Dataset("tenon.tokens", given);
}

}  // namespace data

namespace nn {

struct ActivationOptions {
  /// the op's name, as "relu" or "acme.softsign"; its attributes have their defaults
  Required<std::string_view> op;
};
/// An op of one tensor as a layer without parameters, for containers: `y = op(x)`. The layer
/// tenon.activation.
inline Layer activation(
    const ActivationOptions& options, const std::optional<Device>& device = {}) {
  Options given;
  detail::add_option(given, "op", options.op);
  return Layer("tenon.activation", given, device);
}

struct AdaptiveAvgPoolOptions {
  /// windows along each dimension: [1] is one for the whole image, [4,2] is 4 by 2
  RequiredInts output_size;
};
/// The image cut into `output_size` windows, and the mean of each, for each channel: the op
/// `tenon.adaptive_avg_pool`. The layer tenon.adaptive_avg_pool.
inline Layer adaptive_avg_pool(
    const AdaptiveAvgPoolOptions& options, const std::optional<Device>& device = {}) {
  Options given;
  detail::add_option(given, "output_size", options.output_size);
  return Layer("tenon.adaptive_avg_pool", given, device);
}

struct AvgPoolOptions {
  /// of a window, as [2] or [2,3]
  RequiredInts kernel_size;
  /// from one window to the next, as [2] or [1,2]; empty: kernel_size
  OptionalInts stride = {};
  /// places added around the image: 1 number, one for each dimension, or a pair for each, before
  /// and after it
  OptionalInts padding = {};
  /// is there a last window that only begins within image and padding?
  std::optional<bool> ceil_mode = {};
  /// do places of the padding count as zeros?
  std::optional<bool> count_include_pad = {};
  /// none: as padding says; same: so much that there are size / stride windows, rounded up; valid:
  /// nothing
  std::optional<std::string_view> auto_pad = {};
};
/// The mean of each window, for each channel: the op `tenon.avg_pool`. The layer tenon.avg_pool.
inline Layer avg_pool(const AvgPoolOptions& options, const std::optional<Device>& device = {}) {
  Options given;
  detail::add_option(given, "kernel_size", options.kernel_size);
  detail::add_option(given, "stride", options.stride);
  detail::add_option(given, "padding", options.padding);
  detail::add_option(given, "ceil_mode", options.ceil_mode);
  detail::add_option(given, "count_include_pad", options.count_include_pad);
  detail::add_option(given, "auto_pad", options.auto_pad);
  return Layer("tenon.avg_pool", given, device);
}

struct BatchNormOptions {
  /// channels: size of the second dimension
  Required<std::int64_t> features;
  /// added to the variance
  std::optional<double> eps = {};
  /// share of a batch in the running statistics
  std::optional<double> momentum = {};
  /// are there a weight and a bias?
  std::optional<bool> affine = {};
  /// of the parameters: f16, bf16, f32 or f64
  std::optional<Dtype> dtype = {};
};
/// Mean 0 and variance 1 of each channel over all other dimensions of the batch, then a weight (1
/// at first) and a bias (0 at first): The layer tenon.batch_norm.
inline Layer batch_norm(const BatchNormOptions& options, const std::optional<Device>& device = {}) {
  Options given;
  detail::add_option(given, "features", options.features);
  detail::add_option(given, "eps", options.eps);
  detail::add_option(given, "momentum", options.momentum);
  detail::add_option(given, "affine", options.affine);
  detail::add_option(given, "dtype", options.dtype);
  return Layer("tenon.batch_norm", given, device);
}

struct ConvOptions {
  /// size of the second dimension of x
  Required<std::int64_t> in_channels;
  /// size of the second dimension of y
  Required<std::int64_t> out_channels;
  /// of a window, one number for each dimension of an image: [3,3] in 2
  RequiredInts kernel_size;
  /// from one window to the next, as [2] or [1,2]
  OptionalInts stride = {};
  /// places added around the image: 1 number, one for each dimension, or a pair for each, before
  /// and after it
  OptionalInts padding = {};
  /// from one place of a window to the next, as [1] or [1,2]
  OptionalInts dilation = {};
  /// of channels that do not mix; in_channels of them: one each
  std::optional<std::int64_t> groups = {};
  /// is there a bias?
  std::optional<bool> bias = {};
  /// none: as padding says; same: so much that there are size / stride windows, rounded up; valid:
  /// nothing
  std::optional<std::string_view> auto_pad = {};
  /// of the weight: default, xavier_uniform, xavier_normal, kaiming_uniform, kaiming_normal,
  /// uniform, normal, truncated_normal, orthogonal or constant
  std::optional<std::string_view> init = {};
  /// factor of the xavier, kaiming and orthogonal ones; standard deviation of normal and
  /// truncated_normal, bound of uniform, value of constant
  std::optional<double> gain = {};
  /// of the parameters: f16, bf16, f32 or f64
  std::optional<Dtype> dtype = {};
};
/// Windows of an image, each times a weight and summed up, and a bias: the op `tenon.conv`, a
/// convolution over as many dimensions as `kernel_size` has numbers, 1 to 3. The layer tenon.conv.
inline Layer conv(const ConvOptions& options, const std::optional<Device>& device = {}) {
  Options given;
  detail::add_option(given, "in_channels", options.in_channels);
  detail::add_option(given, "out_channels", options.out_channels);
  detail::add_option(given, "kernel_size", options.kernel_size);
  detail::add_option(given, "stride", options.stride);
  detail::add_option(given, "padding", options.padding);
  detail::add_option(given, "dilation", options.dilation);
  detail::add_option(given, "groups", options.groups);
  detail::add_option(given, "bias", options.bias);
  detail::add_option(given, "auto_pad", options.auto_pad);
  detail::add_option(given, "init", options.init);
  detail::add_option(given, "gain", options.gain);
  detail::add_option(given, "dtype", options.dtype);
  return Layer("tenon.conv", given, device);
}

struct DropoutOptions {
  /// probability that an element becomes 0
  std::optional<double> p = {};
};
/// In training the op `tenon.dropout`: elements become 0 with probability `p`, and the others are
/// divided by `1 - p`. The layer tenon.dropout.
inline Layer dropout(const DropoutOptions& options = {}, const std::optional<Device>& device = {}) {
  Options given;
  detail::add_option(given, "p", options.p);
  return Layer("tenon.dropout", given, device);
}

struct DropoutChannelsOptions {
  /// probability that a channel becomes 0
  std::optional<double> p = {};
};
/// In training whole channels of samples become 0 with probability `p`, and the others are divided
/// by `1 - p`. The layer tenon.dropout_channels.
inline Layer dropout_channels(
    const DropoutChannelsOptions& options = {}, const std::optional<Device>& device = {}) {
  Options given;
  detail::add_option(given, "p", options.p);
  return Layer("tenon.dropout_channels", given, device);
}

struct EmbeddingOptions {
  /// how many there are: indices are below it
  Required<std::int64_t> rows;
  /// size of the last dimension of y
  Required<std::int64_t> width;
  /// xavier_uniform, xavier_normal, kaiming_uniform, kaiming_normal, uniform, normal,
  /// truncated_normal, orthogonal or constant
  std::optional<std::string_view> init = {};
  /// factor of the xavier, kaiming and orthogonal ones; standard deviation of normal and
  /// truncated_normal, bound of uniform, value of constant
  std::optional<double> gain = {};
  /// of the parameters: f16, bf16, f32 or f64
  std::optional<Dtype> dtype = {};
};
/// A table whose rows are looked up: `y[i] = weight[x[i]]`, the op `tenon.embedding`. The layer
/// tenon.embedding.
inline Layer embedding(const EmbeddingOptions& options, const std::optional<Device>& device = {}) {
  Options given;
  detail::add_option(given, "rows", options.rows);
  detail::add_option(given, "width", options.width);
  detail::add_option(given, "init", options.init);
  detail::add_option(given, "gain", options.gain);
  detail::add_option(given, "dtype", options.dtype);
  return Layer("tenon.embedding", given, device);
}

struct FlattenOptions {
  /// the first dimension that is merged; negative: from the end
  std::optional<std::int64_t> start_axis = {};
  /// the last one; negative: from the end
  std::optional<std::int64_t> end_axis = {};
};
/// x with the dimensions from `start_axis` to `end_axis` merged into one, by default all but the
/// first: the op `tenon.flatten`, between convolutions and a linear layer. The layer tenon.flatten.
inline Layer flatten(const FlattenOptions& options = {}, const std::optional<Device>& device = {}) {
  Options given;
  detail::add_option(given, "start_axis", options.start_axis);
  detail::add_option(given, "end_axis", options.end_axis);
  return Layer("tenon.flatten", given, device);
}

struct GroupNormOptions {
  /// of channels that lie side by side
  Required<std::int64_t> groups;
  /// size of the second dimension of x
  Required<std::int64_t> channels;
  /// added to the variance
  std::optional<double> eps = {};
  /// are there a weight and a bias?
  std::optional<bool> affine = {};
  /// of the parameters: f16, bf16, f32 or f64
  std::optional<Dtype> dtype = {};
};
/// Mean 0 and variance 1 of each group of channels of each sample, then a weight (1 at first) and a
/// bias (0 at first) for each channel: the op `tenon.group_norm`, the same in training and in
/// evaluation. The layer tenon.group_norm.
inline Layer group_norm(const GroupNormOptions& options, const std::optional<Device>& device = {}) {
  Options given;
  detail::add_option(given, "groups", options.groups);
  detail::add_option(given, "channels", options.channels);
  detail::add_option(given, "eps", options.eps);
  detail::add_option(given, "affine", options.affine);
  detail::add_option(given, "dtype", options.dtype);
  return Layer("tenon.group_norm", given, device);
}

struct GruOptions {
  /// size of the last dimension of x
  Required<std::int64_t> inputs;
  /// number of hidden units
  Required<std::int64_t> hidden;
  /// how many, each on the results of the one before
  std::optional<std::int64_t> layers = {};
  /// are there biases, one with the inputs and one with the state?
  std::optional<bool> bias = {};
  /// are x and y [B,T,...], not [T,B,...]?
  std::optional<bool> batch_first = {};
  /// probability, in training, that a result of a layer but the last becomes 0
  std::optional<double> dropout = {};
  /// is there a second direction, from the last step to the first?
  std::optional<bool> bidirectional = {};
  /// is the state reset after its matrix, as in PyTorch? Else before
  std::optional<bool> reset_after = {};
  /// of the parameters: f16, bf16, f32 or f64
  std::optional<Dtype> dtype = {};
};
/// Layers of gated recurrent units over sequences, of which the op `tenon.gru` is one. The layer
/// tenon.gru.
inline Layer gru(const GruOptions& options, const std::optional<Device>& device = {}) {
  Options given;
  detail::add_option(given, "inputs", options.inputs);
  detail::add_option(given, "hidden", options.hidden);
  detail::add_option(given, "layers", options.layers);
  detail::add_option(given, "bias", options.bias);
  detail::add_option(given, "batch_first", options.batch_first);
  detail::add_option(given, "dropout", options.dropout);
  detail::add_option(given, "bidirectional", options.bidirectional);
  detail::add_option(given, "reset_after", options.reset_after);
  detail::add_option(given, "dtype", options.dtype);
  return Layer("tenon.gru", given, device);
}

struct GruCellOptions {
  /// size of the last dimension of x
  Required<std::int64_t> inputs;
  /// number of hidden units
  Required<std::int64_t> hidden;
  /// are there biases, one with the inputs and one with the state?
  std::optional<bool> bias = {};
  /// is the state reset after its matrix? Else before
  std::optional<bool> reset_after = {};
  /// of the parameters: f16, bf16, f32 or f64
  std::optional<Dtype> dtype = {};
};
/// One step of `tenon.gru` with one layer: the op `tenon.gru_cell`. The layer tenon.gru_cell.
inline Layer gru_cell(const GruCellOptions& options, const std::optional<Device>& device = {}) {
  Options given;
  detail::add_option(given, "inputs", options.inputs);
  detail::add_option(given, "hidden", options.hidden);
  detail::add_option(given, "bias", options.bias);
  detail::add_option(given, "reset_after", options.reset_after);
  detail::add_option(given, "dtype", options.dtype);
  return Layer("tenon.gru_cell", given, device);
}

struct InstanceNormOptions {
  /// size of the second dimension of x
  Required<std::int64_t> channels;
  /// added to the variance
  std::optional<double> eps = {};
  /// are there a weight and a bias?
  std::optional<bool> affine = {};
  /// of the parameters: f16, bf16, f32 or f64
  std::optional<Dtype> dtype = {};
};
/// Mean 0 and variance 1 of each channel of each sample, and with `affine` a weight (1 at first)
/// and a bias (0 at first) for each channel: the op `tenon.instance_norm`, the same in training and
/// in evaluation. The layer tenon.instance_norm.
inline Layer instance_norm(
    const InstanceNormOptions& options, const std::optional<Device>& device = {}) {
  Options given;
  detail::add_option(given, "channels", options.channels);
  detail::add_option(given, "eps", options.eps);
  detail::add_option(given, "affine", options.affine);
  detail::add_option(given, "dtype", options.dtype);
  return Layer("tenon.instance_norm", given, device);
}

struct LayerNormOptions {
  /// of the last dimensions of x, as [64]
  RequiredInts sizes;
  /// added to the variance
  std::optional<double> eps = {};
  /// are there a weight and a bias?
  std::optional<bool> affine = {};
  /// with affine: is there a bias?
  std::optional<bool> bias = {};
  /// of the parameters: f16, bf16, f32 or f64
  std::optional<Dtype> dtype = {};
};
/// Mean 0 and variance 1 over the last dimensions, then a weight and a bias: the op
/// `tenon.layer_norm`. The layer tenon.layer_norm.
inline Layer layer_norm(const LayerNormOptions& options, const std::optional<Device>& device = {}) {
  Options given;
  detail::add_option(given, "sizes", options.sizes);
  detail::add_option(given, "eps", options.eps);
  detail::add_option(given, "affine", options.affine);
  detail::add_option(given, "bias", options.bias);
  detail::add_option(given, "dtype", options.dtype);
  return Layer("tenon.layer_norm", given, device);
}

struct LinearOptions {
  /// size of the last dimension of x
  Required<std::int64_t> inputs;
  /// size of the last dimension of y
  Required<std::int64_t> outputs;
  /// is there a bias?
  std::optional<bool> bias = {};
  /// of the weight: default, xavier_uniform, xavier_normal, kaiming_uniform, kaiming_normal,
  /// uniform, normal, truncated_normal, orthogonal or constant
  std::optional<std::string_view> init = {};
  /// factor of the xavier, kaiming and orthogonal ones; standard deviation of normal and
  /// truncated_normal, bound of uniform, value of constant
  std::optional<double> gain = {};
  /// of the parameters: f16, bf16, f32 or f64
  std::optional<Dtype> dtype = {};
};
/// A matrix and a bias: `y = x weight^T + bias`, the op `tenon.linear`. The layer tenon.linear.
inline Layer linear(const LinearOptions& options, const std::optional<Device>& device = {}) {
  Options given;
  detail::add_option(given, "inputs", options.inputs);
  detail::add_option(given, "outputs", options.outputs);
  detail::add_option(given, "bias", options.bias);
  detail::add_option(given, "init", options.init);
  detail::add_option(given, "gain", options.gain);
  detail::add_option(given, "dtype", options.dtype);
  return Layer("tenon.linear", given, device);
}

struct LstmOptions {
  /// size of the last dimension of x
  Required<std::int64_t> inputs;
  /// number of hidden units
  Required<std::int64_t> hidden;
  /// how many, each on the results of the one before
  std::optional<std::int64_t> layers = {};
  /// are there biases, one with the inputs and one with the state?
  std::optional<bool> bias = {};
  /// are x and y [B,T,...], not [T,B,...]?
  std::optional<bool> batch_first = {};
  /// probability, in training, that a result of a layer but the last becomes 0
  std::optional<double> dropout = {};
  /// is there a second direction, from the last step to the first?
  std::optional<bool> bidirectional = {};
  /// how many numbers of state a matrix makes of hidden; 0: hidden
  std::optional<std::int64_t> projection = {};
  /// of the parameters: f16, bf16, f32 or f64
  std::optional<Dtype> dtype = {};
};
/// Layers of long short-term memory over sequences, of which the op `tenon.lstm` is one. The layer
/// tenon.lstm.
inline Layer lstm(const LstmOptions& options, const std::optional<Device>& device = {}) {
  Options given;
  detail::add_option(given, "inputs", options.inputs);
  detail::add_option(given, "hidden", options.hidden);
  detail::add_option(given, "layers", options.layers);
  detail::add_option(given, "bias", options.bias);
  detail::add_option(given, "batch_first", options.batch_first);
  detail::add_option(given, "dropout", options.dropout);
  detail::add_option(given, "bidirectional", options.bidirectional);
  detail::add_option(given, "projection", options.projection);
  detail::add_option(given, "dtype", options.dtype);
  return Layer("tenon.lstm", given, device);
}

struct LstmCellOptions {
  /// size of the last dimension of x
  Required<std::int64_t> inputs;
  /// number of hidden units
  Required<std::int64_t> hidden;
  /// are there biases, one with the inputs and one with the state?
  std::optional<bool> bias = {};
  /// of the parameters: f16, bf16, f32 or f64
  std::optional<Dtype> dtype = {};
};
/// One step of `tenon.lstm` with one layer: the op `tenon.lstm_cell`. The layer tenon.lstm_cell.
inline Layer lstm_cell(const LstmCellOptions& options, const std::optional<Device>& device = {}) {
  Options given;
  detail::add_option(given, "inputs", options.inputs);
  detail::add_option(given, "hidden", options.hidden);
  detail::add_option(given, "bias", options.bias);
  detail::add_option(given, "dtype", options.dtype);
  return Layer("tenon.lstm_cell", given, device);
}

struct MaxPoolOptions {
  /// of a window, as [2] or [2,3]
  RequiredInts kernel_size;
  /// from one window to the next, as [2] or [1,2]; empty: kernel_size
  OptionalInts stride = {};
  /// places added around the image: 1 number, one for each dimension, or a pair for each, before
  /// and after it
  OptionalInts padding = {};
  /// from one place of a window to the next, as [1] or [1,2]
  OptionalInts dilation = {};
  /// is there a last window that only begins within image and padding?
  std::optional<bool> ceil_mode = {};
  /// none: as padding says; same: so much that there are size / stride windows, rounded up; valid:
  /// nothing
  std::optional<std::string_view> auto_pad = {};
};
/// The greatest number of each window, for each channel: the op `tenon.max_pool`. The layer
/// tenon.max_pool.
inline Layer max_pool(const MaxPoolOptions& options, const std::optional<Device>& device = {}) {
  Options given;
  detail::add_option(given, "kernel_size", options.kernel_size);
  detail::add_option(given, "stride", options.stride);
  detail::add_option(given, "padding", options.padding);
  detail::add_option(given, "dilation", options.dilation);
  detail::add_option(given, "ceil_mode", options.ceil_mode);
  detail::add_option(given, "auto_pad", options.auto_pad);
  return Layer("tenon.max_pool", given, device);
}

struct MultiHeadAttentionOptions {
  /// size of the last dimension of x and y
  Required<std::int64_t> width;
  /// of the queries
  Required<std::int64_t> heads;
  /// of keys and values, a divisor of heads: grouped attention; 0: as many
  std::optional<std::int64_t> kv_heads = {};
  /// size of a head; 0: width / heads
  std::optional<std::int64_t> head_width = {};
  /// size of the last dimension of memory; 0: width
  std::optional<std::int64_t> memory_width = {};
  /// have all matrices a bias?
  std::optional<bool> bias = {};
  /// is the matrix of q, k and v one, in_proj_weight, as in torch.nn.MultiheadAttention? Else there
  /// are q_proj, k_proj and v_proj
  std::optional<bool> packed = {};
  /// does a query see no later key?
  std::optional<bool> causal = {};
  /// keys that a query sees on a side, itself included; 0: all
  std::optional<std::int64_t> window = {};
  /// bound of the scores; 0: none
  std::optional<double> soft_cap = {};
  /// probability that a weight becomes 0 in training
  std::optional<double> dropout = {};
  /// are heads of q and k scaled to a root mean square of 1, with gains?
  std::optional<bool> qk_norm = {};
  /// of qk_norm
  std::optional<double> qk_eps = {};
  /// longest sequence, if q and k are rotated by their positions; 0: they are not
  std::optional<std::int64_t> positions = {};
  /// of the angles' rates
  std::optional<double> rope_base = {};
  /// which elements of a head are a pair: "halves" (Llama) or "pairs" (GPT-J)
  std::optional<std::string_view> rope_layout = {};
  /// of the parameters: f16, bf16, f32 or f64
  std::optional<Dtype> dtype = {};
};
/// Attention of several heads, between matrices that make queries, keys and values of rows and one
/// that joins what the heads give: the op `tenon.attention`. The layer tenon.multi_head_attention.
inline Layer multi_head_attention(
    const MultiHeadAttentionOptions& options, const std::optional<Device>& device = {}) {
  Options given;
  detail::add_option(given, "width", options.width);
  detail::add_option(given, "heads", options.heads);
  detail::add_option(given, "kv_heads", options.kv_heads);
  detail::add_option(given, "head_width", options.head_width);
  detail::add_option(given, "memory_width", options.memory_width);
  detail::add_option(given, "bias", options.bias);
  detail::add_option(given, "packed", options.packed);
  detail::add_option(given, "causal", options.causal);
  detail::add_option(given, "window", options.window);
  detail::add_option(given, "soft_cap", options.soft_cap);
  detail::add_option(given, "dropout", options.dropout);
  detail::add_option(given, "qk_norm", options.qk_norm);
  detail::add_option(given, "qk_eps", options.qk_eps);
  detail::add_option(given, "positions", options.positions);
  detail::add_option(given, "rope_base", options.rope_base);
  detail::add_option(given, "rope_layout", options.rope_layout);
  detail::add_option(given, "dtype", options.dtype);
  return Layer("tenon.multi_head_attention", given, device);
}

struct PositionsOptions {
  /// the longest sequence
  Required<std::int64_t> rows;
  /// size of the last dimension of x and y
  Required<std::int64_t> width;
  /// learned, or sinusoidal: a buffer of `tenon.sinusoidal_positions`
  std::optional<std::string_view> kind = {};
  /// of the sinusoids' rates
  std::optional<double> base = {};
  /// of a learned table: xavier_uniform, xavier_normal, kaiming_uniform, kaiming_normal, uniform,
  /// normal, truncated_normal, orthogonal or constant
  std::optional<std::string_view> init = {};
  /// factor of the xavier, kaiming and orthogonal ones; standard deviation of normal and
  /// truncated_normal, bound of uniform, value of constant
  std::optional<double> gain = {};
  /// of the parameters: f16, bf16, f32 or f64
  std::optional<Dtype> dtype = {};
};
/// Tells rows of sequences apart by their positions: a row of a table is added to each. The layer
/// tenon.positions.
inline Layer positions(const PositionsOptions& options, const std::optional<Device>& device = {}) {
  Options given;
  detail::add_option(given, "rows", options.rows);
  detail::add_option(given, "width", options.width);
  detail::add_option(given, "kind", options.kind);
  detail::add_option(given, "base", options.base);
  detail::add_option(given, "init", options.init);
  detail::add_option(given, "gain", options.gain);
  detail::add_option(given, "dtype", options.dtype);
  return Layer("tenon.positions", given, device);
}

struct ResidualOptions {
  /// is the last child the shortcut? Else that is x itself
  std::optional<bool> shortcut = {};
  /// an op of one tensor, as "relu", of the sum; empty: none
  std::optional<std::string_view> activation = {};
};
/// Its children one after the other, as in `tenon.sequential`, and `x` added to what they give;
/// then an activation: The layer tenon.residual.
inline Layer residual(
    std::initializer_list<Layer> children = {}, const ResidualOptions& options = {},
    const std::optional<Device>& device = {}) {
  Options given;
  detail::add_option(given, "shortcut", options.shortcut);
  detail::add_option(given, "activation", options.activation);
  Layer made("tenon.residual", given, device);
  for (const Layer& each : children) made.append(each);
  return made;
}

struct RmsNormOptions {
  /// of the last dimensions of x, as [64]
  RequiredInts sizes;
  /// added to the mean square
  std::optional<double> eps = {};
  /// is there a weight?
  std::optional<bool> affine = {};
  /// of the parameters: f16, bf16, f32 or f64
  std::optional<Dtype> dtype = {};
};
/// Mean square 1 over the last dimensions, then a weight: the op `tenon.rms_norm`. The layer
/// tenon.rms_norm.
inline Layer rms_norm(const RmsNormOptions& options, const std::optional<Device>& device = {}) {
  Options given;
  detail::add_option(given, "sizes", options.sizes);
  detail::add_option(given, "eps", options.eps);
  detail::add_option(given, "affine", options.affine);
  detail::add_option(given, "dtype", options.dtype);
  return Layer("tenon.rms_norm", given, device);
}

struct RnnOptions {
  /// size of the last dimension of x
  Required<std::int64_t> inputs;
  /// number of hidden units
  Required<std::int64_t> hidden;
  /// how many, each on the results of the one before
  std::optional<std::int64_t> layers = {};
  /// are there biases, one with the inputs and one with the state?
  std::optional<bool> bias = {};
  /// are x and y [B,T,...], not [T,B,...]?
  std::optional<bool> batch_first = {};
  /// probability, in training, that a result of a layer but the last becomes 0
  std::optional<double> dropout = {};
  /// is there a second direction, from the last step to the first?
  std::optional<bool> bidirectional = {};
  /// "tanh" or "relu"
  std::optional<std::string_view> activation = {};
  /// of the parameters: f16, bf16, f32 or f64
  std::optional<Dtype> dtype = {};
};
/// Layers of plain recurrent units over sequences, of which the op `tenon.rnn` is one. The layer
/// tenon.rnn.
inline Layer rnn(const RnnOptions& options, const std::optional<Device>& device = {}) {
  Options given;
  detail::add_option(given, "inputs", options.inputs);
  detail::add_option(given, "hidden", options.hidden);
  detail::add_option(given, "layers", options.layers);
  detail::add_option(given, "bias", options.bias);
  detail::add_option(given, "batch_first", options.batch_first);
  detail::add_option(given, "dropout", options.dropout);
  detail::add_option(given, "bidirectional", options.bidirectional);
  detail::add_option(given, "activation", options.activation);
  detail::add_option(given, "dtype", options.dtype);
  return Layer("tenon.rnn", given, device);
}

struct RnnCellOptions {
  /// size of the last dimension of x
  Required<std::int64_t> inputs;
  /// number of hidden units
  Required<std::int64_t> hidden;
  /// are there biases, one with the inputs and one with the state?
  std::optional<bool> bias = {};
  /// "tanh" or "relu"
  std::optional<std::string_view> activation = {};
  /// of the parameters: f16, bf16, f32 or f64
  std::optional<Dtype> dtype = {};
};
/// One step of `tenon.rnn` with one layer: the op `tenon.rnn_cell`. The layer tenon.rnn_cell.
inline Layer rnn_cell(const RnnCellOptions& options, const std::optional<Device>& device = {}) {
  Options given;
  detail::add_option(given, "inputs", options.inputs);
  detail::add_option(given, "hidden", options.hidden);
  detail::add_option(given, "bias", options.bias);
  detail::add_option(given, "activation", options.activation);
  detail::add_option(given, "dtype", options.dtype);
  return Layer("tenon.rnn_cell", given, device);
}

/// Its children one after the other, each called with what the one before gave. The layer
/// tenon.sequential.
inline Layer sequential(
    std::initializer_list<Layer> children = {}, const std::optional<Device>& device = {}) {
  Layer made("tenon.sequential", {}, device);
  for (const Layer& each : children) made.append(each);
  return made;
}

struct SyncBatchNormOptions {
  /// channels: size of the second dimension
  Required<std::int64_t> features;
  /// added to the variance
  std::optional<double> eps = {};
  /// share of a batch in the running statistics
  std::optional<double> momentum = {};
  /// are there a weight and a bias?
  std::optional<bool> affine = {};
  /// of the parameters: f16, bf16, f32 or f64
  std::optional<Dtype> dtype = {};
  /// number of the group of processes; 0: this one
  std::optional<std::int64_t> group = {};
};
/// `tenon.batch_norm` over the batches of all processes of a group: in training mean and variance
/// of a channel are those of all of them, and so are the running ones, in every process. The layer
/// tenon.sync_batch_norm.
inline Layer sync_batch_norm(
    const SyncBatchNormOptions& options, const std::optional<Device>& device = {}) {
  Options given;
  detail::add_option(given, "features", options.features);
  detail::add_option(given, "eps", options.eps);
  detail::add_option(given, "momentum", options.momentum);
  detail::add_option(given, "affine", options.affine);
  detail::add_option(given, "dtype", options.dtype);
  detail::add_option(given, "group", options.group);
  return Layer("tenon.sync_batch_norm", given, device);
}

struct TransformerBlockOptions {
  /// size of the last dimension of x and y
  Required<std::int64_t> width;
  /// of the queries
  Required<std::int64_t> heads;
  /// size of what the activation gives
  Required<std::int64_t> hidden;
  /// an op of one tensor, as "relu", or a gated one: "swiglu", "geglu", "glu"
  std::optional<std::string_view> activation = {};
  /// "layer" or "rms"
  std::optional<std::string_view> norm = {};
  /// is each part's norm before it? Else it is after the residual
  std::optional<bool> norm_first = {};
  /// of the norms
  std::optional<double> eps = {};
  /// have matrices and layer norms a bias?
  std::optional<bool> bias = {};
  /// probability, in training, for weights of attention and for what each part and the activation
  /// give
  std::optional<double> dropout = {};
  /// of keys and values, a divisor of heads: grouped attention; 0: as many
  std::optional<std::int64_t> kv_heads = {};
  /// size of a head; 0: width / heads
  std::optional<std::int64_t> head_width = {};
  /// is the matrix of q, k and v one, in_proj_weight, as in torch.nn.MultiheadAttention? Else there
  /// are q_proj, k_proj and v_proj
  std::optional<bool> packed = {};
  /// does a query see no later key?
  std::optional<bool> causal = {};
  /// keys that a query sees on a side, itself included; 0: all
  std::optional<std::int64_t> window = {};
  /// bound of the scores; 0: none
  std::optional<double> soft_cap = {};
  /// are heads of q and k scaled to a root mean square of 1, with gains?
  std::optional<bool> qk_norm = {};
  /// longest sequence, if q and k are rotated by their positions; 0: they are not
  std::optional<std::int64_t> positions = {};
  /// of the angles' rates
  std::optional<double> rope_base = {};
  /// which elements of a head are a pair: "halves" (Llama) or "pairs" (GPT-J)
  std::optional<std::string_view> rope_layout = {};
  /// of the parameters: f16, bf16, f32 or f64
  std::optional<Dtype> dtype = {};
};
/// One layer of a transformer: attention of several heads, then a layer of hidden units, each with
/// a norm and `x` added to what it gives. The layer tenon.transformer_block.
inline Layer transformer_block(
    const TransformerBlockOptions& options, const std::optional<Device>& device = {}) {
  Options given;
  detail::add_option(given, "width", options.width);
  detail::add_option(given, "heads", options.heads);
  detail::add_option(given, "hidden", options.hidden);
  detail::add_option(given, "activation", options.activation);
  detail::add_option(given, "norm", options.norm);
  detail::add_option(given, "norm_first", options.norm_first);
  detail::add_option(given, "eps", options.eps);
  detail::add_option(given, "bias", options.bias);
  detail::add_option(given, "dropout", options.dropout);
  detail::add_option(given, "kv_heads", options.kv_heads);
  detail::add_option(given, "head_width", options.head_width);
  detail::add_option(given, "packed", options.packed);
  detail::add_option(given, "causal", options.causal);
  detail::add_option(given, "window", options.window);
  detail::add_option(given, "soft_cap", options.soft_cap);
  detail::add_option(given, "qk_norm", options.qk_norm);
  detail::add_option(given, "positions", options.positions);
  detail::add_option(given, "rope_base", options.rope_base);
  detail::add_option(given, "rope_layout", options.rope_layout);
  detail::add_option(given, "dtype", options.dtype);
  return Layer("tenon.transformer_block", given, device);
}

}  // namespace nn

namespace data {

struct ColorJitterOptions {
  /// b, 0 to 1000: the factor lies from max(0, 1 - b) to 1 + b; or its least and its largest value
  Floats brightness = {};
  /// the same, for contrast
  Floats contrast = {};
  /// the same, for saturation; nothing with one channel
  Floats saturation = {};
  /// the most that it is turned either way, 0 to 0.5, where 1 is a full turn; or two numbers from
  /// -0.5 to 0.5; nothing with one channel
  Floats hue = {};
};
/// Brightness, contrast, saturation and hue of each image, changed by random factors f in random
/// order. [n, 3, H, W] in the order red, green, blue, or grey ones, [n, 1, H, W] or [n, H, W]; u8,
/// or f32 from 0 to 1. The transform tenon.color_jitter.
inline Transform color_jitter(const ColorJitterOptions& options = {}, std::uint32_t field = 0) {
  Options given;
  detail::add_option(given, "brightness", options.brightness);
  detail::add_option(given, "contrast", options.contrast);
  detail::add_option(given, "saturation", options.saturation);
  detail::add_option(given, "hue", options.hue);
  return Transform("tenon.color_jitter", given, field);
}

struct CropOptions {
  /// rows of the window
  Required<std::int64_t> height;
  /// columns of the window
  Required<std::int64_t> width;
  /// zeros on each side of the image
  std::optional<std::int64_t> padding = {};
  /// at a random place, which depends on seed, epoch and sample alone; else in the middle
  std::optional<bool> random = {};
};
/// A window of each image, [n, ..., H, W] of any dtype, with zeros around the image. The transform
/// tenon.crop.
inline Transform crop(const CropOptions& options, std::uint32_t field = 0) {
  Options given;
  detail::add_option(given, "height", options.height);
  detail::add_option(given, "width", options.width);
  detail::add_option(given, "padding", options.padding);
  detail::add_option(given, "random", options.random);
  return Transform("tenon.crop", given, field);
}

/// [n, ...] as [n, the rest], of any dtype; shares the memory. The transform tenon.flatten.
inline Transform flatten(std::uint32_t field = 0) {
  return Transform("tenon.flatten", {}, field);
}

struct FlipOptions {
  /// that an image is flipped, 0 to 1
  std::optional<double> probability = {};
  /// rows from bottom to top, not columns
  std::optional<bool> vertical = {};
};
/// Some of the images, by chance, with their columns from right to left, [n, ..., W], or their rows
/// from bottom to top, [n, ..., H, W], of any dtype. The transform tenon.flip.
inline Transform flip(const FlipOptions& options = {}, std::uint32_t field = 0) {
  Options given;
  detail::add_option(given, "probability", options.probability);
  detail::add_option(given, "vertical", options.vertical);
  return Transform("tenon.flip", given, field);
}

struct MaskTokensOptions {
  /// the token that hides others
  Required<std::int64_t> mask;
  /// how many tokens there are
  Required<std::int64_t> vocabulary;
  /// that a token is chosen, 0 to 1
  std::optional<double> probability = {};
  /// tokens that are never chosen
  OptionalInts special = {};
  /// the tokens that were chosen, and -100 for others, in place of the tokens that are left
  std::optional<bool> targets = {};
};
/// Some tokens of each row hidden, i64[n, ...]: each is chosen with `probability` unless it is
/// special; of the chosen ones 8 of 10 become `mask`, 1 of 10 any token of the vocabulary, and 1 of
/// 10 stays. The transform tenon.mask_tokens.
inline Transform mask_tokens(const MaskTokensOptions& options, std::uint32_t field = 0) {
  Options given;
  detail::add_option(given, "mask", options.mask);
  detail::add_option(given, "vocabulary", options.vocabulary);
  detail::add_option(given, "probability", options.probability);
  detail::add_option(given, "special", options.special);
  detail::add_option(given, "targets", options.targets);
  return Transform("tenon.mask_tokens", given, field);
}

struct NormaliseOptions {
  /// subtracted: one number, or one for each channel
  Floats mean = {};
  /// divided by at last: one number, or one for each channel; not 0
  Floats deviation = {};
  /// divided by first: 255 takes pixels to 0 ... 1; not 0
  std::optional<double> scale = {};
};
/// (value / scale - mean) / deviation as f32, of u8 and f32: [n, ...] with one mean and deviation
/// for all, or [n, channels, ...] with one for each channel. The transform tenon.normalise.
inline Transform normalise(const NormaliseOptions& options = {}, std::uint32_t field = 0) {
  Options given;
  detail::add_option(given, "mean", options.mean);
  detail::add_option(given, "deviation", options.deviation);
  detail::add_option(given, "scale", options.scale);
  return Transform("tenon.normalise", given, field);
}

struct PadOptions {
  /// rows and columns: one number for all sides; two, left and right, then top and bottom; or four,
  /// left, top, right, bottom
  RequiredInts padding;
  /// what they are: `constant`, `value`; `reflect`, the image mirrored at its first and last place,
  /// which are not repeated; `replicate`, its first and last row and column again
  std::optional<std::string_view> mode = {};
  /// around the image in mode `constant`
  std::optional<double> value = {};
};
/// More rows and columns around each image: [n, ..., H, W] of any dtype becomes [n, ..., top + H +
/// bottom, left + W + right]. The transform tenon.pad.
inline Transform pad(const PadOptions& options, std::uint32_t field = 0) {
  Options given;
  detail::add_option(given, "padding", options.padding);
  detail::add_option(given, "mode", options.mode);
  detail::add_option(given, "value", options.value);
  return Transform("tenon.pad", given, field);
}

struct RandomErasingOptions {
  /// that an image has a rectangle, 0 to 1
  std::optional<double> probability = {};
  /// least and largest area, as a part of the image, 0 to 1
  Floats scale = {};
  /// least and largest height divided by width, 0.001 to 1000
  Floats ratio = {};
  /// written there: one number, or one for each channel of [n, C, H, W]; of u8 whole numbers from 0
  /// to 255
  Floats value = {};
};
/// A random rectangle of each image overwritten, by chance: [n, ..., H, W], u8 or f32. The
/// transform tenon.random_erasing.
inline Transform random_erasing(const RandomErasingOptions& options = {}, std::uint32_t field = 0) {
  Options given;
  detail::add_option(given, "probability", options.probability);
  detail::add_option(given, "scale", options.scale);
  detail::add_option(given, "ratio", options.ratio);
  detail::add_option(given, "value", options.value);
  return Transform("tenon.random_erasing", given, field);
}

struct RotateOptions {
  /// the most that an image is turned either way, 0 to 180; or two numbers from -360 to 360,
  /// between which the angle lies
  Floats degrees;
  /// beside the image; of u8 a whole number from 0 to 255
  std::optional<double> fill = {};
  /// the nearest pixel in place of the bilinear mean of four: for masks, whose values are names
  std::optional<bool> nearest = {};
};
/// Each image turned about its middle by a random angle, counter-clockwise where it is positive:
/// [n, ..., H, W], u8 or f32, of the same size afterwards. The transform tenon.rotate.
inline Transform rotate(const RotateOptions& options, std::uint32_t field = 0) {
  Options given;
  detail::add_option(given, "degrees", options.degrees);
  detail::add_option(given, "fill", options.fill);
  detail::add_option(given, "nearest", options.nearest);
  return Transform("tenon.rotate", given, field);
}

}  // namespace data

}  // namespace tenon

#endif  // TENON_ENTRIES_HPP
