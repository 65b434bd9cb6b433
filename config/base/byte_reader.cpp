#include "config/base/byte_reader.h"

#include <bit>

namespace shingled {

static_assert(std::endian::native == std::endian::little,
              "the wire is little-endian and so are we");

BytesView as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

std::string_view as_text(BytesView bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

BytesView ByteReader::bytes(std::size_t count) {
  if (!ok_ || count > rest_.size()) {
    ok_ = false;
    return {};
  }
  const BytesView taken = rest_.first(count);
  rest_ = rest_.subspan(count);
  return taken;
}

namespace {
template <typename T>
T load(BytesView from) {
  T value{};
  if (from.size() == sizeof value) std::memcpy(&value, from.data(), sizeof value);
  return value;
}
}  // namespace

std::uint8_t ByteReader::u8() { return load<std::uint8_t>(bytes(1)); }
std::uint16_t ByteReader::u16() { return load<std::uint16_t>(bytes(2)); }
std::uint32_t ByteReader::u32() { return load<std::uint32_t>(bytes(4)); }
std::uint64_t ByteReader::u64() { return load<std::uint64_t>(bytes(8)); }
std::int32_t ByteReader::i32() { return load<std::int32_t>(bytes(4)); }
float ByteReader::f32() { return load<float>(bytes(4)); }

void ByteWriter::put(const void* from, std::size_t count) {
  if (!ok_ || count > out_.size() - at_) {
    ok_ = false;
    return;
  }
  if (count != 0) std::memcpy(out_.data() + at_, from, count);
  at_ += count;
}

void ByteWriter::u8(std::uint8_t value) { put(&value, sizeof value); }
void ByteWriter::u16(std::uint16_t value) { put(&value, sizeof value); }
void ByteWriter::u32(std::uint32_t value) { put(&value, sizeof value); }
void ByteWriter::u64(std::uint64_t value) { put(&value, sizeof value); }
void ByteWriter::i32(std::int32_t value) { put(&value, sizeof value); }
void ByteWriter::f32(float value) { put(&value, sizeof value); }
void ByteWriter::bytes(BytesView from) { put(from.data(), from.size()); }

void ByteWriter::zeros(std::size_t count) {
  if (!ok_ || count > out_.size() - at_) {
    ok_ = false;
    return;
  }
  if (count != 0) std::memset(out_.data() + at_, 0, count);
  at_ += count;
}

}  // namespace shingled
