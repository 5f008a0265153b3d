// SPDX-License-Identifier: Apache-2.0
// plugins/tvm_ffi/rule.hpp: a gradient, or what an op computes, as an expression of ops,
// "tenon.mul(grad, tenon.exp(x))":
//
//   expression = "x" | "out" | "grad" | number | call
//   call       = op "(" [ expression { "," expression } ] [ "|" value { "," value } ] ")"
//   value      = number | true | false | "text" | dtype | "[" [ integer { "," integer } ] "]"
//              | "_" | an attribute of the op that the expression is for
//
// After "|" are attributes, in the order of the called op's schema; "_" takes the default. An op
// without a dot is Tenon's.
#pragma once

#include <tenon/sdk/plugin/op.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "outline.hpp"

namespace tenon::tvm_ffi {

struct Constant {
  sdk::Value value;  // `text` and `integers` are what it points to
  std::string text;
  std::vector<int64_t> integers;
  int32_t attribute = -1;  // of the op that the expression is for: this one's value
};

struct Expression {
  enum class Kind { Input, Output, Gradient, Number, Call };
  Kind kind = Kind::Number;
  uint32_t index = 0;  // of the input or output
  Constant number;
  std::string op;
  std::vector<Expression> operands;
  std::vector<Constant> attributes;
};

// One expression, and what its results are in order: gradients of these inputs, or these outputs.
struct Rule {
  std::vector<uint32_t> targets;
  Expression expression;
  tenon_vjp_need need{};

  // Sets what the call wants of the gradients.
  void run(sdk::Vjp& call) const;
  // Sets the outputs.
  void run(sdk::Compose& call) const;
};

// What a rule is for: it reads more names if it is a gradient.
enum class Purpose { Gradient, Composition };

// `place` begins the words of the sdk::Failure that it throws.
Rule read_rule(std::string_view text, std::vector<uint32_t> targets, Purpose purpose,
               const Outline& outline, const std::string& place);

}  // namespace tenon::tvm_ffi
