// SPDX-License-Identifier: Apache-2.0
// tests/conformance/overlap_test.cc: outputs that share one element with an input, at either end of
// it, give what outputs apart give; by calls of a kind that ran apart before.
//
// A call that is like earlier ones takes a short way, which judges by addresses alone whether its
// operands are apart. Neighbours that touch are, and must not be copied for nothing.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <new>

#include <tenon/plugin.h>

#include "tests/conformance/conformance_support.h"
#include "tests/support/paths.h"

namespace tenon::tests {
namespace {

constexpr size_t kApart = 64;  // bytes

// Tensors without gaps anywhere in memory of the caller.
class Memory {
 public:
  explicit Memory(size_t bytes)
      : at_(static_cast<unsigned char*>(std::aligned_alloc(kLine, (bytes / kLine + 1) * kLine))) {
    if (!at_) throw std::bad_alloc();
  }
  ~Memory() { std::free(at_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  // The contents of `array` from `byte` on; backwards, for one dimension: from the last element.
  Tensor put(const Session& session, const Array& array, size_t byte, bool backwards) const {
    const size_t size = size_of(array.dtype), last = array.bytes.size() - size;
    for (size_t i = 0; i <= last; i += size) {
      std::memcpy(at_ + byte + (backwards ? last - i : i), array.bytes.data() + i, size);
    }
    const int64_t step = -1;
    tenon_tensor* made = nullptr;
    session.must(tenon_tensor_create_external(
        session, array.dtype, static_cast<int32_t>(array.shape.size()), array.shape.data(),
        backwards ? &step : nullptr, at_ + byte + (backwards ? last : 0), 0, nullptr, nullptr,
        &made));
    return Tensor(made);
  }

 private:
  static constexpr size_t kLine = 64;
  unsigned char* at_;
};

// Where two tensors lie in one memory, in bytes: one that is read or written, and one that is
// written.
struct Places {
  const char* words;
  size_t first, written;
};

// So many bytes of two neighbours are the same that the second is aligned: one element, where both
// elements have one size.
size_t shared_bytes(size_t bytes, size_t next_element) {
  const size_t rest = bytes % next_element;
  return rest ? rest : next_element;
}

std::vector<Places> overlapping(const Array& first, const Array& written) {
  const size_t a = first.bytes.size(), b = written.bytes.size();
  const size_t at_end = shared_bytes(a, size_of(written.dtype));
  const size_t at_begin = shared_bytes(b, size_of(first.dtype));
  std::vector<Places> all;
  if (at_end <= std::min(a, b)) all.push_back({"what is written begins in it", 0, a - at_end});
  if (at_begin <= std::min(a, b)) all.push_back({"what is written ends in it", b - at_begin, 0});
  return all;
}
std::vector<Places> touching(const Array& first, const Array& written) {
  const size_t a = first.bytes.size(), b = written.bytes.size();
  std::vector<Places> all;
  if (a % size_of(written.dtype) == 0) all.push_back({"what is written follows it", 0, a});
  if (b % size_of(first.dtype) == 0) all.push_back({"it follows what is written", b, 0});
  return all;
}

// Which of the two run backwards.
struct Backwards {
  bool first = false, written = false;
};

// The first calls of a kind go the long way; the third is the first to take the short one.
constexpr int kLearning = 3;

class ConformanceOverlap : public testing::Test {
 protected:
  // Tensors for the outputs, apart from everything.
  std::vector<Tensor> fresh() {
    std::vector<Tensor> made;
    for (const Array& each : expected.outputs) {
      tenon_tensor* tensor = nullptr;
      session.must(tenon_tensor_create(session, each.dtype, nullptr,
                                       static_cast<int32_t>(each.shape.size()), each.shape.data(),
                                       &tensor));
      made.emplace_back(tensor);
    }
    return made;
  }
  // How many launches a call into `outputs` takes; new ones if there are none.
  uint64_t launches_of(const Case& from, const Bound& bound,
                       const std::vector<tenon_tensor*>& outputs) {
    session.must(tenon_context_set_counter(session, 0));
    const uint64_t before = session.stats().launches;
    if (outputs.empty()) {
      std::vector<Tensor> made;
      session.must(call(session, from, bound.inputs(), from.n_outputs, made));
    } else {
      session.must(apply(session, from, bound.inputs(), outputs));
    }
    return session.stats().launches - before;
  }
  void check_output(const Case& from, size_t input, size_t output, Backwards backwards = {});
  void check_operand(const Case& from, size_t input, size_t written);
  void check_outputs(const Case& from, size_t first, size_t second);
  void check(const Case& from);

  // Is the result an alias of the operand? What it shows of that may lie apart from the rest.
  bool is_view(const Case& from) {
    const Bound bound(session, from);
    std::vector<Tensor> made;
    session.must(call(session, from, bound.inputs(), from.n_outputs, made));
    return made.size() == 1 && storage_of(made[0].get()) == storage_of(bound.tensors()[0]->get());
  }
  uint64_t storage_of(const tenon_tensor* tensor) {
    tenon_tensor_info info{};
    info.struct_size = sizeof info;
    session.must(tenon_tensor_get_info(session, tensor, &info));
    return info.storage;
  }

  Session session;
  Outcome expected;  // of the case at hand, apart
  size_t tried = 0;
};

void ConformanceOverlap::check_output(const Case& from, size_t input, size_t output,
                                      Backwards backwards) {
  const Array& in = from.arrays[input];
  const Array& out = expected.outputs[output];
  if (in.count() < 2 || out.count() == 0) return;
  Bound bound(session, from);
  const std::vector<Tensor> made = fresh();
  const size_t far = (in.bytes.size() / kApart + 1) * kApart;
  const Memory memory(far + out.bytes.size());
  const std::string what = from.label + ", operand " + std::to_string(input) + ": ";
  const bool reads_all = !is_view(from);
  const auto run_at = [&](const Places& places) {
    Array hole = out;
    std::fill(hole.bytes.begin(), hole.bytes.end(), 0xA5);
    const Tensor y = memory.put(session, hole, places.written, backwards.written);
    const Tensor x = memory.put(session, in, places.first, backwards.first);
    bound.replace(input, x.get());
    std::vector<tenon_tensor*> outputs;
    for (const Tensor& each : made) outputs.push_back(each.get());
    outputs[output] = y.get();
    const uint64_t launches = launches_of(from, bound, outputs);
    std::vector<Array> results;
    for (tenon_tensor* each : outputs) results.push_back(contents_of(session, each));
    expect_same(expected.outputs, results, what + places.words);
    return launches;
  };
  uint64_t apart = 0;
  for (int i = 0; i < kLearning; ++i) apart = run_at({"apart", 0, far});
  for (const Places& places : overlapping(in, out)) {
    const uint64_t launches = run_at(places);
    // One kernel alone cannot tell which elements it may still need.
    EXPECT_TRUE(apart != 1 || launches > 1 || !reads_all) << what << places.words << ", uncopied";
    ++tried;
  }
  for (const Places& places : touching(in, out)) {
    EXPECT_EQ(run_at(places), apart) << what << places.words << ", copied";
  }
}

// Of an operand that is read and one that is written, which share what is in both.
void ConformanceOverlap::check_operand(const Case& from, size_t input, size_t written) {
  const Array& in = from.arrays[input];
  const Array& target = from.arrays[written];
  if (in.dtype != target.dtype || in.count() < 2 || target.count() < 2) return;
  uint64_t apart = 0;
  for (int i = 0; i < kLearning; ++i) apart = launches_of(from, Bound(session, from), {});
  const Memory memory(in.bytes.size() + target.bytes.size());
  for (const Places& places : overlapping(in, target)) {
    const std::string what = from.label + ", operands " + std::to_string(input) + " and " +
                             std::to_string(written) + ": " + places.words;
    const Tensor y = memory.put(session, target, places.written, false);
    const Tensor x = memory.put(session, in, places.first, false);
    Case shared = from;
    shared.arrays[written] = contents_of(session, y.get());
    const Outcome wanted = run(session, shared, Bound(session, shared));
    Bound bound(session, shared);
    bound.replace(input, x.get());
    bound.replace(written, y.get());
    const uint64_t launches = launches_of(from, bound, {});
    EXPECT_TRUE(apart != 1 || launches > 1) << what << ", uncopied";
    for (size_t i = 0; i < from.arrays.size(); ++i) {
      if (!from.mutated[i]) continue;
      const Array found = i == written ? contents_of(session, y.get()) : bound.tensors()[i]->read();
      expect_same({wanted.operands[i]}, {found}, what + ", operand");
    }
    ++tried;
  }
}

// Nothing says what two outputs that share memory ought to hold.
void ConformanceOverlap::check_outputs(const Case& from, size_t first, size_t second) {
  const Array& a = expected.outputs[first];
  const Array& b = expected.outputs[second];
  if (a.count() < 2 || b.count() < 2) return;
  const Bound bound(session, from);
  const std::vector<Tensor> made = fresh();
  const size_t far = (a.bytes.size() / kApart + 1) * kApart;
  const Memory memory(far + b.bytes.size());
  std::vector<tenon_tensor*> outputs;
  for (const Tensor& each : made) outputs.push_back(each.get());
  const auto put = [&](const Places& places) {
    std::pair<Tensor, Tensor> both(memory.put(session, a, places.first, false),
                                   memory.put(session, b, places.written, false));
    outputs[first] = both.first.get();
    outputs[second] = both.second.get();
    return both;
  };
  for (int i = 0; i < kLearning; ++i) {
    const auto both = put({"apart", 0, far});
    launches_of(from, bound, outputs);
  }
  for (const Places& places : overlapping(a, b)) {
    const auto both = put(places);
    EXPECT_EQ(apply(session, from, bound.inputs(), outputs), TENON_E_ALIAS)
        << from.label << ", outputs " << first << " and " << second << ": " << places.words;
    ++tried;
  }
}

void ConformanceOverlap::check(const Case& from) {
  expected = run(session, from, Bound(session, from));
  if (expected.outputs.size() != from.n_outputs) return;  // one is left out
  for (size_t input = 0; input < from.arrays.size(); ++input) {
    if (from.mutated[input]) continue;
    for (size_t k = 0; k < from.arrays.size(); ++k) {
      if (from.mutated[k]) check_operand(from, input, k);
    }
    for (size_t k = 0; k < from.n_outputs && !from.mutates(); ++k) check_output(from, input, k);
  }
  for (size_t k = 1; k < from.n_outputs && !from.mutates(); ++k) check_outputs(from, k - 1, k);
}

// Two cases of each op, of elements of different sizes; a byte is the smallest step there is. A
// sanitizer takes its time: one is enough there.
TEST_F(ConformanceOverlap, OfOneElementIsSeenInCallsThatRanApartBefore) {
  const bool plain = sanitizer() == TENON_SANITIZER_NONE;
  std::map<std::string, std::vector<size_t>> sizes;
  for (const Case& from : good_cases()) {
    if (from.arrays.empty()) continue;
    const size_t size = size_of(from.arrays[0].dtype);
    std::vector<size_t>& known = sizes[from.op];
    if (from.arrays[0].count() < 3 || std::count(known.begin(), known.end(), size)) continue;
    if (known.size() == (plain ? 2 : 1)) continue;
    known.push_back(size);
    check(from);
  }
  EXPECT_GT(tried, plain ? 500u : 250u);
}

// The numbers that a window one element short gave: 7 in place of 10.
TEST_F(ConformanceOverlap, OfARunningSumIsSeenAtBothEnds) {
  for (const bool reverse : {false, true}) {
    Case sum =
        make_case({"tenon.cumsum",
                   reverse ? "i64[4]{1,2,3,4} | axis=0, reverse=true" : "i64[4]{1,2,3,4} | axis=0",
                   "", TENON_OK});
    expected = run(session, sum, Bound(session, sum));
    const std::vector<int64_t> wanted =
        reverse ? std::vector<int64_t>{10, 9, 7, 4} : std::vector<int64_t>{1, 3, 6, 10};
    ASSERT_EQ(std::memcmp(expected.outputs[0].bytes.data(), wanted.data(), sizeof(int64_t) * 4), 0);
    for (const bool in : {false, true}) {
      for (const bool out : {false, true}) check_output(sum, 0, 0, {in, out});
    }
  }
}

}  // namespace
}  // namespace tenon::tests
