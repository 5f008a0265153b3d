// SPDX-License-Identifier: Apache-2.0
// tests/training/tokenizer_batches_test.cc: texts that are encoded to rows of one length, on which
// side they are filled up, with what, and the mask that tells what is a text's.
#include <gmock/gmock.h>

#include "tests/training/tokenizers_support.h"

namespace tenon::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

class TokenizerBatches : public TokenizerTest {
 protected:
  struct Batch {
    Shape shape, mask_shape;
    Tokens tokens;
    std::vector<bool> mask;
  };
  tenon_status call(const Tokenizer& tokenizer, const std::vector<std::string>& texts,
                    uint32_t flags, int64_t limit, int64_t pad, Tensor& tokens, Tensor& mask) {
    std::vector<tenon_string> list;
    for (const std::string& text : texts) list.push_back({text.data(), text.size()});
    tenon_tensor* out[2] = {};
    const tenon_status status = tenon_tokenizer_call_batch(context, tokenizer.get(), list.data(),
                                                           static_cast<uint32_t>(list.size()),
                                                           flags, limit, pad, &out[0], &out[1]);
    EXPECT_EQ(out[0] == nullptr, status != TENON_OK);
    EXPECT_EQ(out[1] == nullptr, status != TENON_OK);
    tokens.reset(out[0]);
    mask.reset(out[1]);
    return status;
  }
  Batch batch(const Tokenizer& tokenizer, const std::vector<std::string>& texts, uint32_t flags = 0,
              int64_t limit = 0, int64_t pad = -1) {
    Tensor tokens, mask;
    must(call(tokenizer, texts, flags, limit, pad, tokens, mask));
    Batch found;
    if (!tokens) return found;
    found.shape = shape_of(tokens, TENON_DTYPE_I64);
    found.mask_shape = shape_of(mask, TENON_DTYPE_BOOL);
    found.tokens = values_of<int64_t>(tokens.get());
    for (const uint8_t each : values_of<uint8_t>(mask.get())) found.mask.push_back(each != 0);
    return found;
  }
  std::string refuse(const Tokenizer& tokenizer, const std::vector<std::string>& texts,
                     uint32_t flags, int64_t limit, int64_t pad, tenon_status expected) {
    Tensor tokens, mask;
    return refused(call(tokenizer, texts, flags, limit, pad, tokens, mask), expected);
  }
  Shape shape_of(const Tensor& tensor, tenon_dtype dtype) {
    tenon_view view{};
    must(tenon_tensor_get_view(context, tensor.get(), &view));
    EXPECT_EQ(view.dtype, dtype);
    return {view.shape, view.shape + view.rank};
  }
};

TEST_F(TokenizerBatches, ShorterTextsAreFilledUp) {
  const Tokenizer made = letters();
  const Batch right = batch(made, {"abc", "a", ""});
  EXPECT_EQ(right.shape, (Shape{3, 3}));
  EXPECT_EQ(right.mask_shape, (Shape{3, 3}));
  EXPECT_THAT(right.tokens, ElementsAre(4, 5, 6, 4, 0, 0, 0, 0, 0));
  EXPECT_THAT(right.mask, ElementsAre(1, 1, 1, 1, 0, 0, 0, 0, 0));
  const Batch left = batch(made, {"abc", "a", ""}, TENON_TOKENIZER_PAD_LEFT);
  EXPECT_THAT(left.tokens, ElementsAre(4, 5, 6, 0, 0, 4, 0, 0, 0));
  EXPECT_THAT(left.mask, ElementsAre(1, 1, 1, 0, 0, 1, 0, 0, 0));
  const Batch special = batch(made, {"ab", ""}, TENON_TOKENIZER_ADD_SPECIAL);
  EXPECT_THAT(special.tokens, ElementsAre(1, 4, 5, 2, 1, 2, 0, 0));
  EXPECT_THAT(special.mask, ElementsAre(1, 1, 1, 1, 1, 1, 0, 0)) << "special tokens are the text's";
  EXPECT_THAT(batch(made, {"a[end]"}, TENON_TOKENIZER_READ_SPECIAL).tokens, ElementsAre(4, 2));
}

TEST_F(TokenizerBatches, RowsAsLongAsTheLimit) {
  const Tokenizer made = letters();
  const Batch cut = batch(made, {"abc", "a"}, 0, 2);
  EXPECT_EQ(cut.shape, (Shape{2, 2}));
  EXPECT_THAT(cut.tokens, ElementsAre(4, 5, 4, 0));
  EXPECT_EQ(batch(made, {"ab", "a"}, 0, 7).shape, (Shape{2, 2})) << "the longest is shorter";
  const Batch to_limit = batch(made, {"abc", "a"}, TENON_TOKENIZER_PAD_TO_LIMIT, 4);
  EXPECT_EQ(to_limit.shape, (Shape{2, 4}));
  EXPECT_THAT(to_limit.tokens, ElementsAre(4, 5, 6, 0, 4, 0, 0, 0));
  EXPECT_THAT(to_limit.mask, ElementsAre(1, 1, 1, 0, 1, 0, 0, 0));
  const Batch both =
      batch(made, {"abcd"}, TENON_TOKENIZER_PAD_TO_LIMIT | TENON_TOKENIZER_PAD_LEFT, 5, 29);
  EXPECT_THAT(both.tokens, ElementsAre(29, 4, 5, 6, 7));
  EXPECT_THAT(both.mask, ElementsAre(0, 1, 1, 1, 1));
}

TEST_F(TokenizerBatches, OfNoTextsAndOfEmptyOnes) {
  const Tokenizer made = letters();
  EXPECT_EQ(batch(made, {}).shape, (Shape{0, 0}));
  EXPECT_EQ(batch(made, {}).mask_shape, (Shape{0, 0}));
  EXPECT_EQ(batch(made, {}, TENON_TOKENIZER_PAD_TO_LIMIT, 3).shape, (Shape{0, 3}));
  EXPECT_EQ(batch(made, {"", ""}).shape, (Shape{2, 0}));
  const Batch padded = batch(made, {""}, TENON_TOKENIZER_PAD_TO_LIMIT, 2);
  EXPECT_THAT(padded.tokens, ElementsAre(0, 0));
  EXPECT_THAT(padded.mask, ElementsAre(0, 0));
}

TEST_F(TokenizerBatches, TheTokenThatFillsRowsUp) {
  const Tokenizer none = letters("no pad");
  EXPECT_THAT(batch(none, {"ab", "ba"}).tokens, ElementsAre(4, 5, 5, 4)) << "nothing is filled up";
  EXPECT_THAT(batch(none, {"ab", "b"}, 0, 0, 3).tokens, ElementsAre(4, 5, 5, 3));
  EXPECT_THAT(batch(letters(), {"ab", "b"}, 0, 0, 3).tokens, ElementsAre(4, 5, 5, 3))
      << "the one that is given goes before its own";
  EXPECT_EQ(refuse(none, {"ab", "b"}, 0, 0, -1, TENON_E_ARGUMENT),
            "acme.letters: a text has fewer tokens than a row, and no token fills rows up\n"
            "acme.letters\npad\n0 to 29\n-1\n\n"
            "give one; the mask tells which tokens are of a text\n");
  EXPECT_THAT(refuse(none, {"ab"}, TENON_TOKENIZER_PAD_TO_LIMIT, 3, -1, TENON_E_ARGUMENT),
              HasSubstr("no token fills rows up"));
  EXPECT_EQ(refuse(none, {"ab"}, 0, 0, 30, TENON_E_ARGUMENT),
            "acme.letters: pad is not a token\nacme.letters\npad\n0 to 29\n30\n\n\n");
  EXPECT_EQ(refuse(none, {"ab"}, 0, 0, -2, TENON_E_ARGUMENT),
            "pad is too small\n\npad\nat least -1\n-2\n\n\n");
}

TEST_F(TokenizerBatches, WhichTextIsWrongIsSaid) {
  const Tokenizer made = characters("ab");
  EXPECT_THAT(refuse(made, {"a", "abz"}, 0, 0, 0, TENON_E_DATA),
              StartsWith("text 1: tenon.characters: the character 122 at byte 2 is not a token"));
  EXPECT_EQ(refuse(made, {"a"}, 0, -1, 0, TENON_E_ARGUMENT),
            "limit is too small\n\nlimit\nat least 0\n-1\n\n\n");
  EXPECT_EQ(refuse(made, {"a"}, TENON_TOKENIZER_PAD_TO_LIMIT, 0, 0, TENON_E_ARGUMENT),
            "limit is too small\n\nlimit\nat least 1\n0\n\n\n");
  const tenon_string wrong[] = {{"a", 1}, {nullptr, 3}};
  tenon_tensor* out = nullptr;
  EXPECT_THAT(
      refused(tenon_tokenizer_call_batch(context, made.get(), wrong, 2, 0, 0, -1, &out, nullptr),
              TENON_E_ARGUMENT),
      StartsWith("text 1: text is NULL"));
  EXPECT_THAT(refuse(made, {"a"}, TENON_TOKENIZER_PAD_TO_LIMIT, INT64_MAX, 0, TENON_E_SHAPE),
              HasSubstr("does not fit into 63 bits"));
}

TEST_F(TokenizerBatches, WithoutAMask) {
  const tenon_string texts[] = {{"ab", 2}, {"c", TENON_NUL}};
  tenon_tensor* out = nullptr;
  must(tenon_tokenizer_call_batch(context, letters().get(), texts, 2, 0, 0, -1, &out, nullptr));
  EXPECT_THAT(values_of<int64_t>(Tensor(out).get()), ElementsAre(4, 5, 6, 0));
}

}  // namespace
}  // namespace tenon::tests
