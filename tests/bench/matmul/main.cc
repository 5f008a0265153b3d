// SPDX-License-Identifier: Apache-2.0
// tests/bench/matmul/main.cc: bin/tenon_matmul_bench: f32 matrix products beside other libraries'.
//
//   tenon_matmul_bench [--threads 1|2|...] [--rounds <n>] [<name>...]
//
// All take turns in slices of a fraction of a millisecond, so that they meet the same neighbours,
// and so does a loop of bare multiply-adds. Printed are GFLOP/s of the best slices (what a tenth of
// them exceeds) and of the median one, the share of the bare loop's, and our best over the best
// other's. Where OPENBLAS_* is set in the environment the comparison would not be fair, and nothing
// is run.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <limits>
#include <random>
#include <string_view>

#include "contender.h"

extern char** environ;

namespace tenon::bench {
namespace {

struct Case {
  const char* name;
  Shape shape;
};

// Names: m x k x n, and which operand is transposed. Targets P1 to P4 of the design.
constexpr Case cases[] = {
    {"512", {512, 512, 512}},
    {"512-nt", {512, 512, 512, false, true}},
    {"512-tn", {512, 512, 512, true, false}},
    {"1024", {1024, 1024, 1024}},
    {"1024-nt", {1024, 1024, 1024, false, true}},
    {"1024-tn", {1024, 1024, 1024, true, false}},
    {"2048", {2048, 2048, 2048}},
    {"64", {64, 64, 64}},
    {"128", {128, 128, 128}},
    {"256", {256, 256, 256}},
    {"384", {384, 384, 384}},
    {"64x784x128", {64, 784, 128}},
    {"64x128x32", {64, 128, 32}},
    {"64x32x10", {64, 32, 10}},
    {"64x784x128-nt", {64, 784, 128, false, true}},
    {"64x784x128-tn", {64, 784, 128, true, false}},
    {"784x64x128-tn", {784, 64, 128, true, false}},
    {"64x128x784-nt", {64, 128, 784, false, true}},
    {"128x64x32-tn", {128, 64, 32, true, false}},
    {"64x32x128-nt", {64, 32, 128, false, true}},
    {"32x64x10-tn", {32, 64, 10, true, false}},
    {"64x10x32-nt", {64, 10, 32, false, true}},
    {"4x1x4", {4, 1, 4}},
    {"1x784x128", {1, 784, 128}},
    {"1x128x784-nt", {1, 128, 784, false, true}},
    {"784x1x128", {784, 1, 128}},
    {"1x128x32", {1, 128, 32}},
    {"1x32x128-nt", {1, 32, 128, false, true}},
    {"2x784x128", {2, 784, 128}},
    {"1x4096x4096", {1, 4096, 4096}},
    {"1x4096x4096-nt", {1, 4096, 4096, false, true}},
    {"256x784x128", {256, 784, 128}},
    {"256x768x2304", {256, 768, 2304}},
    {"1000x1000x1000", {1000, 1000, 1000}},
    {"100x300x50", {100, 300, 50}},
};

// On one thread its own time, in which others that wait for the processor have no part.
double seconds(int threads) {
  timespec now{};
  clock_gettime(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// GFLOP/s of each slice.
struct Series {
  std::string name;
  std::vector<double> rates;

  // Clocks of virtual machines jump, so what is exceeded by a tenth of the slices counts as best.
  double best() const { return at(0.9); }
  double median() const { return at(0.5); }
  double at(double share) const {
    std::vector<double> sorted = rates;
    const auto place = sorted.begin() +
                       static_cast<std::ptrdiff_t>(static_cast<double>(sorted.size() - 1) * share);
    std::nth_element(sorted.begin(), place, sorted.end());
    return *place;
  }
};

struct Options {
  int threads = 1;
  int rounds = 0;  // 0: by the size of the shape
  std::vector<std::string_view> names;
};

// Begins with a cache line, as tensors do.
class Floats {
 public:
  explicit Floats(int64_t count) : lines_(static_cast<size_t>(count + 15) / 16) {}
  float* data() { return lines_.data()->of; }

 private:
  struct alignas(64) Line {
    float of[16];
  };
  std::vector<Line> lines_;
};

Floats drawn(int64_t count, std::mt19937& random) {
  std::uniform_real_distribution<float> values(-1.0f, 1.0f);
  Floats v(count);
  std::generate_n(v.data(), count, [&] { return values(random); });
  return v;
}

// Each writes over what the one before left; a wrong product ends the program.
void check(const Shape& s, const Operands& o, const Contender& contender) {
  const auto count = static_cast<size_t>(s.m * s.n);
  std::fill_n(o.c, count, std::numeric_limits<float>::quiet_NaN());
  contender.multiply();
  std::mt19937 random(static_cast<uint32_t>(count));
  for (int i = 0; i < 100; ++i) {
    const int64_t row = static_cast<int64_t>(random()) % s.m;
    const int64_t column = static_cast<int64_t>(random()) % s.n;
    double sum = 0;
    for (int64_t k = 0; k < s.k; ++k) {
      sum += static_cast<double>(o.a[s.a_transposed ? k * s.m + row : row * s.k + k]) *
             static_cast<double>(o.b[s.b_transposed ? column * s.k + k : k * s.n + column]);
    }
    const double off = std::abs(sum - static_cast<double>(o.c[row * s.n + column]));
    if (!(off < 1e-3)) {
      std::fprintf(stderr, "%s computes a wrong product\n", contender.name.c_str());
      std::exit(1);
    }
  }
}

std::vector<Series> measure(const Shape& s, const std::vector<Contender>& all, int rounds,
                            int threads) {
  constexpr double kSlice = 4e6;  // operations, some 40 us of a core
  const int repeats = static_cast<int>(std::max(1.0, kSlice / s.operations()));
  std::vector<Series> series;
  for (const Contender& contender : all) series.push_back({contender.name, {}});
  series.push_back({"fma", {}});
  for (int round = 0; round < rounds; ++round) {
    for (size_t i = 0; i < all.size(); ++i) {
      all[i].multiply();  // its code and operands are in the caches again
      const double start = seconds(threads);
      for (int r = 0; r < repeats; ++r) all[i].multiply();
      series[i].rates.push_back(repeats * s.operations() / (seconds(threads) - start) * 1e-9);
    }
    const double start = seconds(threads);
    const double operations = run_fma(threads);
    series.back().rates.push_back(operations / (seconds(threads) - start) * 1e-9);
  }
  return series;
}

void print(const Case& c, const std::vector<Series>& all) {
  const double peak = all.back().best();
  double ours = 0;
  double theirs = 0;
  std::printf("%-16s", c.name);
  for (const Series& s : all) {
    const double best = s.best();
    std::printf(" %s %.1f (%.1f", s.name.c_str(), best, s.median());
    if (peak > 0 && &s != &all.back()) std::printf(", %.1f %%", 100 * best / peak);
    std::printf(")");
    if (&s == &all.back()) continue;
    double& side = s.name == "tenon" || s.name == "kernel" ? ours : theirs;
    side = std::max(side, best);
  }
  if (theirs > 0) std::printf(" | best over best other %.3f", ours / theirs);
  std::printf(" | %.0f ns\n", c.shape.operations() / ours);
}

void run(const Case& c, const Tenon& tenon, const Options& options) {
  const Shape& s = c.shape;
  std::mt19937 random(20261121);
  Floats a = drawn(s.m * s.k, random);
  Floats b = drawn(s.k * s.n, random);
  Floats out(s.m * s.n);
  const Operands operands{a.data(), b.data(), out.data()};
  std::vector<Contender> all = tenon.contenders(s, operands);
  for (Contender& peer : peers(s, operands)) all.push_back(std::move(peer));
  for (const Contender& contender : all) check(s, operands, contender);
  const int rounds = options.rounds
                         ? options.rounds
                         : static_cast<int>(std::clamp(2e10 / s.operations(), 11.0, 400.0));
  print(c, measure(s, all, rounds, options.threads));
}

Options parse(int count, char** arguments) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = arguments[i];
    if ((word == "--threads" || word == "--rounds") && i + 1 < count) {
      const int value = std::atoi(arguments[++i]);
      if (value > 0) {
        (word == "--threads" ? options.threads : options.rounds) = value;
        continue;
      }
    } else if (std::any_of(std::begin(cases), std::end(cases),
                           [&](const Case& c) { return word == c.name; })) {
      options.names.push_back(word);
      continue;
    }
    std::fprintf(stderr, "usage: tenon_matmul_bench [--threads <n>] [--rounds <n>] [<name>...]\n");
    for (const Case& c : cases) std::fprintf(stderr, "  %s\n", c.name);
    std::exit(2);
  }
  return options;
}

}  // namespace
}  // namespace tenon::bench

int main(int count, char** arguments) {
  using namespace tenon::bench;
  for (char** variable = environ; *variable; ++variable) {
    if (std::strncmp(*variable, "OPENBLAS_", 9) != 0) continue;
    std::fprintf(stderr, "unset %s first\n", *variable);
    return 2;
  }
  const Options options = parse(count, arguments);
  set_peer_threads(options.threads);
  std::printf("%sthreads %d; GFLOP/s: best slice (median, share of the bare loop)\n",
              peer_versions().c_str(), options.threads);
  const Tenon tenon(options.threads);
  for (const Case& c : cases) {
    const bool wanted =
        options.names.empty() ||
        std::find(options.names.begin(), options.names.end(), c.name) != options.names.end();
    if (wanted) run(c, tenon, options);
    std::fflush(stdout);
  }
}
