#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "config/base/result.h"
#include "config/system/unique_fd.h"

namespace shingled::milter::input {

/// Lines of a file of any size in bounded memory.
///
/// Errors: kUnavailable with the system's reason, kTimeout when a signal interrupted the wait.
/// Threads: one thread.
class LineReader {
 public:
  /// Longer lines come in pieces of this size.
  static constexpr std::size_t kPieceBytesMax = 64UL * 1024;

  struct Piece {
    std::string_view bytes;    ///< with its line end; empty = the end of the file
    bool starts_line = false;  ///< false: continues where the piece before was cut
  };

  explicit LineReader(UniqueFd fd) : fd_(std::move(fd)) {}
  /// Of bytes instead of a file.
  explicit LineReader(std::string bytes) : buffer_(std::move(bytes)), at_end_(true) {}
  /// The next piece, valid until the next call.
  Result<Piece> next();
  /// Bytes read from the file so far.
  [[nodiscard]] std::uint64_t position() const { return position_; }

 private:
  UniqueFd fd_;
  std::string buffer_;
  std::size_t begin_ = 0;
  bool at_line_start_ = true;
  bool at_end_ = false;
  std::uint64_t position_ = 0;
};

/// Which bytes of a file belong to a message.
enum class LineEnds : std::uint8_t {
  /// The bytes that a mail server would pass on if the file came by SMTP: every line ends in CRLF,
  /// the last one too. A line feed ends a line; carriage returns directly before it belong to that
  /// end, as in Postfix; one inside a line stays.
  kAsMailed,
  kAsStored,  ///< those of the file
};

/// The messages of one file: an mbox if it begins with "From ", else the whole file as one message.
///
/// In an mbox, a line "From SENDER ... HH:MM" after an empty line (or at the beginning) starts a
/// message. That line and the empty line before it belong to no message, and ">From " lines lose
/// one ">" (mboxrd). A line of a body that begins with "From " without a time of day is text.
class MessageFile {
 public:
  struct Message {
    std::string bytes;
    bool cut = false;          ///< was longer than the bound: only its beginning is here
    std::uint64_t number = 0;  ///< in its mbox, from 1; 0 = the file is no mbox
  };

  MessageFile(UniqueFd fd, std::uint64_t message_bytes_max, LineEnds line_ends)
      : lines_(std::move(fd)), message_bytes_max_(message_bytes_max), line_ends_(line_ends) {}
  /// Of bytes that would be the content of a file.
  MessageFile(std::string bytes, std::uint64_t message_bytes_max, LineEnds line_ends)
      : lines_(std::move(bytes)), message_bytes_max_(message_bytes_max), line_ends_(line_ends) {}
  /// The next message; nullopt at the end of the file. An empty file is one empty message.
  Result<std::optional<Message>> next();
  [[nodiscard]] std::uint64_t position() const { return lines_.position(); }

 private:
  void append(Message& message, std::string_view piece);
  void end_message(Message& message);
  void add(Message& message, std::string_view bytes) const;

  LineReader lines_;
  std::uint64_t message_bytes_max_;
  LineEnds line_ends_;
  std::size_t returns_ = 0;  ///< carriage returns at the end of what was read of this line
  bool in_line_ = false;     ///< the last piece did not end its line
  std::uint64_t number_ = 0;
  bool begun_ = false;
  bool is_mbox_ = false;
  bool ended_ = false;
};

}  // namespace shingled::milter::input
