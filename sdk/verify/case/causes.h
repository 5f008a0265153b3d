// SPDX-License-Identifier: Apache-2.0
// sdk/verify/case/causes.h: why a case failed: the closed list of docs/conformance.md.
#pragma once

#include <array>
#include <string_view>

namespace tenon::verify {

// X(constant, "name", "what it means, in one sentence")
// clang-format off
#define TENON_VERIFY_CAUSES(X)                                                                     \
  /* the process */                                                                                \
  X(kCrash, "crash", "the process was ended by a signal")                                          \
  X(kExit, "exit", "the plugin ended the process")                                                 \
  X(kHang, "hang", "no progress for too long")                                                     \
  X(kOutput, "output", "the plugin wrote to standard output or standard error")                    \
  X(kUnusable, "unusable", "the plugin cannot be opened, or its device cannot be used")            \
  /* what it declares */                                                                           \
  X(kNoSamples, "no-samples", "an op states no sample, or no error sample")                        \
  X(kNoDocumentation, "no-documentation", "an op says nothing about itself")                       \
  X(kNoCases, "no-cases", "what the plugin declares led to no case at all")                        \
  X(kRefused, "refused", "a call that the plugin declares it can run was refused")                 \
  X(kNotReached, "not-reached", "a declared dtype row was run by no sample")                       \
  X(kNotUsed, "not-used", "another plugin's kernel or rule ran in place of this one")          \
  X(kNotRefused, "not-refused", "an error sample was accepted")                                    \
  X(kErrorStatus, "error-status", "an error sample was refused with another status or message")    \
  X(kCallState, "call-state", "a callback called the host where that is not allowed")              \
  X(kNoWitness, "no-witness", "nothing independent says what its results should be")               \
  /* values */                                                                                     \
  X(kWrongValue, "wrong-value", "results are wrong even for row-major operands")                   \
  X(kWrongDtypeRow, "wrong-dtype-row", "results are wrong for some dtypes and right for others")   \
  X(kWrongAtSizeZero, "wrong-at-size-0", "wrong for operands without elements, right for others")  \
  X(kWrongBroadcast, "wrong-broadcast", "wrong only where operands are broadcast")                 \
  X(kSwallowsNan, "swallows-nan", "NaN or infinity is lost, or comes from nowhere")                \
  X(kNotCanonical, "not-canonical", "flagged CANONICAL, but not the canonical bits")               \
  X(kComposition, "composition-differs", "kernel and composition of an op differ")                 \
  X(kWrongShape, "wrong-shape", "shape or dtype of an output is not what is expected")             \
  /* memory and layout */                                                                          \
  X(kInputStrides, "input-strides-ignored", "right for row-major inputs, wrong for others")        \
  X(kOffset, "offset-ignored", "wrong only where an operand does not begin its storage")           \
  X(kZeroStride, "zero-stride-ignored", "wrong only for inputs with zero strides")                 \
  X(kNegativeStride, "negative-stride-ignored", "wrong only for negative strides")                 \
  X(kUnaligned, "unaligned", "wrong only for addresses off the element size")                   \
  X(kLostOutput, "lost-output", "a strided output was not written at all")                         \
  X(kOutputStrides, "output-strides-ignored", "wrong elements of a strided output were written")   \
  X(kUnwritten, "unwritten-output", "some elements of an output were not written")                 \
  X(kSkippedTail, "skipped-tail", "the last elements of an output were not written")               \
  X(kOverrun, "overrun", "bytes outside of an output were written")                                \
  X(kReadsOutside, "reads-outside", "the result depends on bytes outside of the operands")         \
  X(kInputChanged, "input-changed", "an input that is not marked '!' was written")                 \
  X(kScratchOverrun, "scratch-overrun", "bytes beyond the announced scratch were written")         \
  X(kAliasing, "aliasing", "wrong where operands share memory")                                    \
  X(kInPlace, "in-place", "wrong where an output is an input")                                     \
  X(kHuge, "huge", "wrong for more than 2^31 elements")                                            \
  /* forms */                                                                                      \
  X(kRecorded, "recorded-differs", "other results while a gradient is recorded")                   \
  X(kReplay, "replay-differs", "other results when replayed from a plan")                          \
  X(kNondeterministic, "nondeterministic", "the same call gives other bits another time")          \
  X(kThreads, "thread-dependent", "the bits depend on the number of threads")                      \
  X(kRandomLayout, "random-layout", "the same seed gives other numbers for another layout")        \
  /* gradients */                                                                                  \
  X(kNoGradient, "no-gradient", "a differentiable input gets no gradient")                         \
  X(kWrongGradient, "wrong-gradient", "the gradient is not that of the forward")                   \
  X(kSwappedGradients, "swapped-gradients", "an input gets the gradient of another input")         \
  X(kOtherOpsGradient, "gradient-of-another-op", "the gradient is that of a look-alike")           \
  X(kGradientBroadcast, "gradient-broadcast", "a gradient wrong only where operands broadcast")    \
  X(kGradientLayout, "gradient-layout", "wrong for strided operands or incoming gradients")        \
  X(kGradientDtype, "gradient-dtype", "right in f64, wrong in another dtype")                      \
  X(kGradientRefused, "gradient-refused", "backward fails where it is declared to work")           \
  X(kUndeclaredRead, "undeclared-read", "a rule reads what its needs do not declare")              \
  X(kSavesTooLittle, "saves-too-little", "a rule fails when fewer inputs want gradients")          \
  X(kGradientChangesSeed, "incoming-gradient-changed", "a rule writes to the incoming gradient")   \
  X(kSecondOrder, "wrong-second-order", "the gradient of the gradient is wrong")                   \
  X(kGradientNan, "gradient-nan", "NaN or infinity is lost on the way back, or from nowhere")      \
  /* resources */                                                                                  \
  X(kLeak, "leak", "memory, tensors or files are held after the call")                             \
  X(kMemoryFailure, "memory-failure", "wrong when an allocation fails")                            \
  /* optimizers */                                                                                 \
  X(kOptimizerTrace, "optimizer-trace", "parameters or states leave the reference trace")          \
  X(kOptimizerStrides, "optimizer-strides", "strided parameters train otherwise than others")      \
  X(kOptimizerResume, "optimizer-resume", "a run that was saved and resumed has other bits")       \
  X(kOptimizerParts, "optimizer-parts", "parts of parameters train otherwise than the whole")      \
  /* layers, datasets, formats, tokenizers */                                                      \
  X(kLayerState, "layer-state", "a layer that was given another's state is not like it")           \
  X(kWrongLength, "wrong-length", "a dataset has another number of samples than it should")       \
  X(kSampleLength, "sample-length", "a dataset says another length of a sample than it has")      \
  X(kNotReadBack, "not-read-back", "what was written, or encoded, does not come back")             \
  X(kSpecialFromText, "special-from-text", "a text that spells a special token gives that token")  \
  /* collectives */                                                                                \
  X(kWrongMembers, "wrong-members", "a part of a group has other members, or in another order")    \
  X(kLate, "late", "a time-out does not end a transfer, or does not tell who is missing")
// clang-format on

struct Cause {
  std::string_view name;
  std::string_view meaning;
};

namespace causes {
#define TENON_VERIFY_CAUSE(constant, name, meaning) inline constexpr Cause constant{name, meaning};
TENON_VERIFY_CAUSES(TENON_VERIFY_CAUSE)
#undef TENON_VERIFY_CAUSE
}  // namespace causes

#define TENON_VERIFY_CAUSE(constant, name, meaning) causes::constant,
inline constexpr auto kCauses = std::array{TENON_VERIFY_CAUSES(TENON_VERIFY_CAUSE)};
#undef TENON_VERIFY_CAUSE

}  // namespace tenon::verify
