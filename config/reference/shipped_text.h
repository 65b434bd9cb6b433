#pragma once

#include <string_view>

namespace shingled::config {

// Files of packaging, compiled in by config/reference/CMakeLists.txt, so that the meaning of a key
// is written once. Tests compare both files with the loader.

/// packaging/man/shingled.yaml.5: every key with type, default and meaning.
std::string_view manual_page();
/// packaging/shingled.yaml: every key with its default.
std::string_view shipped_file();

}  // namespace shingled::config
