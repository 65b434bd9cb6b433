#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "config/base/byte_reader.h"
#include "config/base/clock.h"
#include "config/base/guarded.h"
#include "config/system/socket_address.h"
#include "config/system/unique_fd.h"
#include "storage/server/stream_handler.h"

namespace shingled::storage::server {

/// Replies that the kernel has not accepted yet.
/// Threads: one thread.
class UnsentBytes {
 public:
  [[nodiscard]] bool empty() const { return sent_ == bytes_.size(); }
  [[nodiscard]] std::size_t size() const { return bytes_.size() - sent_; }
  [[nodiscard]] BytesView view() const { return BytesView(bytes_).subspan(sent_); }
  void add(BytesView more) { bytes_.insert(bytes_.end(), more.begin(), more.end()); }
  /// Removes `count` sent bytes. When nothing is left, the memory is freed, because most
  /// connections never need any.
  void drop(std::size_t count) {
    sent_ += count;
    if (sent_ < bytes_.size()) return;
    Bytes().swap(bytes_);
    sent_ = 0;
  }

 private:
  Bytes bytes_;
  std::size_t sent_ = 0;
};

/// A connection of a worker.
struct TcpConnection {
  UniqueFd fd;
  Stream stream;
  UnsentBytes unsent;
  TimePoint active{};        ///< time of the last request or of the last reply to an update
  std::uint32_t events = 0;  ///< that epoll waits for
  bool ended = false;        ///< no more requests are read; replies may still be sent
  bool leaving = false;      ///< all replies are in the kernel; the client has not confirmed all

  /// Whether all replies were sent and no update waits.
  [[nodiscard]] bool is_served() const { return unsent.empty() && stream.updates == 0; }
};

/// The result of a non-blocking read or write. kOpen with 0 bytes: not possible now.
struct Transfer {
  enum class State : std::uint8_t { kOpen, kEnd, kFailed };
  State state = State::kOpen;
  std::size_t bytes = 0;
};
Transfer receive(const TcpConnection& connection, std::span<std::uint8_t> into);
Transfer send(const TcpConnection& connection, BytesView bytes);

/// Whether the client's system has confirmed everything that was sent.
bool has_arrived(const TcpConnection& connection);
/// Closes the connection at once; the kernel discards what was not sent yet.
void cut_off(TcpConnection& connection);

/// Counts the open connections of all workers, in total and by source, so that neither one client
/// nor all clients together can take every descriptor.
///
/// A source is an IPv4 address or an IPv6 /64, because every customer has at least a /64. Some
/// places are reserved for trusted sources. When no place is left, a caller may take a place of the
/// source that holds most, if that source still holds more than the caller afterwards. So a few
/// sources, each within its limit, cannot keep others out. A stranger never takes a place of a
/// trusted source.
/// Threads: any thread.
/// Cost: one lock per connection, none per request; memory for each source that has a connection.
class ConnectionTable {
 public:
  enum class Admission : std::uint8_t {
    kEntered,     ///< call `leave` when the connection is closed
    kFull,        ///< too many connections in total
    kSourceFull,  ///< too many connections of this source
  };
  struct Limits {
    std::size_t most = 0;
    std::size_t most_of_a_source = 0;
    std::size_t reserved = 0;  ///< part of `most` that only trusted sources may use
  };
  enum class Trust : std::uint8_t { kStranger, kTrusted };
  struct Caller {
    IpAddress ip;
    Trust trust = Trust::kStranger;
  };
  Admission enter(const Caller& caller, const Limits& limits);
  void leave(const IpAddress& ip);
  /// Whether a source that the caller may displace holds at least two connections more than the
  /// caller. If not, `pick` returns nullopt.
  [[nodiscard]] bool may_displace(const Caller& caller);
  /// Chooses the connection that makes room for the caller, as an index into `connections` (their
  /// addresses): the first connection of the source that holds most. nullopt if no source that the
  /// caller may displace holds at least two connections more than the caller.
  [[nodiscard]] std::optional<std::size_t> pick(const Caller& caller,
                                                std::span<const IpAddress> connections);
  [[nodiscard]] std::size_t size();

 private:
  struct SourceHash {
    std::size_t operator()(const IpAddress& ip) const;
  };
  struct Source {
    std::size_t held = 0;
    Trust trust = Trust::kStranger;  ///< at the time of its first connection
  };
  /// Counts the sources by the number of connections that they hold, to find the largest number at
  /// once.
  struct Ranking {
    std::vector<std::size_t> sources;  ///< [n]: number of sources that hold n connections
    void move(std::size_t from, std::size_t to);
    [[nodiscard]] std::size_t most() const { return sources.empty() ? 0 : sources.size() - 1; }
  };
  struct State {
    std::size_t open = 0;
    std::size_t strangers = 0;  ///< connections of strangers
    std::unordered_map<IpAddress, Source, SourceHash> by_source;
    Ranking of_strangers;
    Ranking of_trusted;

    [[nodiscard]] Ranking& ranking(Trust trust) {
      return trust == Trust::kTrusted ? of_trusted : of_strangers;
    }
    [[nodiscard]] std::size_t held_by(const IpAddress& source) const;
  };
  Guarded<State> state_;
};

/// A common limit for the bytes that several threads hold.
/// Threads: any thread; never waits.
class ByteBudget {
 public:
  /// Returns false and takes nothing if the total would exceed `most`.
  [[nodiscard]] bool take(std::uint64_t bytes, std::uint64_t most);
  void give_back(std::uint64_t bytes) { held_.fetch_sub(bytes, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t held() const { return held_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> held_{0};
};

}  // namespace shingled::storage::server
