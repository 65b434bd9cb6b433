#include "storage/protocol/frame.h"

#include <algorithm>

namespace shingled::storage::protocol {

bool append_frame(BytesView payload, Bytes& out) {
  if (payload.empty() || payload.size() > kFrameBytesMax) return false;
  out.push_back(static_cast<std::uint8_t>(payload.size() & 0xff));
  out.push_back(static_cast<std::uint8_t>(payload.size() >> 8));
  out.insert(out.end(), payload.begin(), payload.end());
  return true;
}

std::optional<BytesView> FrameReader::next() {
  if (kept_was_given_) {
    Bytes().swap(kept_);
    kept_was_given_ = false;
  }
  if (broken_) return std::nullopt;
  if (!kept_.empty()) return next_of_pieces();
  if (fresh_.size() >= kFrameHeadBytes) {
    const auto length = length_of(fresh_);
    if (!length) return std::nullopt;
    if (fresh_.size() - kFrameHeadBytes >= *length) {
      const BytesView frame = fresh_.subspan(kFrameHeadBytes, *length);
      fresh_ = fresh_.subspan(kFrameHeadBytes + *length);
      return frame;
    }
  }
  keep(fresh_.size());
  return std::nullopt;
}

std::optional<BytesView> FrameReader::next_of_pieces() {
  if (kept_.size() < kFrameHeadBytes) keep(kFrameHeadBytes - kept_.size());
  if (kept_.size() < kFrameHeadBytes) return std::nullopt;
  const auto length = length_of(kept_);
  if (!length) return std::nullopt;
  keep(kFrameHeadBytes + *length - kept_.size());
  if (kept_.size() < kFrameHeadBytes + *length) return std::nullopt;
  kept_was_given_ = true;
  return BytesView(kept_).subspan(kFrameHeadBytes);
}

/// The length in a head. If it is not allowed, breaks the stream and returns nullopt.
std::optional<std::size_t> FrameReader::length_of(BytesView head) {
  const std::size_t length = ByteReader(head).u16();
  broken_ = length == 0 || length > frame_bytes_max_;
  if (!broken_) return length;
  fresh_ = {};
  Bytes().swap(kept_);
  return std::nullopt;
}

/// Moves at most `bytes` fresh bytes to `kept_`.
void FrameReader::keep(std::size_t bytes) {
  const BytesView taken = fresh_.first(std::min(bytes, fresh_.size()));
  kept_.insert(kept_.end(), taken.begin(), taken.end());
  fresh_ = fresh_.subspan(taken.size());
}

}  // namespace shingled::storage::protocol
