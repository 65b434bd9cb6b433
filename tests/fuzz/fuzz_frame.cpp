// A stream from a hostile peer, cut into pieces as the input says. The frames are the same as for
// the stream in one piece, and the reader never keeps more than one frame.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "storage/protocol/codec.h"

using namespace shingled;
using namespace shingled::storage;

namespace {

struct Read {
  std::vector<Bytes> frames;
  bool broken = false;
  bool in_frame = false;
  friend bool operator==(const Read&, const Read&) = default;
};

Read read_in_pieces(BytesView stream, BytesView sizes) {
  Read read;
  protocol::FrameReader reader;
  std::size_t piece = 0;
  while (!stream.empty() && !reader.broken()) {
    const std::size_t wanted = sizes.empty() ? stream.size() : 1U + sizes[piece++ % sizes.size()];
    const BytesView taken = stream.first(std::min(wanted, stream.size()));
    const Bytes lent(taken.begin(), taken.end());  // freed before the next piece
    stream = stream.subspan(taken.size());
    reader.feed(lent);
    while (const auto frame = reader.next()) {
      if (frame->empty() || frame->size() > protocol::kFrameBytesMax) std::abort();
      read.frames.emplace_back(frame->begin(), frame->end());
    }
  }
  read.broken = reader.broken();
  read.in_frame = reader.in_frame();
  return read;
}

}  // namespace

/// Input: a number n, the sizes of n pieces, the stream.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const BytesView input = BytesView(data, size).subspan(1);
  const BytesView sizes = input.first(std::min<std::size_t>(data[0], input.size()));
  const BytesView stream = input.subspan(sizes.size());
  const Read whole = read_in_pieces(stream, {});
  if (read_in_pieces(stream, sizes) != whole) std::abort();
  Bytes again;
  for (const Bytes& frame : whole.frames) {
    if (!protocol::append_frame(frame, again)) std::abort();
  }
  if (!std::equal(again.begin(), again.end(), stream.begin())) std::abort();
  if (!whole.broken && !whole.in_frame && again.size() != stream.size()) std::abort();
  return 0;
}
