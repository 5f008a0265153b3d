// SPDX-License-Identifier: Apache-2.0
// sdk/tools/known_files.cc: tokenizers by their first line, tensors by the formats there are.
#include "known_files.h"

#include <tenon/ext/draft/archives.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <memory>
#include <tenon/sdk/plugin/sample_value.hpp>
#include <tenon/sdk/plugin/tokenizer.hpp>

namespace tenon::tools {
namespace {

using Archive = std::unique_ptr<tenon_archive, decltype(&tenon_archive_release)>;

std::string dtype_name(tenon_dtype dtype) {
  static constexpr std::array<const char*, 10> names = {"bool", "u8",  "i8",   "i16", "i32",
                                                        "i64",  "f16", "bf16", "f32", "f64"};
  for (const char* name : names) {
    if (sdk::sample_dtype(name) == dtype) return name;
  }
  return std::to_string(dtype);
}

// Names of all formats, from the manifests: asking for one opens its plugin alone.
std::vector<std::string> formats_of(const Session& session) {
  std::vector<std::string> formats;
  for (const Json& plugin : session.query("plugins")) {
    const std::vector<std::string> more = names_of(plugin.at("formats"));
    formats.insert(formats.end(), more.begin(), more.end());
  }
  return formats;
}

// An empty `format` goes by the ending of the file's name.
tenon_status load(const Session& session, const std::string& file, const std::string& format,
                  Archive& archive) {
  tenon_archive* loaded = nullptr;
  const tenon_status status =
      tenon_archive_load(session.context(), file.data(), file.size(), format.data(), format.size(),
                         TENON_ARCHIVE_IN_MEMORY, &loaded);
  archive.reset(loaded);
  return status;
}

Json tensors_in(const Session& session, tenon_archive* archive, uint32_t count) {
  Json tensors = Json::array();
  for (uint32_t i = 0; i < count; ++i) {
    const char* name = nullptr;
    uint64_t length = 0;
    tenon_meta meta{};
    session.check(tenon_archive_get_entry(session.context(), archive, i, &name, &length, &meta));
    const std::vector<int64_t> shape(meta.shape, meta.shape + meta.rank);
    tensors.push_back(
        {{"name", std::string(name, length)}, {"dtype", dtype_name(meta.dtype)}, {"shape", shape}});
  }
  return tensors;
}

Json metadata_in(const Session& session, tenon_archive* archive, uint32_t count) {
  Json metadata = Json::object();
  for (uint32_t i = 0; i < count; ++i) {
    const char* key = nullptr;
    const char* value = nullptr;
    uint64_t key_length = 0;
    uint64_t value_length = 0;
    session.check(tenon_archive_get_metadata(session.context(), archive, i, &key, &key_length,
                                             &value, &value_length));
    metadata[std::string(key, key_length)] = std::string(value, value_length);
  }
  return metadata;
}

Inspection describe(const Session& session, tenon_archive* archive, const std::string& format) {
  uint32_t tensors = 0;
  uint32_t metadata = 0;
  session.check(tenon_archive_get_count(session.context(), archive, &tensors, &metadata));
  return {{{"kind", "tensors"},
           {"format", format},
           {"tensors", tensors_in(session, archive, tensors)},
           {"metadata", metadata_in(session, archive, metadata)}},
          {}};
}

}  // namespace

std::optional<Inspection> inspect_tokenizer(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string title(sdk::kCharactersTitle.size() + 1, '\0');
  stream.read(title.data(), static_cast<std::streamsize>(title.size()));
  title.resize(static_cast<size_t>(stream.gcount()));
  title.resize(std::min(title.find('\n'), title.size()));
  const bool characters = title == sdk::kCharactersTitle;
  if (!characters && title != sdk::kPairsTitle) return std::nullopt;
  stream.clear();
  stream.seekg(0);
  const std::string text(std::istreambuf_iterator<char>(stream), {});
  Inspection found;
  found.content = {{"kind", "tokenizer"}, {"tokens_are", characters ? "characters" : "pairs"}};
  try {
    found.content["tokens"] = sdk::Tokenizer::parse(text).size();
  } catch (const sdk::Failure& failure) {
    found.findings.push_back(failure.what);
  }
  return found;
}

std::optional<Inspection> inspect_tensors(const Options& options, const std::string& file) {
  const Session session(options);
  const std::string path = absolute_path(file);
  Archive archive(nullptr, tenon_archive_release);
  for (const std::string& format : formats_of(session)) {
    if (load(session, path, format, archive) != TENON_OK) continue;
    return describe(session, archive.get(), format);
  }
  // Of no format as it is. If its name says which, that one has words for what is wrong.
  const tenon_status status = load(session, path, {}, archive);
  if (status == TENON_E_NOT_FOUND) return std::nullopt;
  try {
    session.check(status);
  } catch (const Failure& failure) {
    return Inspection{{{"kind", "tensors"}}, {failure.text}};
  }
  return std::nullopt;
}

}  // namespace tenon::tools
