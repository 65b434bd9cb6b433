#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "config/options/hash_options.h"
#include "mime/model/mail.h"
#include "mime/model/work_meter.h"
#include "mime/pieces/mail_address.h"
#include "mime/pieces/piece_list.h"

namespace shingled::mime {

/// Who a message says that it is from.
struct FromField {
  std::optional<NormalAddress> address;  ///< the first one
  std::string name;                      ///< its display name, decoded
  /// It is the only address of the only From field, so that a proof of its domain is a proof of
  /// what a reader sees.
  bool only = false;
};

/// Reads From.
/// Errors:  none; without a valid address it is nullopt.
/// Threads: stateless.
/// Cost:    linear in the fields, paid to `meter` as far as charsets are concerned.
FromField read_from(std::span<const HeaderField> fields, Compat compat, WorkMeter& meter);

/// Adds what the header of a message gives, but for From: both forms of the subject, the display
/// name, List-Id, mailer, Reply-To, the domain of Message-ID, the order of the fields. Of a field
/// that is there several times the first one counts.
///
/// Input:   `subject` is decoded.
/// Threads: any.
/// Cost:    linear.
/// Source:  COUNTERS.md section 2.
void add_header_pieces(std::span<const HeaderField> fields, std::string_view subject,
                       const FromField& from, PieceList& pieces);

}  // namespace shingled::mime
