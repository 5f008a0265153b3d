// SPDX-License-Identifier: Apache-2.0
// tests/cpp/part.cc: a shared library in C++ that hides all of C++, beside a program in C++.
#include "tests/cpp/part.h"

#include <tenon/tenon.hpp>

tenon_runtime* part_runtime() { return tenon::Runtime::shared().handle(); }

tenon_tensor* part_tensor(double value) { return (tenon::ones({2}) * value).release(); }
