#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/clock.h"
#include "config/base/result.h"

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

/// How many replicas must have the writes of an exchange before it counts as successful (command
/// WAIT); 0 means: do not wait.
struct ReplicaWait {
  std::uint32_t replicas = 0;
  std::chrono::milliseconds timeout{0};
};

/// Commands for a Redis server in the form that is sent on the wire (RESP2), one after the other. A
/// value.
/// Threads: one thread.
/// Cost: no allocation per command once the buffer has grown.
class CommandList {
 public:
  /// Begins a command of `words` words, including its name; that many calls of `word` must follow.
  /// `slot` is the slot of its key, which a cluster needs.
  void begin(std::size_t words, std::uint16_t slot = 0);
  void word(std::string_view word);
  /// Adds a whole command.
  void add(std::initializer_list<std::string_view> words, std::uint16_t slot = 0);
  void clear();

  [[nodiscard]] std::size_t size() const { return begins_.size(); }
  [[nodiscard]] bool empty() const { return begins_.empty(); }
  /// The bytes of all commands, ready to be sent.
  [[nodiscard]] std::string_view bytes() const { return bytes_; }
  /// The bytes of command number `i`.
  [[nodiscard]] std::string_view command(std::size_t i) const;
  /// Appends a command of another list.
  void append(std::string_view command, std::uint16_t slot = 0);
  [[nodiscard]] std::uint16_t slot(std::size_t i) const { return slots_[i]; }
  /// Sets how many replicas must have the writes of these commands.
  void wait_for(const ReplicaWait& wait) { wait_ = wait; }
  [[nodiscard]] const ReplicaWait& wait() const { return wait_; }

 private:
  std::string bytes_;
  std::vector<std::size_t> begins_;
  std::vector<std::uint16_t> slots_;
  ReplicaWait wait_;
};

/// Sends commands to the server that executes them: a single one, one of a list, or those of a
/// cluster.
/// Threads: any thread.
class RedisRoute {
 public:
  virtual ~RedisRoute() = default;
  /// Returns the reply to each command, in order; a reply may be an error.
  /// Errors: kUnavailable, kTimeout and those of RedisConnection; any of the commands may have been
  /// executed then.
  virtual Result<std::vector<RedisReply>> ask(const CommandList& commands, TimePoint deadline) = 0;
  /// Sends the commands to every server that has keys of its own, for example to load a script on
  /// each. Returns the replies of one of them.
  virtual Result<std::vector<RedisReply>> ask_all(const CommandList& commands, TimePoint deadline) {
    return ask(commands, deadline);
  }
  /// Whether a server can be asked now; false if all are known to be away.
  [[nodiscard]] virtual bool is_up() const = 0;
  /// Whether keys are spread over servers, so that all keys of a command must have the same slot.
  [[nodiscard]] virtual bool splits_keys() const { return false; }
};

/// Whether a reply means that this server cannot execute such commands now (it loads its data, is a
/// replica, wants a password, has no memory). Another server may, or this one later.
bool means_away(const RedisReply& reply);

}  // namespace shingled::storage::redis
