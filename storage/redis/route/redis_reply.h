#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shingled::storage::redis {

/// One reply of a Redis server. A value; texts are raw bytes.
struct RedisReply {
  enum class Kind : std::uint8_t { kNil, kInteger, kText, kStatus, kError, kArray };
  Kind kind = Kind::kNil;
  std::int64_t integer = 0;            ///< for kInteger
  std::string text{};                  ///< for kText, kStatus, kError
  std::vector<RedisReply> elements{};  ///< for kArray

  [[nodiscard]] bool is_text() const { return kind == Kind::kText; }
  [[nodiscard]] bool is_error() const { return kind == Kind::kError; }
  /// Whether it is an error with this first word, such as NOSCRIPT.
  [[nodiscard]] bool is_error(std::string_view code) const {
    return is_error() && text.starts_with(code) &&
           (text.size() == code.size() || text[code.size()] == ' ');
  }
  friend bool operator==(const RedisReply&, const RedisReply&) = default;
};

}  // namespace shingled::storage::redis
