// SPDX-License-Identifier: Apache-2.0
// core/plugin/sha256.cc: EVP_Digest of libcrypto. https://docs.openssl.org/3.0/man3/EVP_DigestInit/
#include "core/plugin/sha256.h"

#include <array>
#include <new>

#include "core/base/error.h"
#include "core/base/words.h"
#include "core/plugin/library_file.h"
#include "core/plugin/loader.h"

namespace tenon::plugin {
namespace {

using DigestFn = int (*)(const void* data, size_t bytes, unsigned char* out,
                         unsigned int* out_bytes, const void* type, void* engine);
using TypeFn = const void* (*)();

struct Crypto {
  DigestFn digest = nullptr;
  TypeFn type = nullptr;
};

const Crypto& crypto() {
  static const Crypto found = [] {
    Crypto made;
    for (const char* name : {"libcrypto.so.3", "libcrypto.so.1.1"}) {
      made.digest = reinterpret_cast<DigestFn>(find_system_symbol(name, "EVP_Digest"));
      made.type = reinterpret_cast<TypeFn>(find_system_symbol(name, "EVP_sha256"));
      if (made.digest != nullptr && made.type != nullptr) return made;
    }
    return Crypto{};
  }();
  if (found.digest != nullptr) return found;
  fail(TENON_E_UNSUPPORTED,
       "sha256 needs OpenSSL's libcrypto.so.3 or libcrypto.so.1.1, and neither "
       "can be opened",
       {}, "libcrypto.so.3", {}, "install OpenSSL (Debian: libssl3), or use another policy");
}

}  // namespace

bool is_sha256(std::string_view text) noexcept {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string sha256_of(const void* data, size_t bytes) {
  const Crypto& library = crypto();
  std::array<unsigned char, 64> digest{};
  unsigned int length = 0;
  if (library.digest(data, bytes, digest.data(), &length, library.type(), nullptr) != 1 ||
      length != 32) {
    throw std::bad_alloc();  // the one reason there is for it to fail
  }
  return base::hex_of({reinterpret_cast<const char*>(digest.data()), length});
}

std::string sha256_of_file(const std::string& path) {
  const std::string bytes = read_library(path);
  return sha256_of(bytes.data(), bytes.size());
}

}  // namespace tenon::plugin
