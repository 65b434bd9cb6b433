#pragma once

#include <string>
#include <string_view>

namespace shingled::mime {

/// What to do with runs of white space while entities are decoded.
enum class Spaces : unsigned char {
  kKeep,
  kCollapse,  ///< each run becomes one space, a leading run vanishes
};

/// Appends `run` to `out` and decodes HTML character references like rspamd (HASHING.md 7.3), with
/// its quirks: an unknown reference loses its semicolon, and decoded spaces do not collapse.
/// Never appends more than `run.size()` bytes.
/// Threads: stateless.
/// Cost: linear in the run.
void append_decoded(std::string& out, std::string_view run, Spaces spaces);

}  // namespace shingled::mime
