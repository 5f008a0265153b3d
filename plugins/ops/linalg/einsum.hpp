// SPDX-License-Identifier: Apache-2.0
// plugins/ops/linalg/einsum.hpp: an einsum equation, read against the shapes of its operands.
//
//   equation = term { "," term } [ "->" term ]
//   term     = { letter | "..." }, "..." at most once; spaces mean nothing
// A label is a letter, or one of the dimensions for which "..." stands, counted from the last:
// these have the names kEllipsis, kEllipsis + 1, ...
#pragma once

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "rules.hpp"

namespace tenon::einsum {

constexpr char kEllipsis = 1;  // before all letters

[[noreturn]] inline void refuse_equation(std::string what, std::string_view found) {
  throw sdk::Failure{TENON_E_ATTRIBUTE, std::move(what), "equation",
                     "terms of letters and at most one '...', such as ij,jk->ik",
                     std::string(found)};
}

// Which size each label has: the largest it has anywhere, for sizes of 1 stretch.
class Sizes {
 public:
  void join(char label, int64_t size, const std::string& operand, std::span<const int64_t> shape) {
    int64_t& known = sizes_[static_cast<size_t>(label)];
    if (known == kUnknown || known == 1) {
      known = size;
    } else if (size != known && size != 1) {
      const std::string named =
          label < 'A' ? "a dimension of '...'" : std::string("label '") + label + "'";
      throw sdk::Failure{
          TENON_E_SHAPE,
          named + " has sizes " + std::to_string(known) + " and " + std::to_string(size), operand,
          std::to_string(known) + " or 1", sdk::shape_text(shape)};
    }
  }
  bool known(char label) const { return sizes_[static_cast<size_t>(label)] != kUnknown; }
  int64_t operator[](char label) const { return sizes_[static_cast<size_t>(label)]; }

  Sizes() { sizes_.fill(kUnknown); }

 private:
  static constexpr int64_t kUnknown = -1;
  std::array<int64_t, 128> sizes_;
};

// The labels of a term, one for each dimension; `dots` is how many "..." stands for.
inline std::string expanded(std::string_view term, size_t dots) {
  std::string labels;
  for (const char mark : term) {
    if (mark != '.') {
      labels += mark;
      continue;
    }
    for (size_t i = dots; i-- > 0;) labels += static_cast<char>(kEllipsis + i);
  }
  return labels;
}

// A term with one '.' for "...".
inline std::string read_term(std::string_view text) {
  std::string term;
  for (size_t i = 0; i < text.size(); ++i) {
    const char mark = text[i];
    if (std::isalpha(static_cast<unsigned char>(mark)) != 0) {
      term += mark;
    } else if (text.substr(i, 3) == "..." && term.find('.') == std::string::npos) {
      term += '.';
      i += 2;
    } else {
      refuse_equation("'" + std::string(1, mark) + "' cannot stand here in an equation", text);
    }
  }
  return term;
}

struct Equation {
  std::vector<std::string> terms;  // labels of each operand's dimensions
  std::string output;
  Sizes sizes;
};

class Reader {
 public:
  explicit Reader(std::string_view text) {
    for (const char mark : text) {
      if (mark != ' ') text_ += mark;
    }
    const size_t arrow = text_.find("->");
    std::string_view left = std::string_view(text_).substr(0, arrow);
    for (size_t begin = 0; begin <= left.size();) {
      const size_t end = std::min(left.find(',', begin), left.size());
      terms_.push_back(read_term(left.substr(begin, end - begin)));
      begin = end + 1;
    }
    has_output_ = arrow != std::string::npos;
    if (has_output_) output_ = read_term(std::string_view(text_).substr(arrow + 2));
  }

  // `shape(i)` is that of operand i.
  template <class Shape>
  Equation read(size_t n_operands, const Shape& shape) {
    if (n_operands != terms_.size()) {
      throw sdk::Failure{TENON_E_ARGUMENT, "the equation is of another number of operands", "xs",
                         std::to_string(terms_.size()) + " operands for " + text_,
                         std::to_string(n_operands)};
    }
    Equation e;
    size_t most_dots = 0;
    for (size_t i = 0; i < n_operands; ++i) {
      const std::span<const int64_t> sizes = shape(i);
      const size_t dots = dots_of(i, sizes);
      most_dots = std::max(most_dots, dots);
      e.terms.push_back(expanded(terms_[i], dots));
      join(e, i, sizes);
    }
    e.output = expanded(has_output_ ? output_ : implicit_output(), most_dots);
    check_output(e);
    return e;
  }

 private:
  static std::string operand_name(size_t i) { return "xs[" + std::to_string(i) + "]"; }

  size_t dots_of(size_t i, std::span<const int64_t> shape) const {
    const bool open = terms_[i].find('.') != std::string::npos;
    const size_t letters = terms_[i].size() - (open ? 1 : 0);
    if (shape.size() == letters || (open && shape.size() > letters)) return shape.size() - letters;
    throw sdk::Failure{
        TENON_E_SHAPE, "the term of " + operand_name(i) + " is of another number of dimensions",
        operand_name(i), std::to_string(letters) + (open ? " or more" : "") + " dimensions",
        sdk::shape_text(shape)};
  }

  static void join(Equation& e, size_t i, std::span<const int64_t> shape) {
    const std::string& labels = e.terms[i];
    for (size_t d = 0; d < labels.size(); ++d) {
      const size_t first = labels.find(labels[d]);
      if (shape[first] != shape[d]) {
        throw sdk::Failure{
            TENON_E_SHAPE,
            std::string("label '") + labels[d] + "' has sizes " + std::to_string(shape[first]) +
                " and " + std::to_string(shape[d]) + " in one operand",
            operand_name(i), "equal sizes, of which the diagonal is taken", sdk::shape_text(shape)};
      }
      e.sizes.join(labels[d], shape[d], operand_name(i), shape);
    }
  }

  // "..." and, in alphabetical order, the letters that stand once.
  std::string implicit_output() const {
    std::string all;
    for (const std::string& term : terms_) all += term;
    std::string once = all.find('.') == std::string::npos ? "" : ".";
    for (char letter = 'A'; letter <= 'z'; ++letter) {
      if (std::count(all.begin(), all.end(), letter) == 1) once += letter;
    }
    return once;
  }

  void check_output(const Equation& e) const {
    const std::string& labels = e.output;
    for (size_t i = 0; i < labels.size(); ++i) {
      if (!e.sizes.known(labels[i])) {
        refuse_equation(std::string("output label '") + labels[i] + "' is in no operand", text_);
      }
      if (labels.find(labels[i]) != i) {
        refuse_equation(std::string("output label '") + labels[i] + "' stands twice", text_);
      }
    }
  }

  std::string text_;
  std::vector<std::string> terms_;
  std::string output_;
  bool has_output_ = false;
};

}  // namespace tenon::einsum
