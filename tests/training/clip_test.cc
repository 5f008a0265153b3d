// SPDX-License-Identifier: Apache-2.0
// tests/training/clip_test.cc: gradients are clipped, parameters never.
#include <gmock/gmock.h>

#include "tests/training/training_support.h"

namespace tenon::tests {
namespace {

using testing::HasSubstr;

class Clip : public Training {
 protected:
  tenon_status clip(std::vector<tenon_tensor*> grads) {
    tenon_value list{TENON_VALUE_TENSOR_LIST, static_cast<uint32_t>(grads.size()), {}};
    list.as.tensors = grads.data();
    const tenon_value most = real(0.5);
    const tenon_op* op = nullptr;
    must(tenon_op_find(context, "tenon.clip_grad_norm", TENON_NUL, 0, &op));
    tenon_tensor* norm = nullptr;
    const tenon_status status = tenon_op_call(context, op, &list, 1, &most, 1, &norm, 1);
    if (status == TENON_OK) tenon_tensor_release(norm);
    return status;
  }
};

TEST_F(Clip, ParametersAreRefusedInEveryMode) {
  const Tensor weight = parameter(tensor<float>({2}, {3, 4}));
  const Tensor grad = tensor<float>({2}, {3, 4});
  // The same call on gradients first: what is remembered of it must not let a parameter pass.
  for (int i = 0; i < 3; ++i) must(clip({grad.get()}));
  for (const uint32_t mode : {TENON_GRAD_ENABLED, TENON_GRAD_DISABLED, TENON_GRAD_INFERENCE}) {
    must(tenon_grad_begin(context, mode));
    must(clip({grad.get()}));
    const std::string words = refused(clip({weight.get()}), TENON_E_GRAD);
    EXPECT_THAT(words, HasSubstr("\"grads\": is a parameter"));
    must(tenon_grad_end(context));
  }
  EXPECT_EQ(values_of<float>(weight.get()), (std::vector<float>{3, 4}));
  tenon_error error{};
  error.struct_size = sizeof error;
  must(tenon_context_get_error(context, &error));
  EXPECT_THAT(error.hint, HasSubstr("tenon_tensor_get_grad"));
}

}  // namespace
}  // namespace tenon::tests
