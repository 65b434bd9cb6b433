#pragma once

#include <cstdint>
#include <optional>

namespace shingled::storage {

/// What the client's mail server found out about the sender of a message: the word of extension
/// 0x80 (PROTOCOL.md, "Sender facts"). A value; the enumerators are the numbers on the wire.
struct SenderFacts {
  enum class Spf : std::uint8_t {
    kAbsent,
    kNone,
    kPass,
    kFail,
    kSoftFail,
    kNeutral,
    kPermanentError,
    kTemporaryError
  };
  enum class Dkim : std::uint8_t { kAbsent, kNone, kPass, kFail, kPermanentError, kTemporaryError };
  enum class Dmarc : std::uint8_t {
    kAbsent,
    kNoRecord,
    kPass,
    kFailNone,
    kFailQuarantine,
    kFailReject,
    kPermanentError,
    kTemporaryError
  };
  enum class Ptr : std::uint8_t { kUnknown, kNone, kPresent, kConfirmed };
  enum class Recipients : std::uint8_t { kOne, kUpTo5, kUpTo20, kMore };

  Spf spf = Spf::kAbsent;
  Dkim dkim = Dkim::kAbsent;
  Dmarc dmarc = Dmarc::kAbsent;
  Ptr ptr = Ptr::kUnknown;
  bool generic_ptr = false;  ///< the name looks like one of a dial-up line
  Recipients recipients = Recipients::kOne;
  bool tls = false;

  friend bool operator==(const SenderFacts&, const SenderFacts&) = default;
};

/// Nothing for a class of facts we do not know. A number without a meaning counts as absent,
/// reserved bits as nothing.   Threads: stateless.
std::optional<SenderFacts> decode_sender_facts(std::uint32_t word);
std::uint32_t encode_sender_facts(const SenderFacts& facts);

}  // namespace shingled::storage
