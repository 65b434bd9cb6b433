#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "config/base/byte_reader.h"

namespace shingled::storage::protocol {

// Frames on a TCP connection (PROTOCOL.md 4): a u16 length, then that number of bytes. The bytes
// are the same as those of a datagram, sealed or plain. Both directions use frames.

inline constexpr std::size_t kFrameHeadBytes = 2;
inline constexpr std::size_t kFrameBytesMax = 8192;  ///< without its head; a frame is never empty

/// Appends a frame to `out`. Returns false and appends nothing if `payload` is empty or longer than
/// kFrameBytesMax.
/// Threads: stateless.
[[nodiscard]] bool append_frame(BytesView payload, Bytes& out);

/// Cuts a stream of bytes into frames. The frames do not depend on how the network cut the stream.
///
///   reader.feed(what_was_read);
///   while (const auto frame = reader.next()) use(*frame);
///   if (reader.broken()) close();
///
/// Threads: one thread.
/// Cost: a frame that comes in one read is not copied. Between two frames the reader holds no
/// memory; of a frame in pieces it holds only the bytes that have come.
class FrameReader {
 public:
  /// `frame_bytes_max`: a longer frame breaks the stream, as an empty one does.
  explicit FrameReader(std::size_t frame_bytes_max = kFrameBytesMax)
      : frame_bytes_max_(frame_bytes_max) {}

  /// Takes the next bytes of the stream. They must stay valid until `next` returns nullopt; only
  /// then may `feed` be called again.
  void feed(BytesView bytes) { fresh_ = bytes; }
  /// The next whole frame without its head, valid until the next call. Returns nullopt if more
  /// bytes are needed or the stream is broken.
  std::optional<BytesView> next();
  /// True after a frame with a length that is not allowed. It is not known where the next frame
  /// begins, so `next` returns nullopt from then on.
  [[nodiscard]] bool broken() const { return broken_; }
  /// Whether a part of a frame was read.
  [[nodiscard]] bool in_frame() const { return !kept_.empty() && !kept_was_given_; }

 private:
  std::optional<std::size_t> length_of(BytesView head);
  std::optional<BytesView> next_of_pieces();
  void keep(std::size_t bytes);

  std::size_t frame_bytes_max_;
  BytesView fresh_;
  Bytes kept_;  // the first bytes of a frame, with its head
  bool kept_was_given_ = false;
  bool broken_ = false;
};

}  // namespace shingled::storage::protocol
