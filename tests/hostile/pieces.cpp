#include "tests/hostile/pieces.h"

#include <array>

namespace shingled::hostile {

namespace {

/// SplitMix64 (Vigna): unlike <random>, the same on every machine.
class Splitmix {
 public:
  explicit Splitmix(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }

 private:
  std::uint64_t state_;
};

}  // namespace

std::string head() {
  return "From: Sender <sender@example.net>\nTo: user@example.org\n"
         "Date: Mon, 2 Feb 2026 10:00:00 +0000\nMessage-ID: <1@example.net>\nMIME-Version: 1.0\n";
}

std::string plain(std::string_view charset) {
  std::string out = head() + "Subject: hello\nContent-Type: text/plain";
  if (!charset.empty()) out.append("; charset=").append(charset);
  return out + "\n\n";
}

std::string html() { return head() + "Subject: hello\nContent-Type: text/html; charset=utf-8\n\n"; }

std::string mixed(std::string_view boundary) {
  std::string out = head() + "Subject: hello\nContent-Type: multipart/mixed; boundary=\"";
  return out.append(boundary) + "\"\n\n";
}

std::string encoded(std::string_view encoding, std::string_view type) {
  std::string out = head() + "Subject: hello\nContent-Type: ";
  out.append(type).append("\nContent-Transfer-Encoding: ").append(encoding);
  return out + "\n\n";
}

std::string attached(std::string_view type) {
  std::string out = head() + "Subject: hello\nContent-Type: ";
  return out.append(type) +
         "; name=file\nContent-Disposition: attachment; filename=file\n"
         "Content-Transfer-Encoding: base64\n\n";
}

std::string repeat(std::string begin, std::string_view piece, std::size_t bytes) {
  begin.reserve(bytes + piece.size());
  while (begin.size() < bytes) begin += piece;
  return begin;
}

std::string rotate(std::string begin, std::initializer_list<std::string_view> pieces,
                   std::size_t bytes) {
  begin.reserve(bytes);
  while (begin.size() < bytes) {
    for (const std::string_view piece : pieces) begin += piece;
  }
  return begin;
}

std::string count_up(std::string begin, std::string_view before, std::string_view behind,
                     std::size_t bytes) {
  begin.reserve(bytes);
  for (std::size_t i = 0; begin.size() < bytes; ++i) {
    begin.append(before).append(std::to_string(i)).append(behind);
  }
  return begin;
}

std::string nest(std::string begin, std::string_view open, std::string_view core,
                 std::string_view close, std::size_t bytes) {
  const std::size_t taken = begin.size() + core.size();
  const std::size_t levels = bytes < taken ? 1 : (bytes - taken) / (open.size() + close.size()) + 1;
  begin.reserve(bytes + open.size() + close.size());
  for (std::size_t i = 0; i < levels; ++i) begin += open;
  begin += core;
  for (std::size_t i = 0; i < levels; ++i) begin += close;
  return begin;
}

std::string nest_messages(std::size_t levels, std::string_view fields) {
  std::string out = head() + "Subject: hello\n";
  for (std::size_t i = 0; i < levels; ++i) {
    out.append("Content-Type: message/rfc822\n").append(fields).append("\n");
  }
  return out;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  constexpr std::size_t kGroupsOfLine = 19;
  std::string out;
  out.reserve(bytes.size() / 3 * 4 + bytes.size() / 57 + 8);
  for (std::size_t at = 0, group = 0; at < bytes.size(); at += 3, ++group) {
    if (group > 0 && group % kGroupsOfLine == 0) out += '\n';
    std::array<std::uint32_t, 3> b{};
    const std::size_t left = bytes.size() - at;
    for (std::size_t i = 0; i < 3 && i < left; ++i)
      b[i] = static_cast<unsigned char>(bytes[at + i]);
    const std::uint32_t bits = b[0] << 16U | b[1] << 8U | b[2];
    out += kAlphabet[bits >> 18U];
    out += kAlphabet[bits >> 12U & 63U];
    out += left > 1 ? kAlphabet[bits >> 6U & 63U] : '=';
    out += left > 2 ? kAlphabet[bits & 63U] : '=';
  }
  return out + "\n";
}

std::string noise(std::size_t bytes, std::uint64_t seed) {
  Splitmix random(seed);
  std::string out;
  out.reserve(bytes + 8);
  while (out.size() < bytes) {
    std::uint64_t word = random.next();
    for (int i = 0; i < 8; ++i, word >>= 8U) out += static_cast<char>(word & 0xffU);
  }
  out.resize(bytes);
  return out;
}

std::string prose(std::size_t bytes, std::uint64_t seed) {
  constexpr std::array<std::string_view, 24> kWords{
      "offer",  "market", "garden",   "window", "letter", "morning", "price",  "people",
      "doctor", "winter", "question", "money",  "river",  "kitchen", "travel", "machine",
      "number", "simple", "account",  "school", "paper",  "account", "friend", "yellow"};
  Splitmix random(seed);
  std::string out;
  out.reserve(bytes + 32);
  for (std::size_t words = 1; out.size() < bytes; ++words) {
    out += kWords[random.next() % kWords.size()];
    if (words % 5 == 0) out += std::to_string(random.next() % 9973);
    out += words % 11 == 0 ? '\n' : ' ';
  }
  return out;
}

}  // namespace shingled::hostile
