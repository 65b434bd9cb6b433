#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "config/base/clock.h"
#include "milter/api/messages/message_resource.h"
#include "milter/api/route.h"
#include "milter/reports/report_desk.h"
#include "mime/fingerprint/fingerprint.h"
#include "storage/model/fuzzy_store.h"

namespace shingled::milter::api {

/// Why a message of the history was known, and by whom:
///
///   GET /api/1/messages/{id}/hashes
///     -> {"hashes": [{"digest", "flag", "file": whether it is that of a file,
///                     "matches": [{"digest", "exact", "slots", "prob", "flags": [{"flag",
///                                  "value"}], "created", "updated",
///                                  "case": null or {"id", "effect", "spam", "ham", "messages",
///                                  "last", "people": [{"reporter", "name", "standing", "says"}]}
///                                 }]}],
///         "off": why nothing is known, only then}
///
/// `hashes` are those that a report of the message would teach, as long as they are kept
/// (history.act_for). `matches` are the stored hashes that match one now, the best first, at most
/// kMatchesMost; the storage may have learnt or forgotten some since the message was judged. The
/// case of a stored hash is what people of this site reported about it; null if it was taught in
/// another way. Answers 404 and 409 as GET /api/1/messages/{id} does.
/// Threads: any thread.
class MessageHashes {
 public:
  static constexpr std::size_t kMatchesMost = 4;  ///< of one hash
  static constexpr std::size_t kCasesMost = 8;    ///< that are looked up for one answer

  /// The stored hashes that match one; empty without a storage.
  using FindMatches =
      std::function<std::vector<storage::Match>(const Fingerprint&, std::size_t most)>;

  /// `desk` must outlive it.
  MessageHashes(MessageResource::OpenHistory open, FindMatches find, reports::ReportDesk& desk)
      : open_(std::move(open)), find_(std::move(find)), desk_(desk) {}

  /// They use this object.
  [[nodiscard]] std::vector<Route> routes() const;

 private:
  [[nodiscard]] http::HttpReply hashes(const Call& call) const;

  MessageResource::OpenHistory open_;
  FindMatches find_;
  reports::ReportDesk& desk_;
};

}  // namespace shingled::milter::api
