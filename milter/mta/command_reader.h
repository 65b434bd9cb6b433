#pragma once

#include <sys/types.h>
#include <sys/uio.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>

#include "milter/mta/memory_budget.h"

namespace shingled::milter::mta {

/// Reads the commands of the milter protocol from a stream, many with one call of the system.
///
/// A command is its length as four bytes, most significant first; one letter, which the length
/// counts; and data. What arrives is read ahead into a buffer of fixed size. A command that is not
/// wholly in it gets a block of its own, for which memory is taken from a budget as it arrives, and
/// its bytes are received directly into that block. The first 64 KB, as much as mail servers send
/// at once, need no room in the budget.
/// Cost: a buffer of 16 KB from the first read to `clear`; a command in the buffer is copied once,
/// the rest of a longer one not at all.
/// Threads: one at a time.
/// Source: the protocol of Sendmail's milter, as libmilter 8.17 reads it.
class CommandReader {
 public:
  /// The connection.
  class Source {
   public:
    Source() = default;
    virtual ~Source() = default;
    Source(const Source&) = delete;
    Source& operator=(const Source&) = delete;
    /// Reads what is there into the blocks, one after the other, and waits up to `patience` for the
    /// first byte. Returns how many bytes; 0 = the peer has closed; -1 = see errno, where EAGAIN
    /// says that nothing came in time. EINTR and less than there is are allowed.
    virtual ssize_t receive(std::span<iovec> blocks, std::chrono::milliseconds patience) = 0;
  };

  /// Why there is no command. After each of them the connection is of no more use.
  enum class End : std::uint8_t {
    kNone,      ///< there is one
    kClosed,    ///< by the peer, perhaps in the middle of a command
    kFailed,    ///< an error of the system
    kLate,      ///< nothing came for as long as was waited
    kTooBig,    ///< the length is zero, or above the limit
    kNoMemory,  ///< the budget has none, or the system
  };

  struct Free {
    void operator()(char* bytes) const { std::free(bytes); }
  };
  using Block = std::unique_ptr<char, Free>;  ///< of malloc(3), as libmilter frees it

  struct Command {
    End end = End::kNone;
    char letter = 0;
    Block data;  ///< null without data; one zero byte follows it
    std::size_t length = 0;
  };

  /// `ahead`: false = read no byte beyond the command that is asked for.
  /// `data_max`: of one command, bytes. `budget`: null = no limit.
  CommandReader(std::size_t data_max, bool ahead, std::shared_ptr<MemoryBudget> budget);

  /// The next command; waits up to `patience` each time that bytes are missing.
  [[nodiscard]] Command next(Source& source, std::chrono::milliseconds patience);
  /// Whether `next` has something to do without a wait for its first byte. Reads once if there is
  /// nothing, and waits up to `patience` for it.
  [[nodiscard]] bool await(Source& source, std::chrono::milliseconds patience);
  /// Whether something was read that `next` has not told.
  [[nodiscard]] bool pending() const { return begin_ != end_ || over_ != End::kNone; }
  /// Forgets the stream, and gives back all memory.
  void clear();

 private:
  [[nodiscard]] std::size_t held() const { return end_ - begin_; }
  /// Reads once into the buffer; `wanted`: how many bytes are missing.
  End fill(Source& source, std::size_t wanted, std::chrono::milliseconds patience);
  Command take_long(Command command, Source& source, std::chrono::milliseconds patience);
  Command give_up(End end);

  const std::size_t data_max_;
  const bool ahead_;
  MemoryLease lease_;  ///< for the data of the last command
  std::unique_ptr<char[]> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  End over_ = End::kNone;  ///< how the stream ended, if it did
};

}  // namespace shingled::milter::mta
