#pragma once

#include <algorithm>
#include <cstddef>

namespace shingled::storage::client {

/// How many questions to one service may be under way at once: more after each answer, half after
/// each loss. A value.
///
/// A burst of packets that is longer than the receive buffer at the other end is lost silently, and
/// a repeat comes a second later. Linux gives a UDP socket 208 KB by default, of which a question
/// takes 1.3 KB, so kMax fills it when nobody else asks. Few questions, as nearly all messages
/// have, never wait.
class SendWindow {
 public:
  static constexpr std::size_t kMin = 16;
  static constexpr std::size_t kFirst = 32;  ///< as many as a long message has questions
  static constexpr std::size_t kMax = 128;

  [[nodiscard]] std::size_t size() const { return size_; }
  void answered() { size_ = std::min(size_ + 1, kMax); }
  void lost() { size_ = std::max(size_ / 2, kMin); }

 private:
  std::size_t size_ = kFirst;
};

}  // namespace shingled::storage::client
