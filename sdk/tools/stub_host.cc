// SPDX-License-Identifier: Apache-2.0
// sdk/tools/stub_host.cc: host tables whose functions all return TENON_E_STATE.
#include "stub_host.h"

#include <string_view>
#include <tenon/sdk/plugin.hpp>

namespace tenon::tools {
namespace {

// A function of any type that answers with the value for "not now".
template <class Function>
struct Refusal;
template <class... Args>
struct Refusal<tenon_status (*)(Args...)> {
  static tenon_status run(Args...) { return TENON_E_STATE; }
};
template <class... Args>
struct Refusal<void (*)(Args...)> {
  static void run(Args...) {}
};
template <class Result, class... Args>
struct Refusal<Result (*)(Args...)> {
  static Result run(Args...) { return Result{}; }
};

struct Refuse {
  template <class Function>
  constexpr operator Function() const {
    return &Refusal<Function>::run;
  }
};
constexpr Refuse refuse;

constexpr tenon_host_call call_table = {sizeof(tenon_host_call), 0, refuse, refuse, refuse};
constexpr tenon_host_dispatch dispatch_table = {
    sizeof(tenon_host_dispatch), 0, refuse, refuse, refuse, refuse, refuse};
constexpr tenon_host_vjp vjp_table = {sizeof(tenon_host_vjp),
                                      0,
                                      refuse,
                                      refuse,
                                      refuse,
                                      refuse,
                                      refuse,
                                      refuse,
                                      refuse,
                                      refuse,
                                      refuse,
                                      refuse};
constexpr tenon_host_memory memory_table = {sizeof(tenon_host_memory), 0, refuse, refuse};
constexpr tenon_host_threads threads_table = {sizeof(tenon_host_threads), 0, refuse};
constexpr tenon_host_rng rng_table = {sizeof(tenon_host_rng), 0, refuse};

const void* get_interface(const tenon_host*, const char* id, uint64_t length) {
  const std::string_view name(id, length == TENON_NUL ? std::string_view(id).size() : length);
  if (name == "tenon.host.call/1") return &call_table;
  if (name == "tenon.host.dispatch/1") return &dispatch_table;
  if (name == "tenon.host.vjp/1") return &vjp_table;
  if (name == "tenon.host.memory/1") return &memory_table;
  if (name == "tenon.host.threads/1") return &threads_table;
  if (name == "tenon.host.rng/1") return &rng_table;
  return nullptr;
}

}  // namespace

const tenon_host& stub_host() {
  static const tenon_host host = {
      sizeof(tenon_host), 0,      TENON_ABI_MAJOR, TENON_ABI_MINOR, sdk::fingerprint(),
      &get_interface,     nullptr};
  return host;
}

}  // namespace tenon::tools
