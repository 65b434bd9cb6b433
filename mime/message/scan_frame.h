#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "mime/message/delimiters.h"

namespace shingled::mime {

// Where scan_message() stands in a message: what is still to be read of which bytes.
// Threads: values of one scan.

struct ScanRange {
  std::size_t begin = 0;
  std::size_t end = 0;
  [[nodiscard]] bool empty() const { return begin >= end; }
};

/// The bytes of a message and of the messages nested in it. A nested message that is encoded has
/// its own source, and so has what was signed.
class ScanSource {
 public:
  explicit ScanSource(std::string_view all) : bytes(all) {}
  const std::string_view bytes;
  /// Collected at first use, as most messages are not multiparts.
  std::optional<DelimiterList> delimiters{};
};

/// A message, outermost or nested, or the entity in a signed part.
struct ScanScope {
  ScanSource* source = nullptr;
  ScanRange range;
  std::optional<std::uint32_t> parent;  ///< the part it is the body of
  std::string path;                     ///< of that part
  /// The begin of the latest delimiter that matched a boundary, or of the message if none did.
  /// Left-overs are searched after it, so that no part is read twice.
  std::size_t matched = 0;
  bool was_signed = false;  ///< an entity, not a message: rspamd finds no delimiters in it
};

/// A range that is still to be split into parts: a multipart, or the rest of the message after it.
struct ScanFrame {
  enum class Kind : std::uint8_t { kMultipart, kLeftovers };
  Kind kind = Kind::kMultipart;
  ScanScope* scope = nullptr;
  ScanRange range{};
  std::uint32_t part = 0;     ///< the multipart
  std::string boundary{};     ///< empty: the first delimiter decides
  std::string path_prefix{};  ///< of its children
  std::size_t next_delimiter = 0;
  std::size_t child_begin = 0;
  bool in_child = false;
};

}  // namespace shingled::mime
