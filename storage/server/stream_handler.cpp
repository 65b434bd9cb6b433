#include "storage/server/stream_handler.h"

#include <span>
#include <utility>
#include <variant>

namespace shingled::storage::server {

namespace {

static_assert(kSealedReplyBytesMax <= protocol::kFrameBytesMax, "a reply must fit one frame");

void append(BytesView buffer, const Answer& answer, Bytes& out) {
  (void)protocol::append_frame(buffer.first(answer.bytes), out);
}

}  // namespace

StreamHandler::StreamHandler(std::size_t worker, const WorkerShared& shared,
                             WorkerCounters& counters)
    : worker_(worker),
      shared_(shared),
      counters_(counters),
      handler_(shared.store, shared.random, counters, worker, &shared.losses) {}

void StreamHandler::use(std::shared_ptr<const access::Access> access, std::size_t key_cache_size) {
  handler_.use(std::move(access), key_cache_size);
}

StreamHandler::Taken StreamHandler::take(Stream& stream, BytesView bytes, TimePoint now,
                                         Bytes& out) {
  Taken taken;
  asked_count_ = 0;  // checks may be left over from a call that ran out of memory
  const access::Moment moment{now, shared_.clock.wall()};
  stream.in.feed(bytes);
  while (const auto frame = stream.in.next()) {
    const Handled handled = handler_.handle(*frame, stream.peer, moment, reply_);
    if (!std::holds_alternative<Drop>(handled)) ++taken.requests;
    if (const auto* check = std::get_if<PendingCheck>(&handled)) {
      asked_[asked_count_++] = *check;
      if (asked_count_ == kChecksTogether) answer_checks(moment.wall, out);
      continue;
    }
    answer_checks(moment.wall, out);
    if (const auto* answer = std::get_if<Answer>(&handled)) {
      append(reply_, *answer, out);
    } else if (const auto* update = std::get_if<PendingUpdate>(&handled)) {
      submit(stream, *update, now, out);
    } else if (std::get<Drop>(handled) == Drop::kBlocked) {
      taken.end = End::kBlocked;
      return taken;
    }
  }
  answer_checks(moment.wall, out);
  if (stream.in.broken()) taken.end = End::kBadFrame;
  return taken;
}

void StreamHandler::finish(Stream& stream, const FinishedUpdate& finished, Bytes& out) {
  --stream.updates;
  append(reply_, handler_.finish(finished.waiting.ticket, finished.stored, reply_), out);
}

void StreamHandler::submit(Stream& stream, const PendingUpdate& pending, TimePoint now,
                           Bytes& out) {
  const auto taken = shared_.pending.submit(
      shared_.store, pending, {worker_, StreamRoute{stream.name}, pending.ticket}, now);
  if (taken != PendingUpdates::Taken::kFirst) counters_.repeats.add(1);
  if (taken == PendingUpdates::Taken::kFirst || taken == PendingUpdates::Taken::kRepeat)
    ++stream.updates;
  if (taken == PendingUpdates::Taken::kKnownDone)
    append(reply_, handler_.repeat(pending.ticket, reply_), out);
}

void StreamHandler::answer_checks(WallTime now, Bytes& out) {
  if (asked_count_ == 0) return;
  std::array<Question, kChecksTogether> questions;
  for (std::size_t i = 0; i < asked_count_; ++i) questions[i] = asked_[i].question();
  const auto wall = unix_seconds(now);
  const bool reached =
      shared_.store.check_batch(std::span(questions).first(asked_count_), wall, matches_);
  ReplyBytes reply;  // not reply_: the reply to the request after the checks may be there already
  for (std::size_t i = 0; i < asked_count_; ++i) {
    append(reply,
           reached || matches_[i] ? handler_.finish_check(asked_[i], matches_[i], now, reply)
                                  : handler_.finish_unasked(asked_[i], reply),
           out);
  }
  asked_count_ = 0;
}

}  // namespace shingled::storage::server
