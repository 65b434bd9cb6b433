#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>

#include "milter/mta/memory_budget.h"

namespace shingled::milter::mta {

/// Whether the MTA hands over header values with the space after the colon (SMFIP_HDR_LEADSPC).
enum class HeaderSpacing : std::uint8_t { kKept, kStripped };

/// Builds a message from the parts that a milter receives, byte for byte like the original (with
/// CRLF), so that its hashes are those of the original.
///
/// Bytes after the first `bytes_max` are left out. Memory is taken from a budget as the message
/// grows. If there is not enough, the message is given up, and its memory is freed at once.
/// Threads: one thread.
class MessageBuffer {
 public:
  MessageBuffer(std::uint64_t bytes_max, HeaderSpacing spacing,
                std::shared_ptr<MemoryBudget> budget = nullptr)
      : bytes_max_(bytes_max),
        spacing_(spacing),
        lease_(std::move(budget), MemoryBudget::Use::kSmall) {}

  /// `value`: with folds as the MTA sends them, "\n" and white space.
  void add_header(std::string_view name, std::string_view value);
  void end_headers();
  void add_body(std::string_view bytes);

  [[nodiscard]] std::string_view bytes() const { return {bytes_.get(), size_}; }
  [[nodiscard]] bool truncated() const { return truncated_; }
  /// There was not enough memory for the message: `bytes` is empty.
  [[nodiscard]] bool given_up() const { return given_up_; }

 private:
  struct Free {
    void operator()(char* bytes) const { std::free(bytes); }
  };

  void append(std::string_view bytes);
  /// False: there is not enough memory, and the message was given up.
  bool make_room_for(std::size_t size);
  void give_up();

  std::uint64_t bytes_max_;
  HeaderSpacing spacing_;
  MemoryLease lease_;
  std::unique_ptr<char, Free> bytes_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
  bool truncated_ = false;
  bool given_up_ = false;
};

}  // namespace shingled::milter::mta
