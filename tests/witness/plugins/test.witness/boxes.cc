// SPDX-License-Identifier: Apache-2.0
// tests/witness/plugins/test.witness/boxes.cc: formats that should all be the same, each wrong in a
// way of its own. A file is
//
//   "box1", the numbers of tensors and of metadata, and the number of bytes up to here
//   of each tensor the name, dtype, rank, dimensions, offset and number of bytes
//   of each metadata the key and the value
//   the tensors' bytes, one after the other, and an "!"
//
// numbers as i64, texts as their length and bytes.
#include <cstring>
#include <string>

#include "faults.h"

namespace {

using namespace witness;

enum Fault : uint32_t { kDrops, kReverses, kForgets, kChanges, kTrusts, kDies, kFaults };
constexpr std::string_view kNames[kFaults] = {
    "test.witness.box_drops",   "test.witness.box_reverses", "test.witness.box_forgets",
    "test.witness.box_changes", "test.witness.box_trusts",   "test.witness.box_dies"};

template <uint32_t F>
bool is(Fault fault) {
  return is_wrong() && F == fault;
}

struct Box {
  std::vector<tenon_format_entry> entries;
  std::vector<tenon_format_pair> pairs;
};

// Reads numbers and texts out of untrusted bytes.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  std::string_view take(uint64_t count) {
    if (count > bytes_.size() - at_) throw sdk::Failure{TENON_E_DATA, "the box is too short"};
    at_ += count;
    return bytes_.substr(at_ - count, count);
  }
  int64_t number() {
    int64_t value = 0;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  tenon_string text() {
    const std::string_view found = take(static_cast<uint64_t>(number()));
    return {found.data(), found.size()};
  }
  uint64_t at() const { return at_; }

 private:
  std::string_view bytes_;
  uint64_t at_ = 0;
};

tenon_format_entry entry_in(Reader& reader) {
  tenon_format_entry entry{};
  entry.name = reader.text();
  entry.meta.dtype = static_cast<tenon_dtype>(reader.number());
  entry.meta.rank = static_cast<int32_t>(reader.number());
  if (entry.meta.rank < 0 || entry.meta.rank > TENON_MAX_RANK) {
    throw sdk::Failure{TENON_E_DATA, "the box states an impossible rank"};
  }
  for (int32_t d = 0; d < entry.meta.rank; ++d) entry.meta.shape[d] = reader.number();
  entry.offset = static_cast<uint64_t>(reader.number());
  entry.bytes = static_cast<uint64_t>(reader.number());
  return entry;
}

template <uint32_t F>
tenon_status read(tenon_call* call, const void* bytes, uint64_t length, void** out_object) {
  return sdk::guarded(call, [&] {
    const std::string_view all(static_cast<const char*>(bytes), length);
    Reader reader(all);
    if (reader.take(4) != "box1") throw sdk::Failure{TENON_E_DATA, "it is not a box"};
    if (all.back() != '!' && !is<F>(kTrusts)) throw sdk::Failure{TENON_E_DATA, "it has no end"};
    const int64_t tensors = reader.number(), pairs = reader.number(), head = reader.number();
    if (is<F>(kDies) && head != 28) __builtin_trap();
    auto box = std::make_unique<Box>();
    for (int64_t i = 0; i < tensors; ++i) box->entries.push_back(entry_in(reader));
    for (int64_t i = 0; i < pairs; ++i) {
      const tenon_string key = reader.text();
      box->pairs.push_back({key, reader.text()});
    }
    *out_object = box.release();
  });
}

void release(void* object) { delete static_cast<Box*>(object); }

tenon_status count(tenon_call*, void* object, uint32_t* entries, uint32_t* metadata) {
  const Box& box = *static_cast<const Box*>(object);
  *entries = static_cast<uint32_t>(box.entries.size());
  *metadata = static_cast<uint32_t>(box.pairs.size());
  return TENON_OK;
}

tenon_status entry(tenon_call*, void* object, uint32_t index, tenon_format_entry* out_entry) {
  *out_entry = static_cast<const Box*>(object)->entries[index];
  return TENON_OK;
}

tenon_status pair(tenon_call*, void* object, uint32_t index, tenon_format_pair* out_pair) {
  *out_pair = static_cast<const Box*>(object)->pairs[index];
  return TENON_OK;
}

struct Layout {
  std::string head;
  uint32_t next = 0, tensors = 0;
  bool reversed = false;
};

void add(std::string& head, int64_t number) {
  head.append(reinterpret_cast<const char*>(&number), sizeof number);
}
void add(std::string& head, const tenon_string& text) {
  add(head, static_cast<int64_t>(text.length));
  head.append(text.data, text.length);
}

template <uint32_t F>
std::string head_of(const tenon_format_content& content, uint32_t tensors, uint64_t offset) {
  static int64_t written = 0;
  const uint32_t pairs = is<F>(kForgets) ? 0 : content.n_metadata;
  std::string head = "box1";
  add(head, tensors);
  add(head, pairs);
  add(head, 28);
  for (uint32_t i = 0; i < tensors; ++i) {
    const tenon_format_entry& each = content.entries[i];
    add(head, each.name);
    add(head, static_cast<int64_t>(each.meta.dtype));
    add(head, each.meta.rank);
    for (int32_t d = 0; d < each.meta.rank; ++d) add(head, each.meta.shape[d]);
    add(head, static_cast<int64_t>(offset));
    add(head, static_cast<int64_t>(each.bytes));
    offset += each.bytes;
  }
  for (uint32_t i = 0; i < pairs; ++i) {
    add(head, content.metadata[i].key);
    add(head, content.metadata[i].value);
  }
  if (is<F>(kChanges)) add(head, written++);
  return head;
}

template <uint32_t F>
tenon_status layout(tenon_call* call, const tenon_format_content* content, void** out_layout) {
  return sdk::guarded(call, [&] {
    auto made = std::make_unique<Layout>();
    made->tensors = content->n_entries - (is<F>(kDrops) && content->n_entries > 1 ? 1 : 0);
    made->reversed = is<F>(kReverses);
    const uint64_t length = head_of<F>(*content, made->tensors, 0).size();
    made->head = head_of<F>(*content, made->tensors, length);
    *out_layout = made.release();
  });
}

tenon_status piece(tenon_call*, void* object, tenon_format_piece* out_piece) {
  Layout& made = *static_cast<Layout*>(object);
  const uint32_t next = made.next++;
  if (next == 0) {
    *out_piece = {made.head.data(), made.head.size(), TENON_PIECE_BYTES, 0};
  } else if (next <= made.tensors) {
    const uint32_t tensor = made.reversed ? made.tensors - next : next - 1;
    *out_piece = {nullptr, 0, TENON_PIECE_TENSOR, tensor};
  } else if (next == made.tensors + 1) {
    *out_piece = {"!", 1, TENON_PIECE_BYTES, 0};
  } else {
    *out_piece = {nullptr, 0, TENON_PIECE_END, 0};
  }
  return TENON_OK;
}

void release_layout(void* object) { delete static_cast<Layout*>(object); }

template <uint32_t... F>
constexpr auto formats_of(std::integer_sequence<uint32_t, F...>) {
  return std::array{tenon_format_desc{sizeof(tenon_format_desc), 0, sdk::str(kNames[F]),
                                      sdk::str("A box of tensors."), sdk::str(".box"), read<F>,
                                      release, count, entry, pair, nullptr, layout<F>, piece,
                                      nullptr, release_layout, nullptr}...};
}
constexpr auto formats = formats_of(std::make_integer_sequence<uint32_t, kFaults>());

}  // namespace

TENON_UNIT(boxes) = {.formats = formats};
