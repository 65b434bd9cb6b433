#pragma once

#include <string_view>

namespace shingled::config {

/// packaging/man/shingled.yaml.5: every key with type, default and meaning. Compiled in by
/// config/reference/CMakeLists.txt, so that the meaning of a key is written once.
std::string_view manual_page();

}  // namespace shingled::config
