#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shingled {

using Bytes = std::vector<std::uint8_t>;
using BytesView = std::span<const std::uint8_t>;

/// The bytes of a text, without a copy. The text must outlive the view.
BytesView as_bytes(std::string_view text);
/// The bytes as text, without a copy.
std::string_view as_text(BytesView bytes);

/// Appends an unsigned number, the lowest byte first.
template <std::unsigned_integral Number>
void append_number(Bytes& out, Number number) {
  for (std::size_t i = 0; i < sizeof number; ++i)
    out.push_back(static_cast<std::uint8_t>(number >> (8 * i)));
}

/// A cursor over bytes from a stranger. Reads are little-endian and bounds-checked. After the first
/// read that does not fit, every later read gives zeros, `ok()` is false and nothing moves. So a
/// decoder reads everything first and checks once.
/// Threads: one thread.
class ByteReader {
 public:
  explicit ByteReader(BytesView bytes) : rest_(bytes) {}

  std::uint8_t u8();
  std::uint16_t u16();
  std::uint32_t u32();
  std::uint64_t u64();
  std::int32_t i32();
  float f32();
  /// The next `count` bytes; empty after a failure.
  BytesView bytes(std::size_t count);
  template <std::size_t N>
  std::array<std::uint8_t, N> array() {
    std::array<std::uint8_t, N> out{};
    const BytesView from = bytes(N);
    if (from.size() == N) std::memcpy(out.data(), from.data(), N);
    return out;
  }

  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] std::size_t left() const { return rest_.size(); }
  [[nodiscard]] bool done() const { return ok_ && rest_.empty(); }

 private:
  BytesView rest_;
  bool ok_ = true;
};

/// Writes little-endian into a buffer of the caller. After a write past its end `ok()` stays false.
/// Threads: one thread.
class ByteWriter {
 public:
  explicit ByteWriter(std::span<std::uint8_t> out) : out_(out) {}

  void u8(std::uint8_t value);
  void u16(std::uint16_t value);
  void u32(std::uint32_t value);
  void u64(std::uint64_t value);
  void i32(std::int32_t value);
  void f32(float value);
  void bytes(BytesView from);
  void zeros(std::size_t count);

  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] std::size_t written() const { return at_; }

 private:
  void put(const void* from, std::size_t count);
  std::span<std::uint8_t> out_;
  std::size_t at_ = 0;
  bool ok_ = true;
};

}  // namespace shingled
