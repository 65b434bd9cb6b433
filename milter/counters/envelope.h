#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/system/socket_address.h"
#include "mime/pieces/piece_list.h"

namespace shingled::milter::counters {

/// What is known of a message besides its bytes.
struct Envelope {
  std::string sender;                   ///< path of MAIL: "<a@example.org>", "<>"; empty: not known
  std::vector<std::string> recipients;  ///< paths of RCPT, of accepted recipients
  std::optional<IpAddress> client;
  std::string helo;
  std::string client_name;  ///< reverse name that the MTA has verified; empty if it could not
  std::string user;         ///< login of SMTP AUTH; empty without one
  std::string country;      ///< of the client, two letters; empty if it is not known
};

/// The sender of a bounce.
inline constexpr std::string_view kBounceSender = "<>";

/// The envelope in the form of pieces; what is not known is empty.
struct NormalEnvelope {
  std::string sender;                   ///< kBounceSender for a bounce
  std::string sender_domain;            ///< of a bounce that of its client
  std::vector<std::string> recipients;  ///< each once, in the order of RCPT
  std::string client;
  std::string network;  ///< of the client, /24 or /64
  std::string helo;
  std::string client_domain;
  std::string user;
  std::string country;
  std::uint32_t recipients_dropped = 0;  ///< more than the bound
  /// Mail of a user: also those beyond the bound of pieces, at most kUserRecipientsMax, so that the
  /// number of their different recipients is right.
  std::vector<std::string> user_recipients;
};

/// Recipients of a message that are distinguished for the user who sends it.
inline constexpr std::uint32_t kUserRecipientsMax = 1000;

/// The sender alone. `path`: as in MAIL. Pure.
std::string normal_sender(std::string_view path);

/// Pure. More recipients than `recipients_max` are left out.
NormalEnvelope normal_envelope(const Envelope& envelope, std::uint32_t recipients_max);

/// Adds what the envelope gives by itself, without pairs.
/// Source: COUNTERS.md section 2.
void add_envelope_pieces(const NormalEnvelope& envelope, mime::PieceList& pieces);

}  // namespace shingled::milter::counters
