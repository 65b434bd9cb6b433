#include "milter/mta/reply_writer.h"

#include <cerrno>
#include <cstdint>

namespace shingled::milter::mta {

namespace {

constexpr std::size_t kHeldBytesMax = 4096;
constexpr char kAddHeader = 'h';
constexpr char kChangeHeader = 'm';
constexpr char kQuarantine = 'q';

bool changes_message(char letter) {
  return letter == kAddHeader || letter == kChangeHeader || letter == kQuarantine;
}

void append(std::string& bytes, char letter, std::string_view data) {
  constexpr unsigned kByteBits = 8;
  constexpr unsigned kLengthBits = 32;
  const auto length = static_cast<std::uint32_t>(data.size() + 1);
  for (unsigned shift = kLengthBits; shift > 0;)
    bytes.push_back(static_cast<char>(length >> (shift -= kByteBits)));
  bytes.push_back(letter);
  bytes.append(data);
}

}  // namespace

bool ReplyWriter::write(Sink& sink, char letter, std::string_view data,
                        std::chrono::milliseconds patience) {
  append(held_, letter, data);
  if (changes_message(letter) && held_.size() < kHeldBytesMax) return true;
  std::string_view rest = held_;
  while (!rest.empty()) {
    const ssize_t sent = sink.send(rest, patience);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) break;
    rest.remove_prefix(static_cast<std::size_t>(sent));
  }
  const bool all = rest.empty();
  clear();
  return all;
}

}  // namespace shingled::milter::mta
