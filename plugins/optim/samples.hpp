// SPDX-License-Identifier: Apache-2.0
// plugins/optim/samples.hpp: the sample calls that rules have in common whose states have the
// parameter's shape, or are one number.
#pragma once

#include <tenon/sdk/plugin/op.hpp>

#include <array>

#include "rule.hpp"

namespace tenon::optim {

// Attributes that a rule refuses, and words of the message.
struct RefusedAttrs {
  std::string_view attrs, fragment;
};

// What the calls of one rule have of their own.
struct RuleSamples {
  std::span<const std::string_view> states;  // range of each, "" by default; kNumber: one number
  std::string_view some_attrs, other_attrs;  // of good calls
  std::string_view more_attrs = {};          // of one call more, "" for none
  std::span<const RefusedAttrs> refused;     // the first of them is refused of rows, too
};

inline constexpr std::string_view kNumber = "f64[]{0.5}";

// One call without the states. Up to two parameters: what `state` says of each is followed by the
// range of a state.
struct CallForm {
  std::string_view front;  // parameters and gradients
  std::array<std::string_view, 2> state;
  std::string_view back;  // steps and learning rate
  uint32_t attrs = 0;     // 1: some_attrs, 2: other_attrs
};

inline constexpr CallForm kStepCalls[] = {
    {"[f32[3,2]], [f32[3,2]]", {"f32[3,2]"}, "[i64[]{0}], f64[]{0.1}"},
    {"[f32[2,3,4], f32[5]], [f32[2,3,4], f32[5]]",
     {"f32[2,3,4]", "f32[5]"},
     "[i64[]{3}, i64[]{20}], f64[]{0.01}",
     1},
    {"[f64[4]], [f64[4]]", {"f64[4]"}, "[i64[]{1}], f64[]{0.01}", 2},
    {"[f64[2,2]], [f64[2,2]]", {"f64[2,2]"}, "[i64[]{7}], f64[]{0.05}"},
    {"[bf16[4,1]], [bf16[4,1]]", {"f32[4,1]"}, "[i64[]{1}], f64[]{0.5}"},
    {"[f16[], f16[0,2]], [f16[], f16[0,2]]",
     {"f16[]", "f16[0,2]"},
     "[i64[]{1}, i64[]{2}], f64[]{0.1}"},
    {"[], []", {}, "[], f64[]{0.1}"},
    {"[f32[2,1,3,2]], [f32[2,1,3,2]]", {"f32[2,1,3,2]"}, "[i64[]{4}], f64[]{0.05}", 1},
    {"[f32[4]{nan,inf,1.0,-0.0}], [f32[4]{1.0,-1.0,nan,0.5}]",
     {"f32[4]"},
     "[i64[]{1}], f64[]{0.5}"},
};

inline constexpr CallForm kRowsCalls[] = {
    {"[f32[5,2]], [i64[2]{1,3}], [f32[2,2]]", {"f32[5,2]"}, "[i64[]{2}], f64[]{0.1}", 1},
    {"[f64[4,2,2], f64[3]], [i64[0], i64[3]{0,1,2}], [f64[0,2,2], f64[3]]",
     {"f64[4,2,2]", "f64[3]"},
     "[i64[]{0}, i64[]{0}], f64[]{0.1}"},
    {"[], [], []", {}, "[], f64[]{0.1}"},
    {"[f32[1,3]], [i64[1]{0}], [f32[1,3]]", {"f32[1,3]"}, "[i64[]{1}], f64[]{0.5}"},
    {"[bf16[4,2]], [i64[2]{0,3}], [bf16[2,2]]", {"f32[4,2]"}, "[i64[]{3}], f64[]{0.1}"},
    {"[f16[4]], [i64[3]{0,1,3}], [f16[3]]", {"f16[4]"}, "[i64[]{1}], f64[]{0.1}"},
    {"[f32[0,3]], [i64[0]], [f32[0,3]]", {"f32[0,3]"}, "[i64[]{1}], f64[]{0.1}"},
};

struct RefusedForm {
  CallForm call;
  tenon_status status;
  std::string_view fragment;  // "": the name of the first state, of parameter 0
};

inline constexpr RefusedForm kStepRefused[] = {
    {{"[f32[3]], [f32[3]]", {"f32[3]"}, "[], f64[]{0.1}"},
     TENON_E_ARGUMENT,
     "step has 0 tensors for 1 parameters"},
    {{"[f32[3,2]], [f32[2,3]]", {"f32[3,2]"}, "[i64[]{0}], f64[]{0.1}"}, TENON_E_SHAPE, "grads[0]"},
    {{"[f32[3]], [f32[3]]", {"f32[4]"}, "[i64[]{0}], f64[]{0.1}"}, TENON_E_SHAPE, ""},
    {{"[f32[3]], [f64[3]]", {"f32[3]"}, "[i64[]{0}], f64[]{0.1}"}, TENON_E_DTYPE, "grads"},
    {{"[i32[3]], [i32[3]]", {"f32[3]"}, "[i64[]{0}], f64[]{0.1}"}, TENON_E_DTYPE, "i32"},
    {{"[f32[3]], [f32[3]]", {"f32[3]"}, "[i64[]{0}]"}, TENON_E_ARGUMENT, "number of operands"},
};
inline constexpr CallForm kStepAttrs = {"[f32[3]], [f32[3]]", {"f32[3]"}, "[i64[]{0}], f64[]{0.1}"};

inline constexpr RefusedForm kRowsRefused[] = {
    {{"[f32[5,2]], [i64[2]{1,3}], [f32[2,3]]", {"f32[5,2]"}, "[i64[]{2}], f64[]{0.1}"},
     TENON_E_SHAPE,
     "values[0]"},
    {{"[f32[5]], [i64[1]{5}], [f32[1]]", {"f32[5]"}, "[i64[]{2}], f64[]{0.1}"},
     TENON_E_DATA,
     "outside the table's 5 rows"},
    {{"[f32[5]], [i32[1]{1}], [f32[1]]", {"f32[5]"}, "[i64[]{2}], f64[]{0.1}"},
     TENON_E_DTYPE,
     "indices"},
    {{"[f32[]], [i64[1]{0}], [f32[1]]", {"f32[]"}, "[i64[]{2}], f64[]{0.1}"},
     TENON_E_SHAPE,
     "rank 0 has no rows"},
};
inline constexpr CallForm kRowsAttrs = {
    "[f32[5]], [i64[1]{1}], [f32[1]]", {"f32[5]"}, "[i64[]{2}], f64[]{0.1}"};

template <const Rule& rule>
constexpr Words first_state() {
  Words text;
  text.write(rule.states[0].name);
  text.write("[0]");
  return text;
}

// All calls of a rule. Their texts lie in the object itself, to which the samples point.
template <const Rule& rule, const RuleSamples& own>
class RuleCalls {
  static constexpr size_t kCount = std::size(kStepCalls) + std::size(kRowsCalls) +
                                   std::size(kStepRefused) + std::size(kRowsRefused) +
                                   own.refused.size() + 1 + (own.more_attrs.empty() ? 0 : 1);
  static constexpr size_t kRoom = 6144;

 public:
  constexpr RuleCalls() {
    constexpr std::string_view step = kStepName<rule>, rows = kRowsName<rule>;
    for (const CallForm& form : kStepCalls) good(step, form);
    if (!own.more_attrs.empty()) add({step, ""}, kStepCalls[1], own.more_attrs);
    for (const CallForm& form : kRowsCalls) good(rows, form);
    for (const RefusedForm& form : kStepRefused) refused(step, form);
    for (const RefusedAttrs& each : own.refused) refused(step, kStepAttrs, each);
    for (const RefusedForm& form : kRowsRefused) refused(rows, form);
    refused(rows, kRowsAttrs, own.refused[0]);
  }

  // They point into this object.
  constexpr std::array<tenon_sample, kCount> samples() const {
    std::array<tenon_sample, kCount> all{};
    for (size_t i = 0; i < kCount; ++i) {
      const Call& call = calls_[i];
      const std::string_view text = text_.view(call.begin).substr(0, call.size);
      all[i] = call.status == TENON_OK ? sdk::sample(call.op, text)
                                       : sdk::refused(call.op, text, call.status, call.fragment);
    }
    return all;
  }

 private:
  struct Call {
    std::string_view op, fragment;
    tenon_status status = TENON_OK;
    size_t begin = 0, size = 0;
  };

  constexpr void state(const CallForm& form, std::string_view range) {
    text_.write(", [");
    for (size_t i = 0; i < form.state.size() && !form.state[i].empty(); ++i) {
      if (i > 0) text_.write(", ");
      if (range != kNumber) text_.write(form.state[i]);
      text_.write(range);
    }
    text_.write("]");
  }
  constexpr void add(Call call, const CallForm& form, std::string_view attrs) {
    call.begin = text_.size();
    text_.write(form.front);
    for (const std::string_view range : own.states) state(form, range);
    text_.write(", ");
    text_.write(form.back);
    if (!attrs.empty()) text_.write(" | ");
    text_.write(attrs);
    call.size = text_.size() - call.begin;
    calls_[n_++] = call;
  }
  constexpr void good(std::string_view op, const CallForm& form) {
    const std::string_view attrs[] = {"", own.some_attrs, own.other_attrs};
    add({op, ""}, form, attrs[form.attrs]);
  }
  constexpr void refused(std::string_view op, const RefusedForm& form) {
    const std::string_view fragment =
        form.fragment.empty() ? kWords<first_state<rule>> : form.fragment;
    add({op, fragment, form.status}, form.call, "");
  }
  constexpr void refused(std::string_view op, const CallForm& form, const RefusedAttrs& each) {
    add({op, each.fragment, TENON_E_ATTRIBUTE}, form, each.attrs);
  }

  std::array<Call, kCount> calls_{};
  Text<kRoom> text_;
  size_t n_ = 0;
};

template <const Rule& rule, const RuleSamples& own>
inline constexpr RuleCalls<rule, own> kRuleCalls{};

}  // namespace tenon::optim
