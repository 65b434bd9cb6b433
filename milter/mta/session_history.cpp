// What Session gives the history.
#include <memory>
#include <span>
#include <utility>

#include "milter/mta/session.h"
#include "milter/reports/kept_code.h"
#include "milter/reports/kept_message.h"
#include "mime/analysis_parts.h"

namespace shingled::milter::mta {

void Session::note_history(const Ended& ended) noexcept {
  const Message& message = *ended.message;
  const auto history = message.snapshot->history.lock();
  if (history == nullptr) return;
  const Settings& settings = message.scanner().settings();
  const bool unseen = ended.deferred || message.lacks_memory || !message.failure.empty();
  history->record({.queue_id = ended.queue_id,
                   .sender = message.sender,
                   .message_id = message.message_id,
                   .facts = ended.facts,
                   .verdict = ended.verdict,
                   .unseen = unseen,
                   .dry_run = settings.milter.dry_run,
                   .names = settings.history.names,
                   .recipients = message.envelope.recipients,
                   .subject = message.subject,
                   .kept = message.kept});
}

void Session::finish_later(const std::shared_ptr<const Ended>& ended) const noexcept {
  if (bounds_.later) {
    try {
      return bounds_.later([ended] { note_history(*ended); });
    } catch (...) {  // no memory to defer it
    }
  }
  note_history(*ended);
}

void Session::keep_for_history(const judge::MessageView& view, Message& message) const noexcept {
  try {
    const auto history = message.snapshot->history.lock();
    if (history == nullptr) return;
    const Settings& settings = message.scanner().settings();
    if (settings.history.names == HistoryNames::kSubject)
      message.subject = view.analysis().parts().subject;
    // Half a message has another name than the whole one that people have.
    const bool can_report = settings.reports.enabled && !message.buffer.truncated();
    if (settings.history.act_for.count() == 0 || !can_report) return;
    std::span<const mime::Piece> pieces;
    std::span<const storage::counters::Pair> keys;
    if (message.count) {
      pieces = message.count->own_pieces();
      keys = message.count->own_keys();
    }
    const CounterKeyBytes& site = history->site();
    message.kept = reports::encode_kept(reports::kept_message(view, pieces, keys, message.envelope,
                                                              site, message.scanner().taught()),
                                        site);
  } catch (...) {
    message.kept.clear();
  }
}

}  // namespace shingled::milter::mta
