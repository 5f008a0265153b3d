// SPDX-License-Identifier: Apache-2.0
// tenon/cpp/error.hpp: what a failing call throws: the whole record of the failure.
#ifndef TENON_CPP_ERROR_HPP
#define TENON_CPP_ERROR_HPP

#include <tenon/tenon.h>

#include <cstdint>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace tenon {

// What is known of a failure; texts are empty if they are not known.
struct ErrorRecord {
  tenon_status status = TENON_E_INTERNAL;
  std::uint64_t sequence = 0;       // number of the op call in its context
  std::string message;              // one line, complete by itself; also what()
  std::string op;                   // "tenon.add"
  std::string operand;              // "b"
  std::string expected;             // "f32[2,3]"
  std::string found;                // "f32[4]"
  std::string plugin;               // "tenon.ref"
  std::string scope;                // "step/encoder"
  std::string hint;                 // what to do
  std::vector<std::string> causes;  // earlier failures that led to it, nearest first
};

// A call that failed; it has changed nothing. Copies share the record, so that copying never fails.
class Error : public std::runtime_error {
 public:
  explicit Error(ErrorRecord record)
      : std::runtime_error(record.message),
        record_(std::make_shared<const ErrorRecord>(std::move(record))) {}

  const ErrorRecord& record() const noexcept { return *record_; }
  tenon_status status() const noexcept { return record_->status; }
  const char* status_name() const noexcept { return tenon_status_get_name(record_->status); }
  std::uint64_t sequence() const noexcept { return record_->sequence; }
  const std::string& message() const noexcept { return record_->message; }
  const std::string& op() const noexcept { return record_->op; }
  const std::string& operand() const noexcept { return record_->operand; }
  const std::string& expected() const noexcept { return record_->expected; }
  const std::string& found() const noexcept { return record_->found; }
  const std::string& plugin() const noexcept { return record_->plugin; }
  const std::string& scope() const noexcept { return record_->scope; }
  const std::string& hint() const noexcept { return record_->hint; }
  const std::vector<std::string>& causes() const noexcept { return record_->causes; }

 private:
  std::shared_ptr<const ErrorRecord> record_;
};

// All that is known, a line each.
inline std::ostream& operator<<(std::ostream& out, const Error& error) {
  out << error.message() << "\n  status    " << error.status_name();
  const std::pair<const char*, const std::string&> rows[] = {
      {"op      ", error.op()},    {"operand ", error.operand()}, {"expected", error.expected()},
      {"found   ", error.found()}, {"plugin  ", error.plugin()},  {"scope   ", error.scope()},
      {"hint    ", error.hint()}};
  for (const auto& [name, text] : rows) {
    if (!text.empty()) out << "\n  " << name << "  " << text;
  }
  for (const std::string& cause : error.causes()) out << "\n  cause     " << cause;
  return out;
}

namespace detail {

// A failure that no context has a record of.
[[noreturn, gnu::cold, gnu::noinline]] inline void raise(tenon_status status, std::string message) {
  ErrorRecord record;
  record.status = status;
  record.message = std::move(message);
  throw Error(std::move(record));
}

// A wrong call that is found out here, in the words of one that the library finds out.
[[noreturn, gnu::cold, gnu::noinline]] inline void refuse(tenon_status status, std::string op,
                                                          std::string operand, std::string expected,
                                                          std::string found,
                                                          std::string hint = {}) {
  ErrorRecord record;
  record.status = status;
  record.message = op + ": " + operand + ": expected " + expected + ", found " + found;
  record.op = std::move(op);
  record.operand = std::move(operand);
  record.expected = std::move(expected);
  record.found = std::move(found);
  record.hint = std::move(hint);
  throw Error(std::move(record));
}

// Throws what the context says of its last failure.
[[noreturn, gnu::cold, gnu::noinline]] inline void raise(tenon_context* context,
                                                         tenon_status status) {
  tenon_error error{};
  error.struct_size = sizeof error;
  if (tenon_context_get_error(context, &error) != TENON_OK) {
    refuse(status, "Context", "context", "one that is there", "one that has ended",
           "keep it for as long as a tenon::Use of it");
  }
  if (error.status != status) {
    raise(status, std::string(tenon_status_get_name(status)) +
                      ": the context has no words for this failure");
  }
  ErrorRecord record{error.status,
                     error.sequence,
                     error.message,
                     error.op,
                     error.operand,
                     error.expected,
                     error.found,
                     error.plugin,
                     error.scope,
                     error.hint,
                     {}};
  record.causes.assign(error.causes, error.causes + error.n_causes);
  throw Error(std::move(record));
}

// What a C function gives back to its caller, released at the end of its only owner.
template <class Object, void (*release)(Object*)>
struct Releaser {
  void operator()(Object* object) const noexcept { release(object); }
};
template <class Object, void (*release)(Object*)>
using Owned = std::unique_ptr<Object, Releaser<Object, release>>;

// A text of the library, as a string.
inline std::string take_text(tenon_text* text) {
  const Owned<tenon_text, tenon_text_release> owned(text);
  const char* data = nullptr;
  std::uint64_t length = 0;
  if (tenon_text_get(text, &data, &length) != TENON_OK) return {};
  return std::string(data, length);
}

}  // namespace detail
}  // namespace tenon

#endif  // TENON_CPP_ERROR_HPP
