// SPDX-License-Identifier: Apache-2.0
// core/base/small.h: a list whose first N items lie in the object itself.
#pragma once

#include <boost/container/small_vector.hpp>

namespace tenon {

template <class T, size_t N>
using Small = boost::container::small_vector<T, N>;

}  // namespace tenon
