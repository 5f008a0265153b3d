// SPDX-License-Identifier: Apache-2.0
// plugins/tvm_ffi/description.hpp: what a description says, docs/tvm-ffi.md: a plugin's id, and the
// functions that are its ops.
#pragma once

#include <tenon/sdk/plugin/base.hpp>

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kernels.hpp"
#include "outline.hpp"
#include "rule.hpp"

namespace tenon::tvm_ffi {

struct Sample {
  std::string text;
  tenon_status expect = TENON_OK;
  std::string says;  // in the refusal
};

struct Tolerance {
  tenon_dtype dtype = TENON_DTYPE_NONE;
  double ulp = 0;
  double relative = 0;
  std::string reason;
};

// One op, its kernel, its gradient.
struct Described {
  std::string op;
  std::string schema;
  std::string doc;
  uint32_t revision = 1;
  bool twice = false;        // the gradient's ops have gradients themselves
  bool has_outline = false;  // else the schema is none, and the host says why
  Outline outline;
  Function function;
  std::vector<tenon_dtype> rows;  // one row after the other, each of one dtype for a variable
  std::vector<Rule> composition;  // empty: only the kernel computes it
  std::vector<Rule> rules;        // empty: its gradient is that of its composition, or none
  uint64_t without_gradient = 0;  // inputs that never have one, as bits
  std::vector<Sample> samples;
  std::vector<Tolerance> tolerances;
};

struct Description {
  std::string id;
  std::string version;
  std::string license;
  std::string library;
  std::deque<Described> functions;  // which stay where they are
};

inline constexpr std::string_view kFormat = "tenon.tvm_ffi/1";

// Throws sdk::Failure, whose words name the field.
Description read_description(const std::string& text);

}  // namespace tenon::tvm_ffi
