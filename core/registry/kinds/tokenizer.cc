// SPDX-License-Identifier: Apache-2.0
// core/registry/kinds/tokenizer.cc: tokenizers: endings, options, samples and callbacks.
#include "core/base/words.h"
#include "core/registry/kinds.h"
#include "core/registry/kinds/parts.h"

namespace tenon::registry {

void check(const tenon_tokenizer_desc& desc, const What& what, const SchemaOf&) {
  check_flags_zero(desc.flags, what);
  check_callbacks(what, {{"create", desc.create == nullptr},
                         {"release", desc.release == nullptr},
                         {"info", desc.info == nullptr},
                         {"encode", desc.encode == nullptr},
                         {"decode", desc.decode == nullptr},
                         {"token", desc.token == nullptr},
                         {"find", desc.find == nullptr}});
  if (!text_of(desc.endings, what).empty()) check_endings(what, desc.endings);
  check_options(what, std::span(desc.options, desc.n_options), kPlainOptions);
  const std::span samples(desc.samples, desc.n_samples);
  check_samples(what, samples, TENON_TOKENIZER_SAMPLE_LOSSY);
  for (const tenon_tokenizer_sample& sample : samples) {
    text_of(sample.options, what);
    text_of(sample.tokens, what);
  }
}

void write(json::Writer& out, const tenon_tokenizer_desc& desc) {
  out.member("endings", text(desc.endings));
  out.member("saves", desc.save != nullptr);
  write_options(out, std::span(desc.options, desc.n_options));
  out.objects("samples", std::span(desc.samples, desc.n_samples),
              [&](const tenon_tokenizer_sample& sample) {
                write_sample(out, sample);
                out.member("options", text(sample.options));
                out.member("tokens", text(sample.tokens));
                out.member("lossy", (sample.flags & TENON_TOKENIZER_SAMPLE_LOSSY) != 0);
                if (sample.file.data) out.member("file_hex", base::hex_of(text_view(sample.file)));
              });
}

}  // namespace tenon::registry
