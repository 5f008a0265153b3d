// SPDX-License-Identifier: Apache-2.0
// core/base/error.cc: what error.h says is ready elsewhere.
#include "core/base/error.h"

template class std::basic_string<char>;
template std::string std::operator+(const char*, const std::string&);
template std::string std::operator+(const std::string&, const std::string&);
