// SPDX-License-Identifier: Apache-2.0
// core/exchange/writing.cc: an archive becomes a file: the format says which bytes come next.
#include "core/data/callback.h"
#include "core/exchange/archive.h"
#include "core/files/replacement.h"
#include "core/launch/moves.h"

namespace tenon::exchange {

using data::run_callback;
using files::Replacement;
using tensor::Ref;

namespace {

tenon_string text(const std::string& from) { return {from.data(), from.size()}; }

// A format's layout of one file.
class Layout : NoCopy {
 public:
  Layout(Context& context, const registry::Entry& kind, const tenon_format_content& content)
      : context_(context), kind_(kind) {
    run_callback(context_, kind_, "layout", [&](tenon_call* call) {
      return kind_.as<tenon_format_desc>().layout(call, &content, &layout_);
    });
  }
  ~Layout() { kind_.as<tenon_format_desc>().release_layout(layout_); }

  tenon_format_piece next() {
    tenon_format_piece piece{};
    run_callback(context_, kind_, "piece", [&](tenon_call* call) {
      return kind_.as<tenon_format_desc>().piece(call, layout_, &piece);
    });
    return piece;
  }
  void written(const void* bytes, uint64_t length) {
    if (kind_.as<tenon_format_desc>().written == nullptr) return;
    run_callback(context_, kind_, "written", [&](tenon_call* call) {
      return kind_.as<tenon_format_desc>().written(call, layout_, bytes, length);
    });
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

}  // namespace tenon::exchange
