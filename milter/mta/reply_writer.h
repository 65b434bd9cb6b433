#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace shingled::milter::mta {

/// Sends replies to the MTA, those that belong together with one call of the system: changes of a
/// message are held back until the reply that ends them, which always follows.
///
/// A reply has the form of a command (`CommandReader`).
/// Cost: up to 4 KB while changes are held back.
/// Threads: one at a time.
class ReplyWriter {
 public:
  /// The connection.
  class Sink {
   public:
    Sink() = default;
    virtual ~Sink() = default;
    Sink(const Sink&) = delete;
    Sink& operator=(const Sink&) = delete;
    /// Sends a part of the bytes, and waits up to `patience` until that is possible. Returns how
    /// many; -1 = see errno, where EAGAIN says that it was not possible in time.
    virtual ssize_t send(std::string_view bytes, std::chrono::milliseconds patience) = 0;
  };

  /// `data`: of the reply. False: it cannot be sent, or a reply before it. Then the connection is
  /// of no more use.
  [[nodiscard]] bool write(Sink& sink, char letter, std::string_view data,
                           std::chrono::milliseconds patience);
  /// Forgets what is held back.
  void clear() { held_ = {}; }
  [[nodiscard]] bool holds() const { return !held_.empty(); }

 private:
  std::string held_;
};

}  // namespace shingled::milter::mta
