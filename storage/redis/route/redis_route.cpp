#include "storage/redis/route/redis_route.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace shingled::storage::redis {

namespace {

void append_number(std::string& out, char mark, std::size_t number) {
  std::array<char, 24> digits{};
  const auto end = std::to_chars(digits.begin(), digits.end(), number).ptr;
  out += mark;
  out.append(digits.data(), static_cast<std::size_t>(end - digits.data()));
  out += "\r\n";
}

}  // namespace

void CommandList::begin(std::size_t words, std::uint16_t slot) {
  begins_.push_back(bytes_.size());
  slots_.push_back(slot);
  append_number(bytes_, '*', words);
}

void CommandList::word(std::string_view word) {
  append_number(bytes_, '$', word.size());
  bytes_ += word;
  bytes_ += "\r\n";
}

void CommandList::add(std::initializer_list<std::string_view> words, std::uint16_t slot) {
  begin(words.size(), slot);
  for (const std::string_view each : words) word(each);
}

void CommandList::clear() {
  bytes_.clear();
  begins_.clear();
  slots_.clear();
  wait_ = {};
}

std::string_view CommandList::command(std::size_t i) const {
  const std::size_t end = i + 1 < begins_.size() ? begins_[i + 1] : bytes_.size();
  return std::string_view(bytes_).substr(begins_[i], end - begins_[i]);
}

void CommandList::append(std::string_view command, std::uint16_t slot) {
  begins_.push_back(bytes_.size());
  slots_.push_back(slot);
  bytes_ += command;
}

bool means_away(const RedisReply& reply) {
  constexpr std::array<std::string_view, 12> kCodes = {
      "LOADING",    "MASTERDOWN", "CLUSTERDOWN", "READONLY", "OOM",       "MISCONF",
      "NOREPLICAS", "BUSY",       "NOAUTH",      "NOPERM",   "WRONGPASS", "UNKILLABLE"};
  return reply.is_error() && std::any_of(kCodes.begin(), kCodes.end(), [&](std::string_view code) {
           return reply.is_error(code);
         });
}

}  // namespace shingled::storage::redis
