#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/base/clock.h"
#include "config/base/result.h"
#include "milter/api/messages/peer_messages.h"
#include "milter/api/messages/report_resource.h"
#include "milter/api/route.h"
#include "milter/history/message_record.h"
#include "milter/reports/report_desk.h"
#include "milter/rules/model_word.h"
#include "mime/fingerprint/piece_shingle.h"
#include "storage/sqlite/history/history_table.h"

namespace shingled::milter::api {

/// The history as it is now, with the key of the names in it.
struct SiteHistory {
  std::unique_ptr<storage::sqlite::HistoryReader> reader;
  CounterKeyBytes site{};
};

/// Calls `use` with the time of the row of the one message of a name, and whether something is kept
/// of it; else replies why there is none: 404, 409, or the error of the reader.
/// Threads: that of the reader.
http::HttpReply with_one_message(
    storage::sqlite::HistoryReader& reader, const std::string& name,
    const std::function<http::HttpReply(std::int64_t time, bool is_kept)>& use);

/// The messages of the history (route.h has the arguments).
///
///   GET  /api/1/messages               the newest first -> {"messages": [view::message_json],
///                                      "next": a cursor, or null at the end, "broken": rows that
///                                      cannot be read}. A search looks at
///                                      kLookedMost rows at most, so a page may have less than
///                                      `most` and a cursor.
///                                      With peers=yes also those of other daemons
///                                      (peer_messages.h).
///   GET  /api/1/messages/named?id=     -> {"messages": [view::whole_message_json], "broken"} of
///                                      all with this queue id, at most kMessagesMost
///   GET  /api/1/messages/{id}          -> view::whole_message_json of one, which another daemon
///                                      may have
///   POST /api/1/messages/{id}/report   -> as POST /api/1/reports (report_resource.h)
///
/// `id`: a queue id, or the "id" of a message. 404: there is none. 409: several messages had the
/// queue id, which are named; or nothing is kept of it that could be reported. 503: the history is
/// off, or cannot be read now.
/// Threads: any thread.
class MessageResource {
 public:
  static constexpr std::size_t kMessagesMost = 1000;  ///< in one answer
  static constexpr std::uint64_t kLookedMost = 100'000;
  static constexpr std::size_t kNamedMost = 20;  ///< messages that an error names

  /// Errors: kUnavailable: there is no history.
  using OpenHistory = std::function<Result<SiteHistory>()>;

  /// What the model says of a row; null = there is none.
  using WordOf =
      std::function<std::shared_ptr<const rules::ModelWord>(const history::MessageRecord&)>;

  /// `desk` and `clock` must outlive it.
  MessageResource(OpenHistory open, reports::ReportDesk& desk, const Clock& clock,
                  ReportHome home = {}, MessagePeers peers = {}, WordOf word_of = {})
      : open_(std::move(open)),
        desk_(desk),
        clock_(clock),
        home_(std::move(home)),
        peers_(std::move(peers)),
        word_of_(std::move(word_of)) {}

  /// They use this object.
  [[nodiscard]] std::vector<Route> routes() const;

 private:
  [[nodiscard]] http::HttpReply list(const Call& call) const;
  [[nodiscard]] http::HttpReply named(const Call& call) const;
  [[nodiscard]] http::HttpReply one(const Call& call) const;
  [[nodiscard]] http::HttpReply report(const Call& call) const;
  /// Of a message that is not here: what others have; else `why_not`.
  [[nodiscard]] http::HttpReply from_others(const Call& call, http::HttpReply why_not) const;
  [[nodiscard]] std::vector<PeerAnswer> ask_others(const Call& call, std::string_view path) const;

  OpenHistory open_;
  reports::ReportDesk& desk_;
  const Clock& clock_;
  ReportHome home_;
  MessagePeers peers_;
  WordOf word_of_;
};

}  // namespace shingled::milter::api
