// SPDX-License-Identifier: Apache-2.0
// core/registry/kinds/collective.cc: engines that move memory among processes: options, devices,
// what they sum, callbacks.
#include "core/base/words.h"
#include "core/registry/kinds.h"
#include "core/registry/kinds/parts.h"
#include "core/tensor/dtype.h"

namespace tenon::registry {

void check(const tenon_collective_desc& desc, const What& what, const SchemaOf&) {
  check_flags_zero(desc.flags & ~TENON_COLLECTIVE_SUMS, what);
  check_callbacks(what, {{"create", desc.create == nullptr},
                         {"release", desc.release == nullptr},
                         {"split", desc.split == nullptr},
                         {"run", desc.run == nullptr}});
  if (base::words_of(text_of(desc.devices, what)).empty()) {
    refuse(what + ": `devices` is empty; the kinds of devices whose memory it takes are needed");
  }
  const auto sums = base::words_of(text_of(desc.sums, what));
  for (const std::string_view name : sums) {
    if (!tensor::dtype_from_name(name)) {
      refuse(what + ": `sums` names '" + shown(name) + "', which is not a dtype");
    }
  }
  if (sums.empty() != ((desc.flags & TENON_COLLECTIVE_SUMS) == 0)) {
    refuse(what + (sums.empty() ? " sums, but `sums` names no dtype"
                                : " names dtypes in `sums`, but its flags do not say that "
                                  "it sums"));
  }
  check_options(what, std::span(desc.options, desc.n_options), kPlainOptions);
}

void write(json::Writer& out, const tenon_collective_desc& desc) {
  out.member("devices", text(desc.devices));
  out.member("sums", text(desc.sums));
  write_options(out, std::span(desc.options, desc.n_options));
}

}  // namespace tenon::registry
