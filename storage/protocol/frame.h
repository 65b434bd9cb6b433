#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "config/base/byte_reader.h"

namespace shingled::storage::protocol {

// How a TCP connection carries what would be datagrams (PROTOCOL.md 4): u16 length, then as
// many bytes, sealed or in the clear; the same in both directions.

inline constexpr std::size_t kFrameHeadBytes = 2;
inline constexpr std::size_t kFrameBytesMax = 8192;  ///< without its head; no frame is empty

/// Appends a frame. False, and nothing is appended, when `payload` is empty or longer than a frame
/// may be.
/// Threads: stateless.
[[nodiscard]] bool append_frame(BytesView payload, Bytes& out);

/// Cuts a stream of bytes into frames, however the network has cut it into reads.
///
///   reader.feed(what_was_read);
///   while (const auto frame = reader.next()) use(*frame);
///   if (reader.broken()) close();
///
/// Threads: one thread.
/// Cost: frames that came whole are not copied, and a reader between two frames holds no memory; of
/// one that comes in pieces no more is kept than has come.
class FrameReader {
 public:
  /// `frame_bytes_max`: a longer frame breaks the stream, as an empty one does.
  explicit FrameReader(std::size_t frame_bytes_max = kFrameBytesMax)
      : frame_bytes_max_(frame_bytes_max) {}

  /// The next bytes of the stream, lent until `next` gives nothing; only then feed more.
  void feed(BytesView bytes) { fresh_ = bytes; }
  /// The next whole frame without its head, valid until the next call; nothing when more bytes are
  /// needed or the stream is broken.
  std::optional<BytesView> next();
  /// A frame had a forbidden length. Where the next one begins is not known: nothing more comes.
  [[nodiscard]] bool broken() const { return broken_; }
  /// The stream stands in the middle of a frame.
  [[nodiscard]] bool in_frame() const { return !kept_.empty() && !kept_was_given_; }

 private:
  std::optional<std::size_t> length_of(BytesView head);
  std::optional<BytesView> next_of_pieces();
  void keep(std::size_t bytes);

  std::size_t frame_bytes_max_;
  BytesView fresh_;
  Bytes kept_;  // the begun frame, its head included
  bool kept_was_given_ = false;
  bool broken_ = false;
};

}  // namespace shingled::storage::protocol
