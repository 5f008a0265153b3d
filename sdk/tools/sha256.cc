// SPDX-License-Identifier: Apache-2.0
// sdk/tools/sha256.cc: opens libcrypto and asks it.
#include "sha256.h"

#include <dlfcn.h>

#include <array>
#include <fstream>

#include "program.h"

namespace tenon::tools {
namespace {

// Their prototypes are the same in OpenSSL 1.1 and 3.
struct Crypto {
  void* (*context_create)() = nullptr;
  void (*context_release)(void*) = nullptr;
  const void* (*sha256)() = nullptr;
  int (*begin)(void*, const void*, void*) = nullptr;
  int (*update)(void*, const void*, size_t) = nullptr;
  int (*end)(void*, unsigned char*, unsigned*) = nullptr;
  std::string problem;
};

template <class Function>
void find(void* library, const char* name, Function& out, std::string& problem) {
  out = reinterpret_cast<Function>(dlsym(library, name));
  if (out == nullptr) problem = std::string("libcrypto does not export ") + name;
}

Crypto open_crypto() {
  Crypto crypto;
  void* library = nullptr;
  for (const char* name : {"libcrypto.so.3", "libcrypto.so.1.1"}) {
    library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) break;
  }
  if (library == nullptr) {
    crypto.problem =
        "neither libcrypto.so.3 nor libcrypto.so.1.1 can be opened; install OpenSSL's library "
        "(Debian: libssl3)";
    return crypto;
  }
  find(library, "EVP_MD_CTX_new", crypto.context_create, crypto.problem);
  find(library, "EVP_MD_CTX_free", crypto.context_release, crypto.problem);
  find(library, "EVP_sha256", crypto.sha256, crypto.problem);
  find(library, "EVP_DigestInit_ex", crypto.begin, crypto.problem);
  find(library, "EVP_DigestUpdate", crypto.update, crypto.problem);
  find(library, "EVP_DigestFinal_ex", crypto.end, crypto.problem);
  return crypto;
}

std::string digits_of(const unsigned char* sum, size_t bytes) {
  std::string text;
  for (size_t i = 0; i < bytes; ++i) {
    text += "0123456789abcdef"[sum[i] >> 4];
    text += "0123456789abcdef"[sum[i] & 15];
  }
  return text;
}

}  // namespace

Hash sha256_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Failure{path + ": cannot be read"};
  static const Crypto crypto = open_crypto();
  if (!crypto.problem.empty()) return {"", crypto.problem};
  void* context = crypto.context_create();
  bool good = context != nullptr && crypto.begin(context, crypto.sha256(), nullptr) == 1;
  std::array<char, 1 << 16> piece{};
  while (good && file) {
    file.read(piece.data(), piece.size());
    good = crypto.update(context, piece.data(), static_cast<size_t>(file.gcount())) == 1;
  }
  const bool read_all = file.eof() && !file.bad();
  std::array<unsigned char, 64> sum{};
  unsigned bytes = 0;
  good = good && crypto.end(context, sum.data(), &bytes) == 1 && bytes == 32;
  crypto.context_release(context);
  if (good && !read_all) throw Failure{path + ": cannot be read to its end"};
  if (!good) return {"", "libcrypto offers no SHA-256 here"};
  return {digits_of(sum.data(), bytes), ""};
}

std::string must_sha256_of(const std::string& path) {
  Hash hash = sha256_of(path);
  if (!hash.problem.empty()) throw Failure{path + ": no SHA-256: " + hash.problem};
  return std::move(hash.digits);
}

}  // namespace tenon::tools
