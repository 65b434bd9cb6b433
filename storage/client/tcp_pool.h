#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/base/clock.h"
#include "config/base/guarded.h"
#include "config/options/rule_options.h"
#include "config/system/socket_address.h"
#include "config/system/unique_fd.h"
#include "storage/protocol/frame.h"

namespace shingled::storage::client {

/// How many questions come in a second: a count over the last second, the second before fading out.
/// A value, takes now.
class QuestionRate {
 public:
  void add(std::uint64_t questions, TimePoint now);
  [[nodiscard]] double per_second(TimePoint now) const;

 private:
  TimePoint begin_{};  // of the current second
  std::uint64_t current_ = 0;
  std::uint64_t previous_ = 0;
};

/// The TCP connections of one service that no exchange uses just now, and whether there should be
/// any.
///
/// An exchange borrows a connection for itself alone and gives it back when no answer is missing on
/// it, so no reader thread is needed and no answer can reach the wrong message. With `auto` a
/// connection is made beside the questions, which go over UDP meanwhile; with `yes` a question
/// waits for it, up to kConnectMax. After a failure UDP is used for `tcp_retry_delay`.
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
    bool connected = false;  ///< else the connect is under way
    TimePoint began{};
  };
  /// A connection for an exchange that has so many questions for `address`; nothing = use UDP.
  std::optional<Link> take(const SocketAddress& address, std::uint64_t questions, TimePoint now);
  /// Nothing is under way on it. Too many of one address are closed.
  void give_back(const SocketAddress& address, Link link);
  /// Connections to `address` that nobody uses just now.
  [[nodiscard]] std::size_t idle(const SocketAddress& address);
  /// Forgets all other addresses: they are no servers any more.
  void keep_only(const std::vector<SocketAddress>& addresses);
  /// It broke, or answers are missing on it.
  void failed(const SocketAddress& address, TimePoint now);

  /// How long a question may wait for a connection, and then goes over UDP.
  static constexpr Duration kConnectMax = std::chrono::milliseconds(250);
  /// And after how long a connection that is not there has failed.
  static constexpr Duration kConnectGiveUp = std::chrono::seconds(5);
  static constexpr std::size_t kIdleMax = 16;  ///< connections kept to one address

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
  /// Null for an address nobody has asked for, or that was forgotten.
  static Place* find(State& state, const SocketAddress& address);
  std::optional<Link> take_idle(Place& place, TimePoint now) const;

  TcpUse use_;
  double threshold_;
  Duration retry_delay_;
  Guarded<State> state_;
};

/// One borrowed connection: packets out and in as frames, never blocking.
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
  /// Every packet that was sent has its answer; then the connection may go on to somebody else.
  [[nodiscard]] bool at_rest() const {
    return !broken_ && under_way_ == 0 && out_.empty() && !reader_.in_frame();
  }
  /// Packets were sent that have no answer yet.
  [[nodiscard]] bool owes() const { return under_way_ > 0; }
  /// What to poll for.
  [[nodiscard]] short events() const;

  void send(BytesView packet);
  /// After poll said something: connects, writes, reads.
  void attend();
  /// The next packet that came; valid until the next call.
  std::optional<BytesView> next_packet();
  /// It was the answer to one that was sent.
  void settle() {
    if (under_way_ > 0) --under_way_;
  }
  /// The connection, for the pool. The packets that were never sent are forgotten.
  TcpPool::Link release() { return std::move(link_); }
  /// Nothing has been sent yet: it may be released although packets wait.
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
};

}  // namespace shingled::storage::client
