// SPDX-License-Identifier: Apache-2.0
// plugins/tvm_ffi/rule.cc: see rule.hpp.
#include "rule.hpp"

#include <algorithm>
#include <charconv>

#include "names.hpp"

namespace tenon::tvm_ffi {
namespace {

constexpr int kMaxDepth = 32;  // of calls in calls: reading and running them calls itself

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
bool is_number(char c) { return (c >= '0' && c <= '9') || c == '-' || c == '+'; }

class Reader {
 public:
  Reader(std::string_view text, Purpose purpose, const Outline& outline, const std::string& place,
         tenon_vjp_need& need)
      : text_(text), purpose_(purpose), outline_(outline), place_(place), need_(need) {}

  Expression whole() {
    Expression read = expression(0);
    space();
    if (at_ != text_.size()) refuse("the end");
    return read;
  }

 private:
  [[noreturn]] void refuse(const std::string& expected, const std::string& hint = {}) const {
    const std::string found =
        at_ == text_.size() ? "the end" : "\"" + std::string(text_.substr(at_, 24)) + "\"";
    throw sdk::Failure{TENON_E_SCHEMA,
                       place_ + ": column " + std::to_string(at_ + 1) + ": expected " + expected +
                           ", found " + found + (hint.empty() ? "" : "; " + hint),
                       place_,
                       expected,
                       found,
                       hint};
  }
  void space() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(char mark) {
    space();
    if (at_ == text_.size() || text_[at_] != mark) return false;
    ++at_;
    return true;
  }
  void need(char mark) {
    if (!take(mark)) refuse(std::string("'") + mark + "'");
  }
  bool at_number() {
    space();
    return at_ < text_.size() && is_number(text_[at_]);
  }
  // A name, with the dots of an op's if `dots`.
  std::string word(bool dots) {
    space();
    const size_t begin = at_;
    while (at_ < text_.size() && (is_word(text_[at_]) || (dots && text_[at_] == '.'))) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  // An integer stays one.
  sdk::Value number() {
    space();
    const char* begin = text_.data() + at_ + (text_[at_] == '+' ? 1 : 0);
    const char* end = text_.data() + text_.size();
    int64_t integer = 0;
    double real = 0;
    const auto whole = std::from_chars(begin, end, integer);
    const auto parsed = std::from_chars(begin, end, real);
    if (parsed.ec != std::errc()) refuse("a number");
    const bool is_integer = whole.ec == std::errc() && whole.ptr == parsed.ptr;
    at_ = static_cast<size_t>(parsed.ptr - text_.data());
    return is_integer ? sdk::Value(integer) : sdk::Value(real);
  }

  Expression expression(int depth) {
    if (depth > kMaxDepth) refuse("at most " + std::to_string(kMaxDepth) + " calls in calls");
    Expression read;
    if (at_number()) {
      read.number.value = number();
      return read;
    }
    const size_t begin = at_;
    const std::string name = word(true);
    if (take('(')) return call(name, depth);
    if (!find_operand(name, read)) {
      at_ = begin;
      refuse("a number, a call, or one of " + known_names(), "an op is called: " + name + "(...)");
    }
    return read;
  }

  Expression call(const std::string& op, int depth) {
    Expression read;
    read.kind = Expression::Kind::Call;
    if (op.empty()) refuse("the name of an op before '('");
    read.op = op.find('.') == std::string::npos ? "tenon." + op : op;
    if (take(')')) return read;
    if (!take('|')) {
      do {
        read.operands.push_back(expression(depth + 1));
      } while (take(','));
      if (take(')')) return read;
      if (!take('|')) refuse("',', '|' or ')'");
    }
    do {
      read.attributes.push_back(constant());
    } while (take(','));
    need(')');
    return read;
  }

  Constant constant() {
    Constant read;
    if (at_number()) {
      read.value = number();
    } else if (take('[')) {
      integers(read);
    } else if (take('"')) {
      const size_t end = std::min(text_.find('"', at_), text_.size());
      read.text = text_.substr(at_, end - at_);
      at_ = end;
      need('"');
      read.value.tag = TENON_VALUE_STRING;
    } else {
      named(read);
    }
    return read;
  }
  void integers(Constant& read) {
    read.value.tag = TENON_VALUE_INT_LIST;
    if (take(']')) return;
    do {
      const sdk::Value item = at_number() ? number() : sdk::Value();
      if (item.tag != TENON_VALUE_I64) refuse("an integer");
      read.integers.push_back(item.as.i64);
    } while (take(','));
    need(']');
  }
  void named(Constant& read) {
    const size_t begin = at_;
    const std::string name = word(false);
    const auto own = std::ranges::find(outline_.attributes, name, &Attribute::name);
    if (own != outline_.attributes.end()) {
      read.attribute = static_cast<int32_t>(own - outline_.attributes.begin());
    } else if (name == "true" || name == "false") {
      read.value = sdk::Value(name == "true");
    } else if (const tenon_dtype dtype = dtype_named(name); dtype != TENON_DTYPE_NONE) {
      read.value = sdk::Value::dtype(dtype);
    } else if (name != "_") {
      at_ = begin;
      refuse("a value or the name of an attribute");
    }
  }

  bool find_operand(const std::string& name, Expression& read) {
    for (uint32_t i = 0; i < outline_.inputs.size(); ++i) {
      if (outline_.inputs[i].name != name) continue;
      read.kind = Expression::Kind::Input;
      read.index = i;
      need_.inputs |= sdk::bit(i);
      return true;
    }
    for (uint32_t i = 0; i < outline_.outputs.size() && purpose_ == Purpose::Gradient; ++i) {
      read.index = i;
      if (outline_.outputs[i].name == name) {
        read.kind = Expression::Kind::Output;
        need_.outputs |= sdk::bit(i);
        return true;
      }
      read.kind = Expression::Kind::Gradient;
      if (gradient_name(i) == name) return true;
    }
    return false;
  }
  std::string gradient_name(uint32_t output) const {
    return outline_.outputs.size() == 1 ? "grad" : "grad_" + outline_.outputs[output].name;
  }
  std::string known_names() const {
    std::string names;
    for (const Input& input : outline_.inputs) names += input.name + ", ";
    for (uint32_t i = 0; i < outline_.outputs.size() && purpose_ == Purpose::Gradient; ++i) {
      names += outline_.outputs[i].name + ", " + gradient_name(i) + ", ";
    }
    return names.empty() ? "none" : names.substr(0, names.size() - 2);
  }

  std::string_view text_;
  Purpose purpose_;
  const Outline& outline_;
  const std::string& place_;
  tenon_vjp_need& need_;
  size_t at_ = 0;
};

// A composition as an expression asks it; it has no results and no gradients yet.
class Composition : public sdk::Compose {
 public:
  explicit Composition(const sdk::Compose& call) : sdk::Compose(call) {}
  sdk::Value attr(uint32_t index) const { return attrs.given(index) ? attrs[index] : sdk::Value(); }
  static sdk::Value out(uint32_t) { return {}; }
  static sdk::Value dy(uint32_t) { return {}; }
};

template <class Call>
sdk::Value value_of(const Constant& constant, Call& call) {
  if (constant.attribute >= 0) return call.attr(static_cast<uint32_t>(constant.attribute));
  if (constant.value.tag == TENON_VALUE_STRING) return sdk::text_value(constant.text);
  if (constant.value.tag == TENON_VALUE_INT_LIST) {
    return std::span<const int64_t>(constant.integers);
  }
  return constant.value;
}

template <class Call>
sdk::Value value_of(const Expression& expression, Call& call);

template <class Call>
void call_op(const Expression& expression, Call& call, std::span<tenon_tensor*> outputs) {
  std::vector<sdk::Value> operands;
  std::vector<sdk::Value> attributes;
  for (const Expression& operand : expression.operands) {
    operands.push_back(value_of(operand, call));
  }
  for (const Constant& constant : expression.attributes) {
    attributes.push_back(value_of(constant, call));
  }
  call.call_many(expression.op, operands, attributes, outputs);
}

template <class Call>
sdk::Value value_of(const Expression& expression, Call& call) {
  switch (expression.kind) {
    case Expression::Kind::Input:
      return call.in(expression.index);
    case Expression::Kind::Output:
      return call.out(expression.index);
    case Expression::Kind::Gradient:
      return call.dy(expression.index);
    case Expression::Kind::Number:
      return expression.number.value;
    case Expression::Kind::Call:
      break;
  }
  tenon_tensor* result = nullptr;
  call_op(expression, call, {&result, 1});
  return result;
}

// One value for each target.
template <class Call>
std::vector<sdk::Value> results_of(const Rule& rule, Call& call) {
  if (rule.targets.size() == 1) return {value_of(rule.expression, call)};
  std::vector<tenon_tensor*> results(rule.targets.size());
  call_op(rule.expression, call, results);
  return {results.begin(), results.end()};
}

}  // namespace

void Rule::run(sdk::Vjp& call) const {
  if (std::ranges::none_of(targets, [&](uint32_t input) { return call.wants(input); })) return;
  const std::vector<sdk::Value> results = results_of(*this, call);
  for (size_t i = 0; i < targets.size(); ++i) {
    if (call.wants(targets[i])) call.grad(targets[i], results[i]);
  }
}

void Rule::run(sdk::Compose& call) const {
  Composition composition(call);
  const std::vector<sdk::Value> results = results_of(*this, composition);
  for (size_t i = 0; i < targets.size(); ++i) call.set(targets[i], results[i]);
}

Rule read_rule(std::string_view text, std::vector<uint32_t> targets, Purpose purpose,
               const Outline& outline, const std::string& place) {
  Rule rule;
  rule.targets = std::move(targets);
  rule.expression = Reader(text, purpose, outline, place, rule.need).whole();
  const Expression::Kind kind = rule.expression.kind;
  const bool is_tensor = kind == Expression::Kind::Call ||
                         (purpose == Purpose::Gradient && kind != Expression::Kind::Number &&
                          rule.targets.size() == 1);
  if (!is_tensor) {
    throw sdk::Failure{TENON_E_SCHEMA, place + ": expected a call of an op, found \"" +
                                           std::string(text) + "\"; the number of results is " +
                                           std::to_string(rule.targets.size())};
  }
  return rule;
}

}  // namespace tenon::tvm_ffi
