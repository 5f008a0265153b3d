// SPDX-License-Identifier: Apache-2.0
// core/backward/backward.cc: from the gradients of roots to those of leaves, or of chosen inputs.
#include "core/backward/backward.h"

#include <string>

#include "core/backward/walk.h"
#include "core/trace/recorder.h"

namespace tenon::backward {

namespace {

void check_flags(const Context& context, uint32_t flags) {
  refuse_inference(context);
  constexpr uint32_t known = TENON_BACKWARD_RETAIN | TENON_BACKWARD_CREATE_GRAPH;
  if (flags & ~known) {
    fail(TENON_E_ARGUMENT, "unknown backward flags", "flags", {}, std::to_string(flags & ~known));
  }
}

void seed_all(Context& context, Walk& walk, std::span<Tensor* const> roots,
              std::span<Tensor* const> seeds) {
  const GradMode off(context, false);
  for (size_t i = 0; i < roots.size(); ++i) {
    walk.seed(*roots[i], i < seeds.size() ? seeds[i] : nullptr, i);
  }
}

}  // namespace

void refuse_inference(const Context& context) {
  if (!context.inference()) return;
  fail(TENON_E_STATE, "there are no gradients in inference mode", {},
       "a backward outside of TENON_GRAD_INFERENCE", "one inside",
       "end the mode first, or use TENON_GRAD_DISABLED");
}

void run(Context& context, std::span<Tensor* const> roots, std::span<Tensor* const> seeds,
         uint32_t flags) {
  check_flags(context, flags);
  const trace::Span span(context.runtime->trace, "backward", "backward");
  Walk walk(context, flags);
  seed_all(context, walk, roots, seeds);
  walk.run();
  walk.commit();
}

std::vector<Ref> gradient(Context& context, std::span<Tensor* const> roots,
                          std::span<Tensor* const> seeds, std::span<Tensor* const> inputs,
                          uint32_t flags) {
  check_flags(context, flags);
  const trace::Span span(context.runtime->trace, "backward", "backward");
  Walk walk(context, flags);
  for (Tensor* input : inputs) {
    if (!tape::requires_grad(*input)) {
      fail(TENON_E_GRAD, "an input does not require a gradient", "inputs",
           "tensors that require a gradient", tensor::describe(*input));
    }
    walk.watch(*input);
  }
  seed_all(context, walk, roots, seeds);
  walk.run();
  const GradMode mode(context, (flags & TENON_BACKWARD_CREATE_GRAPH) != 0);
  std::vector<Ref> out;
  for (Tensor* input : inputs) out.push_back(walk.taken(*input));
  return out;
}

}  // namespace tenon::backward
