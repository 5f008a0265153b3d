// SPDX-License-Identifier: Apache-2.0
// tests/bench/matmul/contender.h: who multiplies, and what.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tenon::bench {

// c[m,n] = a[m,k] b[k,n], f32; a transposed operand lies in memory as its transpose, packed.
struct Shape {
  int64_t m;
  int64_t k;
  int64_t n;
  bool a_transposed = false;
  bool b_transposed = false;

  double operations() const {
    return 2.0 * static_cast<double>(m) * static_cast<double>(k) * static_cast<double>(n);
  }
  int64_t a_leading() const { return a_transposed ? m : k; }
  int64_t b_leading() const { return b_transposed ? k : n; }
};

struct Operands {
  const float* a;
  const float* b;
  float* c;
};

struct Contender {
  std::string name;
  std::function<void()> multiply;
};

// Those of OpenBLAS, oneDNN and libxsmm that were found when building, and take the shape.
std::vector<Contender> peers(const Shape& shape, const Operands& operands);
// Their versions and the kernels they chose.
std::string peer_versions();
void set_peer_threads(int threads);

// The kernel of plugin tenon.cpu, called as the core does ("kernel", on one thread only), and
// tenon_op_call_into into a given output ("tenon").
class Tenon {
 public:
  explicit Tenon(int threads);
  ~Tenon();
  Tenon(const Tenon&) = delete;
  Tenon& operator=(const Tenon&) = delete;
  std::vector<Contender> contenders(const Shape& shape, const Operands& operands) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Runs fused multiply-adds on registers alone, on this many threads; returns how many operations.
// 0: not known for this processor.
double run_fma(int threads);

}  // namespace tenon::bench
