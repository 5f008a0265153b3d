// SPDX-License-Identifier: Apache-2.0
// core/exchange/archive.cc: reading, where what a format says of a file is checked before it is
// believed, and writing.
#include "core/exchange/archive.h"

#include <algorithm>
#include <cstring>

#include "core/files/replacement.h"
#include "core/json/writer.h"
#include "core/launch/moves.h"
#include "core/registry/values.h"
#include "core/runtime/file_entries.h"
#include "core/tensor/external.h"

namespace tenon::exchange {

using files::Replacement;
using tensor::Dims;
using tensor::DimSpan;
using tensor::Ref;
using tensor::shape_of;
using tensor::Tensor;

namespace {

constexpr size_t kNamesShown = 8;

std::string quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

// The first names, for messages.
template <class List, class Name>
std::string some_of(const List& list, Name&& name) {
  std::string text;
  for (size_t i = 0; i < list.size() && i < kNamesShown; ++i) {
    text += (i ? " " : "") + std::string(name(list[i]));
  }
  if (list.size() > kNamesShown) text += " ...";
  return text.empty() ? "none" : text;
}

[[noreturn]] void refuse_plugin(const registry::Entry& kind, const std::string& what) {
  fail_plugin(kind.name, kind.plugin->id, what);
}

Dims strides_of(const Entry& entry) {
  Dims strides{};
  const DimSpan shape = shape_of(entry.meta);
  if ((entry.flags & TENON_FORMAT_COLUMN_MAJOR) == 0) {
    tensor::row_major_strides(shape, strides.data());
    return strides;
  }
  int64_t next = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    strides[i] = next;
    next *= std::max<int64_t>(shape[i], 1);
  }
  return strides;
}

void check_bools(const Entry& entry, const void* data) {
  if (entry.meta.dtype != TENON_DTYPE_BOOL) return;
  const auto* bytes = static_cast<const unsigned char*>(data);
  const auto* end = bytes + entry.bytes;
  const auto* wrong = std::find_if(bytes, end, [](unsigned char byte) { return byte > 1; });
  if (wrong == end) return;
  fail(TENON_E_DATA,
       "tensor " + quoted(entry.name) + ": element " + std::to_string(wrong - bytes) +
           " is not a bool",
       entry.name, "0 or 1", std::to_string(*wrong), "the file is damaged; write it again");
}

}  // namespace

// ---- Source -------------------------------------------------------------------------------------

Source::Source(Context& context, const registry::Entry& kind, const std::string& path,
               bool in_memory)
    : kind_(kind), path_(path), image_(std::make_shared<const Image>(path, in_memory)) {
  ask(context, kind, "read", &tenon_format_desc::read, image_->data(), image_->size(), &object_);
}

Source::~Source() { kind_.as<tenon_format_desc>().release(object_); }

// ---- Archive ------------------------------------------------------------------------------------

void Archive::load(Context& context, const registry::Entry& kind, const std::string& path,
                   bool in_memory) {
  try {
    source_ = std::make_unique<Source>(context, kind, path, in_memory);
    uint32_t entries = 0;
    uint32_t texts = 0;
    ask(context, kind, "count", &tenon_format_desc::count, source_->object(), &entries, &texts);
    for (uint32_t i = 0; i < entries; ++i) add_entry(context, i);
    for (uint32_t i = 0; i < texts; ++i) add_text(context, i);
  } catch (Error& error) {
    if (error.status != TENON_E_IO) error.message = "'" + path + "': " + error.message;
    throw;
  }
}

namespace {

// A form that a tensor may have; a foreign one's dtype is none, and its shape what the file says.
bool is_possible(const tenon_format_entry& said, const tenon_format_desc& format) {
  constexpr uint32_t kKnown =
      TENON_FORMAT_COLUMN_MAJOR | TENON_FORMAT_PACKED | TENON_FORMAT_FOREIGN;
  const bool foreign = (said.flags & TENON_FORMAT_FOREIGN) != 0;
  if (said.meta.rank < 0 || said.meta.rank > TENON_MAX_RANK) return false;
  if ((said.flags & ~kKnown) != 0) return false;
  if ((said.flags & TENON_FORMAT_PACKED) != 0 && format.unpack == nullptr) return false;
  if (!foreign) return tensor::is_known(said.meta.dtype);
  const auto* end = said.meta.shape + said.meta.rank;
  return format.foreign != nullptr && said.meta.dtype == TENON_DTYPE_NONE &&
         std::all_of(said.meta.shape, end, [](int64_t size) { return size >= 0; });
}

}  // namespace

void Archive::add_entry(Context& context, uint32_t index) {
  const registry::Entry& kind = source_->kind();
  tenon_format_entry said{};
  ask(context, kind, "entry", &tenon_format_desc::entry, source_->object(), index, &said);
  Entry entry;
  entry.name = registry::text_view(said.name);
  entry.meta = said.meta;
  entry.meta.device = runtime_->host_device().id;
  entry.index = index;
  entry.flags = said.flags;
  entry.offset = said.offset;
  entry.bytes = said.bytes;
  if (!is_possible(said, kind.as<tenon_format_desc>())) {
    refuse_plugin(kind, "gives tensor " + quoted(entry.name) + " an impossible form");
  }
  const bool packed = (said.flags & TENON_FORMAT_PACKED) != 0;
  const uint64_t length = source_->image()->size();
  bool whole = true;
  if ((said.flags & TENON_FORMAT_FOREIGN) != 0) {
    tenon_string words{};
    ask(context, kind, "foreign", &tenon_format_desc::foreign, source_->object(), index, &words);
    entry.foreign = registry::text_view(words);
    if (entry.foreign.empty())
      refuse_plugin(kind, "does not say what " + quoted(entry.name) + " is");
  } else {
    const uint32_t size = tensor::size_of(said.meta.dtype);
    const int64_t count = tensor::checked_count(shape_of(said.meta), size);
    whole = static_cast<uint64_t>(count) * size == said.bytes;
  }
  if (!whole || said.bytes > INT64_MAX ||
      (!packed && (said.offset > length || said.bytes > length - said.offset))) {
    refuse_plugin(kind, "gives tensor " + quoted(entry.name) + " bytes that are not its own");
  }
  if (!names_.emplace(entry.name, entries()).second) {
    fail_in(kind.name, TENON_E_DATA, "two tensors are named " + quoted(entry.name), entry.name,
            "unique names");
  }
  entries_.push_back(std::move(entry));
}

void Archive::add_text(Context& context, uint32_t index) {
  const registry::Entry& kind = source_->kind();
  tenon_format_pair said{};
  ask(context, kind, "metadata", &tenon_format_desc::metadata, source_->object(), index, &said);
  const std::string_view key = registry::text_view(said.key);
  if (!keys_.emplace(key, texts()).second) {
    fail_in(kind.name, TENON_E_DATA, "metadata has the key " + quoted(key) + " twice",
            std::string(key), "unique keys");
  }
  metadata_.emplace_back(key, registry::text_view(said.value));
}

const Entry& Archive::entry(uint32_t index) const {
  if (index < entries_.size()) return entries_[index];
  fail(TENON_E_NOT_FOUND, "the archive has no tensor " + std::to_string(index), "index",
       "an index below " + std::to_string(entries_.size()), std::to_string(index));
}

uint32_t Archive::find(std::string_view name) const {
  const auto found = names_.find(name);
  if (found != names_.end()) return found->second;
  fail(TENON_E_NOT_FOUND, "the archive has no tensor " + quoted(name), "name",
       "one of: " + some_of(
                        entries_, [](const Entry& e) -> const auto& { return e.name; }),
       std::string(name));
}

const std::pair<std::string, std::string>& Archive::metadata(uint32_t index) const {
  if (index < metadata_.size()) return metadata_[index];
  fail(TENON_E_NOT_FOUND, "the archive has no metadata " + std::to_string(index), "index",
       "an index below " + std::to_string(metadata_.size()), std::to_string(index));
}

const std::string& Archive::find_metadata(std::string_view key) const {
  const auto found = keys_.find(key);
  if (found != keys_.end()) return metadata_[found->second].second;
  fail(TENON_E_NOT_FOUND, "the archive's metadata has no key " + quoted(key), "key",
       "one of: " + some_of(
                        metadata_, [](const auto& pair) -> const auto& { return pair.first; }),
       std::string(key));
}

Ref Archive::tensor(Context& context, uint32_t index, bool copy) const {
  const Entry& from = entry(index);
  if (from.tensor) {
    return Ref(copy ? launch::copy(context, *from.tensor) : from.tensor->alias());
  }
  if (!from.foreign.empty()) {
    fail(TENON_E_UNSUPPORTED,
         quoted(from.name) + " in '" + source_->path() + "' is not a tensor that Tenon can hold",
         from.name, "one of: " + tensor::dtypes_text(tensor::all_dtypes(), " "), from.foreign,
         "ask for its bytes, as u8, or convert it first");
  }
  return loaded(context, from, copy);
}

Ref Archive::bytes(Context& context, uint32_t index, bool copy) const {
  Entry from = entry(index);
  if (from.tensor) {
    fail(TENON_E_ARGUMENT, "bytes are of tensors in a file, and " + quoted(from.name) + " was set",
         from.name, "a tensor of a file", "a tensor that was set");
  }
  from.meta.dtype = TENON_DTYPE_U8;
  from.meta.rank = 1;
  from.meta.shape[0] = static_cast<int64_t>(from.bytes);
  return loaded(context, from, copy);
}

Ref Archive::loaded(Context& context, const Entry& from, bool copy) const {
  const auto address = reinterpret_cast<uintptr_t>(source_->image()->data()) + from.offset;
  const bool aligned = address % tensor::size_of(from.meta.dtype) == 0;
  const bool packed = (from.flags & TENON_FORMAT_PACKED) != 0;
  return packed || copy || !aligned ? unpacked(context, from) : window(context, from);
}

Ref Archive::window(Context& context, const Entry& entry) const {
  using Held = std::shared_ptr<const Image>;
  const Dims strides = strides_of(entry);
  auto held = std::make_unique<Held>(source_->image());
  void* data = const_cast<unsigned char*>((*held)->data() + entry.offset);
  check_bools(entry, data);
  Ref made(tensor::wrap_external(context.runtime->host_device(),
                                 {.first = data,
                                  .dtype = entry.meta.dtype,
                                  .shape = shape_of(entry.meta),
                                  .strides = strides.data(),
                                  .read_only = true,
                                  .deleter = [](void* user) { delete static_cast<Held*>(user); },
                                  .user = held.get()}));
  static_cast<void>(held.release());
  return made;
}

// Memory of its own, laid out as the file has it.
Ref Archive::unpacked(Context& context, const Entry& entry) const {
  const Dims strides = strides_of(entry);
  Ref made(Tensor::create(tensor::Storage::create(context.runtime->host_device(), entry.bytes),
                          entry.meta.dtype, shape_of(entry.meta), strides.data(), 0));
  void* data = made->view.data;
  if ((entry.flags & TENON_FORMAT_PACKED) != 0) {
    ask(context, source_->kind(), "unpack", &tenon_format_desc::unpack, source_->object(),
        entry.index, data, entry.bytes);
  } else if (entry.bytes != 0) {
    std::memcpy(data, source_->image()->data() + entry.offset, entry.bytes);
  }
  check_bools(entry, data);
  return made;
}

namespace {

// For one more, so that adding it cannot fail halfway; by doubling, so that many take no longer
// each.
template <class T>
void make_room(std::vector<T>& list) {
  if (list.size() == list.capacity()) list.reserve(std::max<size_t>(8, 2 * list.size()));
}

void check_name(std::string_view name, const char* operand) {
  if (!name.empty() && json::is_utf8(name)) return;
  fail(TENON_E_ARGUMENT,
       std::string("the ") + operand + (name.empty() ? " is empty" : " is not UTF-8"), operand,
       "UTF-8 text");
}

}  // namespace

void Archive::set(std::string_view name, const Tensor& tensor) {
  check_name(name, "name");
  Entry entry;
  entry.name = name;
  entry.meta = tensor::meta_of(tensor);
  entry.tensor = Ref(tensor.alias());
  entry.bytes = static_cast<uint64_t>(tensor.elements()) * tensor.element_size();
  const auto found = names_.find(name);
  if (found != names_.end()) {
    entries_[found->second] = std::move(entry);
    return;
  }
  make_room(entries_);
  names_.emplace(name, entries());
  entries_.push_back(std::move(entry));
}

void Archive::set_metadata(std::string_view key, std::string_view value) {
  check_name(key, "key");
  if (!value.empty()) check_name(value, "value");
  std::pair<std::string, std::string> pair(key, value);
  const auto found = keys_.find(key);
  if (found != keys_.end()) {
    metadata_[found->second].second.swap(pair.second);
    return;
  }
  make_room(metadata_);
  keys_.emplace(key, texts());
  metadata_.push_back(std::move(pair));
}

// ---- Writing: the format says which bytes come next ---------------------------------------------

namespace {

tenon_string text(const std::string& from) { return {from.data(), from.size()}; }

// A format's layout of one file.
class Layout : NoCopy {
 public:
  Layout(Context& context, const registry::Entry& kind, const tenon_format_content& content)
      : context_(context), kind_(kind) {
    ask(context_, kind_, "layout", &tenon_format_desc::layout, &content, &layout_);
  }
  ~Layout() { kind_.as<tenon_format_desc>().release_layout(layout_); }

  tenon_format_piece next() {
    tenon_format_piece piece{};
    ask(context_, kind_, "piece", &tenon_format_desc::piece, layout_, &piece);
    return piece;
  }
  void written(const void* bytes, uint64_t length) {
    if (kind_.as<tenon_format_desc>().written == nullptr) return;
    ask(context_, kind_, "written", &tenon_format_desc::written, layout_, bytes, length);
  }

 private:
  Context& context_;
  const registry::Entry& kind_;
  void* layout_ = nullptr;
};

[[noreturn]] void refuse_layout(const registry::Entry& kind) {
  fail_plugin(kind.name, kind.plugin->id, "lays out a file that does not hold each tensor once");
}

}  // namespace

void Archive::write(Context& context, const registry::Entry& kind, const std::string& path) const {
  std::vector<tenon_format_entry> entries;
  for (const Entry& entry : entries_) {
    entries.push_back({text(entry.name), entry.meta, 0, entry.bytes, 0, 0});
  }
  std::vector<tenon_format_pair> pairs;
  for (const auto& [key, value] : metadata_) pairs.push_back({text(key), text(value)});
  const tenon_format_content content = {sizeof content,  0,      entries.data(), pairs.data(),
                                        this->entries(), texts()};
  Layout layout(context, kind, content);
  Replacement file(path);
  std::vector<bool> seen(entries.size());
  size_t left = entries.size();
  for (;;) {
    context.check_interrupt();
    const tenon_format_piece piece = layout.next();
    if (piece.kind == TENON_PIECE_END) break;
    if (piece.kind == TENON_PIECE_BYTES) {
      file.write(piece.bytes, piece.length);
      continue;
    }
    if (piece.kind != TENON_PIECE_TENSOR || piece.entry >= seen.size() || seen[piece.entry]) {
      refuse_layout(kind);
    }
    seen[piece.entry] = true;
    --left;
    const Ref data = launch::on_host(context, tensor(context, piece.entry, false));
    file.write(data->view.data, entries[piece.entry].bytes);
    layout.written(data->view.data, entries[piece.entry].bytes);
  }
  if (left != 0) refuse_layout(kind);
  file.commit();
}

std::string describe(const Entry& entry) {
  return entry.foreign.empty() ? tensor::describe(entry.meta) : entry.foreign;
}

// ---- Choosing a format --------------------------------------------------------------------------

const registry::Entry& choose_format(Context& context, std::string_view name,
                                     std::string_view path) {
  if (!name.empty()) return context.runtime->plugins.require_entry<tenon_format_desc>(name);
  return entry_for_file<tenon_format_desc>(*context.runtime, path, "tenon.safetensors");
}

}  // namespace tenon::exchange
