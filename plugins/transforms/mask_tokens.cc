// SPDX-License-Identifier: Apache-2.0
// plugins/transforms/mask_tokens.cc: some tokens of each row hidden, or what was hidden as targets
// (J. Devlin and others, "BERT: Pre-training of Deep Bidirectional Transformers for Language
// Understanding", 2019).
//
// Token j is chosen if u(j) < probability. Of the chosen ones 8 of 10 become `mask`, 1 of 10 any
// token, and 1 of 10 stays.
#include "images.hpp"

namespace {

namespace sdk = tenon::sdk;

enum Option : uint32_t { kMask, kVocabulary, kProbability, kSpecial, kTargets };
constexpr int64_t kIgnored = -100;                // no target, as tenon.tokens has it
constexpr int64_t kMaxTokens = int64_t{1} << 16;  // a sample's random blocks, one for each

class MaskTokens {
 public:
  explicit MaskTokens(const sdk::Attrs& options)
      : vocabulary_(options.integer(kVocabulary)),
        mask_(options.integer(kMask)),
        probability_(tenon::transforms::probability_of(options.real(kProbability))),
        gives_targets_(options.flag(kTargets)) {
    if (vocabulary_ < 1 || vocabulary_ > INT32_MAX) {
      tenon::transforms::refuse_option("vocabulary", "1 to " + std::to_string(INT32_MAX),
                                       std::to_string(vocabulary_));
    }
    if (mask_ < 0 || mask_ >= vocabulary_) {
      tenon::transforms::refuse_option("mask", "0 to " + std::to_string(vocabulary_ - 1),
                                       std::to_string(mask_));
    }
    if (options[kSpecial].tag == TENON_VALUE_INT_LIST) {
      special_.assign(options[kSpecial].as.ints,
                      options[kSpecial].as.ints + options[kSpecial].count);
    }
  }

  tenon_meta infer(const tenon_meta& sample) const {
    if (sample.dtype != TENON_DTYPE_I64) {
      throw sdk::Failure{TENON_E_DTYPE, "the field does not hold tokens", "field", "i64",
                         "another dtype"};
    }
    if (sdk::count_of({sample.shape, static_cast<size_t>(sample.rank)}) <= kMaxTokens)
      return sample;
    throw sdk::Failure{TENON_E_SHAPE, "a sample has too many tokens", "field",
                       std::to_string(kMaxTokens) + " or fewer",
                       tenon::transforms::sample_text(sample)};
  }

  void run(const tenon_batch& batch, const tenon_view& from, const tenon_view& to) const {
    const int64_t n = sdk::sample_elements(from);
    for (int64_t i = 0; i < batch.n; ++i) {
      const auto* in = static_cast<const int64_t*>(from.data) + i * n;
      auto* out = static_cast<int64_t*>(to.data) + i * n;
      tenon_sdk_random choice = sdk::sample_random(batch, i, 0x6D61736B);  // "mask"
      tenon_sdk_random change = sdk::sample_random(batch, i, 0x696E746F);  // "into"
      for (int64_t j = 0; j < n; ++j) {
        const bool chosen = tenon::transforms::unit(choice) < probability_;
        const int64_t changed = changed_from(in[j], tenon_sdk_random_next(&change));
        const bool hidden = chosen && !is_special(in[j]);
        const int64_t other = gives_targets_ ? kIgnored : in[j];
        out[j] = hidden ? (gives_targets_ ? in[j] : changed) : other;
      }
    }
  }

 private:
  bool is_special(int64_t token) const {
    return std::find(special_.begin(), special_.end(), token) != special_.end();
  }
  // The upper 32 bits say what becomes of it, the lower ones which token.
  int64_t changed_from(int64_t token, uint64_t bits) const {
    const double share = static_cast<double>(bits >> 32) * 0x1p-32;
    if (share < 0.8) return mask_;
    if (share >= 0.9) return token;
    const uint64_t low = bits & 0xFFFFFFFF;
    return static_cast<int64_t>(low * static_cast<uint64_t>(vocabulary_) >> 32);
  }

  int64_t vocabulary_;
  int64_t mask_;
  double probability_;
  bool gives_targets_;
  std::vector<int64_t> special_;
};

constexpr tenon_transform_option kOptions[] = {
    sdk::required_transform_option("mask", TENON_VALUE_I64, "the token that hides others"),
    sdk::required_transform_option("vocabulary", TENON_VALUE_I64, "how many tokens there are"),
    sdk::transform_option("probability", 0.15, "that a token is chosen, 0 to 1"),
    {sdk::str("special"), sdk::str("tokens that are never chosen"), TENON_VALUE_INT_LIST, 0, {}},
    sdk::transform_option("targets", false,
                          "the tokens that were chosen, and -100 for others, in place of the "
                          "tokens that are left")};

constexpr tenon_transform_sample kSamples[] = {
    sdk::transform_sample("i64[6,9](0,30) | mask=3, vocabulary=30"),
    sdk::transform_sample(
        "i64[4,50](0,30) | mask=3, vocabulary=30, probability=0.5, special=[1,2]"),
    sdk::transform_sample("i64[4,50](0,30) | mask=3, vocabulary=30, targets=true"),
    sdk::transform_sample("i64[5](0,30) | mask=0, vocabulary=30, probability=1.0"),
    sdk::transform_sample("i64[3,0] | mask=0, vocabulary=30"),
    sdk::refused_transform("f32[4,5] | mask=0, vocabulary=30", TENON_E_DTYPE, "tokens"),
    sdk::refused_transform("i64[1,65537] | mask=0, vocabulary=30", TENON_E_SHAPE, "too many"),
    sdk::refused_transform("i64[4,5] | mask=30, vocabulary=30", TENON_E_ATTRIBUTE, "mask"),
    sdk::refused_transform("i64[4,5] | mask=-1, vocabulary=30", TENON_E_ATTRIBUTE, "mask"),
    sdk::refused_transform("i64[4,5] | mask=0, vocabulary=0", TENON_E_ATTRIBUTE, "vocabulary"),
    sdk::refused_transform("i64[4,5] | mask=0, vocabulary=30, probability=1.5", TENON_E_ATTRIBUTE,
                           "probability")};

constexpr tenon_transform_desc kTransforms[] = {sdk::transform<MaskTokens>(
    {.name = "tenon.mask_tokens",
     .doc = "Some tokens of each row hidden, i64[n, ...]: each is chosen with `probability` unless "
            "it is special; of the chosen ones 8 of 10 become `mask`, 1 of 10 any token of the "
            "vocabulary, and 1 of 10 stays. With `targets` the field gets the tokens that were "
            "chosen, and -100 for others. What is chosen depends on seed, epoch, sample and place "
            "alone, so two fields with the same tokens, one with `targets`, belong together. A "
            "sample has at most 65,536 tokens. Source: J. Devlin and others, \"BERT: Pre-training "
            "of Deep Bidirectional Transformers for Language Understanding\", 2019.",
     .options = kOptions,
     .samples = kSamples})};

}  // namespace

TENON_UNIT(mask_tokens) = {.transforms = kTransforms};
