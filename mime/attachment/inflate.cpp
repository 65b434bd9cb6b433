#include "mime/attachment/inflate.h"

#include <zlib.h>

#include <algorithm>
#include <climits>
#include <utility>

namespace shingled::mime {
namespace {

constexpr Steps kStepsAStream = 20'000;  // its tables
constexpr Steps kStepsAPackedByte = 10;
constexpr Steps kStepsAnUnpackedByte = 5;

/// RFC 1950 2.2. Without such a header the stream is bare deflate, as some programs write it.
bool has_zlib_header(std::string_view packed) {
  if (packed.size() < 2) return true;
  const auto first = static_cast<unsigned char>(packed[0]);
  const auto second = static_cast<unsigned char>(packed[1]);
  return (first & 0x0fU) == Z_DEFLATED && (first * 256U + second) % 31 == 0;
}

/// A stream that ends with its scope.
class InflateStream {
 public:
  explicit InflateStream(int window_bits) : open_(inflateInit2(&stream_, window_bits) == Z_OK) {}
  ~InflateStream() {
    if (open_) inflateEnd(&stream_);
  }
  InflateStream(const InflateStream&) = delete;
  InflateStream& operator=(const InflateStream&) = delete;
  InflateStream(InflateStream&&) = delete;
  InflateStream& operator=(InflateStream&&) = delete;

  [[nodiscard]] bool open() const { return open_; }
  z_stream& get() { return stream_; }

 private:
  z_stream stream_{};
  bool open_;
};

}  // namespace

std::optional<std::string> inflate_bytes(std::string_view packed, std::size_t bytes_max,
                                         WorkMeter& meter) {
  if (bytes_max == 0) return std::nullopt;  // zlib would never get room to write
  if (!meter.spend(kStepsAStream + packed.size() * kStepsAPackedByte)) return std::nullopt;
  InflateStream inflater(has_zlib_header(packed) ? MAX_WBITS : -MAX_WBITS);
  if (!inflater.open() || packed.size() > UINT_MAX) return std::nullopt;
  z_stream& stream = inflater.get();
  // zlib does not write to its input; its interface just lacks the const.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  // Like in rspamd, the limit is checked only when the buffer is full, and the buffer doubles: the
  // output may be larger than the limit, but less than twice as large.
  std::string out(std::min(packed.size() * 2, bytes_max), '\0');
  std::size_t size = 0;
  while (stream.avail_in > 0) {
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + size);
    stream.avail_out = static_cast<uInt>(out.size() - size);
    const int result = inflate(&stream, Z_NO_FLUSH);
    const std::size_t before = std::exchange(size, out.size() - stream.avail_out);
    if (!meter.spend(size - before, kStepsAnUnpackedByte)) return std::nullopt;
    if (result == Z_STREAM_END) break;
    if (result != Z_OK && result != Z_BUF_ERROR) return std::nullopt;
    if (stream.avail_out > 0 || stream.avail_in == 0) continue;
    if (size > bytes_max) return std::nullopt;
    out.resize(size * 2);
  }
  out.resize(size);
  return out;
}

}  // namespace shingled::mime
