#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "config/base/byte_reader.h"
#include "config/base/clock.h"
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

}  // namespace shingled::storage::server
