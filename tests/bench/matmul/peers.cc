// SPDX-License-Identifier: Apache-2.0
// tests/bench/matmul/peers.cc: the libraries to compare with, as far as CMake found them.
#include <dlfcn.h>

#include "contender.h"

#ifdef TENON_BENCH_OPENBLAS
#include <cblas.h>
#endif
#ifdef TENON_BENCH_ONEDNN
#include <dnnl.h>
#endif
#ifdef TENON_BENCH_LIBXSMM
#include <libxsmm.h>
#endif

namespace tenon::bench {
namespace {

#ifdef TENON_BENCH_OPENBLAS
Contender openblas(const Shape& s, const Operands& o) {
  return {"openblas", [s, o] {
            cblas_sgemm(CblasRowMajor, s.a_transposed ? CblasTrans : CblasNoTrans,
                        s.b_transposed ? CblasTrans : CblasNoTrans, static_cast<blasint>(s.m),
                        static_cast<blasint>(s.n), static_cast<blasint>(s.k), 1.0f, o.a,
                        static_cast<blasint>(s.a_leading()), o.b,
                        static_cast<blasint>(s.b_leading()), 0.0f, o.c, static_cast<blasint>(s.n));
          }};
}
#endif

#ifdef TENON_BENCH_ONEDNN
Contender onednn(const Shape& s, const Operands& o) {
  return {"onednn", [s, o] {
            dnnl_sgemm(s.a_transposed ? 'T' : 'N', s.b_transposed ? 'T' : 'N', s.m, s.n, s.k, 1.0f,
                       o.a, s.a_leading(), o.b, s.b_leading(), 0.0f, o.c, s.n);
          }};
}
#endif

#ifdef TENON_BENCH_LIBXSMM
// Column-major, so the operands change places. Only kernels made for the shape count; libxsmm makes
// none for a transposed first operand, nor for large shapes.
void libxsmm(std::vector<Contender>& list, const Shape& s, const Operands& o) {
  if (s.a_transposed || s.b_transposed || s.m * s.n * s.k > 256 * 256 * 256) return;
  const auto m = static_cast<libxsmm_blasint>(s.n);
  const auto n = static_cast<libxsmm_blasint>(s.m);
  const auto k = static_cast<libxsmm_blasint>(s.k);
  const float one = 1.0f;
  const float zero = 0.0f;
  const int flags = LIBXSMM_GEMM_FLAG_NONE;
  const libxsmm_smmfunction kernel =
      libxsmm_smmdispatch(m, n, k, &m, &k, &m, &one, &zero, &flags, nullptr);
  if (!kernel) return;
  list.push_back({"libxsmm", [kernel, o] { kernel(o.b, o.a, o.c); }});
}
#endif

}  // namespace

std::vector<Contender> peers([[maybe_unused]] const Shape& shape,
                             [[maybe_unused]] const Operands& operands) {
  std::vector<Contender> list;
#ifdef TENON_BENCH_OPENBLAS
  list.push_back(openblas(shape, operands));
#endif
#ifdef TENON_BENCH_ONEDNN
  list.push_back(onednn(shape, operands));
#endif
#ifdef TENON_BENCH_LIBXSMM
  libxsmm(list, shape, operands);
#endif
  return list;
}

std::string peer_versions() {
  std::string text;
#ifdef TENON_BENCH_OPENBLAS
  text += std::string(openblas_get_config()) + ", kernels " + openblas_get_corename() + "\n";
#endif
#ifdef TENON_BENCH_ONEDNN
  const dnnl_version_t* v = dnnl_version();
  text += "oneDNN " + std::to_string(v->major) + "." + std::to_string(v->minor) + "." +
          std::to_string(v->patch) + ", instruction set " +
          std::to_string(static_cast<int>(dnnl_get_effective_cpu_isa())) + "\n";
#endif
#ifdef TENON_BENCH_LIBXSMM
  libxsmm_init();
  text +=
      std::string("libxsmm ") + LIBXSMM_VERSION + ", kernels " + libxsmm_get_target_arch() + "\n";
#endif
  return text;
}

void set_peer_threads([[maybe_unused]] int threads) {
#ifdef TENON_BENCH_OPENBLAS
  openblas_set_num_threads(threads);
#endif
  // oneDNN's threads are OpenMP's, of whichever runtime it was built with.
  using Set = void (*)(int);
  if (const auto set = reinterpret_cast<Set>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"))) {
    set(threads);
  }
}

}  // namespace tenon::bench
