#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/options/hash_options.h"
#include "config/system/socket_address.h"
#include "milter/counters/envelope.h"
#include "milter/features/feature.h"
#include "mime/model/mail.h"
#include "mime/model/work_meter.h"

namespace shingled::milter::counters {

/// Longer values, and more of them, are not kept: then it is not known whether one is on a list.
inline constexpr std::size_t kNameBytesMax = 1024;
inline constexpr std::size_t kNameValuesMax = 1000;

/// What a message is read for its names.
struct NamedMessage {
  std::span<const mime::HeaderField> fields;
  std::span<const std::string> authserv_ids;
  /// Our own hosts, whose Received fields end nothing (sender_proof.h); null = none.
  const std::vector<Network>* local = nullptr;
  Compat compat = Compat::kRspamd4;  ///< how the subject is decoded
  /// Whether the envelope is that of the message: what it does not have is known to be absent. Else
  /// it is unknown.
  bool whole_envelope = true;
};

/// The names of a message.
///
/// From and its domain are known only if they are *proved*, as the counters have it
/// (sender_proof.h): a server of ours says so, or the sender has logged in; and From has one
/// address. Without a proof nobody knows who wrote the message, so they are unknown, not absent. An
/// identifier of a list is proved if its domain is. A DKIM domain is known if a server of ours has
/// looked at the message.
///
/// Errors:  none.
/// Threads: stateless.
/// Cost:    linear in the header; the charset of the subject is paid to `work`.
features::MessageNames message_names(const NamedMessage& message, const Envelope& envelope,
                                     mime::WorkMeter& work);

}  // namespace shingled::milter::counters
