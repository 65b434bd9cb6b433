#include "milter/reports/teaching.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace shingled::milter::reports {

using storage::sqlite::ReportedHash;

namespace {

std::int32_t weight_on(const storage::Match& match, std::uint32_t flag) {
  if (!match.exact) return 0;
  for (std::size_t i = 0; i < match.flag_count; ++i) {
    if (match.flags[i].flag == flag) return match.flags[i].value;
  }
  return 0;
}

/// nullopt: there is nothing to be done.
std::optional<storage::Update> update_of(const storage::sqlite::HashChange& change) {
  storage::Update update;
  update.flag = change.hash.flag;
  update.fingerprint = change.hash.fingerprint;
  update.value = change.wanted - change.taught;
  if (update.value > 0) return update;
  const std::int32_t off = std::min(-update.value, std::max(change.seen, 0));
  if (off == 0) return std::nullopt;
  update.value = -off;
  if (off == change.seen) update.kind = storage::Update::Kind::kDelete;
  return update;
}

}  // namespace

Result<std::vector<std::int32_t>> stored_weights(const storage::FuzzyStore& store,
                                                 std::span<const ReportedHash> hashes,
                                                 std::uint32_t now) {
  std::vector<storage::Question> questions;
  questions.reserve(hashes.size());
  for (const ReportedHash& hash : hashes) questions.push_back({&hash.fingerprint.digest, nullptr});
  std::vector<std::optional<storage::Match>> answers(hashes.size());
  if (!hashes.empty() && !store.check_batch(questions, now, answers))
    return Error{ErrorCode::kUnavailable, "the storage cannot be reached"};
  std::vector<std::int32_t> out(hashes.size(), 0);
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    if (answers[i]) out[i] = weight_on(*answers[i], hashes[i].flag);
  }
  return out;
}

Status Teacher::teach(storage::FuzzyStore& store,
                      std::span<const storage::sqlite::HashChange> changes) {
  // The storage may call back after we have given up.
  for (const storage::sqlite::HashChange& change : changes) {
    auto update = update_of(change);
    if (!update) continue;
    auto answer = std::make_shared<std::promise<Status>>();
    under_way_.push_back(answer->get_future());
    store.submit(*std::move(update), [answer](const Status& done) { answer->set_value(done); });
  }
  return wait(patience_.teach);
}

Status Teacher::settle() {
  const Status waited = wait(patience_.settle);
  return under_way_.empty() ? Status() : waited;
}

bool Teacher::comes(const std::future<Status>& answer, std::chrono::milliseconds patience) const {
  // Nothing else can wake who waits for a future.
  constexpr std::chrono::milliseconds kLook{50};
  while (patience > kLook && !(closing_ != nullptr && *closing_)) {
    if (answer.wait_for(kLook) == std::future_status::ready) return true;
    patience -= kLook;
  }
  if (closing_ != nullptr && *closing_) patience = std::chrono::milliseconds(0);
  return answer.wait_for(patience) == std::future_status::ready;
}

Status Teacher::wait(std::chrono::milliseconds patience) {
  Status worst;
  std::vector<std::future<Status>> late;
  for (std::future<Status>& answer : under_way_) {
    if (!comes(answer, patience)) {
      late.push_back(std::move(answer));
      patience = std::chrono::milliseconds(0);
    } else if (Status done = answer.get(); !done) {
      worst = done;
    }
  }
  under_way_ = std::move(late);
  if (!under_way_.empty()) return Error{ErrorCode::kTimeout, "the storage does not answer"};
  return worst;
}

}  // namespace shingled::milter::reports
