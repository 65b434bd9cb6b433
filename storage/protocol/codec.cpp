#include "storage/protocol/codec.h"

#include <algorithm>

namespace shingled::storage::protocol {

namespace {

constexpr std::uint8_t kMatchedBit = 1;
constexpr std::uint8_t kVersionV2Bit = 0x10;
constexpr std::size_t kReservedBytesV1 = 12;

void read_shingles(BytesView from, Shingles& out) {
  ByteReader reader(from);
  for (std::uint64_t& shingle : out) shingle = reader.u64();
}

constexpr std::uint8_t kFirstFramedType = 0x80;  // from here on extensions contain their length
constexpr std::size_t kFactsBytes = 4;
constexpr std::size_t kAddressBytesV4 = 4;
constexpr std::size_t kAddressBytesV6 = 16;

}  // namespace

std::optional<Command> decode_command(BytesView packet) {
  ByteReader reader(packet);
  Command command;
  command.version = reader.u8();
  command.code = static_cast<CommandCode>(reader.u8());
  command.shingle_count = reader.u8();
  command.flag = reader.u8();
  command.value = reader.i32();
  command.tag = reader.u32();
  command.digest.bytes = reader.array<kDigestBytes>();
  if (command.shingle_count != 0) read_shingles(reader.bytes(kShingleBytes), command.shingles);
  if (!reader.ok()) return std::nullopt;
  switch (command.version & kVersionMask) {
    case kVersionShort:
      if (!reader.done()) return std::nullopt;
      break;
    case kVersionLong:
    case kVersionFlags:
      command.extensions = reader.bytes(reader.left());
      if (!are_extensions(command.extensions)) return std::nullopt;
      break;
    default:
      return std::nullopt;
  }
  return command;
}

std::size_t encode_command(const Command& command, std::span<std::uint8_t> out) {
  ByteWriter writer(out);
  writer.u8(command.version);
  writer.u8(static_cast<std::uint8_t>(command.code));
  writer.u8(command.shingle_count);
  writer.u8(command.flag);
  writer.i32(command.value);
  writer.u32(command.tag);
  writer.bytes(command.digest.bytes);
  if (command.shingle_count != 0) {
    for (const std::uint64_t shingle : command.shingles) writer.u64(shingle);
  }
  writer.bytes(command.extensions);
  return writer.ok() ? writer.written() : 0;
}

ReplyForm reply_form(std::uint8_t version) {
  switch (version & kVersionMask) {
    case kVersionShort:
      return ReplyForm::kShort;
    case kVersionLong:
      return (version & kVersionV2Bit) != 0 ? ReplyForm::kV2 : ReplyForm::kV1;
    default:
      return ReplyForm::kV2;
  }
}

std::optional<Reply> decode_reply(BytesView packet) {
  if (packet.size() != size_of(ReplyForm::kShort) && packet.size() != size_of(ReplyForm::kV1) &&
      packet.size() != size_of(ReplyForm::kV2)) {
    return std::nullopt;
  }
  ByteReader reader(packet);
  Reply reply;
  reply.value = reader.i32();
  reply.flag = reader.u32();
  reply.tag = reader.u32();
  reply.probability = reader.f32();
  if (reader.done()) return reply;
  reply.digest.bytes = reader.array<kDigestBytes>();
  reply.time = reader.u32();
  if (packet.size() == size_of(ReplyForm::kV1)) {
    reply.matched = (reader.u8() & kMatchedBit) != 0;
    return reply;
  }
  reply.extra_count = std::min(reader.u8(), static_cast<std::uint8_t>(kExtraFlagsMax));
  reply.matched = (reader.u8() & kMatchedBit) != 0;
  reader.u16();  // reserved
  for (std::size_t i = 0; i < reply.extra_count; ++i) {
    reply.extra[i].value = reader.i32();
    reply.extra[i].flag = reader.u32();
  }
  return reply;
}

std::size_t encode_reply(const Reply& reply, ReplyForm form, std::span<std::uint8_t> out) {
  ByteWriter writer(out);
  writer.i32(reply.value);
  writer.u32(reply.flag);
  writer.u32(reply.tag);
  writer.f32(reply.probability);
  if (form == ReplyForm::kShort) return writer.ok() ? writer.written() : 0;
  writer.bytes(reply.digest.bytes);
  writer.u32(reply.time);
  const std::uint8_t matched = reply.matched ? kMatchedBit : 0;
  if (form == ReplyForm::kV1) {
    writer.u8(matched);
    writer.zeros(kReservedBytesV1 - 1);
    return writer.ok() ? writer.written() : 0;
  }
  const std::size_t extras = std::min<std::size_t>(reply.extra_count, kExtraFlagsMax);
  writer.u8(static_cast<std::uint8_t>(extras));
  writer.u8(matched);
  writer.zeros(2);
  for (std::size_t i = 0; i < extras; ++i) {
    writer.i32(reply.extra[i].value);
    writer.u32(reply.extra[i].flag);
  }
  writer.zeros((kExtraFlagsMax - extras) * 8);
  return writer.ok() ? writer.written() : 0;
}

std::optional<Extension> ExtensionReader::next() {
  if (rest_.left() == 0) return std::nullopt;
  Extension extension{rest_.u8(), {}};
  std::size_t length = 0;
  switch (static_cast<ExtensionType>(extension.type)) {
    case ExtensionType::kSourceV4:
      length = kAddressBytesV4;
      break;
    case ExtensionType::kSourceV6:
      length = kAddressBytesV6;
      break;
    case ExtensionType::kDomain:
      length = rest_.u8();
      break;
    case ExtensionType::kSenderFacts:
      length = rest_.u8();
      if (length != kFactsBytes) length = rest_.left() + 1;  // malformed: make it fail
      break;
    default:
      length = extension.type >= kFirstFramedType ? rest_.u8() : rest_.left() + 1;
  }
  extension.payload = rest_.bytes(length);
  if (!rest_.ok()) return std::nullopt;
  return extension;
}

bool are_extensions(BytesView bytes) {
  ExtensionReader reader(bytes);
  while (reader.next()) {
  }
  return reader.ok();
}

std::optional<Digest> companion_in(BytesView bytes) {
  ExtensionReader reader(bytes);
  std::optional<Digest> named;
  while (const auto extension = reader.next()) {
    const auto type = static_cast<ExtensionType>(extension->type);
    if (type != ExtensionType::kCompanion && type != ExtensionType::kOldCompanion) continue;
    if (extension->payload.size() != kDigestBytes) continue;
    named.emplace();
    std::copy(extension->payload.begin(), extension->payload.end(), named->bytes.begin());
  }
  return named;
}

std::array<std::uint8_t, kCompanionBytes> companion_extension(const Digest& companion,
                                                              ExtensionType type) {
  std::array<std::uint8_t, kCompanionBytes> bytes{};
  ByteWriter writer(bytes);
  writer.u8(static_cast<std::uint8_t>(type));
  writer.u8(static_cast<std::uint8_t>(kDigestBytes));
  writer.bytes(companion.bytes);
  return bytes;
}

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
