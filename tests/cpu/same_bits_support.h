// SPDX-License-Identifier: Apache-2.0
// tests/cpu/same_bits_support.h: calls whose bits are compared between builds of tenon.cpu.
#pragma once

#include <optional>
#include <set>

#include "tests/conformance/conformance_support.h"

namespace tenon::tests {

inline constexpr std::string_view kPlugin = "tenon.cpu";

// Ops that `plugin` has kernels for.
std::set<std::string> ops_of(const std::vector<std::string>& folders, std::string_view plugin);

void pin(const Session& session, std::string_view plugin);

// The plugin whose kernel would run.
std::string chosen(const Session& session, const Case& from, const Bound& bound);

// `from` with every extent above 1 as many times as large, so that its largest operand has about
// `elements`; contents are repeated and shaken. Nothing if no extent can grow.
std::optional<Case> enlarged(const Case& from, double elements);

// Where attributes fix shapes, larger operands are refused.
bool is_accepted(const Session& session, const Case& from);

Outcome run_pinned(const Session& session, std::string_view plugin, const Case& from,
                   const std::vector<Layout>& layouts);

// Layouts that differ from operand to operand.
std::vector<Layout> mixed(size_t count, size_t first);

}  // namespace tenon::tests
