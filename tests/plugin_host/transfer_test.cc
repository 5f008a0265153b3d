// SPDX-License-Identifier: Apache-2.0
// tests/plugin_host/transfer_test.cc: what an op with TENON_OP_TRANSFER must look like.
#include <gmock/gmock.h>

#include "tests/plugin_host/registry_support.h"

namespace tenon::tests {
namespace {

using testing::HasSubstr;

constexpr const char* kGood = "to(x: T[...], *, kind: int, index: int) -> T[...]";

tenon_op_desc& transfer(Offer& offer, const char* schema) {
  tenon_op_desc& desc = offer.op("acme.to", schema);
  desc.flags = TENON_OP_TRANSFER;
  desc.shape_rule = TENON_SHAPE_SAME_AS_0;
  desc.infer = nullptr;
  return desc;
}

TEST(RegistryTransfer, TheSignatureIsAccepted) {
  Registry registry(nullptr);
  Offer offer("acme.ops");
  transfer(offer, kGood);
  offer.add_to(registry);
  EXPECT_NE(registry.find_op("acme.to"), nullptr);
}

TEST(RegistryTransfer, OtherSignaturesAreRefused) {
  for (const char* schema : {
           "to(x: T[...], *, index: int, kind: int) -> T[...]",
           "to(x: T[...], *, kind: int) -> T[...]",
           "to(x: T[...], *, kind: int, index: float) -> T[...]",
           "to(x: T[...]*, *, kind: int, index: int) -> T[...]",
           "to(x!: T[...], *, kind: int, index: int) -> T[...]",
           "to(x: T[...], y: T[...], *, kind: int, index: int) -> T[...]",
           "to(x: T[...], *, kind: int, index: int) -> f32[...]",
           "to(x: T[...], *, kind: int, index: int) -> (T[...], aux T[...])",
       }) {
    Offer offer("acme.ops");
    transfer(offer, schema);
    EXPECT_EQ(offer.refusal(),
              "op acme.to: flag TRANSFER needs the signature (x: T[...], *, kind: int, index: int) "
              "-> T[...]; the schema is " +
                  std::string(schema))
        << schema;
  }
}

TEST(RegistryTransfer, NothingElseMayBeSaid) {
  const auto refused = [](void (*change)(tenon_op_desc&)) {
    Offer offer("acme.ops");
    change(transfer(offer, kGood));
    EXPECT_THAT(offer.refusal(), HasSubstr("op acme.to: flag TRANSFER goes with shape rule"));
  };
  refused([](tenon_op_desc& desc) { desc.view = view; });
  refused([](tenon_op_desc& desc) { desc.flags |= TENON_OP_ELEMENTWISE; });
  refused([](tenon_op_desc& desc) { desc.role = TENON_ROLE_COPY; });
  refused([](tenon_op_desc& desc) {
    desc.shape_rule = TENON_SHAPE_CALLBACK;
    desc.infer = infer;
  });
}

}  // namespace
}  // namespace tenon::tests
