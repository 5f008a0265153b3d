// SPDX-License-Identifier: Apache-2.0
// tests/plugin_host/agreement_test.cc: a plugin registers what its manifest lists, and not one
// more.
#include <gmock/gmock.h>

#include "core/plugin/handshake.h"
#include "tests/plugin_host/plugin_host_support.h"

namespace tenon::tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Names = registry::TableNames;

// To what is not NULL.
template <auto listed, auto registered>
void add_name(plugin::Manifest* manifest, Names* names, std::string_view name) {
  if (manifest) (manifest->*listed).emplace_back(name);
  if (names) (names->*registered).insert(name);
}
template <class Desc>
void add_entry(plugin::Manifest* manifest, Names* names, std::string_view name) {
  if (manifest) manifest->entries[registry::kind_of<Desc>()].emplace_back(name);
  if (names) names->entries[registry::kind_of<Desc>()].insert(name);
}
void add_op(plugin::Manifest* manifest, Names* names, std::string_view name) {
  if (manifest) manifest->ops.push_back({std::string(name), 1, ""});
  if (names) names->ops.insert({name, 1, ""});
}
void add_device_of_kernels(plugin::Manifest* manifest, Names* names, std::string_view name) {
  if (manifest) manifest->kernels.push_back({std::string(name), {"acme.op"}, false});
  if (names) names->kernels[name] = {{"acme.op"}, false};
}
void add_kernel(plugin::Manifest* manifest, Names* names, std::string_view name) {
  if (manifest && manifest->kernels.empty()) manifest->kernels.push_back({"toy", {}, false});
  if (manifest) manifest->kernels[0].ops.emplace_back(name);
  if (names) names->kernels["toy"].ops.insert(name);
}

// For every kind of name, before, between and behind the others.
TEST(Agreement, OneNameMoreOrLessIsNamed) {
  using plugin::Manifest;
  static const std::pair<const char*, void (*)(Manifest*, Names*, std::string_view)> kinds[] = {
      {"ops", add_op},
      {"kernels", add_device_of_kernels},
      {"kernels.toy", add_kernel},
      {"vjps", add_name<&Manifest::vjps, &Names::vjps>},
#define TENON_ENTRY(noun, plural) {#plural, add_entry<tenon_##noun##_desc>},
      TENON_KINDS(TENON_ENTRY)
#undef TENON_ENTRY
          {"devices", add_name<&Manifest::devices, &Names::devices>}};
  for (const auto& [kind, add] : kinds) {
    for (const char* extra : {"acme.a", "acme.m", "acme.z"}) {
      for (const bool listed : {false, true}) {
        plugin::Manifest manifest;
        Names names;
        add(&manifest, &names, "acme.b");
        add(&manifest, &names, "acme.y");
        EXPECT_NO_THROW(plugin::check_agreement(manifest, names)) << kind;
        add(listed ? &manifest : nullptr, listed ? nullptr : &names, extra);
        EXPECT_THAT(error_of([&] { plugin::check_agreement(manifest, names); }).message,
                    AllOf(HasSubstr("field \"" + std::string(kind) + "\""), HasSubstr(extra)))
            << kind << (listed ? " listed" : " registered");
      }
    }
  }
}

}  // namespace
}  // namespace tenon::tests
