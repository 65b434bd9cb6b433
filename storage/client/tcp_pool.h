#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/base/clock.h"
#include "config/base/guarded.h"
#include "config/options/rule_options.h"
#include "config/system/socket_address.h"
#include "config/system/unique_fd.h"
#include "storage/protocol/codec.h"

namespace shingled::storage::client {

/// Estimates the number of questions per second: a count over the current second plus a part of the
/// previous second that shrinks. A value; the caller passes the time.
class QuestionRate {
 public:
  void add(std::uint64_t questions, TimePoint now);
  [[nodiscard]] double per_second(TimePoint now) const;

 private:
  TimePoint begin_{};  // of the current second
  std::uint64_t current_ = 0;
  std::uint64_t previous_ = 0;
};

/// The TCP connections of one service that no exchange uses at the moment. Also decides whether TCP
/// is used at all.
///
/// An exchange borrows a connection for itself alone and gives it back when no answer is missing on
/// it. So there is no reader thread, and no answer can reach the wrong message. With `auto`, a
/// connection is made in the background while the questions go over UDP. With `yes`, a question
/// waits for it, up to kConnectMax. After a failure UDP is used for `tcp_retry_delay`; but a
/// connection that an exchange got from the pool may have one successor first.
/// Threads: any thread.
/// Cost: one mutex; the system calls on a few descriptors are made under it and do not block.
class TcpPool {
 public:
  explicit TcpPool(const RemoteOptions& options)
      : use_(options.tcp),
        threshold_(options.tcp_threshold),
        retry_delay_(options.tcp_retry_delay) {}

  struct Link {
    UniqueFd fd;
    bool connected = false;  ///< false while the connect is under way
    TimePoint began{};
    bool used_before = false;  ///< by another exchange: the peer may have forgotten it since
  };
  /// Returns a connection for an exchange that has `questions` questions for `address`; nullopt
  /// means: use UDP.
  std::optional<Link> take(const SocketAddress& address, std::uint64_t questions, TimePoint now);
  /// Returns a new connection instead of a borrowed one that was used before and broke, or is
  /// silent: a NAT or a load balancer forgets idle connections, which says nothing about TCP. The
  /// idle ones are as old and are closed. nullopt means: use UDP (with `auto`, always).
  std::optional<Link> replace(const SocketAddress& address, TimePoint now);
  /// Takes back a connection on which no answer is missing; closes it if kIdleMax are idle already.
  void give_back(const SocketAddress& address, Link link);
  /// The number of idle connections to `address`.
  [[nodiscard]] std::size_t idle(const SocketAddress& address);
  /// Forgets all other addresses, which do not belong to servers any more.
  void keep_only(const std::vector<SocketAddress>& addresses);
  /// A borrowed connection to `address` broke, or answers are missing on it.
  void failed(const SocketAddress& address, TimePoint now);

  /// How long a question waits for a connection before it goes over UDP.
  static constexpr Duration kConnectMax = std::chrono::milliseconds(250);
  /// After this time a connect that is still under way has failed.
  static constexpr Duration kConnectGiveUp = std::chrono::seconds(5);
  static constexpr std::size_t kIdleMax = 16;  ///< idle connections kept per address

 private:
  struct Place {
    SocketAddress address;
    std::vector<Link> idle;
    TimePoint retry_at{};
  };
  struct State {
    std::vector<Place> places;
    QuestionRate rate;
  };
  /// Returns null for an address that was never used or was forgotten.
  static Place* find(State& state, const SocketAddress& address);
  std::optional<Link> take_idle(Place& place, TimePoint now) const;

  TcpUse use_;
  double threshold_;
  Duration retry_delay_;
  Guarded<State> state_;
};

/// One borrowed connection: sends and receives packets as frames, never blocks.
/// Threads: one thread.
class TcpChannel {
 public:
  /// `reply_bytes_max`: a longer frame breaks the connection.
  TcpChannel(TcpPool::Link link, std::size_t reply_bytes_max)
      : link_(std::move(link)), reader_(reply_bytes_max) {}

  [[nodiscard]] int fd() const { return link_.fd.get(); }
  [[nodiscard]] bool connected() const { return link_.connected; }
  [[nodiscard]] TimePoint began() const { return link_.began; }
  [[nodiscard]] bool broken() const { return broken_; }
  /// Whether every packet has its answer, so that another exchange may use the connection.
  [[nodiscard]] bool at_rest() const {
    return !broken_ && under_way_ == 0 && out_.empty() && !reader_.in_frame();
  }
  /// Whether a packet has no answer yet.
  [[nodiscard]] bool owes() const { return under_way_ > 0; }
  [[nodiscard]] std::size_t owed() const { return under_way_; }
  [[nodiscard]] bool used_before() const { return link_.used_before; }
  [[nodiscard]] bool heard() const { return heard_; }  ///< whether anything has come in
  /// The events to poll for.
  [[nodiscard]] short events() const;

  void send(BytesView packet);
  /// Call it after poll reported an event: connects, writes, reads.
  void attend();
  /// Returns the next received packet, valid until the next call; nullopt if there is none.
  std::optional<BytesView> next_packet();
  /// Call it when a received packet was the answer to a sent one.
  void settle() {
    if (under_way_ > 0) --under_way_;
  }
  /// Gives up the connection, for the pool. Packets that were not sent yet are lost.
  TcpPool::Link release() { return std::move(link_); }
  /// Whether nothing has been sent yet: then it may be released although packets wait.
  [[nodiscard]] bool untouched() const { return !broken_ && !link_.connected; }

 private:
  void flush();
  void read();

  TcpPool::Link link_;
  protocol::FrameReader reader_;
  Bytes out_;
  Bytes in_;
  std::size_t under_way_ = 0;  // packets without an answer
  bool broken_ = false;
  bool heard_ = false;  // something was received
};

}  // namespace shingled::storage::client
