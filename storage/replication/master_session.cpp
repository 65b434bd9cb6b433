#include "storage/replication/master_session.h"

#include <algorithm>
#include <utility>

namespace shingled::storage::replication {

MasterSession::MasterSession(const StoreId& self, sqlite::ReplicaReader& reader,
                             SecureChannel channel, Random& random)
    : self_(self), reader_(reader), channel_(std::move(channel)), random_(random) {}

Status MasterSession::receive(BytesView bytes) {
  return receive_messages(channel_, bytes,
                          [this](const Message& message) { return handle(message); });
}

Status MasterSession::handle(const Message& message) {
  if (const auto* resume = std::get_if<Resume>(&message)) return handle_resume(*resume);
  if (const auto* sums = std::get_if<RangeSums>(&message)) return handle_sums(*sums);
  if (const auto* committed = std::get_if<Committed>(&message)) return handle_committed(*committed);
  return out_of_place();
}

Status MasterSession::handle_resume(const Resume& resume) {
  if (state_ != State::kResume) return out_of_place();
  if (resume.store == self_) {
    return Error{ErrorCode::kInvalid, "the mirror is this store, or a copy of it"};
  }
  if (resume.position) {
    const auto covered = reader_.covers(*resume.position);
    if (!covered) return covered.error();
    if (*covered) {
      sent_ = *resume.position;
      progress_.committed = sent_.number;
      progress_.following = true;
      state_ = State::kFollowing;
      return {};
    }
  }
  return begin_comparison();
}

Status MasterSession::begin_comparison() {
  const auto end = reader_.end();
  if (!end) return end.error();
  sent_ = *end;
  CompareRanges request;
  random_.fill(request.key);
  comparison_ = std::make_unique<Comparison>(request.key);
  send(request);
  progress_.following = false;
  ++progress_.comparisons;
  state_ = State::kSumming;
  return {};
}

Status MasterSession::handle_sums(const RangeSums& sums) {
  const bool wanted = state_ == State::kSumming || state_ == State::kWaiting;
  if (!wanted || sums.first != comparison_->heard) return out_of_place();
  comparison_->theirs.put(sums);
  comparison_->heard += sums.sums.size();
  return {};
}

Status MasterSession::handle_committed(const Committed& committed) {
  const std::uint64_t most = messages_committed_ + under_way_.size();
  if (committed.messages < messages_committed_ || committed.messages > most) return out_of_place();
  for (; messages_committed_ < committed.messages; ++messages_committed_) {
    if (under_way_.front()) {
      progress_.committed = *under_way_.front();
      progress_.following = true;
    }
    under_way_.pop_front();
  }
  progress_.messages = messages_committed_;
  return {};
}

Status MasterSession::beat() {
  if (state_ == State::kHello) return {};
  const auto end = reader_.end();
  if (!end) return end.error();
  send(Beat{end->number});
  return {};
}

bool MasterSession::may_send() {
  // One step sends two messages at most.
  return under_way_.size() + 2 <= kWindowMessages && channel_.output().size() < kOutputBytesMax;
}

void MasterSession::send_records(const Message& message, std::optional<std::uint64_t> number) {
  send(message);
  under_way_.push_back(number);
}

Result<bool> MasterSession::work() {
  switch (state_) {
    case State::kHello:
      if (!channel_.is_open()) return false;
      send(Greeting{self_});
      state_ = State::kResume;
      return false;
    case State::kResume:
      return false;
    case State::kSumming:
      return sum_step();
    case State::kWaiting:
      if (comparison_->heard < kRanges) return false;
      comparison_->differ = comparison_->ours.differences(comparison_->theirs);
      comparison_->next = 0;
      send(comparison_->differ);
      state_ = State::kSending;
      return true;
    case State::kSending:
      return send_step();
    case State::kTakebacks:
      return takeback_step();
    case State::kFollowing:
      return follow_step();
  }
  return false;
}

Result<bool> MasterSession::sum_step() {
  const auto slice = reader_.own_parts(comparison_->next, kWalkRows);
  if (!slice) return slice.error();
  comparison_->next = slice->next;
  for (const PartRecord& record : slice->records) comparison_->ours.add(record);
  if (slice->ended) state_ = State::kWaiting;
  return true;
}

Result<bool> MasterSession::send_step() {
  if (!may_send()) return false;
  auto slice = reader_.own_parts(comparison_->next, kWalkRows);
  if (!slice) return slice.error();
  comparison_->next = slice->next;
  std::vector<ReplicaRecord>& gathered = comparison_->gathered;
  for (const PartRecord& record : slice->records) {
    if (is_in(comparison_->differ, record.digest)) gathered.emplace_back(record);
  }
  while (gathered.size() >= kBatchRecordsMax || (slice->ended && !gathered.empty())) {
    const auto count = std::min(gathered.size(), kBatchRecordsMax);
    const auto end = gathered.begin() + static_cast<std::ptrdiff_t>(count);
    progress_.records_sent += count;
    send_records(RangeRecords{{gathered.begin(), end}}, std::nullopt);
    gathered.erase(gathered.begin(), end);
  }
  if (slice->ended) {
    comparison_->next = 0;
    state_ = State::kTakebacks;
  }
  return true;
}

Result<bool> MasterSession::takeback_step() {
  if (!may_send()) return false;
  const auto asked = reader_.takebacks(comparison_->next, kBatchRecordsMax);
  if (!asked) return asked.error();
  comparison_->next = asked->next;
  if (!asked->takebacks.empty()) {
    send_records(RangeRecords{{asked->takebacks.begin(), asked->takebacks.end()}}, std::nullopt);
  }
  if (!asked->ended) return true;
  send_records(RangesDone{sent_}, sent_.number);
  comparison_.reset();
  state_ = State::kFollowing;
  return true;
}

Result<bool> MasterSession::follow_step() {
  if (!may_send()) return false;
  auto found = reader_.entries(sent_, kBatchRecordsMax);
  if (!found) return found.error();
  if (!*found) {
    if (Status begun = begin_comparison(); !begun) return begun.error();
    return true;
  }
  sqlite::ReplicaReader::Entries& entries = **found;
  if (entries.end.number == sent_.number) return false;
  sent_ = entries.end;
  progress_.records_sent += entries.records.size();
  send_records(JournalRecords{sent_, std::move(entries.records)}, sent_.number);
  return true;
}

}  // namespace shingled::storage::replication
