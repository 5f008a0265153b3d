// SPDX-License-Identifier: Apache-2.0
// tests/cpu/digest.cc: the program cpu_digest: one line with a hash of the bits for each function
// and each op of tenon.cpu, over inputs that are the same on every machine. Two machines, or two
// instruction sets, agree where their outputs are the same text.
//
// The hash is FNV-1a of 64 bits; every NaN counts as the same one.
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <map>
#include <tenon/sdk/plugin/dtypes.hpp>

#include "tests/cpu/function_inputs.h"
#include "tests/cpu/functions.h"
#include "tests/cpu/same_bits_support.h"
#include "tests/support/paths.h"

namespace tenon::tests {
namespace {

constexpr int kBlocks = 24;

class Hash {
 public:
  template <class T>
  void add(T value) {
    if constexpr (sdk::is_float_type<T>) {
      if (std::isnan(static_cast<double>(value)))
        value = T(std::numeric_limits<float>::quiet_NaN());
    }
    unsigned char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    for (const unsigned char byte : bytes) hash_ = (hash_ ^ byte) * 0x100000001B3u;
  }
  void add(const std::vector<Array>& arrays) {
    for (const Array& array : arrays) {
      sdk::dispatch_dtype(array.dtype, [&]<class T>() {
        for (size_t i = 0; i < array.count(); ++i) {
          add(sdk::load<T>(array.bytes.data() + i * sizeof(T)));
        }
      });
    }
  }
  uint64_t value() const { return hash_; }

 private:
  uint64_t hash_ = 0xCBF29CE484222325u;
};

template <class T>
void digest_unary(const UnaryFunction& f, const char* dtype) {
  Numbers<T> numbers;
  std::vector<T> x(kBlock);
  std::vector<T> y(kBlock);
  Hash hash;
  for (int block = 0; block < kBlocks; ++block) {
    numbers.next(x);
    function_of<T>(f)(x.data(), y.data(), kBlock);
    for (const T value : y) hash.add(value);
  }
  std::printf("function %s, %s: %016" PRIx64 "\n", f.name.data(), dtype, hash.value());
}

template <class T>
void digest_binary(const BinaryFunction& f, const char* dtype) {
  PairSource<T> pairs;
  std::vector<T> a(kBlock);
  std::vector<T> b(kBlock);
  std::vector<T> y(kBlock);
  Hash hash;
  for (int block = 0; block < kBlocks; ++block) {
    pairs.next(a, b);
    function_of<T>(f)(a.data(), b.data(), y.data(), kBlock);
    for (const T value : y) hash.add(value);
  }
  std::printf("function %s, %s: %016" PRIx64 "\n", f.name.data(), dtype, hash.value());
}

void digest_functions() {
  for (const UnaryFunction& f : targets()[0].unary) {
    digest_unary<float>(f, "f32");
    digest_unary<double>(f, "f64");
  }
  for (const BinaryFunction& f : targets()[0].binary) {
    digest_binary<float>(f, "f32");
    digest_binary<double>(f, "f64");
  }
}

// Each good sample as it is, and larger, in layouts that differ, as far as tenon.cpu runs it.
class Kernels {
 public:
  void add(const Case& from) {
    if (!ops_.contains(from.op)) return;
    pin(session_, kPlugin);
    if (chosen(session_, from, Bound(session_, from)) != kPlugin) return;
    digest(from);
    const auto larger = enlarged(from, 150.0 + static_cast<double>(number_ % 400));
    if (larger && is_accepted(session_, *larger)) digest(*larger);
  }
  void print() const {
    for (const auto& [op, each] : hashes_) {
      std::printf("kernel %s, %d calls: %016" PRIx64 "\n", op.c_str(), each.calls,
                  each.hash.value());
    }
  }
  bool empty() const { return hashes_.empty(); }

 private:
  struct Each {
    Hash hash;
    int calls = 0;
  };
  void digest(const Case& from) {
    const Outcome found = run_pinned(session_, kPlugin, from, mixed(from.arrays.size(), number_++));
    Each& each = hashes_[from.op];
    each.hash.add(found.outputs);
    each.hash.add(found.operands);
    ++each.calls;
  }

  Session session_{std::vector<std::string>{plugin_dir()}, 2};
  std::set<std::string> ops_ = ops_of({plugin_dir()}, kPlugin);
  std::map<std::string, Each> hashes_;
  size_t number_ = 0;
};

int digest() {
  if (targets().empty()) {
    std::fputs("cpu_digest: this processor cannot run tenon.cpu\n", stderr);
    return 1;
  }
  digest_functions();
  Kernels kernels;
  for (const Case& from : good_cases()) kernels.add(from);
  kernels.print();
  if (kernels.empty() || testing::Test::HasFailure()) {
    std::fputs("cpu_digest: a call of tenon.cpu failed, or there is none\n", stderr);
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace tenon::tests

// The calls report failures through GoogleTest.
int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  return tenon::tests::digest();
}
