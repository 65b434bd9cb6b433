#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace shingled::storage::redis {

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

}  // namespace shingled::storage::redis
