#include "milter/replay/past_effect.h"

#include <algorithm>
#include <chrono>

#include "milter/replay/row_replay.h"

namespace shingled::milter::replay {

namespace {

using history::FoundMessage;

std::int64_t microseconds(WallTime time) {
  return std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch()).count();
}

PastChange change_of(const FoundMessage& message, const PastMessage& otherwise) {
  return {.id = history::message_name(message.row),
          .time = message.row.time,
          .sender = std::string(as_text(message.row.sender_name)),
          .subject = std::string(as_text(message.row.subject)),
          .from = static_cast<rules::Action>(message.row.action),
          .to = otherwise.action,
          .score_from = message.record.score,
          .score_to = otherwise.score};
}

}  // namespace

PastMessage with_score(const FoundMessage& message, double score, const ActionOptions& actions) {
  const auto then = static_cast<rules::Action>(message.row.action);
  const bool by_score =
      !message.record.failed && rules::choose_action(message.record.score, actions) == then;
  return {PastMessage::Met::kYes, by_score ? rules::choose_action(score, actions) : then, score};
}

Result<PastEffect> past_effect(storage::sqlite::HistoryReader& reader, const Clock& clock,
                               const std::stop_token& stop,
                               const std::function<PastMessage(const FoundMessage&)>& otherwise,
                               const PastBounds& bounds) {
  using Met = PastMessage::Met;
  const TimePoint deadline = clock.now() + bounds.time_max;
  const std::int64_t first =
      microseconds(clock.wall() - std::chrono::seconds(PastBounds::kSpanSeconds));
  PastEffect out;
  out.since = first;
  bool stopped = false;
  bool late = false;
  std::int64_t last = INT64_MAX;
  const auto end =
      history::find_messages(reader, {.span = {.since = first}}, {.looked_max = bounds.looked_max},
                             [&](const FoundMessage& message) {
                               stopped = stop.stop_requested();
                               late = clock.now() >= deadline;
                               if (stopped || late) return false;
                               last = message.row.time;
                               if (message.record.unseen || message.row.action >= kTrialActions)
                                 return true;
                               ++out.messages;
                               const PastMessage found = otherwise(message);
                               if (found.met == Met::kUnknown) ++out.unknown;
                               if (found.met != Met::kYes) return true;
                               ++out.met;
                               if (found.action == static_cast<rules::Action>(message.row.action))
                                 return true;
                               ++out.changed;
                               if (out.examples.size() < bounds.examples_max)
                                 out.examples.push_back(change_of(message, found));
                               return true;
                             });
  if (!end) return end.error();
  if (stopped) return Error{ErrorCode::kUnavailable, "stopped"};
  if ((late || end->next) && last != INT64_MAX) out.since = last;
  return out;
}

}  // namespace shingled::milter::replay
