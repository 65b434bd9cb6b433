#pragma once

#include <set>
#include <span>
#include <string>

#include "mime/message/header_block.h"
#include "mime/pieces/authentication_results.h"
#include "mime/pieces/piece_list.h"

namespace shingled::milter::counters {

/// The mailing list that a message came over. Both are empty if there is none.
struct MailingList {
  std::set<std::string> domains;    ///< registrable ones of its addresses and of its archive
  std::set<std::string> addresses;  ///< whom to write to, as pieces have them
};

/// Reads List-Post, List-Archive, X-BeenThere and X-Mailing-List. Senders of advertisements write
/// List-Id and List-Unsubscribe, but leave out these fields. Pure.
/// Cost: at most 32 words; the look-up of a domain costs as much as a link.
MailingList mailing_list_of(std::span<const mime::HeaderField> fields);

/// Only what is proved, where proofs are known (`authserv_ids`): a sender must not name the hosts
/// of others as those of this list. What remains counts for the domain itself (dkim_domain,
/// sender).
MailingList believed_list(MailingList list, std::span<const mime::AuthenticationResults> believed,
                          const PieceOptions& options);

/// Leaves out what the list adds to every message, which says nothing about any of them: the notice
/// at its foot, and links to its own hosts. Without a list a notice and all hosts are the sender's.
/// Does not know the addresses in a footer or the subject tag of a list.
void remove_traces(const MailingList& list, mime::PieceList& pieces);

}  // namespace shingled::milter::counters
