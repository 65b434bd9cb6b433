#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace shingled::milter {

/// Whether the MTA hands over header values with the space after the colon (SMFIP_HDR_LEADSPC).
enum class HeaderSpacing : std::uint8_t { kKept, kStripped };

/// Puts a message together again from what a milter sees of it, byte for byte as it came in (with
/// CRLF), so that its hashes are those of the original.
///
/// What lies beyond `bytes_max` is left out.   Threads: one thread.
class MessageBuffer {
 public:
  MessageBuffer(std::uint64_t bytes_max, HeaderSpacing spacing)
      : bytes_max_(bytes_max), spacing_(spacing) {}

  /// `value` with folds as the MTA sends them: "\n" and the white space after it.
  void add_header(std::string_view name, std::string_view value);
  void end_headers();
  void add_body(std::string_view bytes);

  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  [[nodiscard]] bool truncated() const { return truncated_; }

 private:
  void append(std::string_view bytes);

  std::uint64_t bytes_max_;
  HeaderSpacing spacing_;
  std::string bytes_;
  bool truncated_ = false;
};

}  // namespace shingled::milter
