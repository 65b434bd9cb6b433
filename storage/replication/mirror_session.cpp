#include "storage/replication/mirror_session.h"

#include <algorithm>
#include <utility>

namespace shingled::storage::replication {

MirrorSession::MirrorSession(sqlite::ReplicaReader& reader, SubmitBatch submit,
                             SecureChannel channel, Random& random, std::function<void()> wake)
    : reader_(reader),
      submit_(std::move(submit)),
      channel_(std::move(channel)),
      wake_(std::move(wake)),
      mark_(random.next_u32()) {}

Status MirrorSession::receive(BytesView bytes) {
  return receive_messages(channel_, bytes,
                          [this](Message message) { return handle(std::move(message)); });
}

Status MirrorSession::handle(Message message) {
  if (const auto* greeting = std::get_if<Greeting>(&message)) {
    if (master_) return out_of_place();
    master_ = greeting->store;
    return {};
  }
  if (!was_welcomed() && !std::holds_alternative<Beat>(message)) return out_of_place();
  if (const auto* beat = std::get_if<Beat>(&message)) {
    progress_.announced = beat->last;
    return {};
  }
  if (auto* differ = std::get_if<RangesDiffer>(&message)) {
    if (state_ != State::kSumsSaid) return out_of_place();
    differ_ = std::move(*differ);
    state_ = State::kReceiving;
    return {};
  }
  return queue(std::move(message));
}

Status MirrorSession::queue(Message message) {
  const bool known = std::holds_alternative<CompareRanges>(message) ||
                     std::holds_alternative<RangeRecords>(message) ||
                     std::holds_alternative<RangesDone>(message) ||
                     std::holds_alternative<JournalRecords>(message);
  if (!known) return out_of_place();
  if (waiting_.size() > kWindowMessages) {
    return Error{ErrorCode::kLimit, "more messages than the window allows"};
  }
  waiting_.push_back(std::move(message));
  return {};
}

Status MirrorSession::begin() {
  const auto self = reader_.self();
  if (!self) return self.error();
  if (*self == *master_) {
    return Error{ErrorCode::kInvalid, "the master is this store, or a copy of it"};
  }
  const auto known = reader_.is_known(*master_, key());
  if (!known) return known.error();
  if (*known) return welcome();
  // The writer decides whether the name belongs to this key, because only the writer is never out
  // of date. Before that, we do not tell our position in that store's journal.
  state_ = State::kIntroducing;
  submit(batch());
  return {};
}

Status MirrorSession::welcome() {
  const auto self = reader_.self();
  if (!self) return self.error();
  const auto position = reader_.position_of(*master_);
  if (!position) return position.error();
  if (*position) {
    progress_.following = true;
    progress_.committed = (*position)->number;
  }
  send(Resume{self->value_or(StoreId{}), *position});
  state_ = State::kFollowing;
  return {};
}

ReplicaBatch MirrorSession::batch() const {
  ReplicaBatch batch;
  batch.master = *master_;
  batch.key = key();
  return batch;
}

void MirrorSession::beat() {
  if (was_welcomed()) send(Committed{messages_});
}

Result<bool> MirrorSession::work() {
  if (!has_begun()) return false;
  if (in_flight_) {
    if (!in_flight_->is_done.load()) return false;
    const Status outcome = in_flight_->outcome;
    in_flight_.reset();
    if (!outcome) return outcome.error();
    if (state_ == State::kIntroducing) {
      if (Status welcomed = welcome(); !welcomed) return welcomed.error();
    }
    if (std::exchange(front_sent_, false)) committed();
  }
  if (state_ == State::kSumming) return sum_step();
  if (state_ == State::kSweeping) return sweep_step();
  return front_step();
}

void MirrorSession::committed() {
  const Message& message = waiting_.front();
  if (const auto* journal = std::get_if<JournalRecords>(&message)) {
    progress_.committed = journal->end.number;
    progress_.records += journal->records.size();
  } else if (const auto* range = std::get_if<RangeRecords>(&message)) {
    progress_.records += range->records.size();
  } else if (const auto* done = std::get_if<RangesDone>(&message)) {
    progress_.committed = done->position.number;
    progress_.following = true;
  }
  waiting_.pop_front();
  send(Committed{++messages_});
}

Result<bool> MirrorSession::front_step() {
  if (waiting_.empty()) return false;
  Message& message = waiting_.front();
  if (const auto* compare = std::get_if<CompareRanges>(&message)) {
    if (state_ != State::kFollowing) return out_of_place();
    sums_.emplace(compare->key);
    next_ = 0;
    mark_ = mark_ + 1 == 0 ? 1 : mark_ + 1;  // 0 marks parts that did not come in a comparison
    progress_.following = false;
    state_ = State::kSumming;
    waiting_.pop_front();
    return true;
  }
  if (auto* journal = std::get_if<JournalRecords>(&message)) {
    if (state_ != State::kFollowing) return out_of_place();
    ReplicaBatch next = batch();
    next.records = journal->records;
    next.position = journal->end;
    submit(std::move(next));
    front_sent_ = true;
    return false;
  }
  if (state_ != State::kReceiving) return out_of_place();
  if (auto* range = std::get_if<RangeRecords>(&message)) {
    ReplicaBatch next = batch();
    next.records = range->records;
    next.mark = mark_;
    submit(std::move(next));
    front_sent_ = true;
    return false;
  }
  next_ = 0;
  state_ = State::kSweeping;
  return true;
}

void MirrorSession::submit(ReplicaBatch batch) {
  in_flight_ = std::make_shared<InFlight>();
  submit_(std::move(batch), [flight = in_flight_, wake = wake_](const Status& outcome) {
    flight->outcome = outcome;
    flight->is_done.store(true);
    wake();
  });
}

Result<bool> MirrorSession::sum_step() {
  const auto slice = reader_.parts_of(*master_, next_, kWalkRows);
  if (!slice) return slice.error();
  next_ = slice->next;
  for (const PartRecord& record : slice->records) sums_->add(record);
  if (!slice->ended) return true;
  for (std::size_t first = 0; first < kRanges; first += kRangesPerMessage) {
    send(sums_->message(static_cast<std::uint32_t>(first), kRangesPerMessage));
  }
  sums_.reset();
  state_ = State::kSumsSaid;
  return false;
}

Result<bool> MirrorSession::sweep_step() {
  const auto slice = reader_.parts_of(*master_, next_, kWalkRows);
  if (!slice) return slice.error();
  next_ = slice->next;
  ReplicaBatch gone = batch();
  gone.mark = mark_;
  for (std::size_t i = 0; i < slice->records.size(); ++i) {
    const Digest& digest = slice->records[i].digest;
    if (slice->marks[i] != mark_ && is_in(differ_, digest)) {
      gone.records.emplace_back(PartRecord{digest, {}});
    }
  }
  if (slice->ended) {
    gone.position = std::get<RangesDone>(waiting_.front()).position;
    state_ = State::kFollowing;
    front_sent_ = true;
  }
  if (!slice->ended && gone.records.empty()) return true;
  submit(std::move(gone));
  return false;
}

}  // namespace shingled::storage::replication
