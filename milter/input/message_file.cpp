#include "milter/input/message_file.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "config/base/ascii.h"
#include "config/system/os_error.h"

namespace shingled::milter::input {

namespace {

/// Whether the line has a time of day, "HH:MM", as every real From_ line does.
bool has_time(std::string_view line) {
  for (std::size_t colon = line.find(':', 2);
       colon != std::string_view::npos && colon + 2 < line.size();
       colon = line.find(':', colon + 1)) {
    if (ascii::is_digit(line[colon - 1]) && ascii::is_digit(line[colon + 1]) &&
        ascii::is_digit(line[colon + 2]))
      return true;
  }
  return false;
}

bool is_empty_line(std::string_view line) { return line == "\n" || line == "\r\n"; }

/// ">From ", ">>From ", ...
bool is_quoted_from(std::string_view line) {
  const std::size_t from = line.find_first_not_of('>');
  return from != 0 && from != std::string_view::npos && line.substr(from).starts_with("From ");
}

}  // namespace

Result<LineReader::Piece> LineReader::next() {
  std::size_t searched = 0;
  for (;;) {
    const std::string_view rest = std::string_view(buffer_).substr(begin_);
    const std::size_t newline = rest.find('\n', searched);
    std::size_t length = newline == std::string_view::npos ? 0 : newline + 1;
    if (length == 0 && (rest.size() >= kPieceBytesMax || at_end_)) length = rest.size();
    if (length != 0 || at_end_) {
      const Piece piece{rest.substr(0, length), at_line_start_};
      begin_ += length;
      at_line_start_ = newline != std::string_view::npos;
      return piece;
    }
    searched = rest.size();
    buffer_.erase(0, begin_);
    begin_ = 0;
    const std::size_t old_size = buffer_.size();
    buffer_.resize(old_size + kPieceBytesMax);
    const ssize_t got = ::read(fd_.get(), buffer_.data() + old_size, kPieceBytesMax);
    const int reason = errno;
    buffer_.resize(old_size + (got > 0 ? static_cast<std::size_t>(got) : 0));
    if (got < 0 && reason == EINTR) return Error{ErrorCode::kTimeout, "interrupted"};
    if (got < 0) return os_error(ErrorCode::kUnavailable, reason);
    at_end_ = got == 0;
    position_ += static_cast<std::uint64_t>(got);
  }
}

Result<std::optional<MessageFile::Message>> MessageFile::next() {
  if (ended_) return std::optional<Message>();
  Message message;
  bool empty_before = false;
  std::string held_back;  // an empty line belongs to the message only when no From_ line follows
  for (;;) {
    const auto piece = lines_.next();
    if (!piece) return piece.error();
    const std::string_view bytes = piece->bytes;
    const bool starts_line = piece->starts_line;
    if (!begun_) {
      begun_ = true;
      is_mbox_ = bytes.starts_with("From ");
      number_ = is_mbox_ ? 1 : 0;
      if (is_mbox_) continue;
    }
    if (bytes.empty()) {
      ended_ = true;
      break;
    }
    if (is_mbox_ && starts_line && empty_before && bytes.starts_with("From ") && has_time(bytes))
      break;
    append(message, held_back);
    held_back.clear();
    empty_before = starts_line && is_empty_line(bytes);
    if (is_mbox_ && empty_before) {
      held_back = bytes;
    } else {
      append(message, is_mbox_ && starts_line && is_quoted_from(bytes) ? bytes.substr(1) : bytes);
    }
  }
  end_message(message);
  message.number = is_mbox_ ? number_++ : 0;
  return std::optional(std::move(message));
}

void MessageFile::append(Message& message, std::string_view piece) {
  if (line_ends_ == LineEnds::kAsStored) return add(message, piece);
  if (piece.empty()) return;
  in_line_ = !piece.ends_with('\n');
  if (!in_line_) piece.remove_suffix(1);
  const std::size_t text = piece.find_last_not_of('\r') + 1;  // 0: none
  if (text > 0) {
    add(message, std::string(std::exchange(returns_, 0), '\r'));
    add(message, piece.substr(0, text));
  }
  returns_ += piece.size() - text;
  if (in_line_) return;
  returns_ = 0;
  add(message, "\r\n");
}

void MessageFile::end_message(Message& message) {
  if (in_line_) add(message, "\r\n");
  in_line_ = false;
  returns_ = 0;
}

void MessageFile::add(Message& message, std::string_view bytes) const {
  const std::uint64_t room = message_bytes_max_ - message.bytes.size();
  message.cut = message.cut || bytes.size() > room;
  message.bytes.append(bytes.substr(0, std::min<std::uint64_t>(room, bytes.size())));
}

}  // namespace shingled::milter::input
