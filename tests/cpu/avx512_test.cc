// SPDX-License-Identifier: Apache-2.0
// tests/cpu/avx512_test.cc: layers of convolution networks have the same bits with AVX-512 and
// with AVX2 alone, on processors that have both; on others there is nothing to compare, which is
// said.
//
// same_bits_test.cc compares every kernel in the sizes of its samples and a little above. Here are
// sizes of real layers, in which blocks, tiles and tails of both widths of vectors come together,
// and the two sides have different numbers of threads.
#if defined(TENON_TEST_CPU_TWIN)
#include "tests/cpu/same_bits_support.h"
#include "tests/support/paths.h"

namespace tenon::tests {
namespace {

constexpr std::string_view kTwin = "test.cpu_avx2";
constexpr tenon_dtype kFloats[] = {TENON_DTYPE_F32, TENON_DTYPE_F64, TENON_DTYPE_F16,
                                   TENON_DTYPE_BF16};

struct Layer {
  const char* op;
  const char* text;  // as samples are written
};

class CpuAvx512 : public testing::Test {
 protected:
  void SetUp() override {
    if (!__builtin_cpu_supports("avx512bw")) {
      GTEST_SKIP() << "this processor has no AVX-512: tenon.cpu and " << kTwin
                   << " run the same code here";
    }
  }
  void expect_equal(std::span<const Layer> layers) const {
    for (const Layer& layer : layers) {
      for (const tenon_dtype floats : kFloats) {
        const Case from = make_case({layer.op, layer.text, ""}, floats);
        const size_t operands = from.arrays.size();
        expect_equal(from, std::vector<Layout>(operands, Layout::RowMajor));
        expect_equal(from, std::vector<Layout>(operands, Layout::Transposed));
        if (HasFailure()) return;
      }
    }
  }

 private:
  void expect_equal(const Case& from, const std::vector<Layout>& layouts) const {
    pin(wide_, kPlugin);
    // Otherwise both sides are another plugin's, and equal.
    ASSERT_EQ(chosen(wide_, from, Bound(wide_, from, from.arrays, layouts)), kPlugin) << from.label;
    const Outcome found = run_pinned(wide_, kPlugin, from, layouts);
    const Outcome wanted = run_pinned(narrow_, kTwin, from, layouts);
    const std::string what = from.label + ", layout " + name_of(layouts[0]);
    expect_same(wanted.outputs, found.outputs, what);
    expect_same(wanted.operands, found.operands, what);
  }

  const std::vector<std::string> folders_ = {plugin_dir(), std::string(test_plugin_dir()) + "/cpu"};
  const Session wide_{folders_, 3};
  const Session narrow_{folders_, 1};
};

TEST_F(CpuAvx512, ConvolutionsHaveTheBitsOfAvx2) {
  const Layer layers[] = {
      {"tenon.conv", "f32[2,64,14,14], f32[65,64,3,3], f32[65] | padding=[1]"},
      {"tenon.conv", "f32[1,3,63,64], f32[64,3,7,7] | stride=[2], padding=[3]"},
      {"tenon.conv", "f32[2,160,7,7], f32[200,160,1,1]"},
      {"tenon.conv", "f32[2,64,15,14], f32[48,64,1,1] | stride=[2]"},
      {"tenon.conv", "f32[2,24,27,29], f32[24,1,3,3] | padding=[1], groups=24"},
      {"tenon.conv", "f32[2,24,27,29], f32[24,1,3,3] | stride=[2], padding=[1], groups=24"},
      {"tenon.conv", "f32[2,70,7,7], f32[70,1,3,3] | padding=[1], groups=70"},
      {"tenon.conv", "f32[2,36,17,16], f32[20,9,3,3] | dilation=[2], groups=4"},
      {"tenon.conv", "f32[3,17,150], f32[9,17,5] | padding=[2]"},
      {"tenon.conv", "f32[1,7,9,8,11], f32[18,7,3,3,3] | padding=[1]"},
  };
  expect_equal(layers);
}

TEST_F(CpuAvx512, GradientsOfImagesHaveTheBitsOfAvx2) {
  const Layer layers[] = {
      {"tenon.conv_input_grad", "f32[2,65,14,14], f32[65,64,3,3] | size=[14,14], padding=[1]"},
      {"tenon.conv_input_grad",
       "f32[1,64,32,32], f32[64,3,7,7] | size=[63,64], stride=[2], padding=[3]"},
      {"tenon.conv_input_grad", "f32[2,200,7,7], f32[200,160,1,1] | size=[7,7]"},
      {"tenon.conv_input_grad", "f32[2,48,8,7], f32[48,64,1,1] | size=[15,14], stride=[2]"},
      {"tenon.conv_input_grad",
       "f32[2,24,27,29], f32[24,1,3,3] | size=[27,29], padding=[1], groups=24"},
      {"tenon.conv_input_grad",
       "f32[2,24,14,15], f32[24,1,3,3] | size=[27,29], stride=[2], padding=[1], groups=24"},
      {"tenon.conv_input_grad",
       "f32[2,70,7,7], f32[70,1,3,3] | size=[7,7], padding=[1], groups=70"},
      {"tenon.conv_input_grad",
       "f32[2,20,13,12], f32[20,9,3,3] | size=[17,16], dilation=[2], groups=4"},
  };
  expect_equal(layers);
}

TEST_F(CpuAvx512, GradientsOfWeightsHaveTheBitsOfAvx2) {
  const Layer layers[] = {
      {"tenon.conv_weight_grad", "f32[2,65,14,14], f32[2,64,14,14] | kernel=[3,3], padding=[1]"},
      {"tenon.conv_weight_grad",
       "f32[1,64,32,32], f32[1,3,63,64] | kernel=[7,7], stride=[2], padding=[3]"},
      {"tenon.conv_weight_grad", "f32[2,200,7,7], f32[2,160,7,7] | kernel=[1,1]"},
      {"tenon.conv_weight_grad", "f32[19,17,6,7], f32[19,9,6,7] | kernel=[3,3], padding=[1]"},
      {"tenon.conv_weight_grad",
       "f32[2,24,27,29], f32[2,24,27,29] | kernel=[3,3], padding=[1], groups=24"},
      {"tenon.conv_weight_grad",
       "f32[2,24,14,15], f32[2,24,27,29] | kernel=[3,3], stride=[2], padding=[1], groups=24"},
      {"tenon.conv_weight_grad",
       "f32[2,70,7,7], f32[2,70,7,7] | kernel=[3,3], padding=[1], groups=70"},
  };
  expect_equal(layers);
}

TEST_F(CpuAvx512, PoolsAndNormsHaveTheBitsOfAvx2) {
  const Layer layers[] = {
      {"tenon.max_pool", "f32[2,19,29,31] | kernel=[3,3], stride=[2,2], padding=[1]"},
      {"tenon.avg_pool", "f32[2,19,29,31] | kernel=[3,3], stride=[2,2], padding=[1]"},
      {"tenon.avg_pool_grad",
       "f32[2,19,15,16] | size=[29,31], kernel=[3,3], stride=[2,2], padding=[1]"},
      {"tenon.batch_norm", "f32[9,19,27,29], f32[19], f32[19]"},
      {"tenon.batch_norm_grad", "f32[9,19,27,29], f32[9,19,27,29], f32[19]"},
      {"tenon.layer_norm", "f32[70,515], f32[515], f32[515]"},
      {"tenon.layer_norm_grad", "f32[70,515], f32[70,515], f32[515]"},
      {"tenon.rms_norm", "f32[70,515], f32[515]"},
      {"tenon.softmax", "f32[70,515]"},
      {"tenon.sum", "f32[70,1031] | axes=[1]"},
      {"tenon.sum", "f32[1031,70] | axes=[0]"},
  };
  expect_equal(layers);
}

}  // namespace
}  // namespace tenon::tests
#endif
