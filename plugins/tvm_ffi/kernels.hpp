// SPDX-License-Identifier: Apache-2.0
// plugins/tvm_ffi/kernels.hpp: a library of kernels, opened from its bytes, and calls of its
// functions.
#pragma once

#include <tenon/sdk/plugin/base.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "abi.hpp"
#include "outline.hpp"

namespace tenon::tvm_ffi {

// Stays open as long as the process: functions of it may be called by any thread.
class Kernels {
 public:
  // Throws sdk::Failure with the loader's words; `name` is what the library is called in them.
  void open(const std::string& bytes, const std::string& name);
  bool is_open() const { return handle_ != nullptr; }
  // Throws sdk::Failure if the library exports no such function.
  abi::Function function(const std::string& name) const;
  // The calling thread's error, which a function has just reported by returning `code`.
  sdk::Failure raised(int code, const std::string& function) const;
  // Gives back an object that a function has returned.
  void release(void* object) const;

 private:
  std::string name_;
  void* handle_ = nullptr;
  abi::MoveRaised move_raised_ = nullptr;
  abi::Release release_ = nullptr;
};

// An argument of a function: a slot or an attribute of the op.
struct Argument {
  bool is_attribute = false;
  uint32_t index = 0;
};

// One function as a kernel; tenon_kernel_desc.user points to it.
struct Function {
  std::string name;
  std::vector<Argument> arguments;
  const Kernels* kernels = nullptr;
  abi::Function address = nullptr;  // once the library is open
};

// tenon_kernel_desc.launch
tenon_status launch(tenon_call* call, const tenon_launch* launch);

}  // namespace tenon::tvm_ffi
