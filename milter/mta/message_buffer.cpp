#include "milter/mta/message_buffer.h"

#include <algorithm>
#include <cstring>

#include "config/options/message_memory.h"

namespace shingled::milter::mta {

void MessageBuffer::add_header(std::string_view name, std::string_view value) {
  append(name);
  append(spacing_ == HeaderSpacing::kKept ? ":" : ": ");
  while (!value.empty()) {
    const std::size_t line_end = value.find('\n');
    if (line_end == std::string_view::npos) break;
    std::string_view line = value.substr(0, line_end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    append(line);
    append("\r\n");
    value.remove_prefix(line_end + 1);
  }
  append(value);
  append("\r\n");
}

void MessageBuffer::end_headers() { append("\r\n"); }

void MessageBuffer::add_body(std::string_view bytes) { append(bytes); }

void MessageBuffer::append(std::string_view bytes) {
  if (given_up_ || bytes.empty()) return;
  const std::uint64_t room = bytes_max_ - size_;
  if (bytes.size() > room) truncated_ = true;
  bytes = bytes.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(room, bytes.size())));
  if (bytes.empty() || !make_room_for(size_ + bytes.size())) return;
  std::memcpy(bytes_.get() + size_, bytes.data(), bytes.size());
  size_ += bytes.size();
}

/// A small message doubles its memory each time, a large one grows by an eighth, so that little
/// memory stays unused. realloc(3) grows a large block by remapping its pages: the old and the new
/// block never exist at the same time, and nothing is copied.
bool MessageBuffer::make_room_for(std::size_t size) {
  if (size <= capacity_) return true;
  constexpr std::size_t kLeast = 4096;
  const std::size_t more = capacity_ < kSmallMessageBytes ? capacity_ : capacity_ / 8;
  const std::size_t ahead = std::max({size, capacity_ + more, kLeast});
  const std::size_t wanted =
      std::max(size, static_cast<std::size_t>(std::min<std::uint64_t>(ahead, bytes_max_)));
  const auto use =
      wanted <= kSmallMessageBytes ? MemoryBudget::Use::kSmall : MemoryBudget::Use::kReceive;
  void* grown = lease_.hold(wanted, use) ? std::realloc(bytes_.get(), wanted) : nullptr;
  if (grown == nullptr) {
    give_up();
    return false;
  }
  static_cast<void>(bytes_.release());
  bytes_.reset(static_cast<char*>(grown));
  capacity_ = wanted;
  return true;
}

void MessageBuffer::give_up() {
  given_up_ = true;
  bytes_.reset();
  size_ = capacity_ = 0;
  lease_.drop();
}

}  // namespace shingled::milter::mta
