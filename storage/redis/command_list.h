#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace shingled::storage::redis {

/// So many replicas must have what a connection wrote before its last reply counts; 0 = none.
struct ReplicaWait {
  std::uint32_t replicas = 0;
  std::chrono::milliseconds timeout{0};
};

/// Commands for a Redis server, written one after the other as they go on the wire (RESP2). A
/// value.
/// Threads: one thread.
/// Cost: no allocation a command once its buffer has grown.
class CommandList {
 public:
  /// Begins a command of so many words, its name included; as many calls of `word` must follow.
  /// `slot` is that of its key, which a cluster needs.
  void begin(std::size_t words, std::uint16_t slot = 0);
  void word(std::string_view word);
  /// A whole command.
  void add(std::initializer_list<std::string_view> words, std::uint16_t slot = 0);
  void clear();

  [[nodiscard]] std::size_t size() const { return begins_.size(); }
  [[nodiscard]] bool empty() const { return begins_.empty(); }
  /// All commands, ready to be sent.
  [[nodiscard]] std::string_view bytes() const { return bytes_; }
  /// One command of them.
  [[nodiscard]] std::string_view command(std::size_t i) const;
  /// Appends a command of another list.
  void append(std::string_view command);
  [[nodiscard]] std::uint16_t slot(std::size_t i) const { return slots_[i]; }
  /// The commands write, and have only succeeded when replicas have it.
  void wait_for(const ReplicaWait& wait) { wait_ = wait; }
  [[nodiscard]] const ReplicaWait& wait() const { return wait_; }

 private:
  std::string bytes_;
  std::vector<std::size_t> begins_;
  std::vector<std::uint16_t> slots_;
  ReplicaWait wait_;
};

}  // namespace shingled::storage::redis
