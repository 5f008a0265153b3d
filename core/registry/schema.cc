// SPDX-License-Identifier: Apache-2.0
// core/registry/schema.cc: the parser of schema texts. One pass from left to right over bytes,
// without recursion; rules that need the whole text (bound variables, duplicates of a name) are
// checked at the column where the offending name stands.
#include "core/registry/schema.h"

#include <algorithm>
#include <charconv>

#include "core/registry/schema_cursor.h"

namespace tenon::registry {
namespace {

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text), cursor_(text) {}

  Schema parse() {
    check_size(text_.size());
    cursor_.check_bytes();
    parse_name();
    parse_parameters();
    parse_outputs();
    parse_where();
    if (!cursor_.at_end()) cursor_.fail(cursor_.here(), "'where' or the end of the text");
    check_variables();
    for (Param& input : schema_.inputs) note_shape(input);
    for (Output& output : schema_.outputs) note_shape(output);
    schema_.text = format_schema(schema_);
    check_size(schema_.text.size());
    return std::move(schema_);
  }

 private:
  static void note_shape(Operand& operand) {
    if (operand.has_dims) operand.shape_text = format_dims(operand.dims);
  }

  // --- parts of the grammar ---------------------------------------------------------------------

  void parse_name() {
    schema_.name = cursor_.read_dotted_name("the op's name");
    cursor_.set_op(schema_.name);
  }

  void parse_parameters() {
    cursor_.expect('(', "after the op's name");
    if (cursor_.accept(')')) return;
    bool attributes = false;
    do {
      if (!attributes && cursor_.accept('*')) {
        attributes = true;
        cursor_.expect(',', "after '*'");
      }
      attributes ? parse_attr() : parse_input();
    } while (cursor_.accept(','));
    cursor_.expect(')', "or ',' after a parameter");
  }

  void parse_input() {
    Param input;
    const Word name = cursor_.read_word("an input's name or '*'");
    claim_name(name);
    input.name = name.text;
    input.mutated = cursor_.accept('!');
    cursor_.expect(':', "after an input's name");
    input.type = parse_type(cursor_.read_word(type_expected));
    note_use(input.type, input.mutated);
    parse_dims(input, true);
    input.list = cursor_.accept('*');
    input.optional = cursor_.accept('?');
    if (!input.optional && !schema_.inputs.empty() && schema_.inputs.back().optional) {
      cursor_.refuse(name.at, "required input " + quoted(name.text) + " follows an optional one",
                     "optional inputs come last");
    }
    if (!input.optional) mark_bound(input.type.variable);
    schema_.inputs.push_back(std::move(input));
    check_slot_count(name);
  }

  void parse_attr() {
    Attr attr;
    const Word name = cursor_.read_word("an attribute's name");
    claim_name(name);
    attr.name = name.text;
    cursor_.expect(':', "after an attribute's name");
    parse_kind(attr);
    attr.optional = cursor_.accept('?');
    if (cursor_.accept('=')) attr.def = parse_default(attr);
    if (!attr.optional) mark_bound(attr.binds_variable);
    schema_.attrs.push_back(std::move(attr));
    if (schema_.attrs.size() > max_schema_attrs) {
      cursor_.refuse(name.at, "too many attributes", "at most " + std::to_string(max_schema_attrs));
    }
  }

  void parse_outputs() {
    if (!cursor_.accept_arrow()) cursor_.fail(cursor_.here(), "'->' after the parameters");
    if (!cursor_.accept('(')) {
      parse_output();
      return;
    }
    if (cursor_.accept(')')) return;
    do parse_output();
    while (cursor_.accept(','));
    cursor_.expect(')', "or ',' after an output");
  }

  void parse_output() {
    Output output;
    Word word = cursor_.read_word("an output's type or name");
    if (word.text == "aux" && cursor_.peek() != ':') {
      output.aux = true;
      word = cursor_.read_word("an output's type or name after 'aux'");
    }
    const Word first = word;
    if (cursor_.accept(':')) {
      if (word.text == "aux") {
        cursor_.refuse(word.at, "an output cannot be named 'aux'", "aux is a mark");
      }
      claim_name(word);
      output.name = word.text;
      word = cursor_.read_word(type_expected);
    }
    output.type = parse_type(word);
    parse_dims(output, false);
    if (!output.aux && !schema_.outputs.empty() && schema_.outputs.back().aux) {
      cursor_.refuse(first.at, "a plain output follows an aux one", "aux outputs come last");
    }
    schema_.outputs.push_back(std::move(output));
    check_slot_count(first);
  }

  TypeTerm parse_type(const Word& word) {
    if (const auto dtype = tensor::dtype_from_name(word.text)) return {-1, *dtype};
    if (!is_type_variable_name(word.text)) cursor_.fail(word.at, type_expected);
    return {variable_index(word), TENON_DTYPE_NONE};
  }

  void parse_dims(Operand& operand, bool of_input) {
    size_t counted = 0;
    size_t runs = 0;
    operand.has_dims = cursor_.accept('[');
    if (!operand.has_dims || cursor_.accept(']')) return;
    do {
      const size_t begin = cursor_.here();
      operand.dims.push_back(parse_dim());
      ++(operand.dims.back().kind == Dim::Ellipsis ? runs : counted);
      if (counted > TENON_MAX_RANK) {
        cursor_.refuse(begin, "too many dimensions", "at most " + std::to_string(TENON_MAX_RANK));
      }
      if (of_input && runs > 1) {
        cursor_.refuse(begin, "a second '...' in one input",
                       "where the first ends would be unknown");
      }
    } while (cursor_.accept(','));
    cursor_.expect(']', "or ',' after a dimension");
  }

  Dim parse_dim() {
    const size_t begin = cursor_.here();
    const std::string text = cursor_.read_dim_text();
    if (text.empty()) {
      cursor_.fail(begin, "a dimension (a name, an integer, '...' or an expression)");
    }
    if (is_schema_word(text)) return {Dim::Letter, text, 0};
    if (text.starts_with("...")) {
      const std::string run = text.substr(3);
      if (!run.empty() && !is_schema_word(run)) cursor_.fail(begin, "'...' or '...' with a name");
      return {Dim::Ellipsis, run, 0};
    }
    if (is_digits(text)) {
      int64_t value = 0;
      const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
      if (result.ec != std::errc()) cursor_.fail(begin, "a dimension of 64 bits");
      return {Dim::Integer, {}, value};
    }
    if (text.front() == '-') cursor_.fail(begin, "a dimension that is not negative");
    const auto says_something = [](const char& c) {
      return is_schema_word({&c, 1}) || is_digits({&c, 1});
    };
    const size_t dots = text.find("..");
    const bool torn = dots != text.npos && text.compare(dots, 3, "...") != 0;
    if (torn || std::none_of(text.begin(), text.end(), says_something)) {
      cursor_.fail(begin, "a dimension (a name, an integer, '...' or an expression of these)");
    }
    return {Dim::Expression, text, 0};
  }

  void parse_kind(Attr& attr) {
    static constexpr const char* expected =
        "an attribute's kind (int, float, bool, str, number, dtype, int[], int[N] or a type "
        "variable)";
    const Word word = cursor_.read_word(expected);
    for (const AttrKind kind : {AttrKind::Int, AttrKind::Float, AttrKind::Bool, AttrKind::String,
                                AttrKind::Number, AttrKind::Dtype}) {
      if (word.text != name_of(kind)) continue;
      attr.kind = kind;
      if (kind == AttrKind::Int && cursor_.accept('[')) parse_list_kind(attr);
      return;
    }
    if (!is_type_variable_name(word.text)) cursor_.fail(word.at, expected);
    attr.kind = AttrKind::Dtype;
    attr.binds_variable = variable_index(word);
    Variable& variable = variables_[static_cast<size_t>(attr.binds_variable)];
    if (variable.used_by_input || variable.binding_attr >= 0) {
      cursor_.refuse(word.at, "type variable " + quoted(word.text) + " is already bound",
                     "by an input or another attribute");
    }
    variable.binding_attr = static_cast<int32_t>(schema_.attrs.size());
  }

  void parse_list_kind(Attr& attr) {
    attr.kind = AttrKind::IntList;
    if (cursor_.accept(']')) return;
    const size_t begin = cursor_.here();
    const int64_t count = cursor_.read_integer("']' or the number of integers");
    if (count < 1 || count > 64) cursor_.refuse(begin, "a list of this length", "1 to 64 integers");
    attr.fixed_count = static_cast<int32_t>(count);
    cursor_.expect(']', "after the number of integers");
  }

  Default parse_default(const Attr& attr) {
    const size_t begin = cursor_.here();
    if (cursor_.accept_word("none")) {
      if (!attr.optional) cursor_.refuse(begin, "none as the default", "only after '?'");
      return {};
    }
    switch (attr.kind) {
      case AttrKind::Int:
        return cursor_.read_integer("an integer");
      case AttrKind::Float:
        return read_number("a float").f;
      case AttrKind::Bool:
        if (const std::optional<bool> truth = accept_bool()) return *truth;
        cursor_.fail(cursor_.here(), "true or false");
      case AttrKind::String:
        return cursor_.read_string();
      case AttrKind::Number:
        return parse_number_default();
      case AttrKind::Dtype:
        return parse_dtype_default(attr);
      case AttrKind::IntList:
        return parse_int_list_default(attr);
    }
    return {};
  }

  std::optional<bool> accept_bool() {
    if (cursor_.accept_word("true")) return true;
    return cursor_.accept_word("false") ? std::optional(false) : std::nullopt;
  }

  NumberToken read_number(const char* expected) {
    const std::optional<NumberToken> token = cursor_.accept_number();
    if (!token) cursor_.fail(cursor_.here(), expected);
    return *token;
  }

  Default parse_number_default() {
    if (const std::optional<bool> truth = accept_bool()) return *truth;
    const NumberToken token = read_number("a number, true or false");
    return token.integer ? Default(token.i) : Default(token.f);
  }

  tenon_dtype parse_dtype_default(const Attr& attr) {
    const Word word = cursor_.read_word("a dtype");
    const std::optional<tenon_dtype> dtype = tensor::dtype_from_name(word.text);
    if (!dtype) cursor_.fail(word.at, "a dtype");
    if (attr.binds_variable >= 0) {
      variables_[static_cast<size_t>(attr.binds_variable)].default_at = word.at;
    }
    return *dtype;
  }

  std::vector<int64_t> parse_int_list_default(const Attr& attr) {
    std::vector<int64_t> ints;
    const size_t begin = cursor_.here();
    if (!cursor_.accept('[')) {
      if (attr.fixed_count < 0) cursor_.fail(cursor_.here(), "'[' of a list of integers");
      ints.assign(static_cast<size_t>(attr.fixed_count), cursor_.read_integer("an integer or '['"));
      return ints;
    }
    if (!cursor_.accept(']')) {
      do ints.push_back(cursor_.read_integer("an integer"));
      while (cursor_.accept(','));
      cursor_.expect(']', "or ',' after an integer");
    }
    if (attr.fixed_count >= 0 && ints.size() != static_cast<size_t>(attr.fixed_count)) {
      cursor_.refuse(begin, "a default of " + std::to_string(ints.size()) + " integers",
                     "the kind says " + std::to_string(attr.fixed_count));
    }
    return ints;
  }

  void parse_where() {
    if (!cursor_.accept_word("where")) return;
    do parse_clause();
    while (cursor_.accept(';'));
  }

  void parse_clause() {
    const Word name = cursor_.read_word("a type variable");
    const int32_t index = find_variable(name.text);
    if (index < 0) {
      cursor_.refuse(name.at, "no operand is of type " + quoted(name.text),
                     "a clause speaks of a type variable used before");
    }
    Variable& variable = variables_[static_cast<size_t>(index)];
    TypeVariable& result = schema_.variables[static_cast<size_t>(index)];
    if (variable.has_clause) {
      cursor_.refuse(name.at, "a second clause for " + quoted(name.text),
                     "one clause per variable");
    }
    variable.has_clause = true;
    variable.clause_at = name.at;
    cursor_.expect(':', "after a type variable");
    uint32_t allowed = 0;
    do allowed |= parse_dtype_set();
    while (cursor_.accept('|'));
    result.promote = cursor_.accept_word("promote");
    result.allowed.clear();
    for (size_t i = 0; i < tensor::all_dtypes().size(); ++i) {
      if ((allowed >> i & 1u) != 0) result.allowed.push_back(tensor::all_dtypes()[i]);
    }
  }

  // One bit per entry of all_dtypes().
  uint32_t parse_dtype_set() {
    static constexpr const char* expected =
        "a category (any, bool, uint, int, float, number) or a dtype";
    const Word word = cursor_.read_word(expected);
    const std::optional<tensor::Category> category = tensor::category_from_name(word.text);
    const std::optional<tenon_dtype> dtype = tensor::dtype_from_name(word.text);
    if (!category && !dtype) cursor_.fail(word.at, expected);
    uint32_t bits = 0;
    for (size_t i = 0; i < tensor::all_dtypes().size(); ++i) {
      const tenon_dtype candidate = tensor::all_dtypes()[i];
      if (category ? tensor::in_category(candidate, *category) : candidate == *dtype) {
        bits |= 1u << i;
      }
    }
    return bits;
  }

  // --- rules over the whole text ----------------------------------------------------------------

  void check_size(size_t bytes) const {
    if (bytes <= max_schema_bytes) return;
    cursor_.refuse(0, "the text has " + std::to_string(bytes) + " bytes",
                   "at most " + std::to_string(max_schema_bytes) + ", canonical spaces included");
  }

  // What the checks need to know of a variable beside its entry in the schema.
  struct Variable {
    size_t first_at = 0;
    size_t clause_at = 0;
    size_t default_at = 0;
    bool bound = false;  // by an input or attribute every call has
    bool used_by_input = false;
    bool mutated = false;
    bool has_clause = false;
    int32_t binding_attr = -1;
  };

  int32_t find_variable(std::string_view name) const {
    for (size_t i = 0; i < schema_.variables.size(); ++i) {
      if (schema_.variables[i].name == name) return static_cast<int32_t>(i);
    }
    return -1;
  }

  int32_t variable_index(const Word& word) {
    if (const int32_t known = find_variable(word.text); known >= 0) return known;
    const auto& all = tensor::all_dtypes();
    schema_.variables.push_back({std::string(word.text), false, {all.begin(), all.end()}});
    variables_.emplace_back().first_at = word.at;
    return static_cast<int32_t>(variables_.size()) - 1;
  }

  void note_use(const TypeTerm& type, bool mutated) {
    if (type.variable < 0) return;
    Variable& variable = variables_[static_cast<size_t>(type.variable)];
    variable.used_by_input = true;
    variable.mutated = variable.mutated || mutated;
  }

  void mark_bound(int32_t variable) {
    if (variable >= 0) variables_[static_cast<size_t>(variable)].bound = true;
  }

  void claim_name(const Word& name) {
    if (std::find(names_.begin(), names_.end(), name.text) != names_.end()) {
      cursor_.refuse(name.at, "the name " + quoted(name.text) + " is taken",
                     "inputs, attributes and outputs share one set of names");
    }
    names_.push_back(name.text);
  }

  void check_slot_count(const Word& name) const {
    if (schema_.inputs.size() + schema_.outputs.size() > max_schema_slots) {
      cursor_.refuse(
          name.at, "too many operands",
          "at most " + std::to_string(max_schema_slots) + " inputs and outputs together");
    }
  }

  void check_variables() const {
    for (const Output& output : schema_.outputs) {
      if (output.type.variable < 0) continue;
      const size_t index = static_cast<size_t>(output.type.variable);
      if (!variables_[index].bound) {
        cursor_.refuse(variables_[index].first_at,
                       "output type " + quoted(schema_.variables[index].name) + " is not bound",
                       "a required input or attribute must use the variable");
      }
    }
    for (size_t i = 0; i < variables_.size(); ++i) check_clause(variables_[i], i);
  }

  void check_clause(const Variable& variable, size_t index) const {
    const TypeVariable& result = schema_.variables[index];
    if (result.promote && !variable.used_by_input) {
      cursor_.refuse(variable.clause_at, quoted(result.name) + " cannot promote",
                     "no input uses it");
    }
    if (result.promote && variable.mutated) {
      cursor_.refuse(variable.clause_at, quoted(result.name) + " cannot promote",
                     "an input marked '!' is written in place and is never cast");
    }
    if (variable.binding_attr < 0) return;
    const std::optional<Default>& def =
        schema_.attrs[static_cast<size_t>(variable.binding_attr)].def;
    const auto* const dtype = def ? std::get_if<tenon_dtype>(&*def) : nullptr;
    if (dtype && std::ranges::find(result.allowed, *dtype) == result.allowed.end()) {
      cursor_.refuse(variable.default_at,
                     "the default is not among the dtypes of " + quoted(result.name),
                     "see its 'where' clause");
    }
  }

  static constexpr const char* type_expected =
      "a dtype (f32, i64, bool, ...) or a type variable (a capital, then small letters or digits)";

  std::string_view text_;
  SchemaCursor cursor_;
  Schema schema_;
  std::vector<Variable> variables_;  // parallel to schema_.variables
  std::vector<std::string_view> names_;
};

}  // namespace

Schema parse_schema(std::string_view text) { return Parser(text).parse(); }

}  // namespace tenon::registry
