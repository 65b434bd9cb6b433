#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace shingled {

/// Which bit of a message a piece is. The numbers are part of every shingle (piece_shingle.h) and
/// of every stored counter, so a number never changes and is never used again.
/// Source: COUNTERS.md section 2.
enum class PieceType : std::uint8_t {
  kText = 1,
  kRobustText = 2,
  kStructure = 3,
  kSubject = 8,
  kExactSubject = 9,
  kSender = 10,
  kSenderDomain = 11,
  kRecipient = 12,
  kFromDomain = 13,
  kFrom = 14,
  kClient = 15,
  kClaimedFromDomain = 16,
  kClaimedFrom = 17,
  kDisplayName = 18,
  kClientNetwork = 19,
  kHelo = 20,
  kClientDomain = 21,
  kUser = 22,
  kDkimDomain = 23,
  kListId = 24,
  kMailer = 25,
  kReplyTo = 26,
  kMessageIdDomain = 27,
  kHeaderOrder = 28,
  kHeaderNames = 29,
  kSenderRecipient = 30,
  kUniqueRecipients = 31,
  kClientSender = 32,
  kUniqueSenders = 33,
  kFromNetwork = 34,
  kUniqueNetworks = 35,
  kLinkFrom = 36,
  kUniqueLinkSenders = 37,
  kTextRecipient = 38,
  kUniqueTextRecipients = 39,
  kTextSender = 40,
  kUniqueTextSenders = 41,
  kAttachmentName = 42,
  kAttachmentKind = 43,
  kUserRecipient = 44,
  kUniqueUserRecipients = 45,
  kUserCountry = 46,
  kUniqueCountries = 47,
  kRecipientSender = 48,
  kUniqueRecipientSenders = 49,
  kLink = 50,
  kLinkHost = 51,
  kLinkDomain = 52,
  kLinkPath = 53,
  kAddress = 54,
  kPhone = 55,
  kWallet = 56,
  kPhrase = 57,
  kShortText = 58,
  kLinkShape = 59,
  kForeignHost = 60,
  kNotice = 61,
  kAttachment = 62,
  kImage = 63,
  kHiddenPhrase = 64,
  kImageLink = 65,
  kAttachmentRecipient = 66,
  kUniqueAttachmentRecipients = 67,
  kAttachmentSender = 68,
  kUniqueAttachmentSenders = 69,
  kStoredHash = 70,
  kHashReporter = 71,
  kUniqueReporters = 72,
  kKnownFile = 73,
  kMessageReporter = 74,
  kUniqueMessageReporters = 75,
  kQuotedPhrase = 76,
};

/// What is known of a type. A *pair* type hashes two pieces together; its *unique* type, which has
/// the next number, hashes the first of them alone and counts how many different second pieces
/// there were.
struct PieceTypeRow {
  enum class Kind : std::uint8_t { kSingle, kPair, kUnique };

  PieceType type{};
  std::string_view name;  ///< in commands, rules and JSON: `link_domain`
  Kind kind = Kind::kSingle;
  std::string_view meaning;  ///< one line of help, without a full stop
};

/// All types, by number.
/// Threads: constant.
std::span<const PieceTypeRow> piece_types();

/// nullptr if there is no type of that number or name.
/// Threads: constant.
const PieceTypeRow* find_piece_type(std::uint64_t number);
const PieceTypeRow* find_piece_type(std::string_view name);

/// The row of a type.
const PieceTypeRow& row_of(PieceType type);
std::string_view to_string(PieceType type);
inline bool is_pair(PieceType type) { return row_of(type).kind == PieceTypeRow::Kind::kPair; }
inline bool is_unique(PieceType type) { return row_of(type).kind == PieceTypeRow::Kind::kUnique; }
/// Counted when somebody reports a message; no message comes with it.
inline bool is_of_report(PieceType type) {
  return type == PieceType::kHashReporter || type == PieceType::kMessageReporter ||
         type == PieceType::kUniqueMessageReporters;
}
/// The unique type of a pair type.
inline PieceType unique_of(PieceType pair) {
  return static_cast<PieceType>(static_cast<std::uint8_t>(pair) + 1);
}

}  // namespace shingled
