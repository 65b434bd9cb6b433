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

/// The value of an attribute as a browser decodes its character references: numbers need no
/// semicolon, and old names need none unless a letter, a digit or "=" follows. At most a fifth
/// longer than `raw`.
/// Threads: stateless.
/// Cost:    linear in the value.
/// Source:  WHATWG HTML 13.2.5.72 to 13.2.5.80.
std::string attribute_text(std::string_view raw);

}  // namespace shingled::mime
