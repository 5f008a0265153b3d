// SPDX-License-Identifier: Apache-2.0
// plugins/tvm_ffi/kernels.cc: see kernels.hpp.
#include "kernels.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace tenon::tvm_ffi {
namespace {

constexpr size_t kMaxText =
    4096;  // bytes of a call's text attributes, with the zeros that end them

// A memory file with these bytes, sealed. Throws sdk::Failure.
int file_of(const std::string& bytes, const std::string& name) {
  const int file = memfd_create("tenon-kernels", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  const auto refuse = [&] {
    const std::string words = std::strerror(errno);
    if (file >= 0) close(file);
    throw sdk::Failure{TENON_E_IO, name + ": cannot be put into a memory file: " + words};
  };
  if (file < 0) refuse();
  for (size_t written = 0; written < bytes.size();) {
    const ssize_t wrote = write(file, bytes.data() + written, bytes.size() - written);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) refuse();
    written += static_cast<size_t>(wrote);
  }
  if (fcntl(file, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    refuse();
  }
  return file;
}

// Of a tensor in host memory, whose shape and strides outlive it.
abi::Tensor tensor_of(const tenon_view& view) {
  abi::Tensor tensor{};
  tensor.data = view.data;
  tensor.device_type = abi::kHost;
  tensor.rank = view.rank;
  tensor.code = static_cast<uint8_t>(view.dtype & 0xFFu);
  tensor.bits = static_cast<uint8_t>((view.dtype >> 8) & 0xFFu);
  tensor.lanes = 1;
  static const int64_t none = 0;
  tensor.shape = view.rank > 0 ? view.shape : &none;
  tensor.strides = view.rank > 0 ? view.strides : &none;
  return tensor;
}

abi::Any any_of(abi::Tensor& tensor) {
  abi::Any any{abi::kTensor, 0, {}};
  any.pointer = &tensor;
  return any;
}

const char* ended_text(std::string_view text, std::span<char>& room) {
  if (text.size() >= room.size() || text.find('\0') != std::string_view::npos) {
    throw sdk::Failure{TENON_E_ATTRIBUTE, "a text does not fit what a function of tvm-ffi takes",
                       "",
                       "at most " + std::to_string(kMaxText - 1) +
                           " bytes for all texts of a call, none of them zero",
                       std::to_string(text.size()) + " bytes"};
  }
  char* begin = std::copy(text.begin(), text.end(), room.data()) - text.size();
  begin[text.size()] = 0;
  room = room.subspan(text.size() + 1);
  return begin;
}

// `room` is where texts get the zeros that end them; a call uses it up from its beginning.
abi::Any any_of(const tenon_value& value, std::span<char>& room) {
  abi::Any any{abi::kNone, 0, {}};
  switch (value.tag) {
    case TENON_VALUE_I64:
      any.type = abi::kInt;
      any.integer = value.as.i64;
      break;
    case TENON_VALUE_F64:
      any.type = abi::kFloat;
      any.real = value.as.f64;
      break;
    case TENON_VALUE_BOOL:
      any.type = abi::kBool;
      any.integer = value.as.i64;
      break;
    case TENON_VALUE_DTYPE:
      any.type = abi::kDtype;
      any.integer = 0;
      any.dtype = {static_cast<uint8_t>(value.as.dtype & 0xFFu),
                   static_cast<uint8_t>((value.as.dtype >> 8) & 0xFFu), 1};
      break;
    case TENON_VALUE_STRING:
      any.type = abi::kText;
      any.text = ended_text({value.as.string, value.count}, room);
      break;
    default:  // none
      any.integer = 0;
      break;
  }
  return any;
}

void call_function(const Function& function, const sdk::Args& args) {
  std::array<abi::Tensor, TENON_MAX_SLOTS> tensors;
  std::array<abi::Any, 2 * TENON_MAX_SLOTS> given;
  std::array<char, kMaxText> texts;
  std::span<char> room(texts);
  int32_t count = 0;
  for (const Argument& argument : function.arguments) {
    abi::Any& any = given[static_cast<size_t>(count++)];
    if (argument.is_attribute) {
      any = any_of(args.attrs[argument.index], room);
    } else if (args.given(argument.index)) {
      tensors[argument.index] = tensor_of(args.view(argument.index));
      any = any_of(tensors[argument.index]);
    } else {
      any = any_of(tenon_value{}, room);
    }
  }
  abi::Any result{abi::kNone, 0, {}};
  result.integer = 0;
  const int code = function.address(nullptr, given.data(), count, &result);
  if (code != 0) throw function.kernels->raised(code, function.name);
  if (result.type == abi::kNone) return;
  if (result.type >= abi::kFirstObject) function.kernels->release(result.pointer);
  throw sdk::Failure{TENON_E_PLUGIN, function.name + " has returned a value", "",
                     "nothing: it writes into the outputs it is given",
                     "a value of type " + std::to_string(result.type)};
}

}  // namespace

void Kernels::open(const std::string& bytes, const std::string& name) {
  name_ = name;
  // Stays open: the loader would take another file of this path for this one.
  const int file = file_of(bytes, name);
  handle_ = dlopen(("/proc/self/fd/" + std::to_string(file)).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle_) {
    const char* words = dlerror();
    const std::string text = words ? words : "no words";
    close(file);
    throw sdk::Failure{TENON_E_PLUGIN,
                       name + " cannot be opened: " + text +
                           (text.find("libtvm_ffi") == std::string::npos
                                ? ""
                                : "; link it with the run path of the package apache-tvm-ffi, "
                                  "-Wl,-rpath,\"$(tvm-ffi-config --libdir)\"")};
  }
  // Of the library tvm_ffi that this one is linked with, if it is.
  move_raised_ = reinterpret_cast<abi::MoveRaised>(dlsym(handle_, "TVMFFIErrorMoveFromRaised"));
  release_ = reinterpret_cast<abi::Release>(dlsym(handle_, "TVMFFIObjectDecRef"));
}

abi::Function Kernels::function(const std::string& name) const {
  const std::string symbol = "__tvm_ffi_" + name;
  void* found = dlsym(handle_, symbol.c_str());
  if (!found) {
    throw sdk::Failure{TENON_E_NOT_FOUND, name_ + " exports no function \"" + name +
                                              "\": expected the symbol " + symbol +
                                              "; TVM_FFI_DLL_EXPORT_TYPED_FUNC makes it"};
  }
  return reinterpret_cast<abi::Function>(found);
}

sdk::Failure Kernels::raised(int code, const std::string& function) const {
  void* error = nullptr;
  if (move_raised_) move_raised_(&error);
  if (!error) {
    return {TENON_E_PLUGIN, function + " has failed with the code " + std::to_string(code) +
                                (move_raised_ ? " and without words"
                                              : "; its words need the library tvm_ffi, with which "
                                                "its library is not linked")};
  }
  sdk::Failure failure{TENON_E_PLUGIN, function + " has failed"};
  if (static_cast<const abi::Object*>(error)->type == abi::kError) {
    const auto* words = static_cast<const abi::Error*>(error);
    const std::string kind(words->kind.data, words->kind.size);
    if (kind == "ValueError") failure.status = TENON_E_ARGUMENT;
    failure.what =
        function + ": " + kind + ": " + std::string(words->message.data, words->message.size);
  }
  release(error);
  return failure;
}

void Kernels::release(void* object) const {
  if (release_) release_(object);
}

tenon_status launch(tenon_call* call, const tenon_launch* launch) {
  return sdk::guarded(
      call, [&] { call_function(*static_cast<const Function*>(launch->user), sdk::Args(launch)); });
}

}  // namespace tenon::tvm_ffi
