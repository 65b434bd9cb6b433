#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace shingled::milter {

/// JSON with keys in the order in which they were set: of pages, of the API and of `--json`.
using Json = nlohmann::ordered_json;

namespace view {

/// A value in one line, without an end of line. Bytes that are not UTF-8 (file names, header
/// fields) become U+FFFD.
/// Threads: stateless.
std::string json_text(const Json& value);

}  // namespace view
}  // namespace shingled::milter
