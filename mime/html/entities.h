#pragma once

#include <string>
#include <string_view>

namespace shingled::mime {

/// What to do with runs of white space while entities are decoded.
enum class Spaces : unsigned char {
  kKeep,
  kCollapse,  ///< each run becomes one space, a leading one vanishes
};

/// Appends `run` to `out` with HTML character references decoded the way rspamd does (HASHING.md
/// 7.3), quirks included: an unknown reference loses its semicolon, decoded spaces do not collapse.
/// Never appends more than `run.size()` bytes.
/// Threads: stateless.
/// Cost: linear in the run.
void append_decoded(std::string& out, std::string_view run, Spaces spaces);

}  // namespace shingled::mime
