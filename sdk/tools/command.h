// SPDX-License-Identifier: Apache-2.0
// sdk/tools/command.h: the subcommands of `tenon`.
#pragma once

#include <string>
#include <vector>

#include "program.h"

namespace tenon::tools {

// What `bench` is to measure.
struct BenchRequest {
  std::string op, sample;
  std::vector<std::string> plugins;  // empty: all that can
  std::string arithmetic = "canonical";
  double min_time = 0.5;  // seconds for each provider
  bool json = false;
};

// What `ops` is to show.
struct OpsRequest {
  std::vector<std::string> patterns;  // of names; empty: all
  std::string pages;                  // the folder to write pages into, instead of printing
  bool missing = false;               // only what is not there
  bool json = false;
};

// What `explain` is about.
struct ExplainRequest {
  std::string name, sample;
  std::string kind;   // empty: every kind that has the name
  std::string pages;  // the folder to write pages into, instead of printing
};

// Each prints its answer and returns an exit status; throws Failure.
int list(const Options& options, bool as_json);
// No step, such as opening one plugin, may take longer than `seconds`.
int doctor(const Options& options, double seconds, bool as_json);
int op_list(const Options& options, bool as_json);
int explain(const Options& options, const ExplainRequest& request, bool as_json);
int ops(const Options& options, const OpsRequest& request);
int bench(const Options& options, const BenchRequest& request);
// No step of a plugin's library may take longer than `seconds`.
int inspect(const Options& options, const std::string& file, double seconds, bool as_json);
int trace(const Options& options, const std::string& file, const std::vector<std::string>& program,
          bool as_json);
// Of a plan's listing; `picture`: the file for its picture, or empty.
int plan(const std::string& file, const std::string& picture, bool as_json);
// What the library itself cannot say that it needs.
struct Needs {
  std::vector<std::string> cpu_features, libraries, packages, ops;
};
struct ManifestRequest {
  std::string library;
  std::string output;  // empty: plugin.json beside the library; "-": standard output
  std::string id;      // fail unless the library states this one; empty: any
  Needs needs;
  double seconds = 60;  // a step of the library may take no longer
};
int manifest(const Options& options, const ManifestRequest& request, bool as_json);
// What `wrap` is to make a plugin of.
struct WrapRequest {
  std::string description;   // its file
  std::string into;          // the folder to write into; empty: the current one
  bool force = false;        // replace the library of a plugin that is there
  ManifestRequest manifest;  // how it is written: needs, seconds
};
int wrap(const Options& options, const WrapRequest& request, bool as_json);
// What `doctor` runs in a process of its own, as plugins may end it; not for people.
int doctor_child(const Options& options);
// Empty `ids` are all plugins. No step of a plugin may take longer than `seconds`.
int probe(const Options& options, const std::vector<std::string>& ids, double seconds,
          bool as_json);
// What `inspect`, `manifest` and `doctor` run in a process of its own, for one library; not for
// people.
int library_child(const Options& options, const std::string& library);
// What `probe` runs in a process of its own, for one plugin; not for people.
int probe_child(const Options& options, const std::string& id, const std::string& library);
int plugin_lock(const Options& options, const std::vector<std::string>& folders,
                const std::string& output, bool force, bool as_json);
int plugin_check(const Options& options, bool as_json);
// What `new` is to write.
struct NewRequest {
  std::string kind, id;
  std::string language = "cpp";
  std::string into;               // the folder to write into; empty: the current one
  std::vector<std::string> with;  // other frameworks that it is tested in: "torch"
};
// Writes the project `into`/`id`.
int new_project(const NewRequest& request, bool as_json);

// `kind` is "pairs" or "char". A path "-" is standard input, a tokenizer "byte" needs no file.
int tokenizer_train(const Options& options, const std::string& text_path, const std::string& kind,
                    int64_t vocabulary, const std::string& output, bool as_json);
struct TokenizerRequest {
  std::string file;  // of the tokenizer
  std::string name;  // of its kind; empty: the one whose endings fit
  // option=value, and option=@FILE for what a file holds
  std::vector<std::string> settings;
  std::string input;  // a file of text or of tokens
  bool add_special = false;
  bool read_special = false;
  bool skip_special = false;
  int64_t limit = 0;  // tokens; 0: none
};
int tokenizer_encode(const Options& options, const TokenizerRequest& request, bool as_json);
int tokenizer_decode(const Options& options, const TokenizerRequest& request, bool as_json);

}  // namespace tenon::tools
