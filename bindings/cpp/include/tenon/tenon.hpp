// SPDX-License-Identifier: Apache-2.0
// tenon/tenon.hpp: Tenon for programs in C++20: all of it. docs/cpp.md
//
// Header-only, over the C functions of tenon/tenon.h, which can be called beside it: every object
// has a `handle()`. What fails throws tenon::Error and has changed nothing. Keep its types out of
// the interface of a shared library: between libraries go handles of the C API.
//
//   tenon::Tensor x = tenon::tensor({{1.0, 2.0}, {3.0, 4.0}}).set_requires_grad();
//   tenon::Tensor y = tenon::sum(x * x);
//   y.backward();
//   std::cout << x.grad() << "\n";
//
// threads  each thread's calls use a context of its own (tenon/cpp/context.hpp); an object is used
//          by one thread at a time, a tensor that nobody writes by any
#ifndef TENON_TENON_HPP
#define TENON_TENON_HPP

#include <tenon/cpp/call.hpp>
#include <tenon/cpp/context.hpp>
#include <tenon/cpp/data.hpp>
#include <tenon/cpp/error.hpp>
#include <tenon/cpp/files.hpp>
#include <tenon/cpp/gradients.hpp>
#include <tenon/cpp/history.hpp>
#include <tenon/cpp/host_view.hpp>
#include <tenon/cpp/index.hpp>
#include <tenon/cpp/layer.hpp>
#include <tenon/cpp/operators.hpp>
#include <tenon/cpp/optimizer.hpp>
#include <tenon/cpp/plan.hpp>
#include <tenon/cpp/processes.hpp>
#include <tenon/cpp/schedule.hpp>
#include <tenon/cpp/tensor.hpp>
#include <tenon/cpp/tokenizer.hpp>
#include <tenon/cpp/values.hpp>
#include <tenon/entries.hpp>
#include <tenon/ops.hpp>

#endif  // TENON_TENON_HPP
