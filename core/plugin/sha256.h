// SPDX-License-Identifier: Apache-2.0
// core/plugin/sha256.h: the hash of a library's bytes, by OpenSSL's libcrypto, which is opened when
// first needed: only the allow-list policy and the question "hashes" do.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tenon::plugin {

// 64 lowercase hexadecimal digits?
bool is_sha256(std::string_view text) noexcept;

// 64 lowercase hexadecimal digits. Throws Error{TENON_E_UNSUPPORTED} without libcrypto.
std::string sha256_of(const void* data, size_t bytes);

// Of a whole file; throws Error{TENON_E_PLUGIN} if it cannot be read.
std::string sha256_of_file(const std::string& path);

}  // namespace tenon::plugin
