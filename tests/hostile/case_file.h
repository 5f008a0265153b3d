// SPDX-License-Identifier: Apache-2.0
// tests/hostile/case_file.h: what a case says about itself, in the comment above its CASE(<name>)
// (hostile.h) or, in *.cases files, which take the good plugin as it is, in the lines below
// "case: <name>", where lines that begin with '#' are comments. First what it is, then directives;
// a line that is indented goes on with the one before, after a space unless it begins with "\n".
//
//   needs: op hostile.twice      what makes Tenon open the plugin, this being the default; or
//                                backward (of an op), device, optimizer, dataset with a name; or
//                                dispatch: a call of a good op on the good device
//   manifest: {"op": ...}        a step of JSON Patch (RFC 6902) on the good plugin.json; a `test`
//                                step fails the case where the good one has changed
//   before: command              for the shell, in the plugin's folder and with $root and
//                                $good_plugins, before the runtime is made
//   between: command             the same, after it was made and before the plugin is needed
//   policy: any                  instead of owned
//   environment: folders         TENON_PLUGIN_PATH instead of a path given by the program; the
//                                current folder is the one that holds the plugin's
//
// What must come of it, one of these, with the exact reason:
//
//   refused by the scan:         from plugin.json and the files' rights; never opened
//   refused unopened:            when it was needed, but before its code was mapped
//   refused:                     after its query
//   failed:                      the loader or the plugin's own code did
//   opens:                       it is accepted; the text is its report, lines joined by " | "
//   unseen:                      it is not found at all; the text is what is said of each folder
//                                searched, joined by " | "
//   error: STATUS message        it opens, and this is what the call that `needs` names says
//
// In expected texts "\n" is a line break, "{{" a brace, and names in braces stand for folders
// ({folder}, {plugins}, {root}, {good_plugins}, which holds {good_count}), the {library} and its
// {size} as built, {owner}
// ("name (number)" of this process), this {machine}, the {sanitizer} of this build, sizes of
// structs ({tenon_op_desc}, {tenon_op_desc+3}) and numbers of the ABI ({draft}, {major}, {minor}).
#pragma once

#include <map>
#include <string>
#include <vector>

namespace tenon::tests {

struct Case {
  std::string needs = "op hostile.twice";
  std::vector<std::string> manifest;  // JSON
  std::vector<std::string> before, between;
  std::string policy, environment;
  std::string verdict;  // "refused by the scan", ..., "error"
  std::string text;     // with its placeholders
  bool has_code = false;
};

// Throws std::runtime_error that names file and case where the case is not as above.
Case read_case(const std::string& path, const std::string& name);

// `text` with the names in braces replaced.
std::string filled_in(const std::string& text, const std::map<std::string, std::string>& names);

}  // namespace tenon::tests
