// SPDX-License-Identifier: Apache-2.0
// tests/bench/matmul/tenon.cc: the product by tenon_op_call_into, and by the kernel of tenon.cpu
// alone.
#include <dlfcn.h>
#include <tenon/plugin.h>
#include <tenon/tenon.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "contender.h"
#include "tests/support/paths.h"

namespace tenon::bench {
namespace {

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "tenon_matmul_bench: %s failed\n", what);
  std::exit(1);
}

struct Layout {
  int64_t shape[2];
  int64_t strides[2];
};
Layout layout(int64_t rows, int64_t columns, bool transposed) {
  return {{rows, columns}, {transposed ? 1 : columns, transposed ? rows : 1}};
}

// A host that offers one thread and scratch.
struct Host {
  std::vector<std::byte> scratch;
};
Host& host() {
  static Host one;
  return one;
}
void* scratch(tenon_call*, uint64_t* out_bytes) {
  *out_bytes = host().scratch.size() - 64;
  const auto at = reinterpret_cast<uintptr_t>(host().scratch.data());
  return host().scratch.data() + (64 - at % 64);
}
tenon_status parallel_for(tenon_call*, int64_t n, int64_t grain, tenon_parallel_fn fn, void* user) {
  for (int64_t begin = 0; begin < n; begin += grain) {
    fn(user, begin, begin + grain < n ? begin + grain : n, begin / grain);
  }
  return TENON_OK;
}

struct Kernel {
  tenon_plugin plugin{};
  void* self = nullptr;
  const tenon_kernel_desc* desc = nullptr;
};

Kernel find_kernel() {
  Kernel k;
  const std::string file = std::string(tests::plugin_dir()) + "/tenon.cpu/tenon.cpu.so";
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) return k;
  const auto query =
      reinterpret_cast<tenon_plugin_query_fn>(dlsym(library, TENON_PLUGIN_QUERY_NAME));
  require(query, "looking up the plugin's function");
  tenon_diag diag{};
  k.plugin.struct_size = sizeof k.plugin;
  require(query(nullptr, &k.plugin, &diag) == TENON_OK, "asking the plugin");
  require(k.plugin.init(nullptr, &k.self, &diag) == TENON_OK, "starting the plugin");
  constexpr std::string_view id = "tenon.kernels/1";
  const auto* table =
      static_cast<const tenon_kernels_table*>(k.plugin.get_interface(k.self, id.data(), id.size()));
  for (uint32_t i = 0; i < table->count; ++i) {
    const tenon_string op = table->descs[i]->op;
    if (std::string_view(op.data, op.length) == "tenon.matmul") k.desc = table->descs[i];
  }
  require(k.desc, "finding the kernel");
  return k;
}

// One call of the kernel, ready to be made again and again.
class Launch {
 public:
  Launch(const tenon_kernel_desc& desc, void* self, const Shape& s, const Operands& o)
      : launch_fn_(desc.launch),
        layouts_{layout(s.m, s.k, s.a_transposed), layout(s.k, s.n, s.b_transposed),
                 layout(s.m, s.n, false)} {
    void* const data[] = {const_cast<float*>(o.a), const_cast<float*>(o.b), o.c};
    for (size_t i = 0; i < 3; ++i) {
      views_[i].data = data[i];
      views_[i].shape = layouts_[i].shape;
      views_[i].strides = layouts_[i].strides;
      views_[i].rank = 2;
      views_[i].dtype = TENON_DTYPE_F32;
    }
    launch_.slot_begin = slots_;
    launch_.views = views_;
    launch_.n_slots = 3;
    launch_.n_inputs = 2;
    memory_.scratch = scratch;
    threads_.parallel_for = parallel_for;
    call_.self = self;
    call_.memory = &memory_;
    call_.threads = &threads_;
    uint64_t bytes = 0;
    require(desc.workspace(&call_, &launch_, &bytes) == TENON_OK, "workspace");
    host().scratch.resize(bytes + 64);
  }
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;
  void operator()() { require(launch_fn_(&call_, &launch_) == TENON_OK, "the kernel"); }

 private:
  tenon_status (*launch_fn_)(tenon_call*, const tenon_launch*);
  Layout layouts_[3];
  tenon_view views_[3]{};
  const uint32_t slots_[4] = {0, 1, 2, 3};
  tenon_launch launch_{};
  tenon_host_memory memory_{};
  tenon_host_threads threads_{};
  tenon_call call_{};
};

}  // namespace

struct Tenon::State {
  tenon_runtime* runtime = nullptr;
  tenon_context* context = nullptr;
  const tenon_op* matmul = nullptr;
  Kernel kernel;
  int threads = 1;
};

Tenon::Tenon(int threads) : state_(std::make_unique<State>()) {
  tenon_runtime_options options{};
  options.struct_size = sizeof options;
  options.threads = threads;
  State& s = *state_;
  s.threads = threads;
  require(tenon_runtime_create(&options, nullptr, &s.runtime) == TENON_OK, "making a runtime");
  require(tenon_context_create(s.runtime, nullptr, &s.context) == TENON_OK, "making a context");
  require(tenon_op_find(s.context, "tenon.matmul", TENON_NUL, 0, &s.matmul) == TENON_OK, "matmul");
  s.kernel = find_kernel();
}

Tenon::~Tenon() {
  tenon_context_release(state_->context);
  tenon_runtime_release(state_->runtime);
}

std::vector<Contender> Tenon::contenders(const Shape& s, const Operands& o) const {
  const State& state = *state_;
  const auto tensor = [&](void* data, const Layout& l) {
    tenon_tensor* made = nullptr;
    require(tenon_tensor_create_external(state.context, TENON_DTYPE_F32, 2, l.shape, l.strides,
                                         data, 0, nullptr, nullptr, &made) == TENON_OK,
            "making a tensor");
    return std::shared_ptr<tenon_tensor>(made, tenon_tensor_release);
  };
  const auto a = tensor(const_cast<float*>(o.a), layout(s.m, s.k, s.a_transposed));
  const auto b = tensor(const_cast<float*>(o.b), layout(s.k, s.n, s.b_transposed));
  const auto c = tensor(o.c, layout(s.m, s.n, false));
  std::vector<Contender> list;
  list.push_back({"tenon", [&state, a, b, c] {
                    tenon_value in[2] = {};
                    in[0].tag = in[1].tag = TENON_VALUE_TENSOR;
                    in[0].as.tensor = a.get();
                    in[1].as.tensor = b.get();
                    tenon_tensor* const out = c.get();
                    require(tenon_op_call_into(state.context, state.matmul, in, 2, nullptr, 0, &out,
                                               1) == TENON_OK,
                            "tenon_op_call_into");
                  }});
  if (state.kernel.desc && state.threads == 1) {
    const auto launch = std::make_shared<Launch>(*state.kernel.desc, state.kernel.self, s, o);
    list.push_back({"kernel", [launch] { (*launch)(); }});
  }
  return list;
}

}  // namespace tenon::bench
