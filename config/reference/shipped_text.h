#pragma once

#include <string_view>

namespace shingled::config {

// What packaging has, compiled in by config/reference/CMakeLists.txt, so that there is no second
// text of what a key means. Tests hold both to what the loader does.

/// packaging/man/shingled.yaml.5: every key with type, default and meaning.
std::string_view manual_page();
/// packaging/shingled.yaml: every key with its default.
std::string_view shipped_file();

}  // namespace shingled::config
