// SPDX-License-Identifier: Apache-2.0
// core/registry/kinds/tokenizer.cc: tokenizers: endings, options, samples and callbacks.
#include "core/registry/kinds/parts.h"
#include "core/registry/kinds/rules.h"

namespace tenon::registry {

void check(const tenon_tokenizer_desc& desc, const Checking& checking) {
  const What& what = checking.what;
  check_flags_zero(desc.flags, what);
  check_callbacks(what, {{"create", desc.create == nullptr},
                         {"release", desc.release == nullptr},
                         {"info", desc.info == nullptr},
                         {"encode", desc.encode == nullptr},
                         {"decode", desc.decode == nullptr},
                         {"token", desc.token == nullptr},
                         {"find", desc.find == nullptr}});
  if (!text_of(desc.endings, what).empty()) check_endings(what, desc.endings);
  check_list(what, "options", desc.n_options, desc.options);
  check_list(what, "samples", desc.n_samples, desc.samples);
  check_options(what, std::span(desc.options, desc.n_options), kPlainOptions);
  for (uint32_t i = 0; i < desc.n_samples; ++i) {
    const tenon_tokenizer_sample& sample = desc.samples[i];
    check_sample(sample, i, what, TENON_TOKENIZER_SAMPLE_LOSSY);
    text_of(sample.options, what);
    text_of(sample.tokens, what);
  }
}

namespace {

// Of bytes that need not be a text.
std::string hex_of(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const char each : bytes) {
    const auto byte = static_cast<unsigned char>(each);
    text += {kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return text;
}

}  // namespace

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
                if (sample.file.data) out.member("file_hex", hex_of(text_view(sample.file)));
              });
}

}  // namespace tenon::registry
