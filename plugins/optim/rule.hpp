// SPDX-License-Identifier: Apache-2.0
// plugins/optim/rule.hpp: what an optimizer has, said once: a table of its hyper-parameters and
// states, from which all else is made: its descriptor, the schemas of its ops, the checks of their
// operands and attributes.
//
//   constexpr Hyper kHypers[] = {learning_rate(1e-3), {"beta", "share that is kept", 0.9, 0, 1}};
//   constexpr State kStates[] = {{"mean", "running mean of gradients"}};
//   constexpr Rule kRule = {.name = "tenon.mine", .doc = "...", .hypers = kHypers,
//                           .states = kStates};
//   constexpr tenon_op_desc kOps[] = {step_op<kRule, compose<false>>("One step ..."),
//                                     rows_op<kRule, compose<true>>("One step of rows ...")};
//   constexpr tenon_optimizer_desc kOptimizers[] = {optimizer<kRule>()};
//
// Tables hold for the plugin's life, as the descriptors that point to their words do.
#pragma once

#include <tenon/ext/draft/optimizers.h>

#include "step.hpp"
#include "text.hpp"

namespace tenon::optim {

struct Hyper {
  std::string_view name;
  std::string_view doc;
  double initial = 0;
  double minimum = 0;
  double maximum = kLargest;
  uint32_t tag = TENON_VALUE_F64;
  bool dynamic = false;  // an input of the ops, where others are attributes
};

constexpr Hyper learning_rate(double initial, std::string_view doc = "learning rate") {
  return {.name = "lr", .doc = doc, .initial = initial, .dynamic = true};
}
constexpr Hyper flag(std::string_view name, std::string_view doc, bool initial = false) {
  return {name, doc, initial ? 1.0 : 0.0, 0, 1, TENON_VALUE_BOOL};
}
constexpr Hyper root_eps(double initial) {
  return {"eps", "added to the root, against division by 0", initial};
}
constexpr Hyper decoupled_decay(double initial) {
  return {"weight_decay", "shrinks the parameter by lr times this share", initial};
}
inline constexpr Hyper kL2Penalty = {"weight_decay", "L2 penalty, added to the gradient"};

struct State {
  std::string_view name;
  std::string_view doc;
  Form form = Form::Like;
  tenon_dtype dtype = TENON_DTYPE_NONE;  // NONE: the parameter's, or f32 beside 16 bits
  double initial = 0;
};

// The last state of each rule, which no table names.
inline constexpr State kStepCount = {"step", "steps made", Form::Scalar, TENON_DTYPE_I64};

struct Rule {
  std::string_view name;
  std::string_view doc;
  std::span<const Hyper> hypers;
  std::span<const State> states;
  bool has_rows = true;    // else row gradients are made dense
  bool by_element = true;  // TENON_OPTIMIZER_BY_ELEMENT
};

// A word as an argument of a template.
template <size_t n>
struct Name {
  constexpr Name(const char (&word)[n]) { std::copy_n(word, n, letters); }
  constexpr std::string_view view() const { return {letters, n - 1}; }

  char letters[n];
};

constexpr uint32_t find_attr(const Rule& rule, std::string_view name) {
  uint32_t number = 0;
  for (const Hyper& hyper : rule.hypers) {
    if (hyper.dynamic) continue;
    if (hyper.name == name) return number;
    ++number;
  }
  throw "the rule has no such attribute";
}

// Where an attribute of the ops stands; a name that is none does not compile.
template <const Rule& rule, Name name>
inline constexpr uint32_t kAttr = find_attr(rule, name.view());

// ---- Names and schemas --------------------------------------------------------------------------

using Words = Text<1024>;

template <const Rule& rule, bool rows>
constexpr Words op_name() {
  Words text;
  text.write(rule.name);
  text.write(rows ? "_rows" : "_step");
  return text;
}

constexpr void write_state(Words& text, const State& state) {
  text.write(state.name);
  text.write("!: ");
  switch (state.dtype) {
    case TENON_DTYPE_NONE:
      return text.write("U[...]*, ");
    case TENON_DTYPE_F64:
      return text.write("f64[]*, ");
    default:
      return text.write("i64[]*, ");
  }
}

constexpr void write_attribute(Words& text, const Hyper& hyper) {
  text.write(", ");
  text.write(hyper.name);
  switch (hyper.tag) {
    case TENON_VALUE_BOOL:
      return text.write(hyper.initial != 0 ? ": bool=true" : ": bool=false");
    case TENON_VALUE_I64:
      text.write(": int=");
      return text.write_whole(static_cast<int64_t>(hyper.initial));
    default:
      text.write(": float=");
      return text.write_real(hyper.initial);
  }
}

template <const Rule& rule, bool rows>
constexpr Words op_schema() {
  Words text;
  text.write(op_name<rule, rows>().view(rule.name.find('.') + 1));
  text.write("(params!: T[...]*, ");
  text.write(rows ? "indices: i64[...]*, values: T[...]*, " : "grads: T[...]*, ");
  for (const State& state : rule.states) write_state(text, state);
  write_state(text, kStepCount);
  for (const Hyper& hyper : rule.hypers) {
    if (hyper.dynamic) text.write(hyper.name), text.write(": f64[], ");
  }
  text.write("*");
  for (const Hyper& hyper : rule.hypers) {
    if (!hyper.dynamic) write_attribute(text, hyper);
  }
  text.write(") -> () where T: float; U: float");
  return text;
}

// What `write` makes, in an array of its size.
template <auto write>
constexpr auto letters_of() {
  constexpr Words text = write();
  std::array<char, text.size()> letters{};
  std::ranges::copy(text.view(), letters.begin());
  return letters;
}
template <auto write>
inline constexpr auto kLetters = letters_of<write>();
template <auto write>
inline constexpr std::string_view kWords{kLetters<write>.data(), kLetters<write>.size()};

template <const Rule& rule>
inline constexpr std::string_view kStepName = kWords<op_name<rule, false>>;
template <const Rule& rule>
inline constexpr std::string_view kRowsName = kWords<op_name<rule, true>>;

// ---- Checks -------------------------------------------------------------------------------------

// The lists of an op, in the order of its schema.
template <const Rule& rule, bool rows>
constexpr auto slots_of() {
  std::array<ListSlot, 3 + rows + rule.states.size()> slots{};
  size_t n = 0;
  slots[n++] = {"params", Form::Like};
  if (rows) slots[n++] = {"indices", Form::Indices};
  slots[n++] = rows ? ListSlot{"values", Form::Values} : ListSlot{"grads", Form::Like};
  for (const State& state : rule.states) slots[n++] = {state.name, state.form};
  slots[n] = {kStepCount.name, kStepCount.form};
  return slots;
}
template <const Rule& rule, bool rows>
inline constexpr auto kSlots = slots_of<rule, rows>();

inline std::string number_words(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", number);
  return text;
}

inline std::string range_words(const Hyper& hyper) {
  const bool has_least = hyper.minimum > -kLargest, has_most = hyper.maximum < kLargest;
  if (!has_least && !has_most) return "a finite number";
  if (!has_most) return "at least " + number_words(hyper.minimum);
  if (!has_least) return "at most " + number_words(hyper.maximum);
  if (hyper.maximum == kBelowOne) {
    return "at least " + number_words(hyper.minimum) + " and below 1";
  }
  return "from " + number_words(hyper.minimum) + " to " + number_words(hyper.maximum);
}

inline void check_attributes(const sdk::Args& args, const Rule& rule) {
  uint32_t index = 0;
  for (const Hyper& hyper : rule.hypers) {
    if (hyper.dynamic) continue;
    if (!is_within(args.attrs.real(index), hyper.minimum, hyper.maximum)) {
      refuse_range(args, index, hyper.name, range_words(hyper));
    }
    ++index;
  }
}

inline void check_nothing_more(const sdk::Args&) {}

template <const Rule& rule, bool rows, void (*check)(const sdk::Args&)>
void infer(const sdk::Args& args, std::span<tenon_meta>) {
  check_lists(args, kSlots<rule, rows>);
  check_attributes(args, rule);
  check(args);
}

// ---- Descriptors --------------------------------------------------------------------------------

// The op on whole parameters. `check` sees to what no table says.
template <const Rule& rule, void (*compose)(sdk::Compose&),
          void (*check)(const sdk::Args&) = check_nothing_more>
constexpr tenon_op_desc step_op(std::string_view doc) {
  return sdk::op({.name = kStepName<rule>,
                  .schema = kWords<op_schema<rule, false>>,
                  .doc = doc,
                  .infer = sdk::infer_fn<infer<rule, false, check>>,
                  .compose = sdk::compose_fn<compose>});
}
// The op on rows of parameters.
template <const Rule& rule, void (*compose)(sdk::Compose&),
          void (*check)(const sdk::Args&) = check_nothing_more>
constexpr tenon_op_desc rows_op(std::string_view doc) {
  return sdk::op({.name = kRowsName<rule>,
                  .schema = kWords<op_schema<rule, true>>,
                  .doc = doc,
                  .infer = sdk::infer_fn<infer<rule, true, check>>,
                  .compose = sdk::compose_fn<compose>});
}

constexpr tenon_hyper_desc hyper_desc(const Hyper& hyper) {
  return {sdk::str(hyper.name),
          sdk::str(hyper.doc),
          hyper.dynamic ? TENON_HYPER_DYNAMIC : 0,
          hyper.tag,
          hyper.initial,
          hyper.minimum,
          hyper.maximum};
}

constexpr uint32_t shape_policy(Form form) {
  switch (form) {
    case Form::PerRow:
      return TENON_STATE_PER_ROW;
    case Form::PerColumn:
      return TENON_STATE_PER_COLUMN;
    case Form::Scalar:
      return TENON_STATE_SCALAR;
    default:
      return TENON_STATE_LIKE_PARAMETER;
  }
}
constexpr tenon_state_desc state_desc(const State& state) {
  return {sdk::str(state.name), sdk::str(state.doc), shape_policy(state.form), state.dtype,
          state.initial};
}

template <const Rule& rule>
constexpr auto hyper_descs() {
  std::array<tenon_hyper_desc, rule.hypers.size()> descs{};
  std::ranges::transform(rule.hypers, descs.begin(), hyper_desc);
  return descs;
}
template <const Rule& rule>
constexpr auto state_descs() {
  std::array<tenon_state_desc, rule.states.size() + 1> descs{};
  std::ranges::transform(rule.states, descs.begin(), state_desc);
  descs.back() = state_desc(kStepCount);
  return descs;
}
template <const Rule& rule>
inline constexpr auto kHyperDescs = hyper_descs<rule>();
template <const Rule& rule>
inline constexpr auto kStateDescs = state_descs<rule>();

template <const Rule& rule>
constexpr tenon_optimizer_desc optimizer() {
  tenon_optimizer_desc desc{};
  desc.struct_size = sizeof desc;
  desc.flags = rule.by_element ? TENON_OPTIMIZER_BY_ELEMENT : 0;
  desc.name = sdk::str(rule.name);
  desc.doc = sdk::str(rule.doc);
  desc.step_op = sdk::str(kStepName<rule>);
  if (rule.has_rows) desc.rows_op = sdk::str(kRowsName<rule>);
  desc.hypers = kHyperDescs<rule>.data();
  desc.states = kStateDescs<rule>.data();
  desc.n_hypers = static_cast<uint32_t>(kHyperDescs<rule>.size());
  desc.n_states = static_cast<uint32_t>(kStateDescs<rule>.size());
  return desc;
}

// Of a step's results, on whole parameters and on rows.
template <const Rule& rule>
constexpr std::array<tenon_tolerance, 8> step_tolerances() {
  constexpr std::string_view reason =
      "A step rounds up to ten times, and while t is small 1 - beta^t keeps few of its digits.";
  constexpr sdk::FloatRooms rooms = {
      .f16 = {1, 2e-6}, .bf16 = {1, 2e-6}, .f32 = {4, 2e-6}, .f64 = {4, 1e-13}};
  std::array<tenon_tolerance, 8> both{};
  std::ranges::copy(sdk::float_tolerances(kStepName<rule>, reason, rooms), both.begin());
  std::ranges::copy(sdk::float_tolerances(kRowsName<rule>, reason, rooms), both.begin() + 4);
  return both;
}

}  // namespace tenon::optim
