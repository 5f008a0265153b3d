// SPDX-License-Identifier: Apache-2.0
// core/exchange/archive.h: named tensors and texts, from a file or for one.
#pragma once

#include <tenon/ext/draft/archives.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/data/callback.h"
#include "core/files/image.h"
#include "core/registry/registry.h"
#include "core/runtime/kind_object.h"

namespace tenon::exchange {

using files::Image;

// Calls one of a format's callbacks, which `name` is the name of; throws what it reported.
template <class... Given, class... Args>
void ask(Context& context, const registry::Entry& kind, const char* name,
         tenon_status (*tenon_format_desc::*callback)(tenon_call*, Given...), Args... args) {
  data::run_callback(context, kind, name, [&](tenon_call* call) {
    return (kind.as<tenon_format_desc>().*callback)(call, args...);
  });
}

// What a format's `read` made of a file.
class Source : NoCopy {
 public:
  Source(Context& context, const registry::Entry& kind, const std::string& path, bool in_memory);
  ~Source();

  const registry::Entry& kind() const { return kind_; }
  const std::string& path() const { return path_; }
  const std::shared_ptr<const Image>& image() const { return image_; }
  void* object() const { return object_; }

 private:
  const registry::Entry& kind_;
  std::string path_;
  std::shared_ptr<const Image> image_;  // tensors hold it too
  void* object_ = nullptr;
};

struct Entry {
  std::string name;
  tenon_meta meta{};
  tensor::Ref tensor;   // of one that was set; else it lies in the source:
  std::string foreign;  // what it is, if Tenon cannot hold it
  uint32_t index = 0;
  uint32_t flags = 0;
  uint64_t offset = 0;
  uint64_t bytes = 0;
};

class Archive : public OfRuntime {
 public:
  explicit Archive(Runtime& runtime) : OfRuntime(runtime) {}

  // Fills an empty archive. An error leaves nothing behind.
  void load(Context& context, const registry::Entry& kind, const std::string& path, bool in_memory);
  void write(Context& context, const registry::Entry& kind, const std::string& path) const;

  const Entry& entry(uint32_t index) const;  // throws TENON_E_NOT_FOUND, as the three after it
  uint32_t find(std::string_view name) const;
  const std::pair<std::string, std::string>& metadata(uint32_t index) const;
  const std::string& find_metadata(std::string_view key) const;
  uint32_t entries() const { return static_cast<uint32_t>(entries_.size()); }
  uint32_t texts() const { return static_cast<uint32_t>(metadata_.size()); }
  // Row-major or as the file has it, in host memory if it comes from a file.
  tensor::Ref tensor(Context& context, uint32_t index, bool copy) const;
  // Of one that comes from a file: its bytes, as u8.
  tensor::Ref bytes(Context& context, uint32_t index, bool copy) const;

  void set(std::string_view name, const tensor::Tensor& tensor);
  void set_metadata(std::string_view key, std::string_view value);

 private:
  using Names = std::map<std::string, uint32_t, std::less<>>;
  void add_entry(Context& context, uint32_t index);
  void add_text(Context& context, uint32_t index);
  tensor::Ref loaded(Context& context, const Entry& entry, bool copy) const;
  tensor::Ref window(Context& context, const Entry& entry) const;
  tensor::Ref unpacked(Context& context, const Entry& entry) const;

  std::unique_ptr<Source> source_;
  std::vector<Entry> entries_;
  Names names_;
  std::vector<std::pair<std::string, std::string>> metadata_;
  Names keys_;
};

// Shape and dtype in words, or what a file says of a foreign one.
std::string describe(const Entry& entry);

// The format of this name or, if that is empty, the one for the ending of the path.
const registry::Entry& choose_format(Context& context, std::string_view name,
                                     std::string_view path);

}  // namespace tenon::exchange
