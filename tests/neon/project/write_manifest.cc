// SPDX-License-Identifier: Apache-2.0
// tests/neon/project/write_manifest.cc: `tenon manifest` alone, as tenon_add_plugin() calls it:
//
//   write_manifest manifest <library> [--needs-cpu=F]... [--needs-library=L]...
//                  [--needs-package=P]... [--needs-op=O]...
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string_view>

#include "command.h"
#include "library_look.h"
#include "plugin_library.h"

// In this process: an emulator runs it, which nothing tells how to run another.
tenon::tools::Json tenon::tools::stated_by_library(const Options&, const std::string& library,
                                                   double) {
  return manifest_of(read_library(library), std::filesystem::path(library).filename());
}

namespace {

// Adds what stands behind `option` to `names`.
bool taken(std::string_view argument, std::string_view option, std::vector<std::string>& names) {
  if (!argument.starts_with(option)) return false;
  names.emplace_back(argument.substr(option.size()));
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  using tenon::tools::Failure;
  if (argc < 3 || std::string_view(argv[1]) != "manifest") {
    std::fputs("usage: write_manifest manifest <library> [--needs-...=NAME]...\n", stderr);
    return tenon::tools::kUsage;
  }
  tenon::tools::ManifestRequest request;
  request.library = argv[2];
  tenon::tools::Needs& needs = request.needs;
  for (int i = 3; i < argc; ++i) {
    if (!taken(argv[i], "--needs-cpu=", needs.cpu_features) &&
        !taken(argv[i], "--needs-library=", needs.libraries) &&
        !taken(argv[i], "--needs-package=", needs.packages) &&
        !taken(argv[i], "--needs-op=", needs.ops)) {
      std::fprintf(stderr, "write_manifest: unknown argument %s\n", argv[i]);
      return tenon::tools::kUsage;
    }
  }
  try {
    return tenon::tools::manifest({}, request, false);
  } catch (const Failure& failure) {
    std::fprintf(stderr, "write_manifest: %s\n", failure.text.c_str());
    return failure.exit_status;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "write_manifest: %s\n", error.what());
    return tenon::tools::kFindings;
  }
}
