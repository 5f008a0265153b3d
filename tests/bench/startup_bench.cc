// SPDX-License-Identifier: Apache-2.0
// tests/bench/startup_bench.cc: what a program pays before its first op: a runtime with all of the
// tree's plugins in the search path, the same without any, and one that also runs a first add.
#include <benchmark/benchmark.h>
#include <tenon/tenon.h>

#include <cstdio>
#include <cstdlib>

#include "tests/support/paths.h"

namespace {

void require(tenon_status status, const char* what) {
  if (status == TENON_OK) return;
  std::fprintf(stderr, "%s: %s\n", what, tenon_status_get_name(status));
  std::exit(1);
}

tenon_runtime* create(bool with_plugins) {
  const char* folder = tenon::tests::plugin_dir();
  const tenon_string path = {folder, TENON_NUL};
  tenon_runtime_options options{};
  options.struct_size = sizeof options;
  options.flags = TENON_RUNTIME_NO_DEFAULT_PATHS | TENON_RUNTIME_NO_ENVIRONMENT;
  options.paths = &path;
  options.n_paths = with_plugins ? 1 : 0;
  tenon_runtime* runtime = nullptr;
  require(tenon_runtime_create(&options, nullptr, &runtime), "runtime");
  return runtime;
}

void runtime_bare(benchmark::State& state) {
  for (auto _ : state) tenon_runtime_release(create(false));
}
BENCHMARK(runtime_bare)->Unit(benchmark::kMicrosecond);

void runtime_all_plugins(benchmark::State& state) {
  for (auto _ : state) tenon_runtime_release(create(true));
}
BENCHMARK(runtime_all_plugins)->Unit(benchmark::kMicrosecond);

// The first op opens libraries; later iterations find them open, as a second runtime does.
void runtime_to_first_add(benchmark::State& state) {
  for (auto _ : state) {
    tenon_runtime* runtime = create(true);
    tenon_context* context = nullptr;
    require(tenon_context_create(runtime, nullptr, &context), "context");
    const tenon_op* add = nullptr;
    require(tenon_op_find(context, "tenon.add", TENON_NUL, 0, &add), "add");
    tenon_value in[2] = {};
    for (tenon_value& value : in) {
      const float one = 1;
      value.tag = TENON_VALUE_TENSOR;
      require(tenon_tensor_create_from(context, TENON_DTYPE_F32, nullptr, 0, nullptr, &one,
                                       sizeof one, &value.as.tensor),
              "tensor");
    }
    tenon_tensor* out = nullptr;
    require(tenon_op_call(context, add, in, 2, nullptr, 0, &out, 1), "call");
    for (tenon_tensor* tensor : {in[0].as.tensor, in[1].as.tensor, out}) {
      tenon_tensor_release(tensor);
    }
    tenon_context_release(context);
    tenon_runtime_release(runtime);
  }
}
BENCHMARK(runtime_to_first_add)->Unit(benchmark::kMicrosecond);

}  // namespace
