#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "config/options/mime_options.h"
#include "mime/message/attached_messages.h"

namespace shingled::milter::reports {

/// What a message says of those that are attached to it.
struct Complaint {
  enum class Kind : std::uint8_t {
    kForward,   ///< a person sends them: they are what the address is for
    kSpam,      ///< a provider passes on that somebody complained
    kWanted,    ///< a provider passes on that somebody wants them (RFC 6430)
    kNone,      ///< a program says something else, and nobody complained
    kUnusable,  ///< a person sends something that cannot be reported
  };
  Kind kind = Kind::kForward;
  std::string why;  ///< of kNone and kUnusable, in words for those who sent it
};

/// Decides it. A feedback report is about abuse, fraud or a virus, or says not-spam; another one
/// (auth-failure, opt-out, other, unreadable) is not a complaint, and one with the header alone has
/// nothing that could be reported. Nor are bounces, receipts, reports of DMARC and TLS, and
/// automatic answers complaints: what is attached to them was mostly sent by us.
/// Threads: stateless.
Complaint complaint_in(std::string_view message, const mime::AttachedMessages& attached,
                       const MimeOptions& options);

}  // namespace shingled::milter::reports
