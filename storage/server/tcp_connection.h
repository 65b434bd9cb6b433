#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "config/base/byte_reader.h"
#include "config/base/clock.h"
#include "config/system/unique_fd.h"
#include "storage/server/stream_handler.h"

namespace shingled::storage::server {

/// Replies the kernel has not taken yet.
/// Threads: one thread.
class UnsentBytes {
 public:
  [[nodiscard]] bool empty() const { return sent_ == bytes_.size(); }
  [[nodiscard]] std::size_t size() const { return bytes_.size() - sent_; }
  [[nodiscard]] BytesView view() const { return BytesView(bytes_).subspan(sent_); }
  void add(BytesView more) { bytes_.insert(bytes_.end(), more.begin(), more.end()); }
  /// These went. When all have, the memory goes too: most connections never need any.
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

/// A connection as its worker sees it.
struct TcpConnection {
  UniqueFd fd;
  Stream stream;
  UnsentBytes unsent;
  TimePoint active{};        ///< when the last request came or the last update was answered
  std::uint32_t events = 0;  ///< epoll waits for
  bool ended = false;        ///< no more requests are taken; replies may still go
  bool leaving = false;      ///< only what the kernel holds is still to be fetched

  /// Nothing is to be answered any more.
  [[nodiscard]] bool is_served() const { return unsent.empty() && stream.updates == 0; }
};

/// What a non-blocking read or write came to.
struct Transfer {
  enum class State : std::uint8_t { kOpen, kEnd, kFailed };
  State state = State::kOpen;
  std::size_t bytes = 0;
};
Transfer receive(const TcpConnection& connection, std::span<std::uint8_t> into);
Transfer send(const TcpConnection& connection, BytesView bytes);

/// The client's system has confirmed all that was sent to it.
bool has_arrived(const TcpConnection& connection);
/// Closes at once, and the kernel throws away what it still holds for it.
void cut_off(TcpConnection& connection);

}  // namespace shingled::storage::server
