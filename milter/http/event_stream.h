#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "config/base/guarded.h"

namespace shingled::milter::http {

/// What one reader gets as it happens: a bounded queue between those who have something to say and
/// the connection of the reader. While there is nothing to say, the connection is parked.
/// Threads: any thread.
class EventStream {
 public:
  using Text = std::shared_ptr<const std::string>;
  static constexpr std::size_t kTextsMax = 256;
  static constexpr std::size_t kBytesMax = std::size_t{1} << 20U;

  EventStream() = default;
  ~EventStream() = default;
  EventStream(const EventStream&) = delete;
  EventStream& operator=(const EventStream&) = delete;
  EventStream(EventStream&&) = delete;
  EventStream& operator=(EventStream&&) = delete;

  /// Never waits. False: the stream has ended, because the reader has gone or was cut off, perhaps
  /// just now, as this does not fit any more.
  bool send(const Text& text);
  /// The stream ends after what waits.
  void end() { stop(/*keep=*/true); }
  /// The stream ends at once.
  void cut() { stop(/*keep=*/false); }
  /// The stream ends at once if its connection is parked and the reader has gone: a parked
  /// connection does not notice that by itself.
  /// Cost: one call of the system.
  void end_if_left();
  [[nodiscard]] bool is_open() const;
  /// Whether it ended because the reader was too slow.
  [[nodiscard]] bool was_too_slow() const;

  // For the server, on the thread of the connection.

  /// `resume`: continues the connection after `park`. `has_left`: whether the reader has closed it.
  /// Both are called on the thread of who has something to say, with the lock of the stream, so
  /// that the connection is there until they return.
  void attach(std::function<void()> resume, std::function<bool()> has_left);
  /// The next bytes; nullopt: the stream has ended. "": there is nothing yet, and `park` was called
  /// with the lock of the stream, so that nothing can be sent in between.
  std::optional<std::string> take(const std::function<void()>& park);
  /// The connection has ended.
  void detach();

 private:
  struct State {
    std::deque<Text> waiting;
    std::size_t bytes = 0;
    bool ended = false;
    bool too_slow = false;
    bool parked = false;
    std::function<void()> resume;
    std::function<bool()> has_left;
  };
  void stop(bool keep);
  static void stop(State& state, bool keep);
  static void drop(State& state);
  static void wake(State& state);

  mutable Guarded<State> state_;
};

}  // namespace shingled::milter::http
