#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "milter/filter/memory_budget.h"

namespace shingled::milter::filter {

/// Whether the MTA hands over header values with the space after the colon (SMFIP_HDR_LEADSPC).
enum class HeaderSpacing : std::uint8_t { kKept, kStripped };

/// Puts a message together again from what a milter sees of it, byte for byte as it came in (with
/// CRLF), so that its hashes are those of the original.
///
/// What lies beyond `bytes_max` is left out. Memory is taken from a budget as the message grows;
/// one that finds none is given up, and what it held is free at once.
/// Threads: one thread.
class MessageBuffer {
 public:
  MessageBuffer(std::uint64_t bytes_max, HeaderSpacing spacing,
                std::shared_ptr<MemoryBudget> budget = nullptr)
      : bytes_max_(bytes_max),
        spacing_(spacing),
        lease_(std::move(budget), MemoryBudget::Use::kSmall) {}

  /// `value` with folds as the MTA sends them: "\n" and the white space after it.
  void add_header(std::string_view name, std::string_view value);
  void end_headers();
  void add_body(std::string_view bytes);

  [[nodiscard]] std::string_view bytes() const { return {bytes_.get(), size_}; }
  [[nodiscard]] bool truncated() const { return truncated_; }
  /// There was no memory for it: `bytes` is empty.
  [[nodiscard]] bool given_up() const { return given_up_; }

 private:
  struct Free {
    void operator()(char* bytes) const { std::free(bytes); }
  };

  void append(std::string_view bytes);
  /// False: given up.
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

}  // namespace shingled::milter::filter
