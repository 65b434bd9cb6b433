#pragma once

#include <string>

#include "storage/client/tcp_pool.h"
#include "storage/protocol/frame.h"

namespace shingled::storage::client {

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
