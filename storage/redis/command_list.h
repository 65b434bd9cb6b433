#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace shingled::storage {

/// Commands for a Redis server, written one after the other as they go on the wire (RESP2).
/// A value. Threads: one thread.   Cost: no allocation a command once its buffer has grown.
class CommandList {
 public:
  /// Begins a command of so many words, its name included; as many calls of `word` must follow.
  void begin(std::size_t words);
  void word(std::string_view word);
  /// A whole command.
  void add(std::initializer_list<std::string_view> words);
  void clear();

  [[nodiscard]] std::size_t size() const { return begins_.size(); }
  [[nodiscard]] bool empty() const { return begins_.empty(); }
  /// All commands, ready to be sent.
  [[nodiscard]] std::string_view bytes() const { return bytes_; }
  /// One command of them.
  [[nodiscard]] std::string_view command(std::size_t i) const;
  /// Appends a command of another list.
  void append(std::string_view command);

 private:
  std::string bytes_;
  std::vector<std::size_t> begins_;
};

}  // namespace shingled::storage
