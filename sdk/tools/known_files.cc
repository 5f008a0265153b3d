// SPDX-License-Identifier: Apache-2.0
// sdk/tools/known_files.cc: tensors by the formats there are, tokenizers by their kinds.
#include "known_files.h"

#include <tenon/ext/draft/archives.h>

#include <memory>

#include "run_file.h"
#include "signature.h"

namespace tenon::tools {
namespace {

using Archive = std::unique_ptr<tenon_archive, decltype(&tenon_archive_release)>;

// Names of all entries of a kind, from the manifests: asking for one opens its plugin alone.
std::vector<std::string> entries_of(const Session& session, const char* plural) {
  std::vector<std::string> entries;
  for (const Json& plugin : session.query("plugins")) {
    const std::vector<std::string> more = names_of(plugin.at(plural));
    entries.insert(entries.end(), more.begin(), more.end());
  }
  return entries;
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

tenon_status load(const Session& session, const std::string& file, const std::string& name,
                  Tokenizer& tokenizer) {
  tenon_tokenizer* loaded = nullptr;
  const tenon_status status =
      tenon_tokenizer_load(session.context(), file.data(), file.size(), name.data(), name.size(),
                           nullptr, nullptr, 0, &loaded);
  tokenizer.reset(loaded);
  return status;
}

// Of a file that nothing takes as it is, loaded by the ending of its name: if that says for what it
// is, this has words for what is wrong.
std::optional<Inspection> refused_by_name(const Session& session, tenon_status status,
                                          const char* kind) {
  if (status == TENON_E_NOT_FOUND) return std::nullopt;
  try {
    session.check(status);
  } catch (const Failure& failure) {
    return Inspection{{{"kind", kind}}, {failure.text}};
  }
  return std::nullopt;
}

Json tensors_in(const Session& session, tenon_archive* archive, uint32_t count) {
  Json tensors = Json::array();
  for (uint32_t i = 0; i < count; ++i) {
    const char* name = nullptr;
    uint64_t length = 0;
    tenon_meta meta{};
    session.check(tenon_archive_get_entry(session.context(), archive, i, &name, &length, &meta));
    const std::vector<int64_t> shape(meta.shape, meta.shape + meta.rank);
    Json tensor = {{"name", std::string(name, length)}, {"dtype", dtype_name(meta.dtype)}};
    tensor["shape"] = shape;
    const char* foreign = nullptr;
    session.check(tenon_archive_get_foreign(session.context(), archive, i, &foreign, &length));
    if (length != 0) {
      tensor["dtype"] = std::string(foreign, length);
      tensor["foreign"] = true;
    }
    tensors.push_back(std::move(tensor));
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
  Inspection found = {{{"kind", "tensors"},
                       {"format", format},
                       {"tensors", tensors_in(session, archive, tensors)},
                       {"metadata", metadata_in(session, archive, metadata)}},
                      {}};
  if (is_run_file(found.content.at("metadata"))) take_apart(session, archive, found);
  return found;
}

}  // namespace

std::optional<Inspection> inspect_tensors(const Options& options, const std::string& file) {
  const Session session(options);
  const std::string path = absolute_path(file);
  Archive archive(nullptr, tenon_archive_release);
  for (const std::string& format : entries_of(session, "formats")) {
    if (load(session, path, format, archive) != TENON_OK) continue;
    return describe(session, archive.get(), format);
  }
  return refused_by_name(session, load(session, path, {}, archive), "tensors");
}

std::optional<Inspection> inspect_tokenizer(const Options& options, const std::string& file) {
  const Session session(options);
  const std::string path = absolute_path(file);
  Tokenizer tokenizer;
  for (const std::string& name : entries_of(session, "tokenizers")) {
    if (load(session, path, name, tokenizer) != TENON_OK) continue;
    tenon_tokenizer_info info{};
    info.struct_size = sizeof info;
    session.check(tenon_tokenizer_get_info(session.context(), tokenizer.get(), &info));
    return Inspection{{{"kind", "tokenizer"}, {"tokenizer", name}, {"tokens", info.size}}, {}};
  }
  return refused_by_name(session, load(session, path, {}, tokenizer), "tokenizer");
}

}  // namespace tenon::tools
